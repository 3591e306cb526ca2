//! Turns what arrives on the three streams into the steps of a recording.
//!
//! What arrived is kept in order, and written as soon as it can be: the line that it is a part of
//! must be whole, since a secret may be split over two writes, and everything before it must be
//! written. So a recording lags behind by an unfinished line, never by more, and of a very long one
//! by its last part: no secret is longer than that.

use serde_json::{Value, json};

use super::gates::Gates;
use super::lines::{self, Mark};
use super::partial::Partial;
use super::pending::{Arrival, Pending};
use super::redact::{Earlier, Redactor, apply};
use crate::journal::Exit;
use crate::recording::Output;
pub(crate) use seen::Seen;

mod seen;

/// A line of input longer than this is not kept as a note.
const LONGEST_NOTE: usize = 4096;
/// A line of input longer than this is no frame, and is not kept.
const LONGEST_INPUT: usize = 64 << 20;

/// A standard stream of the recorded program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    In = 0,
    Out = 1,
    Err = 2,
}

impl Stream {
    pub(crate) fn name(self) -> &'static str {
        ["stdin", "stdout", "stderr"][self as usize]
    }
}

/// Steps that stand inside another one.
#[derive(Debug)]
struct Inside {
    around: Around,
    steps: Vec<String>,
}

/// What a step with others inside is.
#[derive(Debug)]
enum Around {
    /// What is done when this signal comes.
    Signal(String),
    /// What a descendant does, which holds these streams.
    Child(Vec<&'static str>),
}

/// Input that is no frames, a prompt for one.
#[derive(Debug, Default)]
struct PlainText {
    text: Vec<u8>,
    length: usize,
}

impl PlainText {
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.length <= LONGEST_NOTE {
            self.text.extend_from_slice(bytes);
        }
    }

    /// What is kept of it: all, or only how much it was. Nothing: there was none.
    fn note(self) -> Option<String> {
        let whole = std::str::from_utf8(&self.text).ok().filter(|text| text.len() == self.length);
        let note = whole.map_or_else(|| json!({ "bytes": self.length }), Value::from);
        (self.length > 0).then(|| note.to_string())
    }
}

/// Where the steps go, a line each.
pub(crate) trait Lines {
    /// Takes the next line.
    fn line(&mut self, line: &str);
}

impl Lines for Partial {
    fn line(&mut self, line: &str) {
        Partial::line(self, line);
    }
}

impl Lines for Vec<String> {
    fn line(&mut self, line: &str) {
        self.push(line.to_owned());
    }
}

/// A recording that has come to its end.
pub(crate) struct Taped<L> {
    /// Where the steps went.
    pub lines: L,
    /// What it turned out to hold.
    pub seen: Seen,
    /// What replaced its secrets.
    pub redactor: Redactor,
}

/// A recording in the making.
pub(crate) struct Tape<L = Partial> {
    lines: L,
    pub redactor: Redactor,
    pending: Pending,
    /// The unfinished line of input. Nothing waits for its end: it is a step once it is whole.
    input: Vec<u8>,
    /// When the last part of it arrived.
    input_mark: Mark,
    of_input: Earlier,
    pub gates: Gates,
    pub seen: Seen,
    /// Lines of input came that are no frames, and nothing was written since.
    plain_input: Option<Mark>,
    /// All input, as long as none of it was a frame.
    plain_text: Option<PlainText>,
    inside: Vec<Inside>,
}

impl Tape {
    /// Gives up: nothing was recorded.
    pub fn discard(self) {
        self.lines.discard();
    }
}

impl<L: Lines> Tape<L> {
    /// Begins with a header; `watched` are texts whose occurrence is of interest.
    pub fn new(mut lines: L, redactor: Redactor, header: &str, watched: &[String]) -> Tape<L> {
        lines.line(header);
        Tape {
            lines,
            redactor,
            pending: Pending::default(),
            input: Vec::new(),
            input_mark: Mark::default(),
            of_input: Earlier::default(),
            gates: Gates::default(),
            seen: Seen::watching(watched),
            plain_input: None,
            plain_text: Some(PlainText::default()),
            inside: Vec::new(),
        }
    }

    /// What is taken is a write of its own each time, however close they are.
    pub fn of_writes(mut self) -> Tape<L> {
        self.pending.limits.one_write = 0.0;
        self
    }

    /// Takes bytes that arrived.
    pub fn take(&mut self, stream: Stream, bytes: &[u8], mark: Mark) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if stream == Stream::In {
                self.take_input(part, mark);
            } else {
                self.before_output();
                self.pending.part(stream, part, mark, &mut self.redactor);
            }
        }
        self.emit();
    }

    /// Takes the end of the input.
    pub fn input_ended(&mut self, mark: Mark) {
        self.settle_input();
        self.pending.push(Arrival::InputEnd, mark);
        self.emit();
    }

    /// Takes that the program closed a stream and lived on.
    pub fn closed(&mut self, stream: Stream, mark: Mark) {
        self.pending.settle(stream, &mut self.redactor);
        self.pending.push(Arrival::Close(stream), mark);
        self.emit();
    }

    /// From here on it is the answer to a signal.
    pub fn signal(&mut self, name: &str) {
        self.step_into(Around::Signal(name.to_owned()));
    }

    /// From here on it is what a descendant does, which holds these streams.
    pub fn descendant(&mut self, hold: Vec<&'static str>) {
        self.step_into(Around::Child(hold));
    }

    fn step_into(&mut self, around: Around) {
        self.settle_all();
        self.inside.push(Inside { around, steps: Vec::new() });
    }

    /// A step that is not of the streams.
    pub fn step(&mut self, line: String) {
        self.settle_all();
        self.line(line);
    }

    /// Ends the recording; where it is not known how it ended, no step says so. What is left is
    /// the file or list of steps, to be finished.
    pub fn end(mut self, exit: Option<&Exit>, mark: Mark) -> Taped<L> {
        self.settle_all();
        // A descendant goes on beside the program, whose own end comes after its step.
        if matches!(self.inside.last(), Some(Inside { around: Around::Child(_), .. })) {
            self.step_out();
        }
        if let Some(exit) = exit {
            self.line(lines::end(mark, exit));
        }
        while !self.inside.is_empty() {
            self.step_out();
        }
        Taped { lines: self.lines, seen: self.seen, redactor: self.redactor }
    }

    fn step_out(&mut self) {
        let Some(Inside { around, steps }) = self.inside.pop() else { return };
        match around {
            Around::Signal(name) => {
                self.line(lines::on_signal(&name, &steps));
                self.line(lines::HANG.to_owned());
            }
            Around::Child(hold) => self.line(lines::child(&hold, &steps)),
        }
    }

    fn line(&mut self, line: String) {
        match self.inside.last_mut() {
            Some(inside) => inside.steps.push(line),
            None => self.lines.line(&line),
        }
    }

    fn take_input(&mut self, part: &[u8], mark: Mark) {
        self.input_mark = mark;
        // Whatever so long a line is, it is something that the program was asked.
        self.gates.claimed |= self.input.len() > LONGEST_INPUT;
        if self.input.len() <= LONGEST_INPUT {
            self.input.extend_from_slice(part);
        }
        if part.ends_with(b"\n") {
            self.settle_input();
        }
    }

    /// The program may answer a part of a line, unless it is a part of a frame.
    fn before_output(&mut self) {
        if self.input.trim_ascii_start().first().is_some_and(|byte| *byte != b'{') {
            self.settle_input();
        }
    }

    fn settle_input(&mut self) {
        if self.input.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.input);
        let bytes = apply(&line, &self.redactor.edits(&line, &mut self.of_input));
        let stream = Stream::In;
        self.pending.push(Arrival::Bytes { stream, bytes, begins_line: true }, self.input_mark);
    }

    fn settle_all(&mut self) {
        self.settle_input();
        for stream in [Stream::Out, Stream::Err] {
            self.pending.settle(stream, &mut self.redactor);
        }
        self.emit();
    }

    /// Writes what can be written.
    fn emit(&mut self) {
        while let Some((arrival, mark)) = self.pending.next() {
            match arrival {
                Arrival::Bytes { stream: Stream::In, bytes, .. } => self.input(&bytes, mark),
                Arrival::Bytes { bytes, .. } if bytes.is_empty() => {}
                Arrival::Bytes { stream, bytes, begins_line } => {
                    self.output(stream, &bytes, begins_line, mark);
                }
                Arrival::InputEnd => {
                    self.plain_input = None;
                    let note = self.plain_text.take().and_then(PlainText::note);
                    self.line(lines::input(mark, &"eof".into(), None, note.as_deref()));
                }
                Arrival::Close(stream) => self.line(lines::close(mark, stream.name())),
            }
        }
    }

    fn output(&mut self, stream: Stream, bytes: &[u8], begins_line: bool, mark: Mark) {
        if let Some(mark) = self.plain_input.take() {
            self.line(lines::input(mark, &"line".into(), None, None));
        }
        self.seen.look(bytes);
        self.seen.stdout_bytes += if stream == Stream::Out { bytes.len() } else { 0 };
        let output = if stream == Stream::Out { Output::Stdout } else { Output::Stderr };
        let whole = begins_line && stream == Stream::Out;
        let text = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n'));
        let answer = text.filter(|_| whole).and_then(|text| self.gates.answer(text));
        self.line(match answer {
            Some(value) => lines::reply(mark, &value),
            None => lines::write(mark, output, bytes),
        });
    }

    /// A line of input: what cannot be read as a frame is plain input.
    fn input(&mut self, bytes: &[u8], mark: Mark) {
        let text = std::str::from_utf8(bytes).map(str::trim).unwrap_or_default();
        let frame = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
        let Some(frame) = frame else {
            self.plain_input = self.plain_input.or(Some(mark));
            if let Some(text) = &mut self.plain_text {
                text.add(bytes);
            }
            return;
        };
        self.plain_text = None;
        let Some(gate) = self.gates.of_frame(&frame) else { return };
        let note = Some(text).filter(|text| text.len() <= LONGEST_NOTE);
        self.line(lines::input(mark, &gate.pattern, gate.name.as_deref(), note));
    }
}

#[cfg(test)]
mod tests;
