//! What the output formats make of a stream of events, rendered or recorded: `stream-json` passes
//! it on, `json` keeps the result, `json --verbose` makes one list, text keeps the answer.

use super::layout::Layout;
use super::spawn::Output;
use crate::persona::claude::object::Object;
use memchr::memmem;

/// Makes a run's output from its events.
#[derive(Debug)]
pub struct Format {
    output: Output,
    verbose: bool,
    /// Whether text prints every result of the run, or the last alone.
    every_result: bool,
    events: Vec<Vec<u8>>,
    texts: Vec<Text>,
    last_is_error: bool,
    /// The events that were not shown, where somebody wants to know of them.
    untold: Option<Vec<u8>>,
}

/// What text prints for one result.
#[derive(Debug)]
struct Text {
    text: String,
    /// Whether the text ends as it is: the limits' errors have no newline (claude.md, section 1).
    bare: bool,
}

impl Format {
    /// What a spawn prints, with this `--output-format` and `--verbose`, as the version does it.
    pub fn new(output: Output, verbose: bool, version: &str) -> Format {
        let every_result = Layout::of(version).rule("text_prints_every_result");
        Format {
            output,
            verbose,
            every_result,
            events: Vec::new(),
            texts: Vec::new(),
            last_is_error: false,
            untold: None,
        }
    }

    /// From now on keeps the events that are not shown as they come; false: all of them are.
    pub fn keep_untold(&mut self) -> bool {
        let hides = self.output != Output::StreamJson;
        self.untold = hides.then(Vec::new);
        hides
    }

    /// The events that were not shown since the last call, as lines.
    pub fn take_untold(&mut self) -> Vec<u8> {
        self.untold.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes one line of the stream, with or without its newline, and gives what is to be written
    /// at once.
    pub fn line(&mut self, line: &[u8]) -> Vec<u8> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if let Some(untold) = &mut self.untold {
            untold.extend_from_slice(line);
            untold.push(b'\n');
        }
        let streams = self.output == Output::StreamJson;
        // A stream is only looked into where a result may be.
        let event = match streams && memmem::find(line, b"\"result\"").is_none() {
            true => None,
            false => Object::parse(line),
        };
        if let Some(event) = event.as_ref().filter(|event| event.is("type", "result")) {
            self.last_is_error = event.get("is_error") == Some("true");
        }
        if streams {
            let mut out = line.to_vec();
            out.push(b'\n');
            return out;
        }
        if let Some(event) = event {
            self.keep(&event);
        }
        Vec::new()
    }

    /// What is to be written when the run ends.
    pub fn end(&mut self) -> Vec<u8> {
        let events = std::mem::take(&mut self.events);
        let texts = std::mem::take(&mut self.texts);
        match self.output {
            Output::StreamJson => Vec::new(),
            Output::Text => self.text(&texts),
            Output::Json if self.verbose => {
                let mut out = b"[".to_vec();
                out.extend(events.join(&b','));
                out.extend(b"]\n");
                out
            }
            Output::Json => match events.into_iter().next_back() {
                Some(mut result) => {
                    result.push(b'\n');
                    result
                }
                None => Vec::new(),
            },
        }
    }

    /// The code that a run exits with after these events: 1 if the last result is an error.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.last_is_error)
    }

    /// Keeps what the end will need of an event.
    fn keep(&mut self, event: &Object) {
        let is_result = event.is("type", "result");
        match self.output {
            Output::Text if is_result => self.texts.extend(Text::of(event)),
            Output::Json if is_result || (self.verbose && is_listed(event)) => {
                self.events.push(without(event, ONLY_IN_STREAMS).into_bytes());
            }
            _ => {}
        }
    }

    fn text(&self, texts: &[Text]) -> Vec<u8> {
        let first = if self.every_result { 0 } else { texts.len().saturating_sub(1) };
        let Some(kept) = texts.get(first..).filter(|kept| !kept.is_empty()) else {
            return Vec::new();
        };
        let mut out = String::new();
        for (index, text) in kept.iter().enumerate() {
            if index > 0 {
                // One result is set off from the next by a blank line.
                let newlines = out.len() - out.trim_end_matches('\n').len();
                out.push_str(&"\n".repeat(2_usize.saturating_sub(newlines)));
            }
            out.push_str(&text.text);
        }
        let bare = kept.last().is_some_and(|text| text.bare);
        if !bare && !out.ends_with('\n') {
            out.push('\n');
        }
        out.into_bytes()
    }
}

/// The code that a stream's last result makes a run exit with; 0 where there is none.
pub fn exit_after(last_result: &[u8]) -> u8 {
    let event = Object::parse(last_result);
    u8::from(event.is_some_and(|event| event.get("is_error") == Some("true")))
}

/// Keys of a result that only `stream-json` has.
const ONLY_IN_STREAMS: &[&str] = &["begun_message_ids", "model_usage_since_last_result"];

impl Text {
    /// What text prints for a result, if anything: an interrupted run prints nothing.
    fn of(result: &Object) -> Option<Text> {
        let subtype = result.string("subtype").unwrap_or_default();
        let errors: Vec<String> = result
            .get("errors")
            .and_then(|list| serde_json::from_str(list).ok())
            .unwrap_or_default();
        let error = errors.first().map(String::as_str).unwrap_or_default();
        let bare = |text: String| Some(Text { text, bare: true });
        match subtype.as_str() {
            "error_max_turns" => bare(format!("Error: Reached max turns ({})", in_brackets(error))),
            "error_max_budget_usd" => {
                let limit = in_brackets(error).trim_start_matches('$');
                bare(format!("Error: Exceeded USD budget ({limit})"))
            }
            "error_max_structured_output_retries" => bare(format!("Error: {error}")),
            "error_during_execution" => None,
            _ => Some(Text { text: result.string("result")?, bare: false }),
        }
    }
}

fn in_brackets(text: &str) -> &str {
    let inner = text.split_once('(').map(|(_, rest)| rest);
    inner.and_then(|rest| rest.rsplit_once(')')).map_or("", |(inner, _)| inner)
}

/// Whether `json --verbose` lists an event: what belongs to the conversation, not to the wire.
fn is_listed(event: &Object) -> bool {
    let wire = [
        "command_lifecycle",
        "control_cancel_request",
        "control_request",
        "control_response",
        "stream_event",
    ];
    let on_the_wire = wire.iter().any(|kind| event.is("type", kind));
    let replayed = event.get("isReplay") == Some("true");
    !on_the_wire && !replayed && !event.is("subtype", "status")
}

/// An event's source text without some keys.
fn without(event: &Object, keys: &[&str]) -> String {
    let mut out = String::from("{");
    for (key, value) in event.entries().filter(|(key, _)| !keys.contains(key)) {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&serde_json::Value::from(key).to_string());
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
    out
}
