//! The steps of a recording, as the player takes them. How they are read is in `parse`.

use std::rc::Rc;

use serde_json::value::RawValue;

use super::path::EffectPath;
use super::pattern::Pattern;
use super::signal::Signal;
use super::turn::Turn;

/// One step.
#[derive(Debug)]
pub struct Step {
    /// When the step was recorded, in milliseconds since the start. Finite and not negative, as
    /// are all times in a recording.
    pub at_ms: Option<f64>,
    /// Whether the recorder could not tell if this came before or after what stands next to it on
    /// the other stream: both were ready when it looked. Playing keeps the order of the lines.
    pub order_unsure: bool,
    /// What is done.
    pub verb: Verb,
    /// The line it stands on, counted from 1. Nested steps have the line of the outermost one.
    pub line: u64,
}

/// What a step does.
#[derive(Debug)]
pub enum Verb {
    /// `out`, `err` and their kinds.
    Write(Write),
    /// `reply`: an `out` of a [`Source::Text`] or [`Source::Json`] in which the strings `"$id"` and
    /// `"$id:NAME"` stand for the ids of requests that came.
    Reply(Write),
    /// `in`: waits for input.
    In(Box<In>),
    /// `turn`: one model turn, for the persona to render.
    Turn(Box<Turn>),
    /// `wait_ms`: a pause, in milliseconds.
    Wait(f64),
    /// `hang`: goes on living until a signal or the life limit.
    Hang,
    /// `repeat`: a loop.
    Repeat(Box<Repeat>),
    /// `on_signal`: what to do from here on when a signal comes.
    OnSignal {
        /// The signal, one that can be caught.
        signal: Signal,
        /// What is done when it comes; nothing: it is ignored. Shared, as the player keeps them.
        steps: Rc<[Step]>,
    },
    /// `file`: an effect on disk.
    File {
        /// Where; it is confined by its syntax, links are for the player to look at.
        path: EffectPath,
        /// What happens there.
        effect: Effect,
    },
    /// `child`: a descendant that may outlive the double.
    Child {
        /// The streams that it inherits.
        hold: Vec<StdStream>,
        /// What it does. There are no turns among these.
        steps: Vec<Step>,
    },
    /// `close`: closes a stream and lives on.
    Close(StdStream),
    /// `exit`: the end, with a code.
    Exit(u8),
    /// `signal`: the end, by a signal that ends a process.
    Signal(Signal),
}

/// What goes out, where, and in how many pieces.
#[derive(Debug)]
pub struct Write {
    /// Where it goes.
    pub stream: Output,
    /// What goes out.
    pub source: Source,
    /// Byte offsets at which it is cut into several writes: above 0, each beyond the one before.
    /// One that lies beyond the end cuts nothing.
    pub split: Vec<u64>,
    /// The pause between the pieces, in milliseconds.
    pub gap_ms: Option<f64>,
    /// Whether it is held back to leave in one write with the next of the same stream.
    pub more: bool,
}

/// A stream that a double writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// File descriptor 1.
    Stdout,
    /// File descriptor 2.
    Stderr,
}

/// Where the bytes of a write come from.
#[derive(Debug)]
pub enum Source {
    /// A string: its text, nothing added.
    Text(String),
    /// Any other JSON value: its own source text, to the byte. A newline is added at play.
    Json(Box<RawValue>),
    /// Bytes that were given as base64.
    Bytes(Vec<u8>),
    /// A file beside the recording: a relative path without `..`.
    File(String),
    /// A text, over and over. The whole length fits into a `u64`.
    Fill {
        /// The text.
        text: String,
        /// How often.
        times: u64,
    },
}

/// A wait for input.
#[derive(Debug)]
pub struct In {
    /// What is waited for.
    pub pattern: Pattern,
    /// How long, in milliseconds; without it, without limit.
    pub timeout_ms: Option<f64>,
    /// What is done when the time is over, before it goes on; without it the spawn fails.
    pub on_timeout: Option<Vec<Step>>,
    /// What is done at the end of stdin, before it goes on; without it the end of stdin is the end
    /// as the real CLI makes it.
    pub on_eof: Option<Vec<Step>>,
    /// Branches on what came, the first that matches is taken.
    pub cases: Vec<Case>,
    /// The name that a later reply calls this input by.
    pub name: Option<String>,
}

/// A branch on what came.
#[derive(Debug)]
pub struct Case {
    /// What the input must be: a line or the end.
    pub pattern: Pattern,
    /// What is done then.
    pub steps: Vec<Step>,
}

/// A loop.
#[derive(Debug)]
pub struct Repeat {
    /// How often at most.
    pub times: Times,
    /// The time from the start of one round to that of the next, in milliseconds.
    pub every_ms: Option<f64>,
    /// The line, or the end of stdin, that ends the loop.
    pub until: Option<Pattern>,
    /// One round.
    pub steps: Vec<Step>,
}

/// How often a loop goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// So many times.
    Count(u64),
    /// Without end.
    Forever,
}

/// An effect on disk.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// The file then holds these bytes.
    Write(Vec<u8>),
    /// The file then ends with these bytes.
    Append(Vec<u8>),
    /// The file is gone then.
    Remove,
    /// The directory is there then.
    Mkdir,
}

/// One of the standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StdStream {
    /// File descriptor 0.
    Stdin,
    /// File descriptor 1.
    Stdout,
    /// File descriptor 2.
    Stderr,
}

impl Verb {
    /// Whether nothing after this step can ever be played.
    pub fn is_end(&self) -> bool {
        matches!(self, Verb::Exit(_) | Verb::Signal(_))
    }

    /// Whether it, or a step inside of it, is a turn, or, where recorded lines are rendered, writes
    /// some: what the program's own voice has a part in. What a signal brings about may never come,
    /// and a child has no voice.
    pub fn speaks(&self, rendered: bool) -> bool {
        match self {
            Verb::Turn(_) => true,
            Verb::Write(write) | Verb::Reply(write) => rendered && write.stream == Output::Stdout,
            Verb::OnSignal { .. } | Verb::Child { .. } => false,
            _ => self.nested().into_iter().flatten().any(|step| step.verb.speaks(rendered)),
        }
    }

    /// The lists of steps inside this one.
    pub fn nested(&self) -> Vec<&[Step]> {
        match self {
            Verb::In(input) => {
                let ways = [&input.on_timeout, &input.on_eof];
                let ways = ways.into_iter().flatten().map(Vec::as_slice);
                ways.chain(input.cases.iter().map(|case| case.steps.as_slice())).collect()
            }
            Verb::Repeat(repeat) => vec![&repeat.steps],
            Verb::OnSignal { steps, .. } => vec![steps],
            Verb::Child { steps, .. } => vec![steps],
            _ => Vec::new(),
        }
    }
}
