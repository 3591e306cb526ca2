//! How the `codex` CLI takes its arguments: from the command line to what it means, as pure functions.
//!
//! The parser is a small model of clap over option tables that are data files, one a version: it
//! accepts and refuses what the real parser accepts and refuses, with its texts. After it come the
//! checks that need nothing but arguments and the kind of stdin. Configuration files, sessions, git
//! and the directories that arguments name are not looked at, and nothing is read or written here:
//! what stdin holds is judged by [`check_input`] once somebody has read it.

mod checks;
#[cfg(all(test, feature = "cli"))]
mod clap_tests;
mod command;
mod complaint;
mod help;
mod matches;
mod option;
mod parser;
mod request;
mod similar;
mod stdin;
mod surplus;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth_tests;
mod usage;
mod validate;

pub use request::{Request, ReviewTarget, RunKind, Session};
pub use stdin::{Reading, StdinRule, check_input, stdin_rule};
#[cfg(feature = "cli")]
pub(crate) use table::data;
pub use table::{Table, known_versions, table};

pub(super) use matches::Level;

use super::probes;
use crate::persona::{Answer, Meaning};
use parser::{Leniency, Parsed, Stop};

/// What the meaning of arguments depends on beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether stdin is a terminal.
    pub stdin_tty: bool,
    /// Whether stdout is a terminal.
    pub stdout_tty: bool,
}

/// Judges the arguments (without the program's name).
///
/// `pinned` says that the table's version was asked for: then an option that it does not have is
/// refused; otherwise one that no known version has is let pass and listed in
/// [`Request::unknown`], since the CLI may be newer than the tables. The same holds for a pinned
/// version that has no table of its own. Without `strict` nothing is refused: probes are answered
/// and everything else is understood as well as can be.
pub fn judge(
    table: &Table,
    args: &[&str],
    pinned: bool,
    strict: bool,
    around: &Surroundings,
) -> Meaning<Box<Request>> {
    let leniency = match (strict, pinned && table.is_exact()) {
        (false, _) => Leniency::Lax,
        (true, false) => Leniency::NewOptions,
        (true, true) => Leniency::Strict,
    };
    let parsed = match parser::parse(table, args, leniency) {
        Ok(parsed) => parsed,
        Err(Stop::Refused(complaint)) => {
            return Meaning::Usage(Answer { stderr: complaint.0, code: 2, ..Answer::default() });
        }
        Err(Stop::Help(path)) => {
            return Meaning::Help(help::answer(table, &table.command(&path)));
        }
        Err(Stop::HelpNeeded(path)) => {
            return Meaning::Usage(help::needed(table, &table.command(&path)));
        }
        Err(Stop::Version(path)) => {
            return Meaning::Probe(probes::version(table.name(), &path, table.version()));
        }
    };
    match after_parsing(table, parsed, leniency, args, around) {
        Ok(meaning) => meaning,
        Err(refusal) => Meaning::Usage(refusal),
    }
}

fn after_parsing(
    table: &Table,
    mut parsed: Parsed,
    leniency: Leniency,
    args: &[&str],
    around: &Surroundings,
) -> Result<Meaning<Box<Request>>, Answer> {
    let path = parsed.levels.last().map_or(String::new(), |level| level.command.path.clone());
    // The shared options count as given on the innermost command that has them.
    let innermost = |name: &str| {
        let values = parsed.levels.iter().rev().find_map(|level| level.values(name));
        values.unwrap_or_default().to_vec()
    };
    if leniency != Leniency::Lax {
        let (enabled, disabled) = (innermost("enable"), innermost("disable"));
        let named = enabled.iter().chain(&disabled);
        let unknown = checks::features(table, named, leniency == Leniency::NewOptions)?;
        checks::config(&path, innermost("config").iter())?;
        parsed.unknown.extend(unknown);
    }
    if !is_run(&path) {
        return Ok(match probes::answer(table, &parsed.levels) {
            Some(answer) => Meaning::Probe(answer),
            None => Meaning::NoAnswer { command: side_command(&path, args) },
        });
    }
    let request = request::request(parsed);
    if leniency != Leniency::Lax {
        checks::run(&request, around)?;
    }
    Ok(Meaning::Run(Box::new(request)))
}

fn is_run(path: &str) -> bool {
    let outer = path.split(' ').next().unwrap_or("");
    match outer {
        "" | "exec" | "review" | "resume" | "fork" => true,
        "app-server" | "mcp-server" => path == outer,
        _ => false,
    }
}

/// The command's words, without the program's name, and the next one if it may belong to them.
fn side_command(path: &str, args: &[&str]) -> String {
    let last = path.rsplit(' ').next().unwrap_or("");
    let after = args.iter().skip_while(|word| **word != last).nth(1);
    let next = after.filter(|word| !word.starts_with('-') && !path.contains(' '));
    [path].into_iter().chain(next.copied()).collect::<Vec<_>>().join(" ")
}
