//! Lines of `codex app-server`, the client's and the recorded ones, as far as playing looks into
//! them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The envelope of a line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope<'a> {
    /// The id as it was written, `7` or `"abc"`.
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Reads a line; `None` if it is no JSON object.
    pub fn read(line: &'a [u8]) -> Option<Envelope<'a>> {
        // An array would be read as the members in their order.
        let is_object = line.trim_ascii_start().starts_with(b"{");
        is_object.then(|| serde_json::from_slice(line).ok())?
    }

    /// The id, if it is one: a string or a number.
    pub fn id(&self) -> Option<&'a str> {
        let id = self.id.map(RawValue::get)?;
        id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
            .then_some(id)
    }

    /// The thread that the parameters name, as JSON source text without its quotes.
    pub fn thread(&self) -> Option<&'a str> {
        self.parameters().thread_id.and_then(unquoted)
    }

    /// The turn that a `turn/steer` is meant for, as source text.
    pub fn expected_turn(&self) -> Option<&'a str> {
        self.parameters().expected_turn_id.and_then(unquoted)
    }

    fn parameters(&self) -> Parameters<'a> {
        self.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default()
    }
}

/// What is read of parameters. All ids are source text.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Parameters<'a> {
    #[serde(borrow)]
    thread_id: Option<&'a RawValue>,
    #[serde(borrow)]
    turn_id: Option<&'a RawValue>,
    #[serde(borrow)]
    expected_turn_id: Option<&'a RawValue>,
    #[serde(borrow)]
    turn: Option<&'a RawValue>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
}

/// An object's id, kind and state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
}

/// A recorded line.
#[derive(Debug)]
pub(super) enum Said<'a> {
    /// An answer to a request of the client, which it does not name.
    Answer(Answer<'a>),
    /// A question to the client.
    Ask(&'a str),
    /// A notification.
    Note(Note<'a>),
    /// Anything else.
    Other,
}

/// A recorded answer.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// The request's id as it was written.
    pub id: &'a str,
    /// The result, or `null`.
    pub result: Value,
    /// The message of an error.
    pub error: Option<String>,
}

/// A recorded notification.
#[derive(Debug)]
pub(super) struct Note<'a> {
    pub method: Cow<'a, str>,
    pub about: About,
}

/// What a notification tells, where it matters. Turns go by their ids, as source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// `thread/status/changed` to active: a turn is about to begin.
    Active,
    /// `thread/status/changed` to not loaded: the thread is about to be put away.
    NotLoaded,
    /// `turn/started`.
    Started { turn: String, thread: Option<String> },
    /// The user's message in a turn.
    UserMessage { turn: String },
    /// `turn/completed`; without an id where the line has none.
    Completed { turn: Option<String>, interrupted: bool },
    /// Anything else.
    Else,
}

impl<'a> Said<'a> {
    /// Reads a recorded line.
    pub fn read(line: &'a [u8]) -> Said<'a> {
        let Some(envelope) = Envelope::read(line) else {
            return Said::Other;
        };
        let id = envelope.id();
        match (&envelope.method, id) {
            (Some(_), Some(id)) => Said::Ask(id),
            (Some(method), None) => {
                Said::Note(Note { method: method.clone(), about: about(method, &envelope) })
            }
            (None, Some(id)) if envelope.result.is_some() || envelope.error.is_some() => {
                let value = |part: Option<&RawValue>| {
                    part.and_then(|part| serde_json::from_str::<Value>(part.get()).ok())
                };
                let error = value(envelope.error);
                let message = |error: Value| {
                    let message = error.get("message").and_then(Value::as_str);
                    message.unwrap_or_default().to_owned()
                };
                let result = value(envelope.result).unwrap_or_default();
                Said::Answer(Answer { id, result, error: error.map(message) })
            }
            _ => Said::Other,
        }
    }

    /// Whether it is a notification of this method.
    pub fn is_note(&self, method: &str) -> bool {
        matches!(self, Said::Note(note) if note.method == method)
    }

    /// The method that an answer's shape tells of.
    pub fn answered(&self) -> Option<&'static str> {
        match self {
            Said::Answer(answer) => super::shape::method_of(&answer.result),
            _ => None,
        }
    }

    /// What a notification tells.
    pub fn about(&self) -> &About {
        match self {
            Said::Note(note) => &note.about,
            _ => &About::Else,
        }
    }
}

fn about(method: &str, envelope: &Envelope) -> About {
    let part = |raw: Option<&RawValue>| {
        let source = raw.map(RawValue::get).map(str::to_owned);
        source.unwrap_or_default()
    };
    let read = |source: &str| {
        let part: Part = serde_json::from_str(source).unwrap_or_default();
        let id = part.id.and_then(unquoted).map(str::to_owned);
        (
            id,
            part.kind.unwrap_or_default().into_owned(),
            part.status.unwrap_or_default() == "interrupted",
        )
    };
    match method {
        "thread/status/changed" => match read(&part(envelope.parameters().status)).1.as_str() {
            "active" => About::Active,
            "notLoaded" => About::NotLoaded,
            _ => About::Else,
        },
        "turn/started" => {
            let parameters = envelope.parameters();
            let thread = parameters.thread_id.and_then(unquoted).map(str::to_owned);
            let turn = read(&part(parameters.turn)).0;
            turn.map_or(About::Else, |turn| About::Started { turn, thread })
        }
        "turn/completed" => {
            let (turn, _, interrupted) = read(&part(envelope.parameters().turn));
            About::Completed { turn, interrupted }
        }
        "item/started" => {
            let parameters = envelope.parameters();
            let turn = parameters.turn_id.and_then(unquoted).map(str::to_owned);
            match turn {
                Some(turn) if read(&part(parameters.item)).1 == "userMessage" => {
                    About::UserMessage { turn }
                }
                _ => About::Else,
            }
        }
        _ => About::Else,
    }
}

/// The source text of a JSON string without its quotes.
fn unquoted(raw: &RawValue) -> Option<&str> {
    raw.get().strip_prefix('"')?.strip_suffix('"')
}

/// The text that source text without quotes stands for.
pub(super) fn decoded(source: &str) -> String {
    serde_json::from_str(&format!("\"{source}\"")).unwrap_or_else(|_| source.to_owned())
}

/// An answer with another request's id in the place of its own, otherwise to the byte.
pub(super) fn with_id(line: &[u8], id: &str) -> Vec<u8> {
    let Some(own) = Envelope::read(line).and_then(|envelope| envelope.id) else {
        return line.to_vec();
    };
    // The id was borrowed from the line, so it lies in it.
    let start = (own.get().as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let (Some(before), Some(after)) = (line.get(..start), line.get(start + own.get().len()..))
    else {
        return line.to_vec();
    };
    [before, id.as_bytes(), after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_put_in_wherever_it_stands_and_nothing_else_changes() {
        let put = |line: &str, id| String::from_utf8(with_id(line.as_bytes(), id)).unwrap();
        assert_eq!(
            put(r#"{"id":1, "result":{"id":1e0}}"#, r#""x""#),
            r#"{"id":"x", "result":{"id":1e0}}"#
        );
        let error = "{\"error\":{\"code\":-32600,\"message\":\"no\"},\"id\":12}\n";
        assert_eq!(put(error, "3"), error.replace("12", "3"));
        assert_eq!(put("no json", "3"), "no json");
    }

    #[test]
    fn an_id_is_a_string_or_a_number() {
        let id = |line: &'static str| Envelope::read(line.as_bytes()).and_then(|it| it.id());
        assert_eq!(id(r#"{"id":"a\"b"}"#), Some(r#""a\"b""#));
        assert_eq!(id(r#"{"id":-7}"#), Some("-7"));
        for line in [r#"{"id":null}"#, r#"{"id":{}}"#, "[]", "{}", "7"] {
            assert_eq!(id(line), None, "{line}");
        }
    }
}
