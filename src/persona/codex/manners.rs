//! What playing has to know of `codex`.

use std::path::PathBuf;

use serde::Deserialize;

use crate::invocation::Invocation;
use crate::persona::Answer;
use crate::persona::manners::{Ending, Epipe, Manners, Request, Run, Situation, StdinRule};
use crate::play::ExitWatch;
use crate::recording::Signal;
use crate::settings::Settings;

/// The `codex` program.
#[derive(Debug)]
pub(crate) struct Codex;

/// What a panic of the real one leaves on stderr when its stdout is closed
/// (04-stdout-closed-at-start-human).
const PANIC: &str = "\nthread 'codex-main' (1) panicked at library/std/src/io/stdio.rs:1168:9:\n\
                     failed printing to stdout: Broken pipe (os error 32)\n\
                     note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";

impl Manners for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    fn read(&self, invocation: &Invocation, _: &Settings) -> Request {
        let args = invocation.args();
        let has = |word: &str| args.iter().any(|a| a == word);
        let session = has("app-server");
        let stdin = if session {
            StdinRule::Lines
        } else if has("resume") || has("fork") || has("review") {
            StdinRule::Ignore
        } else {
            StdinRule::ToEnd { first_byte: None }
        };
        Request::Run(Run { stdin, session, prompt: Some(String::new()), unknown: Vec::new() })
    }

    fn prompt(&self, run: &Run, stdin: &[u8]) -> Result<String, Answer> {
        let text = String::from_utf8_lossy(stdin).into_owned();
        Ok(run.prompt.clone().unwrap_or(text))
    }

    fn exit_watch(&self) -> ExitWatch {
        ExitWatch::new(Some("\"turn."), exit_of_line)
    }

    fn on_signal(&self, signal: Signal, situation: Situation) -> Ending {
        match signal.name() {
            // 04-sig-int-stream: 1 within a turn; 04-sig-int-readstdin: no handler before that.
            "INT" if situation.started => Ending::Exits(1),
            _ => Ending::Dies,
        }
    }

    fn epipe(&self) -> Epipe {
        Epipe::Exit { code: 101, stderr: PANIC.to_owned() }
    }

    fn config_dir(&self, invocation: &Invocation) -> PathBuf {
        let set = invocation.var("CODEX_HOME").filter(|dir| !dir.is_empty());
        set.map_or_else(|| invocation.home().join(".codex"), PathBuf::from)
    }
}

/// What of an event decides the exit code.
#[derive(Deserialize)]
struct Event {
    r#type: String,
}

/// The exit code that a line of output means, if it ends a turn.
fn exit_of_line(line: &[u8]) -> Option<u8> {
    let event: Event = serde_json::from_slice(line).ok()?;
    match event.r#type.as_str() {
        "turn.failed" => Some(1),
        "turn.completed" => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_turn_means_one_and_an_error_alone_nothing() {
        assert_eq!(exit_of_line(br#"{"type":"turn.failed","error":{"message":"x"}}"#), Some(1));
        assert_eq!(exit_of_line(br#"{"type":"turn.completed"}"#), Some(0));
        assert_eq!(exit_of_line(br#"{"type":"error","message":"turn."}"#), None);
    }
}
