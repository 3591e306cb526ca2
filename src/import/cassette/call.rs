//! What one spawn did, as a cassette tells it, and the recording that it becomes.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::arguments::{self, Argument};
use super::{Made, Wanted};
use crate::invocation::{Invocation, StreamKind};
use crate::journal::Exit;
use crate::journal::secrets::{EnvMode, Masker};
use crate::persona::{self, CLIS, Request, Version};
use crate::record::lines::{Mark, pause};
use crate::record::probe_name;
use crate::record::redact::Redactor;
use crate::record::tape::{Stream, Tape, Taped};
use crate::recording::Signal;
use crate::settings::{Set, Settings, Strictness};

/// Writes in order: when, where to, what.
pub(super) type Writes = Vec<(Mark, Stream, Vec<u8>)>;

/// What one spawn did.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    /// The program, by the name of its file; `None`: the cassette does not say.
    pub program: Option<String>,
    /// Its arguments, without its name; `None`: the cassette does not say.
    pub arguments: Option<Vec<Argument>>,
    /// Where it ran.
    pub cwd: Option<String>,
    /// What the first line of stdin has to be.
    pub stdin: Option<String>,
    /// How often it may be played, if not once.
    pub plays: Option<u64>,
    /// What passes before it writes.
    pub delay: Option<Duration>,
    /// What it wrote, in order, a write each.
    pub writes: Writes,
    /// How it ended, and when.
    pub exit: Option<(Mark, Exit)>,
    /// What there is to say about it.
    pub note: String,
}

impl Call {
    /// Adds what went to both streams where only the bytes are known. If both have some, the order
    /// is unsure.
    pub fn wrote(&mut self, stdout: &[u8], stderr: &[u8]) {
        let mark = Mark { at: None, unsure: !stdout.is_empty() && !stderr.is_empty() };
        for (stream, bytes) in [(Stream::Out, stdout), (Stream::Err, stderr)] {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            self.writes.extend(lines.map(|line| (mark, stream, line.to_vec())));
        }
    }

    /// The recording.
    pub fn recording(self, redactor: &mut Redactor, wanted: &Wanted) -> Made {
        let persona = self.program.clone().or_else(|| wanted.persona.clone());
        let words = self.arguments.as_ref().map(|arguments| self.words(arguments, redactor));
        let probe = self.is_probe();
        let mut header = Map::new();
        header.insert("ringer".into(), 1.into());
        if let Some(persona) = &persona {
            header.insert("program".into(), persona.as_str().into());
        }
        if let Some(words) = &words {
            header.insert("argv".into(), json!(words));
        }
        if let Some(cwd) = &self.cwd {
            let cwd = redactor.text(cwd);
            // A filter's placeholder stands for the directory, and for nothing else.
            if cwd.starts_with('<') && cwd.len() >= 4 {
                header.insert("bind".into(), json!({ "cwd": cwd }));
            }
            header.insert("cwd".into(), cwd.into());
        }
        // Answers to probes have no order to be handed out in.
        if probe || !wanted.in_order {
            let when = self.conditions(words.as_deref().unwrap_or_default());
            if !when.is_empty() {
                header.insert("when".into(), when.into());
            }
        }
        if probe {
            header.insert("probe".into(), true.into());
        } else if let Some(plays) = self.plays.filter(|plays| *plays != 1) {
            header.insert("plays".into(), plays.into());
        }
        let name = probe.then(|| probe_name(&words.unwrap_or_default()[1..]));
        Made { persona, name, text: self.steps(header, redactor) }
    }

    /// The command line, without secrets.
    fn words(&self, arguments: &[Argument], redactor: &mut Redactor) -> Vec<String> {
        let program = self.program.clone().unwrap_or_default();
        let shown = arguments.iter().map(|argument| redactor.text(&argument.shown()));
        let words: Vec<String> = std::iter::once(program).chain(shown).collect();
        let masked = Masker::new("", EnvMode::All).argv(&words).into_iter();
        masked.map(std::borrow::Cow::into_owned).collect()
    }

    fn conditions(&self, words: &[String]) -> Map<String, Value> {
        let mut when = Map::new();
        if let Some(arguments) = &self.arguments {
            // What was replaced would not be the same at another time.
            let known = arguments.iter().zip(words.iter().skip(1));
            let asked = known.map(|(argument, word)| match argument {
                Argument::Exact(text) if text != word => &Argument::Any,
                argument => argument,
            });
            when.insert("argv_regex".into(), arguments::condition(asked).into());
        }
        if let Some(line) = &self.stdin {
            when.insert("stdin".into(), format!("^{}$", arguments::escape(line)).into());
        }
        when
    }

    /// Whether a double answers such a spawn without claiming a recording.
    fn is_probe(&self) -> bool {
        let (Some(program), Some(arguments)) = (&self.program, &self.arguments) else {
            return false;
        };
        if !CLIS.contains(&program.as_str()) {
            return false;
        }
        let words = arguments.iter().map(|argument| OsString::from(argument.shown()));
        let invocation = Invocation {
            argv: std::iter::once(OsString::from(program)).chain(words).collect(),
            stdio: [StreamKind::Pipe; 3],
            ..Invocation::of_this_process()
        };
        let settings = Settings {
            recordings: invocation.cwd.clone(),
            args: Strictness::Lax,
            repeat_last: false,
            speed: None,
            max_life: Settings::MAX_LIFE,
            set: Set::default(),
        };
        let request = persona::named(program).read(&invocation, &settings, Version::Settled);
        matches!(request, Request::Probe(_) | Request::NoAnswer { .. })
    }

    fn steps(self, mut header: Map<String, Value>, redactor: &mut Redactor) -> String {
        let mut tape = Tape::new(Vec::new(), std::mem::take(redactor), "", &[]).of_writes();
        if let Some(delay) = self.delay {
            tape.step(pause(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)));
        }
        for (mark, stream, bytes) in &self.writes {
            tape.take(*stream, bytes, *mark);
        }
        let (mark, exit) = self.exit.unzip();
        let taped = tape.end(exit.as_ref(), mark.unwrap_or_default());
        finish(&mut header, &self.note, taped, redactor)
    }
}

/// Puts the header, which now knows the ids, in front of the steps, and gives the redactor back.
pub(super) fn finish(
    header: &mut Map<String, Value>,
    note: &str,
    taped: Taped<Vec<String>>,
    redactor: &mut Redactor,
) -> String {
    *redactor = taped.redactor;
    let ids = [("session_id", taped.seen.session_id), ("thread_id", taped.seen.thread_id)];
    let mut bind = match header.remove("bind") {
        Some(Value::Object(bind)) => bind,
        _ => Map::new(),
    };
    for (name, id) in ids {
        if let Some(id) = id.filter(|id| id.len() >= 4) {
            bind.insert(name.to_owned(), id.into());
        }
    }
    if !bind.is_empty() {
        header.insert("bind".into(), bind.into());
    }
    header.insert("note".into(), redactor.text(note).into());
    let mut text = Value::Object(header.clone()).to_string();
    for line in taped.lines.iter().skip(1) {
        text.push('\n');
        text.push_str(line);
    }
    text.push('\n');
    text
}

/// How a program ended by a number as Python and Rust give it: an exit code, or a signal below 0.
pub(super) fn exit_of(code: i64) -> Option<Exit> {
    match u8::try_from(code) {
        Ok(code) => Some(Exit::Code(code)),
        Err(_) => {
            let number = i32::try_from(code.checked_neg()?).ok()?;
            let signal = Signal::numbered(number).filter(|signal| signal.ends_a_process())?;
            Some(Exit::Signal(signal.name().to_owned()))
        }
    }
}
