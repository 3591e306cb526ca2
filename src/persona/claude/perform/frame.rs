//! What a line of the client is: a message, a request, an answer, junk that the CLI takes without a
//! word, or junk that ends it (claude.md, section 4).

use super::javascript;
use crate::persona::claude::object::Object;
use crate::persona::claude::render::Layout;
use std::borrow::Cow;

/// A line of the client.
#[derive(Debug)]
pub(super) enum Heard<'a> {
    /// Nothing that the CLI minds.
    Nothing,
    /// A user's message, with the `uuid` that the client gave it.
    User {
        /// The uuid.
        uuid: Option<String>,
    },
    /// A request.
    Request(Asked<'a>),
    /// An answer to the request of this id, as JSON source text.
    Reply {
        /// The id.
        id: String,
    },
    /// What the CLI says on stderr before it ends.
    Wrong(String),
}

/// A request of the client.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// Its id as JSON source text, where it has one (s10_cr_no_rid).
    pub id: Option<&'a str>,
    /// What it asks for, as JavaScript would print it: `undefined` where it does not say.
    pub subtype: String,
    /// The request itself.
    pub request: Object<'a>,
}

/// Reads a line. `stock` has the texts of the version.
pub(super) fn hear<'a>(line: &'a str, stock: &Layout) -> Heard<'a> {
    let line = line.trim();
    if line.is_empty() {
        return Heard::Nothing;
    }
    let Some(object) = Object::parse(line.as_bytes()) else {
        return match serde_json::from_str::<serde::de::IgnoredAny>(line) {
            // s06_stdin_array.
            Ok(_) => Heard::Nothing,
            Err(error) => bad_json(line, &error, stock),
        };
    };
    if object.is("type", "user") {
        return user(line, &object, stock);
    }
    if object.is("type", "control_request") {
        return request(line, &object, stock);
    }
    if object.is("type", "control_response") {
        let inner = object.object("response");
        let id = inner.as_ref().and_then(|inner| inner.get("request_id"));
        let id = id.or_else(|| object.get("request_id"));
        return id.map_or(Heard::Nothing, |id| Heard::Reply { id: id.to_owned() });
    }
    // s06_stdin_no_type, s06_stdin_unknown_type, s06_stdin_keepalive_env, s10_cr_cancel_unknown.
    Heard::Nothing
}

/// An older version shows the line and what its runtime makes of it, a newer one neither
/// (s06_stdin_invalid_json_after_ok).
fn bad_json<'a>(line: &str, error: &serde_json::Error, stock: &Layout) -> Heard<'a> {
    let units = line.encode_utf16().count().to_string();
    let error = javascript::syntax_error(line, error);
    wrong(stock, "bad_json", &[("units", &units), ("error", &error), ("line", line)])
}

fn user<'a>(line: &str, object: &Object, stock: &Layout) -> Heard<'a> {
    let message = object.get("message");
    let nothing = javascript::nothing(message);
    if let Some(nothing) = nothing
        && !stock.text("no_message", &[]).is_empty()
    {
        // s06_stdin_user_no_message.
        return wrong(stock, "no_message", &[("nothing", nothing), ("line", line)]);
    }
    let message = object.object("message").unwrap_or_default();
    if message.is("role", "user") {
        return Heard::User { uuid: object.string("uuid") };
    }
    let role = javascript::printed(message.get("role"));
    wrong(stock, "wrong_role", &[("role", &role)])
}

fn request<'a>(line: &str, object: &Object<'a>, stock: &Layout) -> Heard<'a> {
    if let Some(nothing) = javascript::nothing(object.get("request")) {
        // s09_cr_malformed.
        return wrong(stock, "no_request", &[("nothing", nothing), ("line", line)]);
    }
    let request = object.object("request").unwrap_or_default();
    let subtype = javascript::printed(request.get("subtype")).into_owned();
    Heard::Request(Asked { id: object.get("request_id"), subtype, request })
}

fn wrong<'a>(stock: &Layout, text: &str, places: &[(&str, &str)]) -> Heard<'a> {
    Heard::Wrong(format!("{}\n", stock.text(text, places)))
}

impl Asked<'_> {
    /// A string that the request holds.
    pub fn string(&self, key: &str) -> Option<String> {
        self.request.string(key)
    }

    /// A value of the request as JavaScript prints it.
    pub fn printed(&self, key: &str) -> Cow<'_, str> {
        javascript::printed(self.request.get(key))
    }
}

#[cfg(test)]
mod tests {
    use super::super::stock;
    use super::*;

    fn words(line: &str, version: &str) -> String {
        match hear(line, &stock::of(version)) {
            Heard::Wrong(words) => words,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn junk_is_taken_without_a_word() {
        let lines = [
            "",
            " \r",
            "[1]",
            "7",
            "null",
            r#"{"a":1}"#,
            r#"{"type":"weird"}"#,
            r#"{"type":"keep_alive"}"#,
            r#"{"type":"assistant","message":{"role":"assistant"}}"#,
            r#"{"type":"control_cancel_request","request_id":"x"}"#,
            r#"{"type":"control_response"}"#,
        ];
        for line in lines {
            assert_eq!(words(line, "2.1.332"), "Nothing", "{line}");
            assert_eq!(words(line, "2.1.197"), "Nothing", "{line}");
        }
    }

    #[test]
    fn what_is_no_json_ends_the_program_with_the_words_of_the_version() {
        let new = "Error parsing streaming input line (type=unknown, 5 chars): SyntaxError\n";
        assert_eq!(words("{nope", "2.1.332"), new);
        let old = "Error parsing streaming input line: {nope: SyntaxError: JSON Parse error: Expected '}'\n";
        assert_eq!(words("{nope\r", "2.1.197"), old);
    }

    #[test]
    fn a_message_of_another_role_ends_the_program() {
        let line = r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#;
        let told = "Error: Expected message role 'user', got 'assistant'\n";
        assert_eq!(words(line, "2.1.332"), told);
        assert_eq!(words(line, "2.1.197"), told);
        let told = "Error: Expected message role 'user', got 'undefined'\n";
        assert_eq!(words(r#"{"type":"user"}"#, "2.1.332"), told);
        let told = "Error parsing streaming input line: {\"type\": \"user\"}: TypeError: undefined \
                    is not an object (evaluating 't.message.role')\n";
        assert_eq!(words(r#"{"type": "user"}"#, "2.1.197"), told);
    }

    #[test]
    fn a_request_that_asks_for_nothing_ends_the_program() {
        let line = r#"{"type": "control_request"}"#;
        assert_eq!(words(line, "2.1.332"), "Error: Missing request on control_request\n");
        let told = "Error parsing streaming input line: {\"type\": \"control_request\"}: TypeError: \
                    undefined is not an object (evaluating 'e.request.subtype')\n";
        assert_eq!(words(line, "2.1.197"), told);
    }

    #[test]
    fn answers_are_known_by_their_id_wherever_it_stands() {
        let stock = stock::of("2.1.332");
        let id = |line| match hear(line, &stock) {
            Heard::Reply { id } => id,
            other => panic!("{other:?}"),
        };
        let inner =
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a"}}"#;
        assert_eq!(id(inner), "\"a\"");
        assert_eq!(id(r#"{"type":"control_response","request_id":7,"response":{}}"#), "7");
    }
}
