//! Recordings of the wire of the Python Agent SDK, by `claude-agent-cassette` (its README, and the
//! module `tape` of version 0.5).
//!
//! A *tape* has a line for each frame in the order in which they crossed: `{"dir": "read", "frame":
//! {...}}` what the CLI wrote, `{"dir": "write", "data": "..."}` what the SDK wrote. A *frames file* has
//! the CLI's frames alone. Both become raw recordings: a double finds turns, questions and answers in
//! these by itself, and plays them for clients that send more or less than the recorded one. Only
//! where a message was sent into a running turn does the output not tell where it came; such a tape
//! becomes steps, with gates by the kind of what was sent.
//!
//! Both hold frames as Python spells JSON; the CLI spells it without spaces, and so does the
//! recording. Neither times nor the exit code are in them, nor is stderr.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::call::finish;
use super::jsonl::{lines, of_json};
use super::{Made, Reel};
use crate::error::Error;
use crate::record::lines::Mark;
use crate::record::redact::{Earlier, apply};
use crate::record::tape::{Stream, Tape};

const CLAUDE: &str = "claude";

/// A line of a tape.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    dir: Cow<'a, str>,
    #[serde(borrow)]
    frame: Option<&'a RawValue>,
    data: Option<String>,
}

/// What crossed the wire: a frame of the CLI, or a line of the client.
enum Crossed<'a> {
    Out(&'a str),
    In(String),
}

/// Reads a tape.
pub(super) fn tape(reel: &mut Reel) -> Result<(), Error> {
    let text = reel.text()?;
    let mut crossed = Vec::new();
    for (line, number) in lines(&text) {
        let entry: Entry = serde_json::from_str(line).map_err(|error| {
            let what = of_json(&error, &text, number);
            reel.wrong(number, format_args!("no entry of a tape, {what}"))
        })?;
        match (entry.dir.as_ref(), entry.frame, entry.data) {
            ("read", Some(frame), None) => crossed.push(Crossed::Out(frame.get())),
            ("write", None, Some(data)) => {
                let lines = data.lines().filter(|line| !line.trim().is_empty());
                crossed.extend(lines.map(|line| Crossed::In(line.to_owned())));
            }
            _ => {
                let what = "no entry of a tape: `read` has a `frame`, `write` has `data`";
                return Err(reel.wrong(number, what));
            }
        }
    }
    let text = if joins_a_turn(&crossed) {
        reel.remark(
            "a message came while a turn was running: the recording waits for what the client sent, \
             its `initialize` first",
        );
        gated(&crossed, reel)
    } else {
        let frames = crossed.iter().filter_map(|crossed| match crossed {
            Crossed::Out(frame) => Some(*frame),
            Crossed::In(_) => None,
        });
        raw(frames, reel)
    };
    reel.made.push(Made { persona: Some(persona(reel)), name: None, text });
    Ok(())
}

/// Whether a message was taken into a turn that was running: then there are fewer results than
/// messages, and a double cannot tell from the output alone where it came.
fn joins_a_turn(crossed: &[Crossed]) -> bool {
    let (mut waiting, mut met) = (0u64, false);
    for frame in crossed {
        match frame {
            Crossed::In(line) if kind(line) == "user" => {
                met |= waiting > 0;
                waiting += 1;
            }
            Crossed::Out(line) if kind(line) == "result" => waiting = waiting.saturating_sub(1),
            _ => {}
        }
    }
    met && waiting > 0
}

fn kind(frame: &str) -> String {
    #[derive(Deserialize)]
    struct Typed {
        r#type: String,
    }
    serde_json::from_str::<Typed>(frame).map(|typed| typed.r#type).unwrap_or_default()
}

/// A recording with gates by the kind of what the client sent, as `ringer record` makes them.
fn gated(crossed: &[Crossed], reel: &mut Reel) -> String {
    let redactor = std::mem::take(&mut reel.redactor);
    let mut tape = Tape::new(Vec::new(), redactor, "", &[]);
    let mut facts = Facts::default();
    for frame in crossed {
        let (stream, line) = match frame {
            Crossed::Out(frame) => {
                facts.learn(frame);
                (Stream::Out, compact(frame))
            }
            Crossed::In(line) => (Stream::In, line.clone()),
        };
        tape.take(stream, format!("{line}\n").as_bytes(), Mark::default());
    }
    let taped = tape.end(None, Mark::default());
    let note = "imported from a tape of claude-agent-cassette, which has no times and no exit code";
    finish(&mut facts.header(), note, taped, &mut reel.redactor)
}

/// A raw recording: what the CLI wrote, and nothing else.
fn raw<'a>(frames: impl Iterator<Item = &'a str>, reel: &mut Reel) -> String {
    let mut recording = Vec::new();
    let mut earlier = Earlier::default();
    for frame in frames {
        let line = format!("{}\n", compact(frame));
        let edits = reel.redactor.edits(line.as_bytes(), &mut earlier);
        recording.extend(apply(line.as_bytes(), &edits));
    }
    String::from_utf8_lossy(&recording).into_owned()
}

/// Reads a frames file.
pub(super) fn frames(reel: &mut Reel) -> Result<(), Error> {
    let text = reel.text()?;
    for (line, number) in lines(&text) {
        let frame: Value = serde_json::from_str(line).map_err(|error| {
            reel.wrong(number, format_args!("no frame, {}", of_json(&error, &text, number)))
        })?;
        if !frame["type"].is_string() {
            return Err(reel.wrong(number, "no frame: it has no `type`"));
        }
    }
    let text = raw(lines(&text).map(|(line, _)| line), reel);
    reel.made.push(Made { persona: Some(persona(reel)), name: None, text });
    Ok(())
}

fn persona(reel: &Reel) -> String {
    reel.wanted.persona.clone().unwrap_or_else(|| CLAUDE.to_owned())
}

/// What the session said of itself at its beginning.
#[derive(Default)]
struct Facts {
    version: Option<String>,
    cwd: Option<String>,
}

impl Facts {
    fn learn(&mut self, frame: &str) {
        if self.cwd.is_some() || !frame.contains("\"init\"") {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Value>(frame) else { return };
        if frame["type"] == "system" && frame["subtype"] == "init" {
            let text = |key: &str| frame[key].as_str().map(str::to_owned);
            (self.version, self.cwd) = (text("claude_code_version"), text("cwd"));
        }
    }

    fn header(self) -> Map<String, Value> {
        let mut header = Map::new();
        header.insert("ringer".into(), 1.into());
        header.insert("program".into(), CLAUDE.into());
        if let Some(version) = self.version {
            header.insert("cli_version".into(), version.into());
        }
        // A path of one part stands in too many others; a placeholder, as scrubbed tapes have it,
        // stands for the directory alone.
        let is_place = |cwd: &String| cwd.starts_with('<') || cwd.matches('/').count() > 1;
        if let Some(cwd) = self.cwd.filter(|cwd| cwd.len() >= 4 && is_place(cwd)) {
            header.insert("bind".into(), serde_json::json!({ "cwd": cwd }));
        }
        header
    }
}

/// JSON without the spaces between its parts, and with letters in the place of their escapes, as
/// the CLI spells it. Numbers stay as they are.
fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let end = end_of_string(rest);
            let source = &rest[..end];
            match serde_json::from_str::<String>(source) {
                Ok(value) => text.push_str(&Value::from(value).to_string()),
                // Half a pair of surrogates is no text; it stays as it is spelled.
                Err(_) => text.push_str(source),
            }
            rest = &rest[end..];
        } else {
            if !c.is_ascii_whitespace() {
                text.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    text
}

/// Where the string that this begins with ends.
fn end_of_string(json: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}
