//! What `claude` answers without running a model: its version, its help, its side commands.
//!
//! The answers are those of a fresh home directory, from the version's data file. Nothing is done:
//! `mcp add` says that it added a server and changes no file. A help text is the project's own.

use std::fmt::Write as _;
use std::iter;
use std::path::Path;

use super::arguments::{Command, Login, Request, Surroundings, Table, did_you_mean, fill};
use crate::persona::{Answer, Meaning};

/// The command that tells what there is, in versions that have one: for others it is a prompt.
const HELP: &str = "help";

/// The answer to `--version` (`s07_version`, `s07_V`, `s07_bundle`, `s07_version_and_p`).
pub(super) fn version(table: &Table<'_>) -> Answer {
    Answer { stdout: format!("{} (Claude Code)\n", table.version), ..Answer::default() }
}

/// The answer to `--help`, which knows of no commands when printing is asked for.
pub(super) fn help(table: &Table<'_>, prints: bool) -> Answer {
    let command = if prints { "" } else { " [command]" };
    let mut text = format!(
        "Usage: claude [options]{command} [prompt]\n\nThis is a double made by ringer. It plays \
         recordings, and takes these arguments as\nClaude Code {} does.\n\nOptions:\n",
        table.version
    );
    for option in table.options().filter(|option| !option.is_hidden()) {
        let choices = option.note("choices").map(|choices| format!("  one of {choices}"));
        let _ = writeln!(text, "  {}{}", option.usage(), choices.unwrap_or_default());
    }
    if !prints {
        text.push_str("\nCommands:\n");
        for command in table.commands() {
            let _ = writeln!(text, "  {}", command.names().collect::<Vec<_>>().join("|"));
        }
    }
    Answer { stdout: text, ..Answer::default() }
}

/// The answer to `help`, alone or with the name of a command: as for a command without what it needs,
/// the text goes to stderr, and the exit code is 1 (claude.md, sections 7 and 11).
fn asked_as_command(table: &Table<'_>, tail: &[&str]) -> Answer {
    let named = tail.iter().find(|word| !word.starts_with('-'));
    let told = match named.and_then(|name| Some((table.command(name)?, *name))) {
        Some((command, name)) => command_help(Some(command), name),
        None => help(table, false),
    };
    Answer { stderr: told.stdout, code: 1, ..Answer::default() }
}

/// What a first word that is a command, and the words after it, come to.
pub(super) fn command(
    table: &Table<'_>,
    name: &'static str,
    tail: &[&str],
    strict: bool,
    around: &Surroundings,
) -> Meaning<Box<Request>> {
    let words: Vec<&str> = iter::once(name).chain(tail.iter().copied()).collect();
    let own = tail.iter().take_while(|word| **word != "--");
    if own.clone().any(|word| matches!(*word, "-h" | "--help")) {
        return Meaning::Help(command_help(table.command(name), name));
    }
    if name == HELP {
        return Meaning::Help(asked_as_command(table, tail));
    }
    if let Some(answer) = answer(table, &words, around) {
        return Meaning::Probe(answer);
    }
    if strict && let Some(meaning) = misused(table, name, tail.first().copied()) {
        return meaning;
    }
    let parts = own.take_while(|word| !word.starts_with('-')).take(2);
    let command = iter::once(&name).chain(parts).copied().collect::<Vec<_>>().join(" ");
    Meaning::NoAnswer { command }
}

/// The answer to a first word that is no command and yet no prompt (`s07_config_list`).
pub(super) fn word<W: AsRef<str>>(
    table: &Table<'_>,
    operands: &[W],
    around: &Surroundings,
) -> Option<Answer> {
    let first = operands.first()?.as_ref();
    let bare = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<&str> = operands.iter().map(AsRef::as_ref).collect();
    if bare { answer(table, &words, around) } else { None }
}

/// What a command whose subcommands are all known says of a word that is none of them
/// (`s07_mcp_bogus`, `s07_auth_bogus`), or of none at all (`s07_auth`: its help, on stderr).
fn misused(
    table: &Table<'_>,
    name: &'static str,
    first: Option<&str>,
) -> Option<Meaning<Box<Request>>> {
    let command = table.command(name)?;
    let known: Vec<&str> = command.subcommands()?.chain(["help"]).collect();
    let refused = |stderr: String| Meaning::Usage(Answer { stderr, code: 1, ..Answer::default() });
    let first = match first {
        None => return Some(refused(command_help(Some(command), name).stdout)),
        Some("help") => return Some(Meaning::Help(command_help(Some(command), name))),
        Some(first) => first,
    };
    if first.starts_with("--") {
        let hint = did_you_mean(first, iter::once("--help"));
        return Some(refused(format!("error: unknown option '{first}'{hint}\n")));
    }
    if first.starts_with('-') {
        return Some(refused(format!("error: unknown option '{first}'\n")));
    }
    if known.contains(&first) {
        return None;
    }
    let hint = did_you_mean(first, known.into_iter());
    Some(refused(format!("error: unknown command '{first}'{hint}\n")))
}

fn command_help(command: Option<Command>, name: &str) -> Answer {
    let mut text = format!("Usage: claude {name} [options] [command]\n");
    if let Some(subcommands) = command.and_then(|command| command.subcommands()) {
        text.push_str("\nCommands:\n");
        for subcommand in subcommands {
            let _ = writeln!(text, "  {subcommand}");
        }
    }
    Answer { stdout: text, ..Answer::default() }
}

/// The captured answer for these words, if there is one.
fn answer(table: &Table<'_>, words: &[&str], around: &Surroundings) -> Option<Answer> {
    let mut lines = table.answers().lines();
    while let Some(line) = lines.next() {
        let Some((code, rest)) = line.strip_prefix("answer ").and_then(|l| l.split_once(' '))
        else {
            continue;
        };
        let (pattern, condition) = rest.split_once("  when ").unwrap_or((rest, ""));
        if let Some(values) = matched(pattern, words).filter(|_| holds(condition, around)) {
            let code = code.parse().unwrap_or(1);
            let body = lines.take_while(|line| !line.starts_with("answer "));
            return Some(filled(body, code, values, table, around));
        }
    }
    None
}

fn holds(condition: &str, around: &Surroundings) -> bool {
    match condition {
        "key" => around.login == Login::Key,
        "no-key" => around.login == Login::None,
        "piped" => !around.stdout_tty,
        _ => true,
    }
}

/// The values of a pattern's names, if the words fit the pattern.
fn matched<'p>(pattern: &'p str, words: &[&str]) -> Option<Vec<(&'p str, String)>> {
    let mut values = Vec::new();
    let mut words = words.iter().peekable();
    let mut literal = false;
    for part in pattern.split(' ') {
        let bare = part.strip_prefix('[').and_then(|part| part.strip_suffix(']'));
        let (part, optional) = (bare.unwrap_or(part), bare.is_some());
        let name = part.strip_prefix("${").and_then(|part| part.strip_suffix('}'));
        if let Some(name) = name.and_then(|name| name.strip_suffix("...")) {
            let left: Vec<&str> = words.by_ref().copied().collect();
            let fits = literal || !left.iter().any(|word| word.starts_with('-'));
            if !fits || (left.is_empty() && !optional) {
                return None;
            }
            values.push((name, left.join(" ")));
        } else if let Some(name) = name {
            let word = words.next_if(|word| literal || !word.starts_with('-'))?;
            values.push((name, (*word).to_owned()));
        } else if words.next_if(|word| **word == part).is_some() {
            literal |= part == "--";
        } else if !optional {
            return None;
        }
    }
    words.next().is_none().then_some(values)
}

/// Writes out an entry's lines; one that names a value that there is none of is left out.
fn filled<'l>(
    lines: impl Iterator<Item = &'l str>,
    code: u8,
    values: Vec<(&str, String)>,
    table: &Table<'_>,
    around: &Surroundings,
) -> Answer {
    let config_dir = match &around.config_dir {
        Some(config_dir) => config_dir.clone(),
        None => Path::new(&around.home).join(".claude").to_string_lossy().into_owned(),
    };
    let config_home = around.config_dir.as_ref().unwrap_or(&around.home);
    let config_file = Path::new(config_home).join(".claude.json").to_string_lossy().into_owned();
    let json_config_dir = json_inside(&config_dir);
    let lookup = |name: &str| match name {
        "version" => Some(table.version),
        "base_url" => around.base_url.as_deref(),
        "cwd" => Some(around.cwd.as_str()),
        "config_file" => Some(config_file.as_str()),
        "json:config_dir" => Some(json_config_dir.as_str()),
        _ => values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str()),
    };
    let mut answer = Answer { code, ..Answer::default() };
    for line in lines {
        let (stream, text) = match line.split_at_checked(3) {
            Some(("out", text)) => (&mut answer.stdout, text),
            Some(("err", text)) => (&mut answer.stderr, text),
            _ => continue,
        };
        if let Some(text) = fill(text.strip_prefix(' ').unwrap_or(text), lookup) {
            stream.push_str(&text);
            stream.push('\n');
        }
    }
    answer
}

/// A text as it stands inside of a JSON string.
fn json_inside(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::matched;

    #[test]
    fn a_pattern_takes_names_options_and_what_is_left() {
        let add = "mcp add ${name} [--] ${command...}";
        let values = matched(add, &["mcp", "add", "foo", "--", "/bin/echo", "-x"]);
        let expected = vec![("name", "foo".to_owned()), ("command", "/bin/echo -x".to_owned())];
        assert_eq!(values, Some(expected));
        assert!(matched(add, &["mcp", "add", "foo", "/bin/echo"]).is_some());
        assert!(matched(add, &["mcp", "add", "foo", "/bin/echo", "-x"]).is_none());
        assert!(matched(add, &["mcp", "add", "foo"]).is_none());
        assert!(matched(add, &["mcp", "add", "-s", "user", "foo", "x"]).is_none());
        assert!(matched("auth status [--json]", &["auth", "status"]).is_some());
        assert!(matched("auth status [--json]", &["auth", "status", "--text"]).is_none());
        assert!(matched("config [${x...}]", &["config"]).is_some());
    }
}
