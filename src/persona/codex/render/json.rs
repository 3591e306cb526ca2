//! JSON text built key by key, so that the order of the keys is the order of the calls and a key
//! may occur twice (a `web_search` item has two `id`s). Strings are escaped as serde does it, which
//! is what the real CLI uses.

/// A JSON object under construction.
#[derive(Clone, Debug)]
pub(super) struct Object(String);

impl Object {
    /// An object with no keys yet.
    pub fn new() -> Object {
        Object(String::from("{"))
    }

    /// Adds a key with a value that is JSON text already.
    #[must_use]
    pub fn raw(mut self, key: &str, value: &str) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&string(key));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// Adds a string.
    #[must_use]
    pub fn str(self, key: &str, value: &str) -> Object {
        let value = string(value);
        self.raw(key, &value)
    }

    /// Adds a string, or `null`.
    #[must_use]
    pub fn maybe(self, key: &str, value: Option<&str>) -> Object {
        match value {
            Some(value) => self.str(key, value),
            None => self.null(key),
        }
    }

    /// Adds a number or a boolean: anything whose text is its JSON.
    #[must_use]
    pub fn put(self, key: &str, value: impl std::fmt::Display) -> Object {
        let value = value.to_string();
        self.raw(key, &value)
    }

    /// Adds `null`.
    #[must_use]
    pub fn null(self, key: &str) -> Object {
        self.raw(key, "null")
    }

    /// Adds what `add` adds, if `when`.
    #[must_use]
    pub fn when(self, when: bool, add: impl FnOnce(Object) -> Object) -> Object {
        if when { add(self) } else { self }
    }

    /// The finished text.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A JSON string with its quotes.
pub(super) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A JSON array of values that are JSON text already.
pub(super) fn array<T: AsRef<str>>(values: &[T]) -> String {
    let mut out = String::from("[");
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(value.as_ref());
    }
    out.push(']');
    out
}

/// A JSON array of strings.
pub(super) fn strings<T: AsRef<str>>(values: &[T]) -> String {
    array(&values.iter().map(|value| string(value.as_ref())).collect::<Vec<_>>())
}

/// JSON as its author wrote it, on one line: a newline between two values would end the event.
pub(super) fn one_line(json: &str) -> String {
    // Inside a string a newline is always escaped, so a raw one is mere space.
    json.trim().replace(['\n', '\r'], " ")
}

/// JSON without the space between its values, otherwise as its author wrote it.
pub(super) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in json.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            quoted = c == '"';
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_may_repeat() {
        let text = Object::new().str("id", "item_0").put("n", 3).str("id", "ws_1").null("x").end();
        assert_eq!(text, r#"{"id":"item_0","n":3,"id":"ws_1","x":null}"#);
    }

    #[test]
    fn compact_json_loses_nothing_but_space_between_values() {
        let written = "{ \"a b\" : [1.0 ,\n 1e9], \"c\\\\\": \"\\\" : x\" }";
        assert_eq!(compact(written), r#"{"a b":[1.0,1e9],"c\\":"\" : x"}"#);
    }

    #[test]
    fn only_what_json_demands_is_escaped() {
        assert_eq!(string("é\u{2028}\u{1b}\"\n/"), "\"é\u{2028}\\u001b\\\"\\n/\"");
    }
}
