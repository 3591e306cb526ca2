//! The rollout of `codex exec`: `sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl` below `CODEX_HOME`,
//! lines of `{timestamp, ordinal, type, payload}`.
//!
//! A thread that is resumed goes on in the file that it has. Written are the types that readers
//! look at: `session_meta`, `turn_context`, `response_item`, and of `event_msg` `task_started`,
//! `token_count`, `task_complete`. The stream knows no diffs and no reasoning but its summary, so
//! the rollout has no more of them either.

mod item;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::file::{SessionFile, lines_of};
use super::stamp;
use crate::error::Error;

/// What a rollout depends on beside what happens.
#[derive(Clone, Debug)]
pub struct CodexRun {
    /// `CODEX_HOME`, or `$HOME/.codex`.
    pub home: PathBuf,
    /// The working directory.
    pub cwd: String,
    /// The CLI version that is answered as.
    pub version: String,
    /// The model.
    pub model: String,
    /// The model provider's id.
    pub provider: String,
    /// The approval policy.
    pub approval: String,
    /// The sandbox mode: `read-only`, `workspace-write`, `danger-full-access`.
    pub sandbox: String,
    /// The thread that this one is a fork of.
    pub forked_from: Option<String>,
    /// When the run began.
    pub started: jiff::Timestamp,
    /// The same as a clock on the wall shows it: folder and file are named by it.
    pub local: jiff::civil::DateTime,
    /// The turn's id; the stream has none.
    pub turn_id: String,
}

impl CodexRun {
    /// What a clock on the wall of this machine shows at a time.
    #[must_use]
    pub fn local_time(time: jiff::Timestamp) -> jiff::civil::DateTime {
        time.to_zoned(jiff::tz::TimeZone::system()).datetime()
    }
}

/// The rollout of a spawn, as it grows.
#[derive(Debug)]
pub(super) struct Transcript {
    run: CodexRun,
    file: Option<SessionFile>,
    ordinal: u64,
    prompt: Option<String>,
    last_message: Option<String>,
    /// The thread's token usage at the end of the turn before.
    usage: Value,
}

impl Transcript {
    pub fn new(run: CodexRun) -> Transcript {
        Transcript {
            run,
            file: None,
            ordinal: 0,
            prompt: None,
            last_message: None,
            usage: Value::Null,
        }
    }

    /// Takes the prompt, before the turn starts.
    pub fn prompt(&mut self, text: &str) {
        self.prompt = Some(text.to_owned());
    }

    /// Takes an event of `exec --json`.
    pub fn event(&mut self, event: &Value) -> Result<(), Error> {
        let lines = match event["type"].as_str() {
            Some("thread.started") => match event["thread_id"].as_str() {
                Some(id) if self.file.is_none() && is_thread_id(id) => self.open(id)?,
                _ => Vec::new(),
            },
            Some("turn.started") => self.turn_started(),
            Some("item.completed") => {
                let item = &event["item"];
                if let ("agent_message", Some(text)) = (item::kind(item), item["text"].as_str()) {
                    self.last_message = Some(text.to_owned());
                }
                let items = item::response_items(item, &self.run.turn_id).into_iter();
                items.map(|payload| ("response_item", payload)).collect()
            }
            Some("turn.completed") => self.turn_completed(&event["usage"]),
            _ => Vec::new(),
        };
        self.append(lines)
    }

    /// Opens the thread's file: the one it has, else a new one with a first line about the thread.
    fn open(&mut self, id: &str) -> Result<Vec<Line>, Error> {
        let sessions = self.run.home.join("sessions");
        if let Some(path) = rollout_of(&sessions, id) {
            let earlier = lines_of(&path);
            self.ordinal = u64::try_from(earlier.len()).unwrap_or(u64::MAX);
            self.usage = last_usage(&earlier);
            self.file = Some(SessionFile::open(path)?);
            return Ok(Vec::new());
        }
        let local = self.run.local;
        let folder = sessions.join(local.strftime("%Y/%m/%d").to_string());
        let name = format!("rollout-{}-{id}.jsonl", local.strftime("%Y-%m-%dT%H-%M-%S"));
        self.file = Some(SessionFile::open(folder.join(name))?);
        let mut meta = json!({
            "id": id,
            "timestamp": stamp(self.run.started),
            "cwd": self.run.cwd,
            "originator": "codex_exec",
            "cli_version": self.run.version,
            "source": "exec",
            "model_provider": self.run.provider,
        });
        let mut lines = Vec::new();
        if let Some(origin) = self.run.forked_from.take() {
            meta["forked_from_id"] = Value::from(origin.as_str());
            lines = self.copied(&rollout_of(&sessions, &origin));
        }
        lines.insert(0, ("session_meta", meta));
        Ok(lines)
    }

    /// What a fork takes over from the thread that it leaves.
    fn copied(&mut self, origin: &Option<PathBuf>) -> Vec<Line> {
        let earlier = origin.as_deref().map(lines_of).unwrap_or_default();
        self.usage = last_usage(&earlier);
        let lines = earlier.into_iter().filter_map(|mut line| {
            let kind = KINDS.iter().find(|kind| line["type"] == **kind)?;
            Some((*kind, line["payload"].take()))
        });
        lines.collect()
    }

    fn turn_started(&mut self) -> Vec<Line> {
        let run = &self.run;
        let mut lines = vec![
            (
                "event_msg",
                json!({
                    "type": "task_started",
                    "turn_id": run.turn_id,
                    "model_context_window": null,
                }),
            ),
            (
                "turn_context",
                json!({
                    "turn_id": run.turn_id,
                    "cwd": run.cwd,
                    "approval_policy": run.approval,
                    "sandbox_policy": {"type": run.sandbox},
                    "model": run.model,
                    "summary": "auto",
                }),
            ),
        ];
        if let Some(prompt) = self.prompt.take() {
            lines.push(("response_item", item::message("user", "input_text", &prompt)));
        }
        lines
    }

    fn turn_completed(&mut self, usage: &Value) -> Vec<Line> {
        let total = with_total(usage);
        let last = difference(&total, &self.usage);
        let tokens = json!({
            "type": "token_count",
            "info": {
                "total_token_usage": total,
                "last_token_usage": last,
                "model_context_window": null,
            },
            "rate_limits": null,
        });
        self.usage = total;
        let complete = json!({
            "type": "task_complete",
            "turn_id": self.run.turn_id,
            "last_agent_message": self.last_message,
        });
        vec![("event_msg", tokens), ("event_msg", complete)]
    }

    fn append(&mut self, lines: Vec<Line>) -> Result<(), Error> {
        let Some(file) = self.file.as_mut().filter(|_| !lines.is_empty()) else { return Ok(()) };
        let mut whole = Vec::with_capacity(lines.len());
        for (kind, payload) in lines {
            whole.push(json!({
                "timestamp": stamp(self.run.started),
                "ordinal": self.ordinal,
                "type": kind,
                "payload": payload,
            }));
            self.ordinal = self.ordinal.saturating_add(1);
        }
        file.append(&whole)
    }
}

/// The type of a line and its payload.
type Line = (&'static str, Value);

/// The types of lines that a fork takes over.
const KINDS: &[&str] = &["turn_context", "response_item", "event_msg"];

/// Whether a text can be a thread's id in a file name.
fn is_thread_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.len() <= 200 && id.bytes().all(plain)
}

/// The file that a thread has, of whatever day.
fn rollout_of(sessions: &Path, id: &str) -> Option<PathBuf> {
    let ending = format!("-{id}.jsonl");
    let mut folders = vec![sessions.to_owned()];
    for _ in 0..3 {
        folders = folders.iter().flat_map(|folder| entries(folder)).collect();
    }
    let mut files = folders.iter().flat_map(|folder| entries(folder));
    files.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("rollout-") && name.ends_with(&ending)
    })
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// What the last line about tokens says of the whole thread.
fn last_usage(lines: &[Value]) -> Value {
    let tokens = lines.iter().rev().find(|line| line["payload"]["type"] == "token_count");
    tokens.map_or(Value::Null, |line| line["payload"]["info"]["total_token_usage"].clone())
}

/// The usage of an event, with a sum; the cached part is within the input.
fn with_total(usage: &Value) -> Value {
    let mut total = if usage.is_object() { usage.clone() } else { json!({}) };
    let sum = ["input_tokens", "output_tokens"].iter().map(|key| number(usage, key)).sum::<u64>();
    total["total_tokens"] = Value::from(sum);
    total
}

/// What was used since. Where the sums have started again it is all of it.
fn difference(total: &Value, before: &Value) -> Value {
    let mut last = total.clone();
    if number(total, "total_tokens") < number(before, "total_tokens") {
        return last;
    }
    if let Some(fields) = last.as_object_mut() {
        for (key, value) in fields {
            *value = Value::from(number(total, key).saturating_sub(number(before, key)));
        }
    }
    last
}

fn number(usage: &Value, key: &str) -> u64 {
    // Far more than any thread uses, and sums of it do not overflow.
    usage[key].as_u64().unwrap_or(0).min(u64::from(u32::MAX) * 1024)
}
