//! What playing has to know of a program, asked of one place.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use super::Answer;
use crate::invocation::Invocation;
use crate::play::ExitWatch;
use crate::recording::Signal;
use crate::settings::Settings;

/// The manners of a program that ringer stands in for.
pub(crate) trait Manners: Debug + Sync {
    /// The persona's name.
    fn name(&self) -> &str;

    /// What a spawn's arguments ask for.
    fn read(&self, invocation: &Invocation, settings: &Settings) -> Request;

    /// The prompt that the model gets, once stdin was read; or what the program says when there is
    /// none that it takes.
    fn prompt(&self, run: &Run, stdin: &[u8]) -> Result<String, Answer>;

    /// Reads along with stdout for the exit code that the stream means.
    fn exit_watch(&self) -> ExitWatch;

    /// How the program takes a signal.
    fn on_signal(&self, signal: Signal, situation: Situation) -> Ending;

    /// What the program does when the reader of its stdout is gone.
    fn epipe(&self) -> Epipe;

    /// Where the program keeps its configuration.
    fn config_dir(&self, invocation: &Invocation) -> PathBuf;
}

/// What a spawn's arguments ask for.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// A model run.
    Run(Run),
    /// A question with a stock answer.
    Probe(Answer),
    /// A question or command that has no stock answer; a probe recording may give one.
    NoAnswer {
        /// The command's words.
        command: String,
    },
    /// The real CLI refuses the arguments.
    Usage(Answer),
}

/// A model run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// The prompt among the arguments.
    pub prompt: Option<String>,
    /// How the program reads stdin.
    pub stdin: StdinRule,
    /// Whether it holds a conversation over stdin, and claims at the first message.
    pub session: bool,
    /// Options that no known version has.
    pub unknown: Vec<String>,
}

/// How a program reads stdin, by its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StdinRule {
    /// Not at all.
    #[default]
    Ignore,
    /// To the end, before anything else; if nothing comes within the time, it goes on without.
    ToEnd {
        /// How long it waits for the first byte.
        first_byte: Option<Duration>,
    },
    /// Line by line, while it runs.
    Lines,
}

/// What is going on when a signal comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    /// Something has gone to stdout.
    pub started: bool,
    /// The end of stdin was seen.
    pub stdin_ended: bool,
}

/// How a program takes a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It goes on.
    GoesOn,
    /// It exits by itself.
    Exits(u8),
    /// It dies of it.
    Dies,
}

/// What a program does when the reader of its stdout is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Epipe {
    /// It goes on and writes to nobody.
    Silent,
    /// It exits, with some last words on stderr.
    Exit {
        /// The exit code.
        code: u8,
        /// The words.
        stderr: String,
    },
    /// It dies of SIGPIPE.
    Die,
}
