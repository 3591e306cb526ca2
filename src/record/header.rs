//! The header of a recording: where it came from, and which of its values follow the spawn that
//! replays it.

use serde_json::{Map, Value, json};

use super::redact::Redactor;
use super::tape::Seen;
use crate::invocation::Invocation;
use crate::journal::JournaledText;
use crate::journal::secrets::{EnvMode, Masker};

/// What is known of a recording before its end.
#[derive(Clone, Debug)]
pub(super) struct Header {
    keys: Map<String, Value>,
    /// The working directory and the home directory, as they stand in the recording.
    pub cwd: String,
    pub home: String,
    verbatim: bool,
}

impl Header {
    /// Describes a spawn. `probe`: it answers such spawns any number of times.
    pub fn new(
        program: &str,
        version: Option<&str>,
        invocation: &Invocation,
        redactor: &mut Redactor,
        probe: bool,
        verbatim: bool,
    ) -> Header {
        let cwd = redactor.text(&invocation.cwd.to_string_lossy());
        let home = redactor.people().path(&invocation.home().to_string_lossy());
        let mut keys = Map::new();
        keys.insert("ringer".into(), 1.into());
        keys.insert("program".into(), program.into());
        if let Some(version) = version {
            keys.insert("cli_version".into(), version.into());
        }
        keys.insert("argv".into(), arguments(program, invocation, redactor));
        keys.insert("cwd".into(), cwd.as_str().into());
        keys.insert("recorded_at".into(), invocation.started_at.to_string().into());
        if probe {
            keys.insert("probe".into(), true.into());
            // A secret among them would not be the same at another time.
            let mut tokens = invocation.args();
            tokens.retain(|token| redactor.text(token) == *token);
            keys.insert("when".into(), json!({ "argv": tokens }));
        }
        Header { keys, cwd, home, verbatim }
    }

    /// The header line as far as it is known at the start.
    pub fn line(&self) -> String {
        Value::Object(self.keys.clone()).to_string()
    }

    /// The header line once it is known what was written, and what the recording lacks.
    pub fn finished(mut self, seen: &Seen, note: Option<String>) -> String {
        if let Some(note) = note {
            self.keys.insert("note".into(), note.into());
        }
        let mut bind = Map::new();
        if !self.verbatim {
            let ids = [("session_id", &seen.session_id), ("thread_id", &seen.thread_id)];
            for (name, id) in ids {
                if let Some(id) = id.as_ref().filter(|id| id.len() >= 4) {
                    bind.insert(name.into(), id.as_str().into());
                }
            }
            for (name, path) in [("cwd", &self.cwd), ("home", &self.home)] {
                // A path of one part, such as `/tmp`, stands in too many others.
                if path.matches('/').count() > 1 && path.len() >= 4 && seen.wrote(path) {
                    bind.insert(name.into(), path.as_str().into());
                }
            }
        }
        if !bind.is_empty() {
            self.keys.insert("bind".into(), bind.into());
        }
        self.line()
    }
}

/// The arguments, without secrets. One that is not UTF-8 stands as base64, as in the journal.
fn arguments(program: &str, invocation: &Invocation, redactor: &mut Redactor) -> Value {
    let given = invocation.argv.get(1..).unwrap_or_default();
    let texts: Vec<String> = std::iter::once(program.to_owned())
        .chain(given.iter().map(|arg| redactor.text(arg.to_str().unwrap_or_default())))
        .collect();
    let masked = Masker::new("", EnvMode::All).argv(&texts).into_iter();
    let masked: Vec<String> = masked.map(std::borrow::Cow::into_owned).collect();
    let spelled = masked.into_iter().enumerate().map(|(index, text)| {
        match index.checked_sub(1).and_then(|index| given.get(index)) {
            Some(arg) if arg.to_str().is_none() => json!(JournaledText::of(arg)),
            _ => text.into(),
        }
    });
    Value::Array(spelled.collect())
}
