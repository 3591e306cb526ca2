//! Runs the command of a recording again, with the real program, and compares the streams.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Difference;
use super::stream::{Shape, compare};
use crate::directory::Pool;
use crate::error::Error;
use crate::recording::{Kind, Pattern, Source, Steps, Verb};

/// A recording, as far as it can be run again.
struct Recorded {
    arguments: Vec<std::ffi::OsString>,
    stdout: Vec<u8>,
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
                Ok(stdout) => compare(&Shape::of(&recorded.stdout), &Shape::of(&stdout)),
                Err(error) => vec![format!("cannot be run: {error}")],
            },
        };
        differences.extend(what.into_iter().map(|what| Difference { place: place.clone(), what }));
    }
    Ok(differences)
}

fn run(program: &Path, recorded: &Recorded) -> std::io::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(&recorded.arguments).stdin(Stdio::null()).stderr(Stdio::null());
    Ok(command.env("RINGER_MODE", "passthrough").output()?.stdout)
}

fn read(path: &Path) -> Result<Recorded, Error> {
    let bytes = fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
    let mut recorded = Recorded { arguments: Vec::new(), stdout: Vec::new(), obstacle: None };
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
    }
    for step in steps {
        match step.map_err(wrong)?.verb {
            Verb::Write(write) if write.stream == crate::recording::Output::Stdout => {
                match write.source {
                    Source::Text(text) => recorded.stdout.extend(text.bytes()),
                    Source::Json(json) => recorded.stdout.extend(format!("{json}\n").bytes()),
                    Source::Bytes(bytes) => recorded.stdout.extend(bytes),
                    _ => recorded.obstacle = Some("it has steps that no recorder writes"),
                }
            }
            Verb::In(input) if !matches!(input.pattern, Pattern::Eof) => {
                recorded.obstacle = Some("it is a conversation");
            }
            Verb::Turn(_) | Verb::OnSignal { .. } | Verb::Hang => {
                recorded.obstacle = Some("it is not a run from start to end");
            }
            _ => {}
        }
    }
    Ok(recorded)
}
