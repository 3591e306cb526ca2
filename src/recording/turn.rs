//! One model turn, as an author writes it: `{"turn": {...}}`. Rendered by a persona into its own
//! event stream; the same turn serves every persona.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// One turn of a conversation.
///
/// A turn is played in this order: thinking, the tool calls with their results, the text. Absent
/// keys are absent events.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The answer, one entry a text block.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// What the model thought before it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// Tool calls with their results, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Codex items, appended as they stand after everything else that the turn shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Box<RawValue>>,
    /// Tokens; without it they are counted from the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The structured output that the turn produces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Box<RawValue>>,
    /// The turn itself goes wrong, with this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<String>,
    /// A stream error or retry notice before the turn's end, with this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why the turn ends.
    #[serde(default, skip_serializing_if = "Stop::is_default")]
    pub stop: Stop,
    /// No text and no tool call at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// What the turn reports as its duration, in milliseconds. Nothing waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Characters in one partial delta.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
}

/// A tool call and what came of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The tool's name as the model calls it: `Bash`, `Read`, `mcp__server__tool`.
    pub name: String,
    /// The input, kept as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
    /// The result: a string, or any JSON value kept as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Whether the client is asked for permission first, where it can be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask: bool,
}

/// Tokens of one turn. `input` includes the cached part, as codex counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Input tokens, the cached ones among them.
    pub input: u64,
    /// Input tokens that came from the cache.
    pub cached_input: u64,
    /// Output tokens.
    pub output: u64,
    /// Output tokens that were spent on reasoning.
    pub reasoning: u64,
}

/// Why a turn ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model was done.
    #[default]
    EndTurn,
    /// The output limit was reached.
    MaxTokens,
    /// The model refused.
    Refusal,
    /// The limit on turns was reached.
    MaxTurns,
    /// The budget in dollars was used up.
    Budget,
    /// Somebody interrupted the turn.
    Interrupted,
}

impl Stop {
    fn is_default(&self) -> bool {
        *self == Stop::EndTurn
    }
}

/// A string or a list of strings.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct OneOrMany;
    impl<'de> serde::de::Visitor<'de> for OneOrMany {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("a string or a list of strings")
        }

        fn visit_str<E>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = seq.next_element()? {
                texts.push(text);
            }
            Ok(texts)
        }
    }
    deserializer.deserialize_any(OneOrMany)
}
