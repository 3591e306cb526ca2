//! How a `repeat` step goes round.

use std::time::Duration;

use serde_json::Value;

use super::line::{Line, millis};

/// How often and how fast a loop goes round, for [`Recording::repeat`](super::Recording::repeat).
///
/// ```
/// use std::time::Duration;
/// use ringer::Recording;
/// use ringer::author::Repeat;
///
/// let alive = Repeat::until("eof").every(Duration::from_millis(500));
/// let recording = Recording::new().repeat(alive, |round| round.out("{\"type\":\"keep_alive\"}\n"));
/// assert!(recording.to_bytes().is_ok());
/// ```
#[derive(Clone, Debug)]
#[must_use = "a loop is one once it is given to `Recording::repeat`"]
pub struct Repeat {
    pub(super) line: Line,
}

/// So many times.
impl From<u64> for Repeat {
    fn from(times: u64) -> Repeat {
        Repeat::times(times)
    }
}

impl Repeat {
    /// So many times.
    pub fn times(times: u64) -> Repeat {
        Repeat { line: Line::of("times", &times) }
    }

    /// Without end.
    pub fn forever() -> Repeat {
        Repeat { line: Line::of("times", "forever") }
    }

    /// Until a line comes that contains this object, or the end of stdin (`"eof"`), or any line
    /// (`"line"`).
    pub fn until(pattern: impl Into<Value>) -> Repeat {
        Repeat { line: Line::of("until", &pattern.into()) }
    }

    /// `times`: so many times at most.
    pub fn at_most(mut self, times: u64) -> Repeat {
        self.line.set("times", &times);
        self
    }

    /// `every_ms`: the time from the start of one round to that of the next.
    pub fn every(mut self, time: Duration) -> Repeat {
        self.line.set("every_ms", &millis(time));
        self
    }
}
