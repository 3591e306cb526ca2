//! What playing has to know of `claude`.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::invocation::Invocation;
use crate::persona::Answer;
use crate::persona::manners::{Ending, Epipe, Manners, Request, Run, Situation, StdinRule};
use crate::play::ExitWatch;
use crate::recording::Signal;
use crate::settings::Settings;

/// The `claude` program.
#[derive(Debug)]
pub(crate) struct Claude;

impl Manners for Claude {
    fn name(&self) -> &str {
        "claude"
    }

    fn read(&self, invocation: &Invocation, _: &Settings) -> Request {
        let args = invocation.args();
        let session = args.windows(2).any(|w| w[0] == "--input-format" && w[1] == "stream-json")
            || args.iter().any(|a| a == "--input-format=stream-json");
        let stdin = if session {
            StdinRule::Lines
        } else {
            StdinRule::ToEnd { first_byte: Some(Duration::from_secs(3)) }
        };
        Request::Run(Run { stdin, session, prompt: Some(String::new()), unknown: Vec::new() })
    }

    fn prompt(&self, run: &Run, stdin: &[u8]) -> Result<String, Answer> {
        let text = String::from_utf8_lossy(stdin).into_owned();
        Ok(run.prompt.clone().unwrap_or(text))
    }

    fn exit_watch(&self) -> ExitWatch {
        ExitWatch::new(Some("\"result\""), exit_of_line)
    }

    fn on_signal(&self, signal: Signal, _: Situation) -> Ending {
        match signal.name() {
            // s06_sigINT_*: 0 in every one of them, whatever was going on.
            "INT" => Ending::Exits(0),
            // s06_sigTERM_*, s06_sigHUP_api.
            "TERM" => Ending::Exits(143),
            "HUP" => Ending::Exits(129),
            _ => Ending::Dies,
        }
    }

    fn epipe(&self) -> Epipe {
        // s06_epipe_*: the run goes on, nothing on stderr.
        Epipe::Silent
    }

    fn config_dir(&self, invocation: &Invocation) -> PathBuf {
        let set = invocation.var("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty());
        set.map_or_else(|| invocation.home().join(".claude"), PathBuf::from)
    }
}

/// What of an event decides the exit code.
#[derive(Deserialize)]
struct Event {
    r#type: Option<String>,
    is_error: Option<bool>,
}

/// The exit code that a line of output means, if it is a `result`. `json --verbose` has all events
/// in one array, on one line.
fn exit_of_line(line: &[u8]) -> Option<u8> {
    let events: Vec<Event> = match line.trim_ascii_start().first()? {
        b'[' => serde_json::from_slice(line).ok()?,
        b'{' => vec![serde_json::from_slice(line).ok()?],
        _ => return None,
    };
    let result = events.iter().rev().find(|event| event.r#type.as_deref() == Some("result"))?;
    Some(u8::from(result.is_error == Some(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_result_means_one() {
        assert_eq!(exit_of_line(br#"{"is_error":true,"type":"result"}"#), Some(1));
        assert_eq!(exit_of_line(br#"{"type":"result","is_error":false}"#), Some(0));
        assert_eq!(
            exit_of_line(br#"[{"type":"system"},{"type":"result","is_error":true}]"#),
            Some(1)
        );
    }

    #[test]
    fn a_line_that_only_speaks_of_a_result_means_nothing() {
        assert_eq!(exit_of_line(br#"{"type":"user","text":"\"result\"","is_error":true}"#), None);
        assert_eq!(exit_of_line(br#"the "result" is an error"#), None);
    }
}
