//! Recorded answers to the client's requests. They name no request, so what they answer is told by
//! their shape, and which of several by what they say.

use crate::persona::claude::object::{Object, place};
use crate::persona::claude::perform::frame::Asked;
use crate::persona::claude::perform::replace;
use crate::persona::claude::render::{Layout, Model};

/// What a recorded answer says, and so what it can answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Commands, models, the account.
    Initialize,
    /// What is still queued.
    Interrupt,
    /// The permission mode.
    Mode(String),
    /// The model.
    Model(String),
    /// MCP servers.
    Servers,
    /// What fills the context.
    Context,
    /// Settings.
    Settings,
    /// That it is done.
    Done,
    /// An empty object.
    Empty,
    /// Another answer than these.
    Other,
    /// That it cannot be, and why.
    Error(String),
}

impl Shape {
    /// The shape of a `control_response`.
    pub fn of(event: &Object) -> Shape {
        let response = event.object("response").unwrap_or_default();
        if response.is("subtype", "error") {
            return Shape::Error(response.string("error").unwrap_or_default());
        }
        if !response.has("response") {
            return Shape::Done;
        }
        let Some(answer) = response.object("response") else { return Shape::Other };
        let keys: Vec<&str> = answer.entries().map(|(key, _)| key).collect();
        let has = |key: &str| keys.contains(&key);
        let text = |key: &str| answer.string(key).unwrap_or_default();
        match keys.as_slice() {
            [] => Shape::Empty,
            _ if has("still_queued") => Shape::Interrupt,
            ["mode"] => Shape::Mode(text("mode")),
            ["model"] => Shape::Model(text("model")),
            _ if has("commands") || (has("models") && has("account")) => Shape::Initialize,
            _ if has("mcpServers") => Shape::Servers,
            _ if has("categories") || has("totalTokens") => Shape::Context,
            _ if has("effective") => Shape::Settings,
            _ => Shape::Other,
        }
    }
}

/// A recorded answer with the lines that belong to it.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub shape: Shape,
    /// What goes before it.
    pub before: Vec<Vec<u8>>,
    /// The answer, without its newline.
    pub line: Vec<u8>,
    /// What follows it at once.
    pub after: Vec<Vec<u8>>,
    /// It cuts a turn off: the rest of that turn, to its end.
    pub cuts: Option<Vec<Vec<u8>>>,
    /// It was given already.
    pub used: bool,
}

impl Answer {
    /// Whether it answers a request that cuts nothing off.
    pub fn fits(&self, asked: &Asked, layout: &Layout) -> bool {
        let is = |subtype: &str| asked.subtype == subtype;
        match &self.shape {
            _ if self.used || self.cuts.is_some() => false,
            Shape::Initialize => is("initialize"),
            Shape::Interrupt => is("interrupt"),
            Shape::Mode(mode) => {
                is("set_permission_mode") && asked.string("mode").as_ref() == Some(mode)
            }
            Shape::Model(model) => is("set_model") && names(asked, layout, |id| id == model),
            Shape::Servers => is("mcp_status"),
            Shape::Context => is("get_context_usage"),
            Shape::Settings => is("get_settings"),
            Shape::Empty => is("stop_task"),
            Shape::Done if !self.before.is_empty() => {
                let shown = |id: &str| {
                    let told = [format!(" {id}<"), format!("`{id}`")];
                    let has = |line: &Vec<u8>, text: &String| {
                        memchr::memmem::find(line, text.as_bytes()).is_some()
                    };
                    self.before.iter().any(|line| told.iter().any(|text| has(line, text)))
                };
                is("set_model") && names(asked, layout, shown)
            }
            Shape::Done => is("set_max_thinking_tokens") || is("apply_flag_settings"),
            Shape::Other => !KNOWN.contains(&asked.subtype.as_str()),
            Shape::Error(text) => refuses(text, asked),
        }
    }

    /// The answer's line with the id of the request that is answered now.
    pub fn line_for(&self, id: Option<&str>) -> Vec<u8> {
        with_id(&self.line, id)
    }
}

/// Requests whose answers have a shape of their own.
const KNOWN: &[&str] = &[
    "apply_flag_settings",
    "end_session",
    "get_context_usage",
    "get_settings",
    "initialize",
    "interrupt",
    "mcp_reconnect",
    "mcp_status",
    "mcp_toggle",
    "rewind_files",
    "set_max_thinking_tokens",
    "set_model",
    "set_permission_mode",
    "stop_task",
];

/// Whether a request for a model means one that `is` says so of: as it was written, or in full.
fn names(asked: &Asked, layout: &Layout, is: impl Fn(&str) -> bool) -> bool {
    let written = asked.string("model");
    is(&Model::of(layout, written.as_deref()).id) || written.as_deref().is_some_and(is)
}

/// Whether an error tells of this request.
fn refuses(text: &str, asked: &Asked) -> bool {
    let named = |start: &str| text.strip_prefix(start);
    if let Some(subtype) = named("Unsupported control request subtype: ") {
        return subtype == asked.subtype;
    }
    if let Some(server) = named("Server not found: ") {
        return asked.subtype.starts_with("mcp_") && asked.printed("serverName") == server;
    }
    if let Some(rest) = named("Cannot set permission mode") {
        let mode = asked.string("mode").unwrap_or_default();
        let listed = rest.split([' ', ',']).any(|word| word == mode);
        // One text lists the modes there are, the other names the one that may not be.
        return asked.subtype == "set_permission_mode" && listed != rest.starts_with(':');
    }
    match named("File rewinding") {
        Some(_) => asked.subtype == "rewind_files",
        None => !KNOWN.contains(&asked.subtype.as_str()),
    }
}

/// A `control_response` with another request id, or none, and nothing else touched.
fn with_id(line: &[u8], id: Option<&str>) -> Vec<u8> {
    let response = Object::parse(line).and_then(|event| event.object("response"));
    let Some(response) = response else { return line.to_vec() };
    let recorded = response.get("request_id").and_then(|id| place(line, id));
    match (recorded, id) {
        (Some(range), Some(id)) => replace::range(line, range, id.as_bytes()),
        (None, Some(id)) => {
            let subtype = response.get("subtype").and_then(|subtype| place(line, subtype));
            let Some(subtype) = subtype else { return line.to_vec() };
            let more = format!(",\"request_id\":{id}");
            replace::range(line, subtype.end..subtype.end, more.as_bytes())
        }
        (Some(range), None) => {
            let key = memchr::memmem::rfind(&line[..range.start], b"\"request_id\"");
            let Some(start) = key else { return line.to_vec() };
            let comma = line[range.end..].starts_with(b",");
            let end = range.end + usize::from(comma);
            let start = start - usize::from(!comma && line[..start].ends_with(b","));
            replace::range(line, start..end, b"")
        }
        (None, None) => line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_gets_another_id_and_keeps_the_rest_to_the_byte() {
        let line = br#"{"type":"control_response","response":{"subtype":"success","request_id":"a","response":{"x": 1.0}}}"#;
        let seven = br#"{"type":"control_response","response":{"subtype":"success","request_id":7,"response":{"x": 1.0}}}"#;
        let none = br#"{"type":"control_response","response":{"subtype":"success","response":{"x": 1.0}}}"#;
        assert_eq!(with_id(line, Some("7")), seven);
        assert_eq!(with_id(line, None), none);
        assert_eq!(with_id(none, Some("7")), seven);
        let last =
            br#"{"type":"control_response","response":{"subtype":"success","request_id":"a"}}"#;
        let gone = br#"{"type":"control_response","response":{"subtype":"success"}}"#;
        assert_eq!(with_id(last, None), gone);
    }
}
