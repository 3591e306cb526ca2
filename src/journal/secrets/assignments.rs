//! Values that stand beside the name of a secret within one argument: `api_key=...`, JSON and
//! TOML keys, header lines.
//!
//! Arguments are often prompts, so what is not quoted, and is not the whole argument, is taken for
//! a secret only if it has a digit; and a key that is called `key` and nothing more is no secret.

use std::ops::Range;

use super::names::{is_bare_key, is_secret_name, is_worth_hiding};

/// How far into a value without quotes a digit is looked for, so that the cost of it is bounded.
const JUDGED: usize = 256;

/// Adds the places of such values, in order.
pub(super) fn find(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for at in memchr::memchr2_iter(b'=', b':', text.as_bytes()) {
        if at < done {
            continue;
        }
        let Some(name) = Name::before(text, at) else { continue };
        let Some(value) = value_of(text, at, &name) else { continue };
        done = value.end;
        let value = without_scheme(text, value);
        if is_worth_hiding(name.text, &text[value.clone()]) {
            spans.push(value);
        }
    }
}

/// A value without the word that says how it is to be used, as in `Bearer ...`.
pub(super) fn without_scheme(text: &str, value: Range<usize>) -> Range<usize> {
    let Some((scheme, rest)) = text[value.clone()].split_once(' ') else { return value };
    let known = ["Bearer", "Basic", "Token"].iter().any(|word| word.eq_ignore_ascii_case(scheme));
    if known && !rest.contains(char::is_whitespace) {
        value.end - rest.len()..value.end
    } else {
        value
    }
}

/// The name of a secret before a `=` or `:`.
struct Name<'a> {
    text: &'a str,
    /// Where it begins, without its quote.
    start: usize,
    quoted: bool,
    /// Whether there is a space between the name and the sign.
    apart: bool,
}

impl<'a> Name<'a> {
    fn before(text: &'a str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let back = |from: usize, belongs: fn(u8) -> bool| {
            from - bytes[..from].iter().rev().take_while(|&&byte| belongs(byte)).count()
        };
        let mut end = back(at, |byte| byte == b' ');
        let apart = end < at;
        let quoted = end.checked_sub(1).is_some_and(|last| is_quote(bytes[last]));
        if quoted {
            // A quote inside a string has backslashes before it.
            end = back(end - 1, |byte| byte == b'\\');
        }
        let start = back(end, |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if quoted && !start.checked_sub(1).is_some_and(|before| is_quote(bytes[before])) {
            return None;
        }
        if bytes[at] == b':' && !quoted && !begins_header(bytes, start) {
            return None;
        }
        // Of a dotted path the last name tells what the value is.
        let text = text[start..end].rsplit('.').next()?;
        is_secret_name(text).then_some(Self { text, start, quoted, apart })
    }
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}

fn value_of(text: &str, at: usize, name: &Name) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let spaces = bytes[at + 1..].iter().take_while(|&&byte| byte == b' ').count();
    let start = at + 1 + spaces;
    if opens_quote(bytes, start) {
        let is_pair = bytes[at] == b'=' || name.quoted;
        return if is_pair && !is_bare_key(name.text) { quoted_value(bytes, start) } else { None };
    }
    if name.quoted || name.apart {
        return None;
    }
    if bytes[at] == b':' {
        return header_value(text, start, name);
    }
    if name.start == 0 && !bytes.iter().any(u8::is_ascii_whitespace) {
        return Some(start..text.len());
    }
    (spaces == 0).then(|| loose_value(text, start, name))?
}

/// Whether a header may begin here: a text, a line or something quoted does.
fn begins_header(bytes: &[u8], start: usize) -> bool {
    start.checked_sub(1).is_none_or(|before| b"\n\"'".contains(&bytes[before]))
}

/// The value of a header: up to the end of the line or to a quote, one word, or a scheme and one.
fn header_value(text: &str, start: usize, name: &Name) -> Option<Range<usize>> {
    if is_bare_key(name.text) {
        return None;
    }
    let ends = |byte: &u8| b"\r\n\"'".contains(byte);
    let len = text.as_bytes()[start..].iter().position(ends).unwrap_or(text.len() - start);
    let value = without_scheme(text, start..start + len);
    let word = &text[value.clone()];
    let fits = !word.contains(char::is_whitespace) && word.bytes().any(|b| b.is_ascii_digit());
    fits.then_some(value)
}

/// A value without quotes inside a longer text, with a digit near its beginning.
fn loose_value(text: &str, start: usize, name: &Name) -> Option<Range<usize>> {
    let belongs = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"'`&;,|<>(){}[]\\".contains(byte);
    let rest = &text.as_bytes()[start..];
    let mut judged = rest.iter().take(JUDGED).take_while(|&byte| belongs(byte));
    if is_bare_key(name.text) || !judged.any(u8::is_ascii_digit) {
        return None;
    }
    let len = rest.iter().position(|byte| !belongs(byte)).unwrap_or(rest.len());
    Some(start..start + len)
}

fn opens_quote(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().find(|&&byte| byte != b'\\').is_some_and(|&byte| is_quote(byte))
}

/// The inside of the quotes that open at `at`, or after backslashes there if they are themselves
/// inside a string. Without closing quotes: all that follows.
fn quoted_value(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let depth = bytes[at..].iter().take_while(|&&byte| byte == b'\\').count();
    let quote = *bytes.get(at + depth).filter(|&&byte| is_quote(byte))?;
    let start = at + depth + 1;
    let mut run = 0;
    for (offset, &byte) in bytes[start..].iter().enumerate() {
        let closes = if depth == 0 { run % 2 == 0 } else { run <= depth };
        if byte == quote && closes {
            return Some(start..start + offset - run.min(depth));
        }
        run = if byte == b'\\' { run + 1 } else { 0 };
    }
    Some(start..bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn the_value_beside_a_secret_name_is_found() {
        for (text, value) in [
            ("API_KEY=made up, no", ""),
            ("API_KEY=made-up;value&x", "made-up;value&x"),
            ("KEY=made-up-value", "made-up-value"),
            ("api_key=\"made-up-value\"", "made-up-value"),
            ("model_providers.x.api_key = 'made-up-value'", "made-up-value"),
            ("x={ env = { \"API_KEY\" = \"made-up-value\" } }", "made-up-value"),
            (
                "{\"env\":{\"API_KEY\": \"made \\\"up\\\" value\", \"B\": \"plain-value\"}}",
                "made \\\"up\\\" value",
            ),
            ("{\"a\":\"{\\\"apiKey\\\":\\\"made-up-value\\\",\\\"b\\\":1}\"}", "made-up-value"),
            ("{'token': 'made-up-value'}", "made-up-value"),
            ("{\"headers\":{\"Authorization\":\"Bearer made-up-value\"}}", "made-up-value"),
            ("Authorization: Basic bWFkZTp1cA==1", "bWFkZTp1cA==1"),
            ("X-Api-Key: made-up-value-1", "made-up-value-1"),
            ("curl -H 'X-Api-Key: made-up-value-1' http://x", "made-up-value-1"),
            ("export TOKEN=made-up-1; make", "made-up-1"),
            ("https://host/?access_token=made-up-1&x=2", "made-up-1"),
            ("{\"token\":\"never-closed", "never-closed"),
        ] {
            let wanted: &[&str] = if value.is_empty() { &[] } else { &[value] };
            assert_eq!(found(text), wanted, "{text}");
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in [
            "model=\"made-up-value\"",
            "max_tokens=123456789",
            "token=123456789",
            "if token == expected_token1 {",
            "{\"key\": \"user_settings\"}",
            "<li key=\"list-item\">",
            "{\"properties\":{\"token\":{\"type\":\"string-like\"}},\"required\":[\"password\"]}",
            "The password: choose it with care, 8 characters",
            "the secret: a made-up-value-1",
            "auth=required now",
            "env_key=\"OPENAI_API_KEY\"",
            "{\"Authorization\":\"Bearer ${API_TOKEN}\"}",
            "\"=\"",
            "=",
            ":",
            "'':''",
            "key",
            "key=",
            "token=\"",
            "\\\"=\\",
        ] {
            let hit = found(text);
            assert!(hit.iter().all(|value| value.starts_with("Bearer ${")), "{text}: {hit:?}");
        }
    }
}
