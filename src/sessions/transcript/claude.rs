//! The session file of `claude`: `projects/<directory>/<session>.jsonl` in its configuration
//! directory, one object a line.
//!
//! Written are the types that readers look at: `queue-operation`, `user`, `assistant`,
//! `custom-title`, `last-prompt`. A message is one line for each of its blocks, as in the stream,
//! but with the reason for its end and with its usage, which the stream does not know yet: so a
//! message is held back until something else follows.

mod earlier;
mod message;

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::file::SessionFile;
use super::{Prompt, content_text, project_folder, stamp};
use crate::error::Error;
use crate::persona::claude::render::mint_session_id;

use earlier::{Earlier, is_file_name, session_path};
use message::Held;

/// What a session file depends on beside what happens.
#[derive(Clone, Debug)]
pub struct ClaudeRun {
    /// The configuration directory, `$CLAUDE_CONFIG_DIR` or `$HOME/.claude`.
    pub config_dir: PathBuf,
    /// The directory that the session belongs to: for one that is resumed, where it was made.
    pub project: String,
    /// The working directory.
    pub cwd: String,
    /// The CLI version that is answered as.
    pub version: String,
    /// The session that this one is a fork of: its lines are copied.
    pub forked_from: Option<String>,
    /// The title given to the session (`--name`).
    pub title: Option<String>,
    /// `--permission-mode`, as events have it.
    pub permission_mode: String,
    /// When the run began.
    pub started: jiff::Timestamp,
    /// What the ids of lines are drawn from that have none of their own.
    pub seed: String,
    /// The spawn's number.
    pub spawn: u64,
}

/// The session file of a spawn, as it grows.
#[derive(Debug)]
pub(super) struct Transcript {
    run: ClaudeRun,
    file: Option<SessionFile>,
    session: String,
    /// The last line of the conversation, which the next one follows.
    parent: Option<String>,
    /// Prompts that came before the stream has named the session.
    waiting: Vec<(Value, Option<String>)>,
    /// The ids in the file: a recording that is played again must not close the chain to a ring.
    used: HashSet<String>,
    last_prompt: Option<String>,
    held: Held,
}

impl Transcript {
    pub fn new(run: ClaudeRun) -> Transcript {
        Transcript {
            run,
            file: None,
            session: String::new(),
            parent: None,
            waiting: Vec::new(),
            used: HashSet::new(),
            last_prompt: None,
            held: Held::default(),
        }
    }

    /// Takes a prompt. A line that is no user's message is none.
    pub fn prompt(&mut self, prompt: Prompt) -> Result<(), Error> {
        let (message, uuid) = match (prompt, prompt.line()) {
            (Prompt::Text(text), _) => (json!({"role": "user", "content": text}), None),
            (Prompt::Line(_), Some(mut line)) if line["type"] == "user" => {
                let uuid = line["uuid"].as_str().map(str::to_owned);
                (line["message"].take(), uuid)
            }
            (Prompt::Line(_), _) => return Ok(()),
        };
        if self.file.is_none() {
            self.waiting.push((message, uuid));
            return Ok(());
        }
        let mut lines = Vec::new();
        self.release(None, &mut lines);
        self.asked(message, uuid, &mut lines);
        self.append(&lines)
    }

    /// Takes a line of stdout: an event, or all of them in a list (`json --verbose`).
    pub fn events(&mut self, line: Value) -> Result<(), Error> {
        match line {
            Value::Array(events) => events.into_iter().try_for_each(|event| self.event(event)),
            event => self.event(event),
        }
    }

    /// Writes what was held back, and the prompt that was the last one.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut lines = Vec::new();
        self.release(None, &mut lines);
        if let Some(prompt) = self.last_prompt.take() {
            let session = &self.session;
            lines.push(json!({"type": "last-prompt", "lastPrompt": prompt, "sessionId": session}));
        }
        self.append(&lines)
    }

    fn event(&mut self, mut event: Value) -> Result<(), Error> {
        let mut lines = Vec::new();
        self.follow(&event, &mut lines)?;
        // What a subagent says belongs into a file of its own.
        let main = event["parent_tool_use_id"].is_null();
        match event["type"].as_str() {
            Some("stream_event") if main => self.held.learn(&event["event"]),
            Some("assistant") if main => {
                if !self.held.continues(&event["message"]) {
                    self.release(None, &mut lines);
                }
                self.held.add(event);
            }
            // The prompt itself is known already.
            Some("user") if main && event["isReplay"] != true => {
                self.release(None, &mut lines);
                self.answered(&mut event, &mut lines);
            }
            Some("result") => self.ended(event, &mut lines),
            _ => {}
        }
        self.append(&lines)
    }

    /// Opens the file of the session that an event names, if it is another one than so far.
    fn follow(&mut self, event: &Value, lines: &mut Vec<Value>) -> Result<(), Error> {
        let Some(id) = event["session_id"].as_str() else { return Ok(()) };
        // After a `/clear` the next `init` has another id; other events do not move a session.
        let moves = self.file.is_none() || event["subtype"] == "init";
        // An id that is no file name was not made by any CLI.
        if !moves || id == self.session || !is_file_name(id) || is_refusal(event) {
            return Ok(());
        }
        self.release(None, lines);
        let finished = std::mem::take(lines);
        self.append(&finished)?;
        let folder = self.run.config_dir.join("projects").join(project_folder(&self.run.project));
        let mut earlier = Earlier::read(&folder, id, self.run.forked_from.take());
        self.parent = earlier.ids.last().cloned();
        self.used = earlier.ids.drain(..).collect();
        self.session = id.to_owned();
        self.file = Some(SessionFile::open(session_path(&folder, id))?);
        lines.append(&mut earlier.copied);
        if let Some(title) = self.run.title.take() {
            lines.push(json!({"type": "custom-title", "customTitle": title, "sessionId": id}));
        }
        for (message, uuid) in std::mem::take(&mut self.waiting) {
            self.asked(message, uuid, lines);
        }
        Ok(())
    }

    /// A prompt: queued, taken, and said.
    fn asked(&mut self, message: Value, uuid: Option<String>, lines: &mut Vec<Value>) {
        let text = content_text(&message["content"]);
        for operation in ["enqueue", "dequeue"] {
            let mut line = json!({
                "type": "queue-operation",
                "operation": operation,
                "timestamp": stamp(self.run.started),
                "sessionId": self.session,
            });
            if operation == "enqueue" {
                line["content"] = Value::from(text.as_str());
            }
            lines.push(line);
        }
        self.last_prompt = Some(text);
        let own = [
            ("type", json!("user")),
            ("message", message),
            ("permissionMode", json!(self.run.permission_mode)),
        ];
        lines.push(self.line(own, uuid.as_deref()));
    }

    /// What the user's side said without being asked to: tool results, notices.
    fn answered(&mut self, event: &mut Value, lines: &mut Vec<Value>) {
        let mut own = vec![("type", json!("user")), ("message", event["message"].take())];
        if event["isSynthetic"] == true {
            own.push(("isMeta", json!(true)));
        }
        if let Some(result) = event.get_mut("tool_use_result") {
            own.push(("toolUseResult", result.take()));
            own.push(("sourceToolAssistantUUID", json!(self.parent)));
        }
        lines.push(self.line(own, event["uuid"].as_str()));
    }

    /// The end of a turn: the last message gets its due. Where stdout shows no messages at all, the
    /// result stands for the last one.
    fn ended(&mut self, mut event: Value, lines: &mut Vec<Value>) {
        if self.held.is_silent() && event["result"].is_string() {
            let text = event["result"].take();
            let model = event["modelUsage"].as_object().and_then(|models| models.keys().next());
            let message = json!({
                "model": model.map_or("<synthetic>", String::as_str),
                "id": event["uuid"],
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": text}],
                "stop_reason": event["stop_reason"],
                "stop_sequence": null,
                "usage": event["usage"],
            });
            self.held.add(json!({"message": message, "uuid": event["uuid"]}));
        }
        self.release(Some(&event), lines);
        self.held.next_turn();
    }

    /// Writes the message that was held back, with what is known of its end by now.
    fn release(&mut self, result: Option<&Value>, lines: &mut Vec<Value>) {
        for mut event in self.held.release(result) {
            let mut own = vec![("message", event["message"].take())];
            for (key, kept) in [
                ("request_id", "requestId"),
                ("error", "error"),
                ("is_api_error_message", "isApiErrorMessage"),
            ] {
                if let Some(value) = event.get_mut(key) {
                    own.push((kept, value.take()));
                }
            }
            own.push(("type", json!("assistant")));
            lines.push(self.line(own, event["uuid"].as_str()));
        }
    }

    /// A line of the conversation, after the one before it.
    fn line(
        &mut self,
        own: impl IntoIterator<Item = (&'static str, Value)>,
        uuid: Option<&str>,
    ) -> Value {
        let uuid = self.unused(uuid);
        let mut line = Map::new();
        line.insert("parentUuid".to_owned(), json!(self.parent.replace(uuid.clone())));
        line.insert("isSidechain".to_owned(), json!(false));
        line.extend(own.into_iter().map(|(key, value)| (key.to_owned(), value)));
        let rest = [
            ("uuid", uuid),
            ("timestamp", stamp(self.run.started)),
            ("userType", "external".to_owned()),
            ("entrypoint", "sdk-cli".to_owned()),
            ("cwd", self.run.cwd.clone()),
            ("sessionId", self.session.clone()),
            ("version", self.run.version.clone()),
            ("gitBranch", String::new()),
        ];
        line.extend(rest.map(|(key, value)| (key.to_owned(), Value::from(value))));
        Value::Object(line)
    }

    /// An id for a line: its event's own, unless there is none or a line of this file has it.
    fn unused(&mut self, uuid: Option<&str>) -> String {
        let run = &self.run;
        let first = self.used.len();
        let minted =
            |n: usize| mint_session_id(&format!("{} line {}", run.seed, first + n), run.spawn);
        let mut id = uuid.map_or_else(|| minted(0), str::to_owned);
        // As many tries as there are ids, and one: they cannot all be taken.
        for n in 1..=first + 1 {
            if !self.used.contains(&id) {
                break;
            }
            id = minted(n);
        }
        self.used.insert(id.clone());
        id
    }

    fn append(&mut self, lines: &[Value]) -> Result<(), Error> {
        match &mut self.file {
            Some(file) if !lines.is_empty() => file.append(lines),
            _ => Ok(()),
        }
    }
}

/// Whether a run failed before there was a session (s06_resume_unknown).
fn is_refusal(event: &Value) -> bool {
    event["type"] == "result" && event["num_turns"] == 0 && event["result"].is_null()
}
