//! The session file of `claude`: `projects/<directory>/<session>.jsonl` in its configuration
//! directory, one object a line.
//!
//! Written are the types that readers look at: `queue-operation`, `user`, `assistant`,
//! `custom-title`, `last-prompt`. A message is one line for each of its blocks, as in the stream,
//! but with the reason for its end and with its usage, which the stream does not know yet: so a
//! message is held back until something else follows.

mod message;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::file::{SessionFile, lines_of};
use super::{Prompt, content_text, project_folder, stamp};
use crate::error::Error;
use crate::persona::claude::render::mint_session_id;

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
    /// What ids of prompts are drawn from that have none.
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
    prompts: u64,
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
            prompts: 0,
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
        let path = folder.join(format!("{id}.jsonl"));
        let mut earlier = lines_of(&path);
        let mut copied = Vec::new();
        if let Some(origin) = self.run.forked_from.take().filter(|id| is_file_name(id)) {
            if earlier.is_empty() && origin != id {
                copied = copy_of(lines_of(&folder.join(format!("{origin}.jsonl"))), id);
                earlier.clone_from(&copied);
            }
        }
        self.parent = earlier.iter().rev().find_map(|line| Some(line["uuid"].as_str()?.to_owned()));
        self.session = id.to_owned();
        self.file = Some(SessionFile::open(path)?);
        lines.append(&mut copied);
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
        self.prompts += 1;
        let uuid = uuid.unwrap_or_else(|| {
            mint_session_id(&format!("{} prompt {}", self.run.seed, self.prompts), self.run.spawn)
        });
        let own = [
            ("type", json!("user")),
            ("message", message),
            ("permissionMode", json!(self.run.permission_mode)),
        ];
        lines.push(self.line(own, uuid));
    }

    /// What the user's side said without being asked to: tool results, notices.
    fn answered(&mut self, event: &mut Value, lines: &mut Vec<Value>) {
        let uuid = self.uuid_of(event);
        let mut own = vec![("type", json!("user")), ("message", event["message"].take())];
        if event["isSynthetic"] == true {
            own.push(("isMeta", json!(true)));
        }
        if let Some(result) = event.get_mut("tool_use_result") {
            own.push(("toolUseResult", result.take()));
            own.push(("sourceToolAssistantUUID", json!(self.parent)));
        }
        lines.push(self.line(own, uuid));
    }

    /// The end of a turn: the last message gets its due. Where stdout shows no messages at all, the
    /// result stands for the last one.
    fn ended(&mut self, mut event: Value, lines: &mut Vec<Value>) {
        if self.held.is_silent() && event["result"].is_string() {
            let text = event["result"].take();
            let model = event["modelUsage"].as_object().and_then(|models| models.keys().next());
            let message = json!({
                "model": model.map_or("<synthetic>", String::as_str),
                "id": self.uuid_of(&event),
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
            let uuid = self.uuid_of(&event);
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
            lines.push(self.line(own, uuid));
        }
    }

    /// A line of the conversation, after the one before it.
    fn line(
        &mut self,
        own: impl IntoIterator<Item = (&'static str, Value)>,
        uuid: String,
    ) -> Value {
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

    /// The id of an event, which its line keeps.
    fn uuid_of(&mut self, event: &Value) -> String {
        event["uuid"].as_str().map_or_else(
            || {
                self.prompts += 1;
                let seed = format!("{} line {}", self.run.seed, self.prompts);
                mint_session_id(&seed, self.run.spawn)
            },
            str::to_owned,
        )
    }

    fn append(&mut self, lines: &[Value]) -> Result<(), Error> {
        match &mut self.file {
            Some(file) if !lines.is_empty() => file.append(lines),
            _ => Ok(()),
        }
    }
}

/// Whether an id can stand in a file's name.
fn is_file_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= 200 && !id.starts_with('.') && !id.contains(['/', '\0'])
}

/// Whether a run failed before there was a session (s06_resume_unknown).
fn is_refusal(event: &Value) -> bool {
    event["type"] == "result" && event["num_turns"] == 0 && event["result"].is_null()
}

/// The lines of a session as those of its fork.
fn copy_of(mut lines: Vec<Value>, id: &str) -> Vec<Value> {
    for line in &mut lines {
        if let Some(session) = line.get_mut("sessionId") {
            *session = Value::from(id);
        }
    }
    lines
}
