//! Waiting: for a descriptor, for a time, for a signal, and never longer than a double may live.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::spawn::Spawn;
use super::stop::{Play, Stop};
use crate::error::Error;
use crate::invocation;
use crate::journal::ProblemKind;
use crate::recording::Signal;
use crate::sys;

/// A wait that lasts longer than this is entered in the journal.
const WORTH_SAYING: Duration = Duration::from_millis(100);
/// How often it is looked whether the process that started the double is still there.
const PARENT_CHECK: Duration = Duration::from_millis(250);

/// What is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait<'a> {
    /// A standard descriptor that must become readable (0) or writable (1, 2).
    pub fd: Option<u8>,
    /// When the wait is over anyway.
    pub until: Option<Instant>,
    /// What the journal says that is waited for.
    pub what: &'a str,
}

/// Why a wait is over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Woke {
    /// The descriptor is ready.
    Ready,
    /// The time has come.
    Time,
    /// A signal came.
    Signal(Signal),
}

impl Spawn {
    /// Waits.
    ///
    /// # Errors
    ///
    /// The life limit is reached; or nobody is there any more for whom a wait without limit would
    /// make sense; or the journal cannot be written.
    pub fn wait(&mut self, wait: Wait) -> Play<Woke> {
        let said_after = Instant::now() + WORTH_SAYING;
        let mut said = false;
        let woke = loop {
            if let Some(signal) = self.take_signal()? {
                break Woke::Signal(signal);
            }
            let now = Instant::now();
            if wait.until.is_some_and(|until| until <= now) {
                // What is there already came in time.
                let came = wait.fd.is_some() && ready(wait.fd, Duration::ZERO)?;
                break if came { Woke::Ready } else { Woke::Time };
            }
            self.check_life(now)?;
            if wait.until.is_none() {
                self.check_parent()?;
            }
            if !said && said_after <= now {
                self.entry.waiting_for = Some(wait.what.to_owned());
                self.save()?;
                said = true;
            }
            let next = [
                wait.until,
                Some(self.life),
                (!said).then_some(said_after),
                wait.until.is_none().then(|| now + PARENT_CHECK),
            ];
            let until = next.into_iter().flatten().min().unwrap_or(now);
            if ready(wait.fd, until.saturating_duration_since(now))? {
                break Woke::Ready;
            }
        };
        if said {
            self.entry.waiting_for = None;
            self.save()?;
        }
        Ok(woke)
    }

    /// Ends the spawn at its life limit.
    pub fn check_life(&self, now: Instant) -> Play<()> {
        if now < self.life {
            return Ok(());
        }
        let seconds = self.max_life.as_secs_f64();
        Err(Stop::Refused(Error::Play {
            kind: ProblemKind::Expired,
            what: format!(
                "ended itself after {seconds} s (RINGER_MAX_LIFE), as nothing else ended it"
            ),
        }))
    }

    fn check_parent(&self) -> Play<()> {
        if self.outlives_parent || invocation::parent() == self.entry.ppid {
            return Ok(());
        }
        Err(Stop::Refused(Error::Play {
            kind: ProblemKind::Orphaned,
            what: format!(
                "ended itself, as the process that started it ({}) is gone; a recording may say \
                 \"orphan\": true to go on",
                self.entry.ppid
            ),
        }))
    }
}

/// Waits for a descriptor for some time; false if nothing came of it.
fn ready(fd: Option<u8>, time: Duration) -> Play<bool> {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    let flags = if fd == Some(0) { PollFlags::IN } else { PollFlags::OUT };
    let mut fds: Vec<PollFd> =
        fd.map(|fd| PollFd::from_borrowed_fd(sys::standard(fd), flags)).into_iter().collect();
    match poll(&mut fds, Some(&time)) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(Error::Play {
            kind: ProblemKind::WriteFailed,
            what: format!("cannot wait for a stream: {error}"),
        }
        .into()),
    }
}
