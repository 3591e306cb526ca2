//! How playing ends before its last step: the error side of everything that plays.

use crate::error::Error;
use crate::journal::Exit;
use crate::recording::Signal;

/// What playing returns: a value, or the end of the spawn.
pub(crate) type Play<T> = Result<T, Stop>;

/// The end of a spawn.
#[derive(Debug)]
pub(crate) enum Stop {
    /// By its recording, with an exit code.
    Exit(u8),
    /// By its recording, by a signal.
    Signal(Signal),
    /// By a signal from outside, in the way of the real CLI.
    Terminated(Exit),
    /// The real CLI ends here by itself; the exit code follows from what it has written.
    Natural,
    /// The first message of a live session has claimed another recording than the one that is being
    /// played, and that one is to be played now.
    Other,
    /// Ringer cannot go on.
    Refused(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Refused(error)
    }
}
