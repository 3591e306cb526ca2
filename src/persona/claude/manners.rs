//! What playing has to know of `claude`.

use std::path::PathBuf;
use std::rc::Rc;

use serde::Deserialize;

use super::arguments::{self, Format, Login, Surroundings};
use super::perform::{self, ClaudeVoice};
use super::render::{SIGINT_DURING_TOOL_EXITS_0, has_rule};
use crate::invocation::{Invocation, StreamKind};
use crate::persona::Answer;
use crate::persona::manners::{
    Circumstances, Ending, Epipe, Manners, ModelRun, Request, Situation, StdinRule, StdinSeen,
    Version, Warnings,
};
use crate::persona::performer::Performer;
use crate::play::{ExitWatch, Shape};
use crate::recording::Signal;
use crate::sessions::transcript::{ClaudeRun, Transcript};
use crate::sessions::{Around, Resolved, take_up};
use crate::settings::{Settings, Strictness};

/// The `claude` program.
#[derive(Debug)]
pub(crate) struct Claude;

impl Manners for Claude {
    fn name(&self) -> &str {
        "claude"
    }

    fn read(&self, invocation: &Invocation, settings: &Settings, version: Version) -> Request {
        let pinned = settings.set.versions.get("claude").map(String::as_str);
        let (named, pinned) = version.of(pinned);
        let table = arguments::table(named);
        let around = surroundings(invocation);
        let words = invocation.args();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let strict = settings.args == Strictness::Strict;
        let meaning = arguments::judge(&table, &words, pinned, strict, &around);
        meaning.map(|request| {
            let stdin = match arguments::stdin_rule(&request, &around) {
                arguments::StdinRule::Unread => StdinRule::Ignore,
                arguments::StdinRule::Lines => StdinRule::Lines,
                arguments::StdinRule::Text => {
                    StdinRule::ToEnd { first_byte: Some(arguments::FIRST_BYTE_WAIT) }
                }
            };
            Rc::new(Run {
                request: *request,
                stdin,
                version: table.version.to_owned(),
                api_key: around.login == Login::Key,
                initialize: settings.set.initialize.clone(),
            }) as Rc<dyn ModelRun>
        })
    }

    fn exit_watch(&self, _: Option<&str>) -> ExitWatch {
        ExitWatch::new(Some("\"result\""), exit_of_line)
    }

    fn interrupt_watch(&self, version: Option<&str>) -> Option<ExitWatch> {
        // The newest version, which is answered as where none is pinned, follows the rule.
        let fails = !has_rule(version?, SIGINT_DURING_TOOL_EXITS_0);
        fails.then(|| ExitWatch::new(Some("tool_"), interrupted_after))
    }

    fn on_signal(&self, signal: Signal, situation: Situation) -> Ending {
        match signal.name() {
            // s06_sigINT_*: 0, and in older versions 1 while a tool runs.
            "INT" => Ending::Exits(situation.interrupted_code),
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

/// A model run of `claude`.
#[derive(Debug)]
struct Run {
    request: arguments::Request,
    stdin: StdinRule,
    /// The version that is answered as.
    version: String,
    /// Whether the environment has an API key.
    api_key: bool,
    /// What the set says for the answer to `initialize`.
    initialize: Vec<(String, String)>,
}

impl Run {
    fn circumstances(&self, around: &Circumstances) -> perform::Circumstances {
        perform::Circumstances {
            version: self.version.clone(),
            seed: format!("{:016x}", around.seed),
            spawn: around.spawn,
            cwd: around.cwd.clone(),
            config_dir: around.config_dir.clone(),
            api_key: self.api_key,
            pid: std::process::id(),
            latest: around.session.id.clone(),
            carried: around.session.carried.clone().unwrap_or_default(),
            prompt: (!self.is_session()).then(|| around.prompt.clone()),
            initialize: self.initialize.clone(),
        }
    }
}

impl ModelRun for Run {
    fn prompt_argument(&self) -> Option<&str> {
        self.request.prompt.as_deref()
    }

    fn stdin(&self) -> StdinRule {
        self.stdin
    }

    fn is_session(&self) -> bool {
        self.request.input == Format::StreamJson
    }

    fn shape(&self) -> Option<Shape> {
        Some(match self.request.output {
            Format::Text => Shape::Text,
            Format::Json => Shape::Document,
            Format::StreamJson => Shape::Lines,
        })
    }

    fn hangs_on_stdin(&self) -> bool {
        self.request.hangs_on_stdin()
    }

    fn unknown(&self) -> &[String] {
        &self.request.unknown
    }

    fn warnings(&self) -> Warnings {
        Warnings {
            at_start: self.request.warnings.clone(),
            no_stdin: self.request.slow_stdin_warning(),
        }
    }

    fn prompt(&self, stdin: StdinSeen) -> Result<String, Answer> {
        let StdinSeen { bytes, gave_up } = stdin;
        arguments::check_input(&self.request, arguments::StdinSeen { bytes, gave_up })
    }

    fn take_up(&self, around: &Around) -> Result<Resolved, Answer> {
        take_up::claude(&self.request, around)
    }

    fn transcript(&self, around: &Circumstances) -> Option<Transcript> {
        let session = &around.session;
        if session.ephemeral {
            return None;
        }
        let mode = self.request.permission_mode.as_deref();
        Some(Transcript::claude(ClaudeRun {
            config_dir: PathBuf::from(&around.config_dir),
            project: session.cwd.clone().unwrap_or_else(|| around.cwd.clone()),
            cwd: around.cwd.clone(),
            version: self.version.clone(),
            forked_from: session.forked_from.clone(),
            title: session.title.clone(),
            permission_mode: mode.filter(|mode| *mode != "manual").unwrap_or("default").to_owned(),
            started: around.started,
            seed: format!("{:016x}", around.seed),
            spawn: around.spawn,
        }))
    }

    fn performer(&self, around: &Circumstances) -> Option<Box<dyn Performer>> {
        Some(Box::new(ClaudeVoice::of(&self.request, &self.circumstances(around))))
    }

    fn session_id(&self, around: &Circumstances) -> Option<String> {
        Some(perform::session_id(&self.request, &self.circumstances(around)).0)
    }
}

fn surroundings(invocation: &Invocation) -> Surroundings {
    let var = |name: &str| {
        let value = invocation.var(name).filter(|value| !value.is_empty());
        value.map(|value| value.to_string_lossy().into_owned())
    };
    let login = if var("ANTHROPIC_API_KEY").is_some() {
        Login::Key
    } else if var("ANTHROPIC_AUTH_TOKEN").or(var("CLAUDE_CODE_OAUTH_TOKEN")).is_some() {
        Login::Token
    } else {
        Login::None
    };
    Surroundings {
        stdin_tty: invocation.stdio[0] == StreamKind::Tty,
        stdout_tty: invocation.stdio[1] == StreamKind::Tty,
        root: rustix::process::getuid().is_root(),
        sandbox: var("IS_SANDBOX").as_deref() == Some("1"),
        login,
        base_url: var("ANTHROPIC_BASE_URL"),
        home: var("HOME").unwrap_or_default(),
        config_dir: var("CLAUDE_CONFIG_DIR"),
        cwd: invocation.cwd.to_string_lossy().into_owned(),
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

/// What of an event tells whether a tool runs.
#[derive(Deserialize)]
struct ToolEvent {
    r#type: String,
    parent_tool_use_id: Option<String>,
    message: Option<ToolMessage>,
}

#[derive(Deserialize)]
struct ToolMessage {
    content: Vec<ToolBlock>,
}

#[derive(Deserialize)]
struct ToolBlock {
    r#type: String,
}

/// The exit code that an interrupt after this line leads to, if the line changes that: 1 from the
/// call of a tool to its result. What a subagent does is within such a call.
fn interrupted_after(line: &[u8]) -> Option<u8> {
    let event: ToolEvent = serde_json::from_slice(line).ok()?;
    if event.parent_tool_use_id.is_some() {
        return None;
    }
    let holds = |kind: &str| {
        event.message.as_ref().is_some_and(|it| it.content.iter().any(|b| b.r#type == kind))
    };
    match event.r#type.as_str() {
        "assistant" => holds("tool_use").then_some(1),
        "user" => holds("tool_result").then_some(0),
        "result" => Some(0),
        _ => None,
    }
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
