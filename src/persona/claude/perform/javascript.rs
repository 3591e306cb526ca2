//! What the CLI's own runtime makes of values and of text that is no JSON: some of its words get
//! into the CLI's.

use std::borrow::Cow;

/// `undefined` or `null`, where a value is one of them.
pub(super) fn nothing(value: Option<&str>) -> Option<&'static str> {
    match value {
        None => Some("undefined"),
        Some("null") => Some("null"),
        Some(_) => None,
    }
}

/// A value, given as its source text, as a template prints it.
pub(super) fn printed(value: Option<&str>) -> Cow<'_, str> {
    let Some(source) = value else { return Cow::Borrowed("undefined") };
    match source.as_bytes().first() {
        Some(b'"') => {
            serde_json::from_str(source).map_or(Cow::Borrowed(source), |text: String| text.into())
        }
        Some(b'{') => Cow::Borrowed("[object Object]"),
        _ => Cow::Borrowed(source),
    }
}

/// How JavaScriptCore complains of a text that is no JSON. The commonest of its complaints: one is
/// captured (s06_stdin_invalid_json_after_ok), the rest are known from the engine.
pub(super) fn syntax_error(text: &str, error: &serde_json::Error) -> String {
    let text = text.trim();
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return format!("Unexpected identifier \"{word}\"");
    }
    if text.starts_with('\'') {
        return "Single quotes (') are not allowed in JSON".to_owned();
    }
    let unquoted = text.strip_prefix('{').map(str::trim_start);
    if unquoted.is_some_and(|rest| !rest.starts_with('"')) {
        return "Expected '}'".to_owned();
    }
    let words = match error.is_eof() {
        true if error.to_string().contains("string") => "Unterminated string",
        true => "Unexpected EOF",
        false if text.starts_with('{') => "Expected '}'",
        false if text.starts_with('[') => "Expected ']'",
        false => "Unable to parse JSON string",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_json_are_complained_of_as_the_engine_does() {
        let complaint = |text: &str| {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            syntax_error(text, &error)
        };
        assert_eq!(complaint("{nope"), "Expected '}'");
        assert_eq!(complaint("nope at all"), "Unexpected identifier \"nope\"");
        assert_eq!(complaint("{\"a\":"), "Unexpected EOF");
        assert_eq!(complaint("{\"a"), "Unterminated string");
    }

    #[test]
    fn values_are_printed_as_templates_do() {
        assert_eq!(printed(None), "undefined");
        assert_eq!(printed(Some("\"a\\n\"")), "a\n");
        assert_eq!(printed(Some("{\"a\":1}")), "[object Object]");
        assert_eq!(printed(Some("7")), "7");
    }
}
