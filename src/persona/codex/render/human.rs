//! The human transcript on stderr: banner, prompt, items as they come, the tokens. Two generations
//! of it are known, [`modern`](super::modern) (0.125 and later) and [`classic`](super::classic);
//! what they have in common is here.

use serde_json::Value;

use super::format::is_retry;
use super::item::{Plan, Progress, Step};
use super::spawn::Spawn;
use super::style::{BOLD, CYAN, DIM, GREEN, ITALIC, MAGENTA, RED, Style, YELLOW};
use super::traits::Traits;
use super::usage;
use super::{classic, modern};

/// What a renderer knows of an item and its event does not say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aside<'a> {
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The plan with its explanation and the steps in progress.
    pub plan: Option<&'a Plan>,
    /// The diff of a file change.
    pub diff: Option<&'a str>,
}

/// Writes the transcript.
#[derive(Debug)]
pub(super) struct Human {
    pub spawn: Spawn,
    pub traits: &'static Traits,
    pub style: Style,
}

impl Human {
    /// The transcript of a spawn.
    pub fn new(spawn: &Spawn, traits: &'static Traits) -> Human {
        Human { spawn: spawn.clone(), traits, style: Style { color: spawn.color } }
    }

    /// What an event shows, with its newline; empty if it shows nothing.
    pub fn event(&self, event: &Value, aside: &Aside) -> String {
        match text(event, "type") {
            "thread.started" => self.banner(text(event, "thread_id")),
            "error" => self.error(text(event, "message")),
            "turn.failed" if !self.traits.classic => {
                self.fatal(text(event.get("error").unwrap_or(&Value::Null), "message"))
            }
            "item.started" => self.item(event, "item.started", aside),
            "item.updated" => self.item(event, "item.updated", aside),
            "item.completed" => self.item(event, "item.completed", aside),
            _ => String::new(),
        }
    }

    /// The banner, and the prompt after it.
    fn banner(&self, thread_id: &str) -> String {
        let spawn = &self.spawn;
        let sandbox = spawn.sandbox.summary();
        let rows = [
            ("workdir", spawn.cwd.as_str()),
            ("model", &spawn.model),
            ("provider", &spawn.provider),
            ("approval", &spawn.approval),
            ("sandbox", &sandbox),
            ("reasoning effort", spawn.effort.as_deref().unwrap_or("none")),
            ("reasoning summaries", spawn.summaries.as_deref().unwrap_or(self.traits.summaries)),
            ("session id", thread_id),
        ];
        let mut out =
            format!("OpenAI Codex v{}{}\n--------\n", spawn.version, self.traits.banner_suffix);
        for (label, value) in rows {
            out += &format!("{} {value}\n", self.style.paint(&[BOLD], &format!("{label}:")));
        }
        out += "--------\n";
        if let Some(prompt) = spawn.shown_prompt() {
            out += &format!("{}\n{prompt}\n", self.style.paint(&[CYAN], "user"));
        }
        if let Some((label, rest)) = self.traits.after_prompt.split_once(": ") {
            out += &format!("{} {rest}\n", self.style.paint(&[CYAN], &format!("{label}:")));
        }
        out
    }

    /// An `error` event. Of a retry notice the cause in brackets is left out (`04-401-human`); the
    /// older transcript has the notice whole, and dim.
    fn error(&self, message: &str) -> String {
        if !is_retry(message) {
            return self.fatal(message);
        }
        if self.traits.classic {
            return format!("{}\n", self.style.paint(&[DIM], message));
        }
        let cause = message.strip_suffix(')').and_then(|message| message.split_once(" ("));
        self.fatal(cause.map_or(message, |(notice, _)| notice))
    }

    fn fatal(&self, message: &str) -> String {
        let attributes: &[u8] = if self.traits.classic { &[RED] } else { &[BOLD, RED] };
        format!("{} {message}\n", self.style.paint(attributes, "ERROR:"))
    }

    fn item(&self, event: &Value, kind: &str, aside: &Aside) -> String {
        let Some(item) = event.get("item") else {
            return String::new();
        };
        match (text(item, "type"), kind) {
            ("error", "item.completed") => {
                let label = self.style.paint(&[BOLD, YELLOW], "warning:");
                format!("{label} {}\n", text(item, "message"))
            }
            ("agent_message", "item.completed") => {
                let label = self.style.paint(&[MAGENTA, ITALIC], "codex");
                format!("{label}\n{}\n", text(item, "text"))
            }
            ("todo_list", "item.started" | "item.updated") => match aside.plan {
                Some(plan) => self.plan(plan),
                None => self.plan(&recorded_plan(item)),
            },
            _ if self.traits.classic => classic::item(self, item, kind, aside),
            _ => modern::item(self, item, kind, aside),
        }
    }

    fn plan(&self, plan: &Plan) -> String {
        let style = self.style;
        let mut out = String::new();
        if self.traits.classic {
            out += &format!("{}\n", style.paint(&[MAGENTA], "Plan update"));
        }
        if let Some(explanation) = &plan.explanation {
            out += &format!("{}\n", style.paint(&[ITALIC], explanation));
        }
        for step in &plan.steps {
            let (attribute, mark, text) = match step.progress {
                Progress::Completed => (GREEN, "✓", step.text.clone()),
                Progress::Current => (CYAN, "→", step.text.clone()),
                Progress::Pending => (DIM, "•", style.paint(&[DIM], &step.text)),
            };
            out += &format!("  {} {text}\n", style.paint(&[attribute], mark));
        }
        out
    }

    /// The line of an interrupted turn.
    pub fn interrupted(&self) -> String {
        if self.traits.classic {
            "task interrupted\n".to_owned()
        } else {
            format!("{}\n", self.style.paint(&[DIM], "turn interrupted"))
        }
    }

    /// The tokens at the end.
    pub fn tokens(&self, number: u64) -> String {
        let attributes: &[u8] = if self.traits.classic { &[ITALIC, MAGENTA] } else { &[DIM] };
        let label = self.style.paint(attributes, "tokens used");
        format!("{label}\n{}\n", usage::with_commas(number))
    }
}

/// The plan of a recorded `todo_list`, which does not tell what is in progress.
fn recorded_plan(item: &Value) -> Plan {
    let steps = item.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let step = |step: &Value| Step {
        text: text(step, "text").to_owned(),
        progress: match step.get("completed") {
            Some(Value::Bool(true)) => Progress::Completed,
            _ => Progress::Pending,
        },
    };
    Plan { explanation: None, steps: steps.iter().map(step).collect() }
}

/// A key's string, or an empty one.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
