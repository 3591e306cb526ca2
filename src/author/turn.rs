//! Turns, as a test writes them: the format's own types with a method a key.

use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use super::line::source_of;
use crate::recording::turn::{Stop, Tool, Turn, Usage};

/// One turn with this text.
impl From<&str> for Turn {
    fn from(text: &str) -> Turn {
        Turn::new().text(text)
    }
}

/// One turn with this text.
impl From<String> for Turn {
    fn from(text: String) -> Turn {
        Turn::new().text(text)
    }
}

/// A turn, key by key.
///
/// ```
/// use ringer::{Recording, Turn, json};
/// use ringer::author::{Stop, Tool, Usage};
///
/// let turns = [
///     Turn::new().text("All done."),
///     Turn::new().thinking("The user greets me.").text("Hello!"),
///     Turn::new().thinking("Nothing to say."),
///     Turn::new().empty(),
///     Turn::new()
///         .tool(Tool::new("Bash").input(json!({"command": "ls"})).result("a.rs\n"))
///         .tool(Tool::new("Edit").input(json!({"file_path": "a.rs"})).error("no such file"))
///         .text("There is no a.rs."),
///     Turn::new().text("I was about to").fail("API Error: 529 Overloaded"),
///     Turn::new().text("This sentence is cut at the lim").stop(Stop::MaxTokens),
///     Turn::new().text("Working").interrupted(),
///     Turn::new().structured(json!({"answer": 42})).usage(Usage::new(120, 7).cached_input(100)),
/// ];
/// for turn in turns {
///     assert_eq!(Recording::from(turn).to_bytes().err(), None);
/// }
/// ```
impl Turn {
    /// A turn without anything: add what it shows.
    #[must_use]
    pub fn new() -> Turn {
        Turn::default()
    }

    /// `text`: adds a block of text to the answer.
    #[must_use]
    pub fn text(mut self, block: impl Into<String>) -> Turn {
        self.text.push(block.into());
        self
    }

    /// `thinking`: what the model thought before it answered.
    #[must_use]
    pub fn thinking(mut self, text: impl Into<String>) -> Turn {
        self.thinking = Some(text.into());
        self
    }

    /// `tools`: adds a tool call with its result.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Turn {
        self.tools.push(tool);
        self
    }

    /// `items`: adds a codex item as it stands.
    #[must_use]
    pub fn item(mut self, item: impl Into<Value>) -> Turn {
        self.items.push(raw(&item.into()));
        self
    }

    /// `usage`: the tokens that the turn reports. Without it they are counted from the texts, one
    /// for four characters, rounded up.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Turn {
        self.usage = Some(usage);
        self
    }

    /// `structured`: the structured output that the turn produces.
    #[must_use]
    pub fn structured(mut self, output: impl Into<Value>) -> Turn {
        self.structured = Some(raw(&output.into()));
        self
    }

    /// `fail`: the turn itself goes wrong with this message, after whatever it shows; the program
    /// exits with 1.
    #[must_use]
    pub fn fail(mut self, message: impl Into<String>) -> Turn {
        self.fail = Some(message.into());
        self
    }

    /// `error`: a stream error or retry notice before the turn's end.
    #[must_use]
    pub fn error(mut self, message: impl Into<String>) -> Turn {
        self.error = Some(message.into());
        self
    }

    /// `stop`: why the turn ends.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Turn {
        self.stop = stop;
        self
    }

    /// `stop`: the turn writes what it has, then waits to be interrupted.
    #[must_use]
    pub fn interrupted(self) -> Turn {
        self.stop(Stop::Interrupted)
    }

    /// `empty`: no text and no tool call at all.
    #[must_use]
    pub fn empty(mut self) -> Turn {
        self.empty = true;
        self
    }

    /// `duration_ms`: what the turn reports as its duration, in whole milliseconds. Nothing waits
    /// for it.
    #[must_use]
    pub fn duration(mut self, reported: Duration) -> Turn {
        self.duration_ms = Some(u64::try_from(reported.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// `chunk`: characters in one partial delta, at least 1.
    #[must_use]
    pub fn chunk(mut self, characters: usize) -> Turn {
        self.chunk = Some(characters);
        self
    }
}

impl Tool {
    /// A call of the tool of this name: `Bash`, `Read`, `mcp__server__tool`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Tool {
        Tool { name: name.into(), input: None, result: None, is_error: false, ask: false }
    }

    /// `input`: what the tool is called with, an object.
    #[must_use]
    pub fn input(mut self, input: impl Into<Value>) -> Tool {
        self.input = Some(raw(&input.into()));
        self
    }

    /// `result`: what the call came to, a string or any JSON value.
    #[must_use]
    pub fn result(mut self, result: impl Into<Value>) -> Tool {
        self.result = Some(raw(&result.into()));
        self
    }

    /// `result` and `is_error`: the call fails with this message.
    #[must_use]
    pub fn error(self, message: impl Into<Value>) -> Tool {
        Tool { is_error: true, ..self.result(message) }
    }

    /// `ask`: the client is asked for permission first, where it can be asked.
    #[must_use]
    pub fn ask(mut self) -> Tool {
        self.ask = true;
        self
    }
}

impl Usage {
    /// So many tokens in, the cached ones among them, and so many out.
    #[must_use]
    pub fn new(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    /// `cached_input`: how many of the input tokens came from the cache.
    #[must_use]
    pub fn cached_input(mut self, tokens: u64) -> Usage {
        self.cached_input = tokens;
        self
    }

    /// `reasoning`: how many of the output tokens were spent on reasoning.
    #[must_use]
    pub fn reasoning(mut self, tokens: u64) -> Usage {
        self.reasoning = tokens;
        self
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    // What was just written as JSON is JSON.
    RawValue::from_string(source_of(value)).expect("a JSON value is JSON")
}
