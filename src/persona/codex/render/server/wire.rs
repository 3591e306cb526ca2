//! The frames of `codex app-server`: JSON-RPC without its `jsonrpc` member, one object a line.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::json::Object;
use crate::persona::Piece;

/// A line of the client.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Frame {
    /// The request's id as it was written: a number or a string.
    #[serde(default)]
    pub id: Option<Box<RawValue>>,
    /// Absent in an answer.
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub params: Value,
    /// What an answer says.
    #[serde(default)]
    pub result: Value,
}

impl Frame {
    /// Reads a line; `None` if it is no JSON object, which the server only logs.
    pub fn read(line: &str) -> Option<Frame> {
        serde_json::from_str(line).ok()
    }

    /// The id, or `null`.
    pub fn id(&self) -> &str {
        self.id.as_deref().map_or("null", RawValue::get)
    }

    /// A parameter's string.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.params.get(key).and_then(Value::as_str)
    }

    /// Whether a parameter is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.params.get(key) == Some(&Value::Bool(true))
    }
}

/// A line for stdout.
pub(super) fn line(json: String) -> Vec<u8> {
    let mut line = json.into_bytes();
    line.push(b'\n');
    line
}

/// An answer.
pub(super) fn result(id: &str, result: &str) -> Piece {
    Piece::Out(line(result_text(id, result)))
}

/// An answer, as text.
pub(super) fn result_text(id: &str, result: &str) -> String {
    Object::new().raw("id", id).raw("result", result).end()
}

/// An error as an answer; the server knows one code only (`06-errors`).
pub(super) fn error(id: &str, message: &str) -> Piece {
    let error = Object::new().put("code", -32600).str("message", message).end();
    Piece::Out(line(Object::new().raw("error", &error).raw("id", id).end()))
}

/// A notification.
pub(super) fn notification(method: &str, params: &str, emitted_at_ms: u64) -> Piece {
    let object = Object::new().str("method", method).raw("params", params);
    Piece::Out(line(object.put("emittedAtMs", emitted_at_ms).end()))
}

/// A request of the server.
pub(super) fn request(id: u64, method: &str, params: &str) -> Piece {
    let object = Object::new().str("method", method).put("id", id).raw("params", params);
    Piece::Ask { id: id.to_string(), line: line(object.end()) }
}
