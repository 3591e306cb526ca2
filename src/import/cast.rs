//! Terminal casts, as asciinema records them: version 2 with times since the start, version 3 with
//! times since the event before.

use std::path::Path;

use serde_json::{Value, json};

use crate::error::Error;
use crate::journal::Exit;
use crate::record::lines::Mark;
use crate::record::surroundings::redactor_of_this_process;
use crate::record::tape::{Stream, Tape};

/// Makes a recording of a cast. All of it was the terminal's, so all of it is stdout.
///
/// # Errors
///
/// It is no cast of version 2 or 3.
pub fn cast(text: &str, path: &Path) -> Result<String, Error> {
    let wrong = |line: usize, what: &str| Error::Recording {
        path: path.to_owned(),
        what: format!("line {line}: {what}"),
    };
    let mut numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let header = numbered.next().and_then(|(_, line)| serde_json::from_str::<Value>(line).ok());
    let version = header.as_ref().and_then(|header| header.get("version")?.as_u64());
    let relative = match version {
        Some(2) => false,
        Some(3) => true,
        _ => return Err(wrong(1, "not the header of a cast of version 2 or 3")),
    };
    // The times are those of the writes, and a secret may be cut in two by them.
    let header = json!({ "ringer": 1, "note": "imported from a terminal cast" }).to_string();
    let mut tape = Tape::new(Vec::new(), redactor_of_this_process(), &header, &[]).of_writes();
    let (mut seconds, mut exit) = (0.0, None);
    for (number, line) in numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let event: (f64, String, String) = serde_json::from_str(line)
            .map_err(|_| wrong(number, "not an event `[time, code, data]`"))?;
        let (time, code, data) = event;
        seconds = if relative { seconds + time } else { time };
        let mark = Mark::at((seconds * 1000.0).max(0.0));
        match code.as_str() {
            "o" => tape.take(Stream::Out, data.as_bytes(), mark),
            "x" => exit = data.trim().parse().ok().map(|code| (mark, Exit::Code(code))),
            // Markers, sizes and keys change nothing of what was written.
            _ => {}
        }
    }
    let (mark, exit) = exit.unzip();
    let steps = tape.end(exit.as_ref(), mark.unwrap_or_default()).lines;
    Ok(steps.join("\n") + "\n")
}
