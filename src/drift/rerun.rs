//! Runs the command of a recording again, with the real program, and compares the streams. A
//! session is had again, with what was sent to the program then.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Difference;
use super::stream::{Shape, compare};
use super::talk::{Sent, spelled, talk};
use crate::directory::Pool;
use crate::error::Error;
use crate::recording::{In, Kind, Output, Pattern, Source, Steps, Verb};

/// A recording, as far as it can be run again.
#[derive(Default)]
struct Recorded {
    arguments: Vec<OsString>,
    stdout: Vec<u8>,
    sent: Vec<Sent>,
    /// How it ended, spelled out.
    end: String,
    /// Why it cannot be.
    obstacle: Option<&'static str>,
}

/// Runs every recording of a persona again that can be, and says what is different. `say` is told
/// which one is run. This costs what the runs cost.
///
/// # Errors
///
/// A directory or recording that cannot be read.
pub fn rerun(
    persona: &str,
    program: &Path,
    recordings: &Path,
    mut say: impl FnMut(usize, usize, &str),
) -> Result<Vec<Difference>, Error> {
    let pool = Pool::of(recordings, persona)?;
    let names = pool.list()?;
    let mut differences = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let place = pool.recording(name);
        say(index + 1, names.len(), &place);
        let recorded = read(&pool.path.join(name))?;
        let what = match recorded.obstacle {
            // What was not compared may have changed.
            Some(obstacle) => vec![format!("not run: {obstacle}")],
            None => match run(program, &recorded) {
                Ok(found) => found,
                Err(error) => vec![format!("cannot be run: {error}")],
            },
        };
        differences.extend(what.into_iter().map(|what| Difference { place: place.clone(), what }));
    }
    Ok(differences)
}

/// What is different when it is run again.
fn run(program: &Path, recorded: &Recorded) -> std::io::Result<Vec<String>> {
    let mut command = Command::new(program);
    command.args(&recorded.arguments).env("RINGER_MODE", "passthrough");
    let heard = talk(&mut command, &recorded.sent, &recorded.stdout)?;
    let mut found = compare(&Shape::of(&recorded.stdout), &Shape::of(&heard.stdout));
    if let Some(stuck) = heard.stuck {
        found.insert(0, stuck);
    } else if let Some(now) = heard.status.map(spelled).filter(|now| *now != recorded.end) {
        found.push(format!("{} was recorded, {now} comes now", recorded.end));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Recorded, Error> {
    let bytes = fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
    let mut recorded = Recorded::default();
    if Kind::of(&bytes, true) != Some(Kind::Steps) {
        recorded.obstacle = Some("a raw recording does not say how it was made");
        return Ok(recorded);
    }
    let wrong = |error: crate::recording::FormatError| Error::Recording {
        path: path.to_owned(),
        what: error.to_string(),
    };
    let mut steps = Steps::new(bytes.as_slice());
    let header = steps.header().map_err(wrong)?;
    recorded.arguments = header.origin.argv.into_iter().skip(1).collect();
    if recorded.arguments.is_empty() {
        recorded.obstacle = Some("it does not say with which arguments it was made");
    } else if recorded.arguments.iter().any(is_redacted) {
        recorded.obstacle = Some("a secret was taken out of its arguments");
    }
    // A step does not keep its note, so that is looked for in the line.
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let mut ids = HashMap::new();
    for step in steps {
        let step = step.map_err(wrong)?;
        let line = usize::try_from(step.line).ok().and_then(|line| lines.get(line - 1));
        let note = line.and_then(|line| serde_json::from_slice::<Value>(line).ok());
        let note = note.and_then(|mut step| step.get_mut("note").map(Value::take));
        if let Err(obstacle) = recorded.take(step.verb, note, &mut ids) {
            recorded.obstacle = recorded.obstacle.or(Some(obstacle));
        }
    }
    Ok(recorded)
}

fn is_redacted(argument: &OsString) -> bool {
    argument.to_str().is_none_or(|text| text.contains(crate::record::redact::MARK))
}

impl Recorded {
    /// Takes a step. `ids` are those of the requests that came, by name.
    fn take(
        &mut self,
        verb: Verb,
        note: Option<Value>,
        ids: &mut HashMap<String, Value>,
    ) -> Result<(), &'static str> {
        match verb {
            Verb::Write(write) if write.stream == Output::Stderr => {}
            Verb::Write(write) => match write.source {
                Source::Text(text) => self.stdout.extend(text.bytes()),
                Source::Json(json) => self.stdout.extend(format!("{json}\n").bytes()),
                Source::Bytes(bytes) => self.stdout.extend(bytes),
                _ => return Err("it has steps that no recorder writes"),
            },
            Verb::Reply(reply) => {
                let Source::Json(json) = reply.source else {
                    return Err("it has steps that no recorder writes");
                };
                let line =
                    with_ids(json.get(), ids).ok_or("it answers a request that is not kept")?;
                self.stdout.extend(format!("{line}\n").bytes());
            }
            Verb::In(input) => self.take_input(*input, note, ids)?,
            Verb::Exit(code) => self.end = format!("exit code {code}"),
            Verb::Signal(signal) => self.end = format!("death by {}", signal.name()),
            Verb::File { .. } | Verb::Close(_) | Verb::Wait(_) => {}
            Verb::Child { .. } => return Err("a descendant wrote some of it"),
            Verb::Turn(_) | Verb::OnSignal { .. } | Verb::Hang | Verb::Repeat(_) => {
                return Err("it is not a run from start to end");
            }
        }
        Ok(())
    }

    fn take_input(
        &mut self,
        input: In,
        note: Option<Value>,
        ids: &mut HashMap<String, Value>,
    ) -> Result<(), &'static str> {
        let after = self.stdout.len();
        match (input.pattern, note) {
            (Pattern::Eof, None) => self.sent.push(Sent::End { after }),
            // It may have been read before anything was written, and then counts from the start.
            (Pattern::Eof, Some(Value::String(text))) => {
                self.sent.extend([Sent::Text(text), Sent::End { after: 0 }]);
            }
            (Pattern::Object(_), Some(frame @ Value::Object(_))) => {
                let id = frame.get("request_id").or(frame.get("id"));
                if let (Some(name), Some(id)) = (input.name, id) {
                    ids.insert(name, id.clone());
                }
                self.sent.push(Sent::Frame { frame, after });
            }
            _ => return Err("what was sent to it is not kept"),
        }
        Ok(())
    }
}

/// A reply with the ids that were recorded; `None`: one of them is not known.
fn with_ids(json: &str, ids: &HashMap<String, Value>) -> Option<String> {
    let mut line = String::new();
    let mut rest = json;
    while let Some((before, after)) = rest.split_once("\"$id:") {
        let (name, after) = after.split_once('"')?;
        line.push_str(before);
        line.push_str(&ids.get(name)?.to_string());
        rest = after;
    }
    line.push_str(rest);
    Some(line)
}
