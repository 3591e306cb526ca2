//! Steps as lines of a recording. Each line is read back before it is written: what a player would
//! make of it must be the very bytes that were recorded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::recording::{Output, Source, Step, Verb};

/// What every step may carry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// When, in milliseconds since the start; `None`: it is not known.
    pub at: Option<f64>,
    /// Whether the order is unsure.
    pub unsure: bool,
}

impl Mark {
    /// At this time.
    pub fn at(ms: f64) -> Mark {
        Mark { at: Some(ms), unsure: false }
    }

    fn begin(self) -> String {
        let at = self.at.map_or(String::new(), |ms| format!("\"at\":{},", tenths(ms)));
        let order = if self.unsure { "\"order\":\"unsure\"," } else { "" };
        format!("{{{at}{order}")
    }
}

/// A tenth of a millisecond is more than a poll can tell.
fn tenths(ms: f64) -> f64 {
    (ms * 10.0).round() / 10.0
}

/// The step that writes these bytes. A line that is a JSON object or array stands as such.
pub(crate) fn write(mark: Mark, stream: Output, bytes: &[u8]) -> String {
    let verb = if stream == Output::Stdout { "out" } else { "err" };
    let begin = mark.begin();
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Some(value) = text.strip_suffix('\n').filter(|value| value.starts_with(['{', '['])) {
            let line = format!("{begin}\"{verb}\":{value}}}");
            if writes(&line, stream, bytes) {
                return line;
            }
        }
        return format!("{begin}\"{verb}\":{}}}", Value::from(text));
    }
    format!("{begin}\"{verb}_base64\":\"{}\"}}", STANDARD.encode(bytes))
}

/// Whether a line is a step that writes a JSON value whose bytes are these.
fn writes(line: &str, stream: Output, bytes: &[u8]) -> bool {
    let Ok(step) = Step::parse(line, 1) else { return false };
    match step.verb {
        Verb::Write(write) if write.stream == stream => match write.source {
            Source::Json(raw) => bytes.strip_suffix(b"\n") == Some(raw.get().as_bytes()),
            _ => false,
        },
        _ => false,
    }
}

/// The step that answers a request: `value` is JSON with `"$id:NAME"` in it.
pub(crate) fn reply(mark: Mark, value: &str) -> String {
    format!("{}\"reply\":{value}}}", mark.begin())
}

/// The step that waits for input of a kind.
pub(crate) fn input(mark: Mark, pattern: &Value, name: Option<&str>, note: Option<&str>) -> String {
    let name = name.map_or(String::new(), |name| format!(",\"as\":{}", Value::from(name)));
    let note = note.map_or(String::new(), |note| format!(",\"note\":{note}"));
    format!("{}\"in\":{pattern}{name}{note}}}", mark.begin())
}

/// The step that closes a stream.
pub(crate) fn close(mark: Mark, stream: &str) -> String {
    format!("{}\"close\":\"{stream}\"}}", mark.begin())
}

/// The step that ends by an exit code or a signal.
pub(crate) fn end(mark: Mark, exit: &crate::journal::Exit) -> String {
    match exit {
        crate::journal::Exit::Code(code) => format!("{}\"exit\":{code}}}", mark.begin()),
        crate::journal::Exit::Signal(name) => format!("{}\"signal\":\"{name}\"}}", mark.begin()),
    }
}

/// The step that pauses.
pub(crate) fn pause(ms: u64) -> String {
    format!("{{\"wait_ms\":{ms}}}")
}

/// The step that changes a file. `verb`: `write`, `remove`, `mkdir`; `write` has bytes.
pub(crate) fn file(verb: &str, path: &str, bytes: Option<&[u8]>) -> String {
    let mut file = Map::new();
    file.insert(verb.to_owned(), path.into());
    if let Some(bytes) = bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => file.insert("text".to_owned(), text.into()),
            Err(_) => file.insert("base64".to_owned(), STANDARD.encode(bytes).into()),
        };
    }
    json!({ "file": file }).to_string()
}

/// The step that does others when a signal comes.
pub(crate) fn on_signal(signal: &str, steps: &[String]) -> String {
    format!("{{\"on_signal\":\"{signal}\",\"steps\":[{}]}}", steps.join(","))
}

/// The step of a descendant that holds streams.
pub(crate) fn child(hold: &[&str], steps: &[String]) -> String {
    format!("{{\"child\":{{\"hold\":{},\"steps\":[{}]}}}}", json!(hold), steps.join(","))
}

/// The step that waits for a signal.
pub(crate) const HANG: &str = "{\"hang\":true}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_stands_as_such_and_anything_else_as_text_or_base64() {
        let out = |bytes: &[u8]| write(Mark::at(1.26), Output::Stdout, bytes);
        assert_eq!(out(b"{\"b\": 1.0,\"a\":1}\n"), r#"{"at":1.3,"out":{"b": 1.0,"a":1}}"#);
        assert_eq!(out(b"{\"b\":1}"), r#"{"at":1.3,"out":"{\"b\":1}"}"#);
        assert_eq!(out(b"{\"b\":1} \n"), r#"{"at":1.3,"out":"{\"b\":1} \n"}"#);
        assert_eq!(out(b"{oops\n"), r#"{"at":1.3,"out":"{oops\n"}"#);
        assert_eq!(out(b"\"text\"\n"), r#"{"at":1.3,"out":"\"text\"\n"}"#);
        assert_eq!(out(b"1},{\"out\":2\n"), r#"{"at":1.3,"out":"1},{\"out\":2\n"}"#);
        assert_eq!(out(b"{},\"note\":{}\n"), r#"{"at":1.3,"out":"{},\"note\":{}\n"}"#);
        assert_eq!(out(b"\xff"), r#"{"at":1.3,"out_base64":"/w=="}"#);
        let unsure = Mark { at: None, unsure: true };
        assert_eq!(write(unsure, Output::Stderr, b"x"), r#"{"order":"unsure","err":"x"}"#);
    }
}
