//! Following the journal while doubles write it.

use std::thread;
use std::time::{Duration, Instant};

use super::invocation::Invocation;
use crate::error::Error;
use crate::journal::{Journal, Life};

/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// Spawns as they start, in order; [`Stage::watch`](super::Stage::watch) makes one. It ends when
/// no further spawn comes in time.
#[derive(Debug)]
#[must_use = "a watch looks at the journal when it is asked for the next invocation"]
pub struct Watch {
    journal: Journal,
    next: u64,
    patience: Duration,
}

impl Watch {
    pub(super) fn new(journal: Journal, patience: Duration) -> Watch {
        Watch { journal, next: 1, patience }
    }
}

impl Iterator for Watch {
    type Item = Invocation;

    fn next(&mut self) -> Option<Invocation> {
        let seen = until(&self.journal, self.next, self.patience, |_| true).ok().flatten()?;
        self.next += 1;
        Some(seen)
    }
}

/// Waits until a spawn has an entry that is as wanted; none if the time is over before.
pub(super) fn until(
    journal: &Journal,
    spawn: u64,
    patience: Duration,
    wanted: impl Fn(&Invocation) -> bool,
) -> Result<Option<Invocation>, Error> {
    let begun = Instant::now();
    loop {
        if let Some(record) = journal.record(spawn)? {
            let seen = Invocation::new(record, journal);
            if wanted(&seen) {
                return Ok(Some(seen));
            }
        }
        if begun.elapsed() >= patience {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// Whether nothing more will become known of a spawn.
pub(super) fn is_over(seen: &Invocation) -> bool {
    seen.life() != Life::Running
}
