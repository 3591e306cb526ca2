//! What a program makes of the arguments that it was started with.

use super::Answer;

/// What arguments mean to a program; `R` is what it runs with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning<R> {
    /// It runs, as far as the arguments tell, and so claims a recording.
    Run(R),
    /// It answers a question about itself and ends.
    Probe(Answer),
    /// It prints its help, or that of a command; the text is ringer's own.
    Help(Answer),
    /// It does something of its own, of which no answer was captured, such as `codex plugin
    /// install`. A probe recording may give one.
    NoAnswer {
        /// The command, without the program's name and options.
        command: String,
    },
    /// It refuses the arguments.
    Usage(Answer),
}

impl<R> Meaning<R> {
    /// The same, with something else to run with.
    pub fn map<S>(self, run: impl FnOnce(R) -> S) -> Meaning<S> {
        match self {
            Meaning::Run(with) => Meaning::Run(run(with)),
            Meaning::Probe(answer) => Meaning::Probe(answer),
            Meaning::Help(answer) => Meaning::Help(answer),
            Meaning::NoAnswer { command } => Meaning::NoAnswer { command },
            Meaning::Usage(answer) => Meaning::Usage(answer),
        }
    }
}
