//! Waiting: for a descriptor, for a time, for a signal, and never longer than a double may live.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::output::Wrote;
use super::spawn::{MOMENT, Spawn};
use super::stop::{Play, Stop};
use crate::error::Error;
use crate::invocation;
use crate::journal::ProblemKind;
use crate::recording::{Output, Pattern, Signal};
use crate::sys;

/// A wait that lasts longer than this is entered in the journal.
const WORTH_SAYING: Duration = Duration::from_millis(100);
/// What is waited for by a write that nobody takes.
pub(super) const READER: &str = "a reader that takes its output";
/// How often it is looked whether the process that started the double is still there.
const PARENT_CHECK: Duration = Duration::from_millis(250);

/// What is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait<'a> {
    /// A standard descriptor that must become readable (0) or writable (1, 2).
    pub fd: Option<u8>,
    /// Whether the wait is also over when something comes by stdin.
    pub listen: Listen<'a>,
    /// When the wait is over anyway.
    pub until: Option<Instant>,
    /// What the journal says that is waited for.
    pub what: &'a str,
}

/// How far a wait listens to what comes by stdin. The limits are for programs that answer everything
/// in the order in which it came, the start of a turn among it: what came behind that has to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listen<'a> {
    /// Not at all.
    No,
    /// To everything.
    All,
    /// Up to a message that a turn to come, or an `in` step, is released by.
    UpToATurn,
    /// Up to a message that the next turn takes.
    UpToAUser,
    /// Up to a frame that is waited for.
    UpTo(&'a Pattern),
}

/// Why a wait is over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Woke {
    /// The descriptor is ready.
    Ready,
    /// Something came by stdin, or its end.
    Heard,
    /// The time has come.
    Time,
    /// A signal came.
    Signal(Signal),
}

/// Whether a write that takes long is noticed, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// No timer runs for it.
    Unwatched,
    /// A timer will interrupt it.
    Watched,
    /// It was interrupted once.
    Slow,
    /// It was interrupted again, and the journal says so.
    Stuck,
}

impl Spawn {
    /// Waits.
    ///
    /// # Errors
    ///
    /// The life limit is reached; or nobody is there any more for whom a wait without limit would
    /// make sense; or the journal cannot be written.
    pub fn wait(&mut self, wait: Wait) -> Play<Woke> {
        self.stop_watching();
        let said_after = Instant::now() + WORTH_SAYING;
        let mut said = false;
        let woke = loop {
            if let Some(signal) = self.take_signal()? {
                break Woke::Signal(signal);
            }
            let now = Instant::now();
            let listen = !matches!(wait.listen, Listen::No) && !self.stdin.ended();
            if wait.until.is_some_and(|until| until <= now) {
                // What is there already came in time.
                break ready(wait.fd, listen, Duration::ZERO)?.unwrap_or(Woke::Time);
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
            if let Some(woke) = ready(wait.fd, listen, until.saturating_duration_since(now))? {
                break woke;
            }
        };
        if said {
            self.entry.waiting_for = None;
            self.save()?;
        }
        Ok(woke)
    }

    /// Writes to a stream, as far as it takes the bytes. The journal says so while nobody takes them.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub fn write(&mut self, stream: Output, bytes: &[u8]) -> Result<Wrote, Error> {
        let out = match stream {
            Output::Stdout => &self.stdout,
            Output::Stderr => &self.stderr,
        };
        let may_block = out.may_block(bytes.len());
        if may_block && self.writing == Writing::Unwatched {
            // Setting a timer costs as much as a write, so one is set for many of them.
            self.writing = Writing::Watched;
            sys::interrupt_after(self.life_left().min(WORTH_SAYING));
        }
        let wrote = match stream {
            Output::Stdout => self.stdout.write(bytes),
            Output::Stderr => self.stderr.write(bytes),
        };
        match (&wrote, self.writing) {
            (_, Writing::Unwatched) => {}
            (Wrote::Interrupted(_), _) if sys::signal_pending() => {}
            // The timer may have been set long before this write began.
            (Wrote::Interrupted(_), Writing::Watched) => {
                self.writing = Writing::Slow;
                sys::interrupt_after(self.life_left().min(WORTH_SAYING));
            }
            (Wrote::Interrupted(_), Writing::Slow) => {
                self.writing = Writing::Stuck;
                self.entry.waiting_for = Some(READER.to_owned());
                self.save()?;
                sys::interrupt_after(self.life_left());
            }
            (Wrote::Interrupted(_), Writing::Stuck) => {}
            (_, Writing::Stuck) => {
                self.stop_watching();
                self.entry.waiting_for = None;
                self.save()?;
            }
            (_, Writing::Slow) => self.stop_watching(),
            (_, Writing::Watched) if sys::take_alarm() => self.stop_watching(),
            (_, Writing::Watched) => {}
        }
        Ok(wrote)
    }

    /// From here on the life limit alone interrupts.
    pub fn stop_watching(&mut self) {
        if self.writing != Writing::Unwatched {
            self.writing = Writing::Unwatched;
            sys::take_alarm();
            sys::interrupt_after(self.life_left());
        }
    }

    fn life_left(&self) -> Duration {
        self.life.saturating_duration_since(Instant::now()).max(MOMENT)
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
        let there = match self.entry.inner_pid {
            // The inner process of a launcher is not the child of who started the launcher.
            Some(_) => sys::is_there(self.entry.ppid),
            None => invocation::parent() == self.entry.ppid,
        };
        if self.outlives_parent || there {
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

/// Waits for a descriptor, and for stdin if `listen`, for some time.
fn ready(fd: Option<u8>, listen: bool, time: Duration) -> Play<Option<Woke>> {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    let flags = if fd == Some(0) { PollFlags::IN } else { PollFlags::OUT };
    let mut fds = Vec::with_capacity(2);
    fds.extend(fd.map(|fd| PollFd::from_borrowed_fd(sys::standard(fd), flags)));
    if listen {
        fds.push(PollFd::from_borrowed_fd(sys::standard(0), PollFlags::IN));
    }
    match poll(&mut fds, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => Ok(None),
        Ok(_) if fd.is_some() && fds.first().is_some_and(|fd| !fd.revents().is_empty()) => {
            Ok(Some(Woke::Ready))
        }
        Ok(_) => Ok(Some(Woke::Heard)),
        Err(error) => Err(Error::Play {
            kind: ProblemKind::WriteFailed,
            what: format!("cannot wait for a stream: {error}"),
        }
        .into()),
    }
}
