//! A capture: the bytes of a run's streams, in files.

use serde_json::json;

use crate::journal::Exit;
use crate::record::lines::{self, Mark};
use crate::record::redact::{Earlier, Redactor, apply};
use crate::recording::Output;

/// What was captured of a run.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The program.
    pub program: Option<String>,
    /// Its arguments, without its name.
    pub argv: Vec<String>,
    /// What it wrote to stdout.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub exit: Option<Exit>,
}

/// Makes a recording of a capture. Where both streams have something, their order is not known:
/// stdout comes first, and the steps of both say that they are unsure.
pub fn capture(capture: &Capture) -> String {
    let mut redactor = crate::record::surroundings::redactor_of_this_process();
    let mut header = json!({ "ringer": 1 });
    if let Some(program) = &capture.program {
        header["program"] = program.as_str().into();
        let argv = std::iter::once(program).chain(&capture.argv).map(|arg| redactor.text(arg));
        header["argv"] = argv.collect();
    }
    header["note"] = "imported from a capture".into();
    let mut steps = vec![header.to_string()];
    let unsure = !capture.stdout.is_empty() && !capture.stderr.is_empty();
    let mark = Mark { at: None, unsure };
    for (stream, bytes) in [(Output::Stdout, &capture.stdout), (Output::Stderr, &capture.stderr)] {
        write(stream, bytes, mark, &mut redactor, &mut steps);
    }
    steps.extend(capture.exit.as_ref().map(|exit| lines::end(Mark::default(), exit)));
    steps.join("\n") + "\n"
}

fn write(
    stream: Output,
    bytes: &[u8],
    mark: Mark,
    redactor: &mut Redactor,
    steps: &mut Vec<String>,
) {
    let mut earlier = Earlier::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let edits = redactor.edits(line, &mut earlier);
        steps.push(lines::write(mark, stream, &apply(line, &edits)));
    }
}
