//! `ringer stage`: a directory to put on PATH.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::settings::StageOptions;
use super::{Outcome, output, state};
use crate::journal::Journal;
use crate::stage::{Layout, make};

#[derive(Args, Debug)]
#[command(after_help = "In a shell: eval \"$(ringer stage DIR --recordings R)\"")]
pub(super) struct Arguments {
    /// The directory to make; doubles and settings in it are brought up to date, its state is kept
    dir: PathBuf,
    /// The recording directory [default: RINGER_RECORDINGS, else to be set when a double starts]
    #[arg(long, value_name = "R")]
    recordings: Option<PathBuf>,
    /// The shell to print the exports for
    #[arg(long, value_enum, default_value = "sh", conflicts_with = "json")]
    shell: Shell,
    /// Print paths and environment as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: StageOptions,
}

/// How exports are spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    /// sh, bash, zsh, dash
    Sh,
    /// fish
    Fish,
    /// PowerShell
    Powershell,
}

/// A stage as JSON.
#[derive(Serialize)]
struct Described<'a> {
    dir: &'a PathBuf,
    state: &'a PathBuf,
    recordings: &'a Option<PathBuf>,
    programs: &'a BTreeMap<String, PathBuf>,
    env: BTreeMap<String, String>,
}

/// Makes a stage and prints how it is used.
pub(super) fn stage(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let recordings = arguments.recordings.clone().or_else(state::recordings);
    let layout = make(&arguments.options.plan(arguments.dir.clone(), recordings))?;
    let earlier = Journal::of(&layout.state)?.numbers()?.len();
    if earlier > 0 {
        let state = layout.state.display();
        output::say(&format!(
            "ringer: the state in {state} goes on after {earlier} earlier spawn{}; to play from the \
             start: ringer reset {state}\n",
            if earlier == 1 { "" } else { "s" }
        ));
    }
    let env = text_pairs(&layout)?;
    let text = if arguments.json {
        let Layout { dir, state, recordings, programs, .. } = &layout;
        output::pretty(&Described {
            dir,
            state,
            recordings,
            programs,
            env: env.into_iter().collect(),
        })?
    } else {
        let dir = layout.dir.to_str().context("the stage's path is not UTF-8")?;
        arguments.shell.exports(dir, &env)
    };
    output::print(&text)?;
    Ok(Outcome::Fine)
}

fn text_pairs(layout: &Layout) -> anyhow::Result<Vec<(String, String)>> {
    let pairs = layout.envs().into_iter().map(|(name, value)| {
        let name = name.to_string_lossy().into_owned();
        match value.into_string() {
            Ok(value) => Ok((name, value)),
            Err(value) => anyhow::bail!("{name} is not UTF-8: {}", value.display()),
        }
    });
    pairs.collect()
}

impl Shell {
    /// The lines that put a stage on PATH and export the rest. PATH is changed where the lines are
    /// read, not replaced by what it is here.
    fn exports(self, dir: &str, env: &[(String, String)]) -> String {
        let quoted = self.quote(dir);
        let mut text = match self {
            Shell::Sh => format!("export PATH={quoted}\"${{PATH:+:$PATH}}\"\n"),
            Shell::Fish => format!("set -gx PATH {quoted} $PATH\n"),
            Shell::Powershell => {
                format!("$env:PATH = {quoted} + [IO.Path]::PathSeparator + $env:PATH\n")
            }
        };
        for (name, value) in env.iter().filter(|(name, _)| name != "PATH") {
            let value = self.quote(value);
            let _ = match self {
                Shell::Sh => writeln!(text, "export {name}={value}"),
                Shell::Fish => writeln!(text, "set -gx {name} {value}"),
                Shell::Powershell => writeln!(text, "$env:{name} = {value}"),
            };
        }
        text
    }

    /// A text in single quotes, in which nothing has a meaning but what is escaped here.
    fn quote(self, text: &str) -> String {
        let mut quoted = String::from("'");
        for c in text.chars() {
            match (self, c) {
                (Shell::Sh, '\'') => quoted.push_str("'\\''"),
                (Shell::Fish, '\'' | '\\') => quoted.extend(['\\', c]),
                // PowerShell takes typographic quotes for its own.
                (Shell::Powershell, '\'' | '\u{2018}'..='\u{201b}') => quoted.extend([c, c]),
                _ => quoted.push(c),
            }
        }
        quoted + "'"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_escaped_as_each_shell_has_it() {
        let text = "it's $HOME \\ `x` \u{2019}";
        assert_eq!(Shell::Sh.quote(text), "'it'\\''s $HOME \\ `x` \u{2019}'");
        assert_eq!(Shell::Fish.quote(text), "'it\\'s $HOME \\\\ `x` \u{2019}'");
        assert_eq!(Shell::Powershell.quote(text), "'it''s $HOME \\ `x` \u{2019}\u{2019}'");
    }

    #[test]
    fn path_is_put_in_front_of_what_it_is_where_the_lines_are_read() {
        let env = [("PATH".to_owned(), "/s:/x".to_owned()), ("A".to_owned(), "b c".to_owned())];
        let lines = |shell: Shell| shell.exports("/s", &env);
        assert_eq!(lines(Shell::Sh), "export PATH='/s'\"${PATH:+:$PATH}\"\nexport A='b c'\n");
        assert_eq!(lines(Shell::Fish), "set -gx PATH '/s' $PATH\nset -gx A 'b c'\n");
        assert_eq!(
            lines(Shell::Powershell),
            "$env:PATH = '/s' + [IO.Path]::PathSeparator + $env:PATH\n$env:A = 'b c'\n"
        );
    }
}
