//! JSON as the CLI's own runtime writes it: compact, numbers as JavaScript prints them, and the
//! escapes of one version. Kept apart from `serde_json`, whose output differs in all three.

use serde_json::{Number, Value};
use std::fmt::Write as _;

/// A writer of JSON with a version's escapes.
#[derive(Clone, Debug, Default)]
pub struct Json {
    escapes: Vec<(u32, u32)>,
}

impl Json {
    /// A writer that escapes the characters of these ranges besides those JSON demands.
    pub fn new(escapes: Vec<(u32, u32)>) -> Json {
        Json { escapes }
    }

    /// A string with its quotes.
    pub fn string(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 2);
        self.push_string(&mut out, text);
        out
    }

    /// A list of values that are JSON already.
    pub fn list<T: AsRef<str>>(&self, values: impl IntoIterator<Item = T>) -> String {
        let mut out = String::from("[");
        for value in values {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(value.as_ref());
        }
        out.push(']');
        out
    }

    /// A list of strings.
    pub fn strings<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> String {
        self.list(texts.into_iter().map(|text| self.string(text.as_ref())))
    }

    /// Source text of any value, written anew: compact and with this version's escapes. What is
    /// not JSON stays as it is.
    pub fn again(&self, source: &str) -> String {
        match serde_json::from_str::<Value>(source) {
            Ok(value) => self.value(&value),
            Err(_) => source.trim().to_owned(),
        }
    }

    /// Any value.
    pub fn value(&self, value: &Value) -> String {
        let mut out = String::new();
        self.push(&mut out, value);
        out
    }

    fn push(&self, out: &mut String, value: &Value) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => out.push_str(&json_number(number)),
            Value::String(text) => self.push_string(out, text),
            Value::Array(values) => {
                out.push('[');
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.push(out, value);
                }
                out.push(']');
            }
            Value::Object(map) => {
                out.push('{');
                for (index, (key, value)) in map.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.push_string(out, key);
                    out.push(':');
                    self.push(out, value);
                }
                out.push('}');
            }
        }
    }

    fn push_string(&self, out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if c < ' ' || self.escaped(c) => push_escape(out, c),
                c => out.push(c),
            }
        }
        out.push('"');
    }

    fn escaped(&self, c: char) -> bool {
        let code = u32::from(c);
        code >= 0x7f && self.escapes.iter().any(|(first, last)| (*first..=*last).contains(&code))
    }
}

/// A number as JavaScript prints it: `0.0008`, `2e-5`, `100`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    let body = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or(0));
        format!("{whole}.{rest}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let sign = if point > 0 { "+" } else { "-" };
        format!("{mantissa}e{sign}{}", (point - 1).abs())
    };
    if value < 0.0 { format!("-{body}") } else { body }
}

/// Whole numbers beyond 2^53 lose digits in JavaScript, and `1.0` is `1` there.
fn json_number(value: &Number) -> String {
    const EXACT: u64 = 1 << 53;
    if let Some(whole) = value.as_i64().filter(|whole| whole.unsigned_abs() <= EXACT) {
        return whole.to_string();
    }
    number(value.as_f64().unwrap_or(0.0))
}

fn push_escape(out: &mut String, c: char) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persona::claude::render::layout::Layout;

    #[test]
    fn numbers_are_printed_as_javascript_prints_them() {
        let printed =
            [0.0008, 0.0024000000000000002, 2e-7, 100.0, 1e21, 1.5, 2e-5, -0.25].map(number);
        let wanted =
            ["0.0008", "0.0024000000000000002", "2e-7", "100", "1e+21", "1.5", "0.00002", "-0.25"];
        assert_eq!(printed, wanted);
    }

    #[test]
    fn the_newer_version_escapes_all_format_characters_and_the_older_one_separators() {
        let text = "\u{7f}\u{ad}\u{200b}\u{2028}\u{e0001}\u{a0}😀/\u{1}\u{8}";
        let newer = Layout::of("2.1.332").json.string(text);
        assert_eq!(newer, "\"\\u007f\\u00ad\\u200b\\u2028\\udb40\\udc01\u{a0}😀/\\u0001\\b\"");
        let older = Layout::of("2.1.197").json.string(text);
        assert_eq!(older, "\"\u{7f}\u{ad}\u{200b}\\u2028\u{e0001}\u{a0}😀/\\u0001\\b\"");
    }

    #[test]
    fn source_text_is_written_anew_without_spaces_and_in_its_own_order() {
        let json = Json::default();
        assert_eq!(json.again(r#"{ "b" : 1.0, "a": [ true ] }"#), r#"{"b":1,"a":[true]}"#);
        assert_eq!(json.again("not json"), "not json");
    }
}
