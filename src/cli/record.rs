//! `ringer record`: a command whose spawns of the real programs become recordings.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::run::{foreground, not_started, temporary};
use super::settings::name_of_a_double;
use super::{Outcome, output};
use crate::error::EXIT_RINGER;
use crate::persona::CLIS;
use crate::record::{
    Leftover, Options, Pinned, Policy, RecordPlan, RecordSession, Recorded, leftovers, unfinished,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Streams, terminal, signals and exit code are the command's. Secrets, home \
    directory, user and host names and e-mail addresses are replaced before anything is written."
)]
pub(super) struct Arguments {
    /// The recording directory; it is made if it is not there
    dir: PathBuf,
    /// `claude ...`, `codex ...`, or a whole harness that starts them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// What is done with recordings that are there already
    #[arg(long, value_enum, default_value = "once")]
    mode: PolicyOption,
    /// Record changes of files in the working directory too
    #[arg(long)]
    effects: bool,
    /// Leave ids and directories as recorded when the recording is played
    #[arg(long)]
    verbatim: bool,
    /// Replace what a regular expression finds, too
    #[arg(long, value_name = "NAME=REGEX", value_parser = named_pattern)]
    redact: Vec<(String, String)>,
    /// Record a program of this name, beside `claude`, `codex` and those with a folder
    #[arg(long = "as", value_name = "NAME", value_parser = name_of_a_double)]
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PolicyOption {
    /// Replay them, one a spawn, and record what comes after the last
    Once,
    /// Record every spawn, behind those that are there
    New,
    /// Record every spawn, in the place of those that are there
    All,
    /// Replay them and record nothing
    None,
}

impl From<PolicyOption> for Policy {
    fn from(option: PolicyOption) -> Policy {
        match option {
            PolicyOption::Once => Policy::Once,
            PolicyOption::New => Policy::New,
            PolicyOption::All => Policy::All,
            PolicyOption::None => Policy::None,
        }
    }
}

fn named_pattern(text: &str) -> Result<(String, String), String> {
    let (name, pattern) = text.split_once('=').ok_or("write NAME=REGEX")?;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if name.is_empty() || !plain {
        return Err("the name may have letters, digits, `-` and `_`".to_owned());
    }
    regex::bytes::Regex::new(pattern).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), pattern.to_owned()))
}

impl Arguments {
    /// The program to be recorded, where the command names it by a path.
    fn program_by_path(&self) -> Option<PathBuf> {
        let path = PathBuf::from(self.command.first().filter(|first| is_path(first))?);
        let name = path.file_name()?.to_string_lossy();
        let is_persona = CLIS.contains(&&*name) || self.names.iter().any(|n| *n == name);
        is_persona.then(|| path.clone())
    }
}

/// Whether a command is looked for where it says, and not on PATH.
fn is_path(command: &OsStr) -> bool {
    Path::new(command).components().count() > 1
}

/// Records what a command does.
pub(super) fn record(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let left = leftovers(&arguments.dir);
    output::say(&of_leftovers(&left));
    let place = temporary()?;
    let named = arguments.program_by_path();
    let session = RecordSession::prepare(RecordPlan {
        recordings: arguments.dir.clone(),
        stage: place.path().join("stage"),
        names: arguments.names.clone(),
        program: named.clone(),
        options: Options {
            policy: arguments.mode.into(),
            effects: arguments.effects,
            verbatim: arguments.verbatim,
            redact: arguments.redact.clone(),
            ..Options::default()
        },
    })?;
    let mut command = arguments.command.clone();
    // The shim stands in the place of a program that is named outright.
    if let Some(first) = command.first_mut()
        && let Some(name) = Path::new(&*first).file_name().and_then(|name| name.to_str())
        && let Some(shim) = session.layout.programs.get(name)
        && (named.is_some() || !is_path(first))
    {
        *first = shim.into();
    }
    let code = match foreground::run(&command, &session.layout.envs()) {
        Ok(code) => code,
        Err(error) => return Ok(Outcome::Code(not_started(&arguments.command, &error))),
    };
    for path in unfinished(&arguments.dir) {
        output::say(&format!(
            "ringer: waiting for {}: something that the program started still holds its output; an \
             interrupt leaves it as it is\n",
            path.display()
        ));
    }
    let recorded = session.conclude(code == 0)?;
    output::say(&summary(&recorded, &arguments.dir, &left));
    let broken = recorded.leftovers.len() > left.len();
    Ok(Outcome::Code(if code == 0 && broken { EXIT_RINGER } else { code }))
}

/// What may be the matter where nothing was started.
const IDLE: &str = "  Nothing was started that PATH has led to a shim. A client that does not look at \
    PATH has to\n  be given the path that `command -v claude` says under `ringer record`.\n";

fn summary(recorded: &Recorded, dir: &Path, before: &[Leftover]) -> String {
    let mut text = String::new();
    let shown = |list: &[String]| match list {
        [] => "nothing".to_owned(),
        list if list.len() <= 6 => list.join(", "),
        list => format!("{} recordings, {} to {}", list.len(), list[0], list[list.len() - 1]),
    };
    let _ = writeln!(text, "ringer: recorded {} in {}", shown(&recorded.made), dir.display());
    if recorded.idle {
        text.push_str(IDLE);
    }
    for path in &recorded.aside {
        let _ = writeln!(
            text,
            "ringer: {path} is a session without a message, which uses no recording up; it is kept \
             aside, and skipped"
        );
    }
    for (path, note) in &recorded.notes {
        let _ = writeln!(text, "ringer: {path}: {note}");
    }
    if !recorded.removed.is_empty() {
        let _ = writeln!(text, "ringer: removed {} of the old set", shown(&recorded.removed));
    }
    for (persona, version, pinned) in &recorded.versions {
        let _ = match pinned {
            Pinned::Already => Ok(()),
            Pinned::Now => writeln!(text, "ringer: pinned {persona} {version} in ringer.toml"),
            Pinned::Other(other) => writeln!(
                text,
                "ringer: this was {persona} {version}, but ringer.toml pins {other}; record the set \
                 anew with --mode all, or change it there"
            ),
        };
    }
    let new: Vec<Leftover> =
        recorded.leftovers.iter().filter(|left| !before.contains(left)).cloned().collect();
    text + &of_leftovers(&new)
}

fn of_leftovers(leftovers: &[Leftover]) -> String {
    let mut text = String::new();
    for left in leftovers {
        let (path, steps) = (left.path.display(), left.steps);
        let _ = writeln!(
            text,
            "ringer: a recorder was killed and left {path}, with {steps} steps; to use it, rename it \
             to {}; else remove it",
            left.name
        );
    }
    text
}
