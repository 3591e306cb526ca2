//! The checks that follow the parser and need nothing but the arguments and the kind of stdin. None
//! of them looks at files, sessions or the repository.

use super::Surroundings;
use super::request::{Request, ReviewTarget, RunKind, config_pair};
use super::table::Table;
use crate::persona::Answer;

/// A message on stderr and exit code 1, as all of these end.
pub(super) fn refusal(message: &str) -> Answer {
    Answer { stdout: String::new(), stderr: format!("{message}\n"), code: 1 }
}

/// The feature flags that are asked for must exist (`01-enable-bad`). Returns those that no known
/// version has where they are let pass.
pub(super) fn features<'a>(
    table: &Table,
    named: impl Iterator<Item = &'a String>,
    lets_pass: bool,
) -> Result<Vec<String>, Answer> {
    let mut unknown = Vec::new();
    for name in named {
        match table.has_feature(name) {
            Some(false) if lets_pass => unknown.push(format!("feature {name}")),
            Some(false) => return Err(refusal(&format!("Error: Unknown feature flag: {name}"))),
            _ => {}
        }
    }
    Ok(unknown)
}

/// Each `-c` must be a key and a value (`01-config-bad`; the wording of the commands that are not
/// runs is that of the public source).
pub(super) fn config<'a>(
    command: &str,
    given: impl Iterator<Item = &'a String>,
) -> Result<(), Answer> {
    let first = command.split(' ').next().unwrap_or("");
    let prefix = match first {
        "mcp" | "features" => "Error: ",
        "app-server" | "mcp-server" => "Error: error parsing -c overrides: ",
        _ => "Error parsing -c overrides: ",
    };
    for text in given {
        config_pair(text).map_err(|why| refusal(&format!("{prefix}{why}")))?;
    }
    Ok(())
}

/// What a run needs of its arguments and its terminal.
pub(super) fn run(request: &Request, around: &Surroundings) -> Result<(), Answer> {
    let no_prompt = request.prompt.is_none();
    if request.interactive {
        // `05-unknown-subcmd-like`, `06-mcp-server`, `01-root-image`.
        if !around.stdin_tty {
            return Err(refusal("Error: stdin is not a terminal"));
        }
        if !around.stdout_tty {
            return Err(refusal("Error: stdout is not a terminal"));
        }
        return Ok(());
    }
    match &request.kind {
        RunKind::Review(ReviewTarget::Instructions) if no_prompt => Err(refusal(
            "Error: Specify --uncommitted, --base, --commit, or provide custom review instructions",
        )),
        RunKind::Review(ReviewTarget::Instructions) => match request.prompt.as_deref() {
            Some(prompt) if prompt.trim().is_empty() => {
                Err(refusal("Error: Review prompt cannot be empty"))
            }
            _ => Ok(()),
        },
        // `07-pty-stdin-noprompt`.
        RunKind::Exec | RunKind::Resume(_) if no_prompt && around.stdin_tty => Err(refusal(
            "No prompt provided. Either specify one as an argument or pipe the prompt into stdin.",
        )),
        _ => Ok(()),
    }
}
