//! One line of a recording, as it is put together: an object whose keys stand in the order in
//! which they were given.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// An object that becomes one line, or one step inside another.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Keys and the JSON source of their values.
    keys: Vec<(Cow<'static, str>, String)>,
}

impl Line {
    /// A line with one key.
    pub fn of(key: impl Into<Cow<'static, str>>, value: &(impl Serialize + ?Sized)) -> Line {
        let mut line = Line::default();
        line.set(key, value);
        line
    }

    /// Gives a key its value, in place of one that it had.
    pub fn set(&mut self, key: impl Into<Cow<'static, str>>, value: &(impl Serialize + ?Sized)) {
        self.set_source(key, source_of(value));
    }

    /// Gives a key a value that is JSON source already.
    pub fn set_source(&mut self, key: impl Into<Cow<'static, str>>, source: String) {
        let key = key.into();
        match self.keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, value)) => *value = source,
            None => self.keys.push((key, source)),
        }
    }

    /// Gives a key a list of steps.
    pub fn set_steps(&mut self, key: &'static str, steps: &[Line]) {
        self.set_source(key, list_of(steps));
    }
}

impl fmt::Display for Line {
    /// Spaces stand between keys, where people read; values that are played are left compact, as
    /// the real CLIs write them.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("{")?;
        for (at, (key, value)) in self.keys.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}: {value}", source_of(key))?;
        }
        f.write_str("}")
    }
}

/// JSON source of a list of objects.
pub(super) fn list_of(lines: &[Line]) -> String {
    let lines: Vec<String> = lines.iter().map(Line::to_string).collect();
    format!("[{}]", lines.join(", "))
}

/// JSON source of a value, on one line.
pub(super) fn source_of(value: &(impl Serialize + ?Sized)) -> String {
    // Only maps with keys that are no strings, and types that refuse, fail; the values here are
    // text, numbers, JSON values and turns.
    serde_json::to_string(value).expect("text, numbers and JSON values have a JSON form")
}

/// A time in milliseconds, without a fraction where there is none.
pub(super) fn millis(time: Duration) -> Value {
    match u64::try_from(time.as_millis()) {
        Ok(whole) if time.subsec_nanos().is_multiple_of(1_000_000) => Value::from(whole),
        _ => Value::from(time.as_secs_f64() * 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_the_last_value_wins() {
        let mut line = Line::of("ringer", &1);
        line.set("plays", &2);
        line.set("note", "a \"note\"\n");
        line.set("plays", &3);
        assert_eq!(line.to_string(), r#"{"ringer": 1, "plays": 3, "note": "a \"note\"\n"}"#);
    }

    #[test]
    fn times_are_whole_milliseconds_where_they_can_be() {
        assert_eq!(millis(Duration::from_secs(2)).to_string(), "2000");
        assert_eq!(millis(Duration::from_micros(1500)).to_string(), "1.5");
        assert!(millis(Duration::MAX).is_f64());
    }
}
