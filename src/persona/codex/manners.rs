//! What playing has to know of `codex`.

use std::path::PathBuf;
use std::rc::Rc;

use serde::Deserialize;

use super::arguments::{self, RunKind, Surroundings};
use super::perform::{self, Terminals};
use super::render::{error_fails, interrupted_code, is_retry, mint_thread_id};
use crate::invocation::{Invocation, StreamKind};
use crate::persona::Answer;
use crate::persona::manners::{
    Circumstances, Ending, Epipe, Manners, ModelRun, Request, Situation, StdinRule, StdinSeen,
    Version,
};
use crate::persona::performer::Performer;
use crate::play::{ExitWatch, Shape};
use crate::recording::Signal;
use crate::sessions::transcript::{CodexRun, Transcript};
use crate::sessions::{Around, Resolved, Told, take_up};
use crate::settings::{Settings, Strictness};

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

    fn read(&self, invocation: &Invocation, settings: &Settings, version: Version) -> Request {
        let pinned = settings.set.versions.get("codex").map(String::as_str);
        let (named, pinned) = version.of(pinned);
        let table = arguments::table(named);
        let [stdin, stdout, _] = invocation.stdio;
        let around = Surroundings {
            stdin_tty: stdin == StreamKind::Tty,
            stdout_tty: stdout == StreamKind::Tty,
        };
        let words = invocation.args();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let strict = settings.args == Strictness::Strict;
        let meaning = arguments::judge(&table, &words, pinned, strict, &around);
        meaning.map(|request| {
            Rc::new(Run { request: *request, table, around, strict }) as Rc<dyn ModelRun>
        })
    }

    fn exit_watch(&self, version: Option<&str>) -> ExitWatch {
        let watch = ExitWatch::new(Some("\"turn."), exit_of_line);
        let table = arguments::table(version);
        if error_fails(table.version()) {
            watch.spoilt_by("\"error\"", is_error_that_fails)
        } else {
            watch
        }
    }

    fn on_signal(&self, signal: Signal, situation: Situation) -> Ending {
        match signal.name() {
            // 04-sig-int-stream: 1 within a turn, in older versions 0; 04-sig-int-readstdin: no
            // handler before that.
            "INT" if situation.started && !situation.session => {
                let table = arguments::table(situation.version);
                Ending::Exits(interrupted_code(table.version()))
            }
            // 06-sigterm: a server goes down in order; SIGINT kills it.
            "TERM" if situation.session => Ending::Exits(0),
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

/// A model run of `codex`.
#[derive(Debug)]
struct Run {
    request: arguments::Request,
    table: arguments::Table,
    around: Surroundings,
    strict: bool,
}

impl Run {
    fn circumstances(&self, around: &Circumstances) -> perform::Circumstances {
        let is_tty = |index: usize| around.stdio[index] == StreamKind::Tty;
        perform::Circumstances {
            version: Some(self.table.version().to_owned()),
            cwd: around.cwd.clone(),
            codex_home: around.config_dir.clone(),
            seed: around.seed,
            number: around.spawn,
            terminals: Terminals { stdin: is_tty(0), stdout: is_tty(1), stderr: is_tty(2) },
            prompt: around.prompt.clone(),
            thread: around.session.id.clone(),
            carried: around.session.carried.clone().unwrap_or_default(),
            threads: around.others.clone(),
        }
    }
}

impl ModelRun for Run {
    fn prompt_argument(&self) -> Option<&str> {
        self.request.prompt.as_deref().filter(|prompt| *prompt != "-")
    }

    fn stdin(&self) -> StdinRule {
        match arguments::stdin_rule(&self.request, &self.around, &self.table) {
            arguments::StdinRule::NotRead => StdinRule::Ignore,
            arguments::StdinRule::ToEnd(_) => StdinRule::ToEnd { first_byte: None },
            arguments::StdinRule::Lines => StdinRule::Lines,
        }
    }

    fn is_session(&self) -> bool {
        self.request.kind == RunKind::AppServer
    }

    fn shape(&self) -> Option<Shape> {
        match self.request.kind {
            RunKind::AppServer | RunKind::McpServer | RunKind::Tui => None,
            _ if self.request.json => Some(Shape::Lines),
            _ => Some(Shape::Text),
        }
    }

    fn hangs_on_stdin(&self) -> bool {
        self.strict && self.prompt_argument().is_none()
    }

    fn unknown(&self) -> &[String] {
        &self.request.unknown
    }

    fn prompt(&self, stdin: StdinSeen) -> Result<String, Answer> {
        arguments::check_input(&self.request, &self.around, &self.table, stdin.bytes)
    }

    fn take_up(&self, around: &Around) -> Result<Resolved, Answer> {
        let cwd = take_up::codex_cwd(&self.request, around.cwd);
        take_up::codex(&self.request, &Around { cwd: &cwd, ..*around })
    }

    fn last_message(&self) -> Option<(&str, Told)> {
        let told = if self.request.json { Told::Events } else { Told::Text };
        Some((self.request.output_last_message.as_deref()?, told))
    }

    fn transcript(&self, around: &Circumstances) -> Option<Transcript> {
        if around.session.ephemeral || self.is_session() {
            return None;
        }
        let set = |key: &str| self.request.config_value(key).map(str::to_owned);
        Some(Transcript::codex(CodexRun {
            home: PathBuf::from(&around.config_dir),
            cwd: around.cwd.clone(),
            version: self.table.version().to_owned(),
            model: self.request.model.clone().unwrap_or_else(|| "gpt-5.5".to_owned()),
            provider: set("model_provider").unwrap_or_else(|| "openai".to_owned()),
            approval: "never".to_owned(),
            sandbox: self.request.sandbox.clone().unwrap_or_else(|| "read-only".to_owned()),
            forked_from: around.session.forked_from.clone(),
            started: around.started,
            local: CodexRun::local_time(around.started),
            turn_id: mint_thread_id(around.seed ^ 1, around.spawn),
        }))
    }

    fn performer(&self, around: &Circumstances) -> Option<Box<dyn Performer>> {
        Some(perform::performer(&self.request, &self.circumstances(around)))
    }

    fn session_id(&self, around: &Circumstances) -> Option<String> {
        let made = || mint_thread_id(around.seed, around.spawn);
        Some(around.session.id.clone().unwrap_or_else(made))
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

/// Whether a line is an `error` event that makes a run fail, in versions where one does: every one
/// that is no retry notice (0.50.0, `cut-then-ok`).
fn is_error_that_fails(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct ErrorEvent {
        r#type: String,
        #[serde(default)]
        message: String,
    }
    serde_json::from_slice::<ErrorEvent>(line)
        .is_ok_and(|event| event.r#type == "error" && !is_retry(&event.message))
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

    #[test]
    fn an_error_that_is_no_retry_notice_spoils_a_run_of_a_version_that_has_it_so() {
        let completed = "{\"type\":\"turn.completed\"}\n";
        let dead = "{\"type\":\"error\",\"message\":\"MCP client for `x` failed to start\"}\n";
        let retry = "{\"type\":\"error\",\"message\":\"Re-connecting... 1/2\"}\n";
        let item =
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"error\",\"message\":\"x\"}}\n";
        for (version, before, code) in [
            (Some("0.50.0"), dead, 1),
            (Some("0.50.0"), retry, 0),
            (Some("0.50.0"), item, 0),
            (Some("0.99.0"), dead, 0),
            (None, dead, 0),
        ] {
            let mut watch = Codex.exit_watch(version);
            watch.feed(before.as_bytes());
            watch.feed(completed.as_bytes());
            assert_eq!(watch.code(), code, "{version:?} {before}");
        }
    }
}
