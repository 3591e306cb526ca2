//! A conversation as turns, whatever it was read from.

use std::collections::HashMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::recording::turn::{Stop, Tool, Turn, Usage};

/// A session that was read.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The persona.
    pub program: &'static str,
    /// The version of its CLI.
    pub version: Option<String>,
    /// Its working directory.
    pub cwd: Option<String>,
    /// The prompts with the turns that answered them.
    pub turns: Vec<(String, Turn)>,
    /// The numbers of the lines that could not be read.
    pub unreadable: Vec<usize>,
}

impl Imported {
    /// One recording with all turns: a session that goes on.
    #[must_use]
    pub fn session(&self) -> String {
        self.recording(&self.turns)
    }

    /// A recording for each turn: spawns that resume each other.
    #[must_use]
    pub fn split(&self) -> Vec<String> {
        self.turns.chunks(1).map(|turn| self.recording(turn)).collect()
    }

    fn recording(&self, turns: &[(String, Turn)]) -> String {
        let mut redactor = crate::record::surroundings::redactor_of_this_process();
        let mut header = Map::new();
        header.insert("ringer".into(), 1.into());
        header.insert("program".into(), self.program.into());
        for (key, value) in [("cli_version", &self.version), ("cwd", &self.cwd)] {
            if let Some(value) = value {
                header.insert(key.into(), value.as_str().into());
            }
        }
        header.insert("note".into(), "imported from a session transcript".into());
        let mut lines = vec![Value::Object(header).to_string()];
        for (prompt, turn) in turns {
            lines.push(json!({ "turn": turn, "note": prompt }).to_string());
        }
        let text = lines.iter().map(|line| redactor.text(line)).collect::<Vec<_>>();
        text.join("\n") + "\n"
    }
}

/// Puts a conversation together.
#[derive(Debug, Default)]
pub(super) struct Builder {
    turns: Vec<(String, Turn)>,
    /// Tool calls that wait for their result: the place in the last turn.
    calls: HashMap<String, usize>,
}

impl Builder {
    /// A prompt begins a turn.
    pub fn prompt(&mut self, text: &str) {
        self.calls.clear();
        self.turns.push((text.to_owned(), Turn::default()));
    }

    fn turn(&mut self) -> &mut Turn {
        if self.turns.is_empty() {
            self.prompt("");
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last].1
    }

    pub fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.turn().text.push(text.to_owned());
        }
    }

    pub fn thinking(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let thinking = self.turn().thinking.get_or_insert_default();
        if !thinking.is_empty() {
            thinking.push_str("\n\n");
        }
        thinking.push_str(text);
    }

    pub fn call(&mut self, id: &str, name: &str, input: &Value) {
        if name.is_empty() {
            return;
        }
        let tools = &mut self.turn().tools;
        let (place, name) = (tools.len(), name.to_owned());
        // What is no object is none that a turn could have.
        let input = match input {
            Value::Null | Value::Object(_) => raw(input),
            other => raw(&json!({ "input": other })),
        };
        tools.push(Tool { name, input, result: None, is_error: false, ask: false });
        self.calls.insert(id.to_owned(), place);
    }

    pub fn result(&mut self, id: &str, result: &Value, is_error: bool) {
        if let Some(place) = self.calls.remove(id)
            && let Some(tool) = self.turn().tools.get_mut(place)
        {
            tool.result = raw(result);
            tool.is_error = is_error;
        }
    }

    /// Adds tokens to the turn.
    pub fn spend(&mut self, usage: Usage) {
        let sum = self.turn().usage.get_or_insert_default();
        sum.input = sum.input.saturating_add(usage.input);
        sum.cached_input = sum.cached_input.saturating_add(usage.cached_input.min(usage.input));
        sum.output = sum.output.saturating_add(usage.output);
        sum.reasoning = sum.reasoning.saturating_add(usage.reasoning);
    }

    /// The turn went wrong, with this message.
    pub fn fail(&mut self, text: &str) {
        self.turn().fail = Some(text.to_owned());
    }

    /// The turn was interrupted.
    pub fn interrupted(&mut self) {
        self.turn().stop = Stop::Interrupted;
    }

    /// The turns, without the commands that the CLI carries out itself.
    pub fn finish(mut self) -> Vec<(String, Turn)> {
        let nothing =
            |turn: &Turn| turn.text.is_empty() && turn.tools.is_empty() && turn.thinking.is_none();
        let is_command = |prompt: &str| {
            ["<command-", "<local-command-"].iter().any(|mark| prompt.starts_with(mark))
        };
        self.turns
            .retain(|(prompt, turn)| !(is_command(prompt) && nothing(turn) && turn.fail.is_none()));
        for (_, turn) in &mut self.turns {
            turn.empty = nothing(turn) && turn.fail.is_none();
        }
        self.turns
    }
}

fn raw(value: &Value) -> Option<Box<RawValue>> {
    if value.is_null() { None } else { to_raw_value(value).ok() }
}

/// The text of a content that is a string, or blocks of which some are text.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
