//! Descendants: a process that inherits streams and may outlive the double.

use super::player::Player;
use super::stop::{Play, Stop};
use crate::error::Error;
use crate::journal::ProblemKind;
use crate::recording::{StdStream, Step};
use crate::sys::{self, Forked};

/// The signals that a double notices, and a descendant simply dies of.
const NOTICED: [i32; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTERM,
    libc::SIGALRM,
];

impl Player {
    /// Plays a `child` step: steps in a process of their own, which the double does not wait for.
    pub(super) fn child(&mut self, hold: &[StdStream], steps: &[Step]) -> Play<()> {
        self.flush()?;
        match sys::fork() {
            Ok(Forked::Parent(_)) => Ok(()),
            Ok(Forked::Child) => self.descend(hold, steps),
            Err(error) => Err(Stop::Refused(Error::Play {
                kind: ProblemKind::WriteFailed,
                what: format!("cannot start a child process: {error}"),
            })),
        }
    }

    /// The rest of this process is the descendant's life.
    fn descend(&mut self, hold: &[StdStream], steps: &[Step]) -> ! {
        sys::forget_signals(&NOTICED);
        // The journal is the double's alone; and a lock that lived on here would make a double
        // that is gone look alive.
        self.spawn.ticket = None;
        self.exchange = Default::default();
        self.plan.session = false;
        self.performer = None;
        self.spawn.outlives_parent = true;
        let left = self.spawn.life.saturating_duration_since(std::time::Instant::now());
        sys::interrupt_after(left.max(std::time::Duration::from_millis(1)));
        for (fd, stream) in
            [StdStream::Stdin, StdStream::Stdout, StdStream::Stderr].iter().enumerate()
        {
            if !hold.contains(stream) {
                sys::to_null(fd as u8);
            }
        }
        let code = match self.steps(steps) {
            Err(Stop::Exit(code)) => code,
            Err(Stop::Signal(signal)) => sys::die_by(signal.number()),
            _ => 0,
        };
        sys::exit_now(code)
    }
}
