//! Launchers: the process that was started waits, another one below it does the work.

use std::time::{Duration, Instant};

use super::player::Player;
use super::stop::{Play, Stop};
use crate::error::Error;
use crate::invocation;
use crate::journal::ProblemKind;
use crate::recording::{Launcher, LauncherExit, Signal};
use crate::sys::{self, Forked, Status};

impl Player {
    /// Splits this process in two. The one that was started becomes the launcher and does not
    /// return; the inner one goes on here.
    pub fn launch(&mut self, launcher: &Launcher) -> Play<()> {
        match sys::fork() {
            Ok(Forked::Parent(inner)) => attend(inner, launcher),
            Ok(Forked::Child) => {
                self.spawn.entry.inner_pid = Some(invocation::this_process());
                // Timers are not inherited.
                let left = self.spawn.life.saturating_duration_since(Instant::now());
                sys::interrupt_after(left.max(Duration::from_millis(1)));
                Ok(self.spawn.save()?)
            }
            Err(error) => Err(Stop::Refused(Error::Play {
                kind: ProblemKind::WriteFailed,
                what: format!("cannot start the inner process: {error}"),
            })),
        }
    }
}

/// The life of a launcher. The journal is the inner process's business.
fn attend(inner: i32, launcher: &Launcher) -> ! {
    loop {
        while let Some(number) = sys::take_signal() {
            if launcher.forward.iter().any(|signal| signal.number() == number) {
                sys::send_signal(inner, number);
            } else {
                sys::die_by(number);
            }
        }
        let Some(status) = sys::wait_for(inner) else { continue };
        match (launcher.exit, status) {
            (LauncherExit::Code(code), _) => sys::exit_now(code),
            (LauncherExit::Mirror, Status::Exited(code)) => sys::exit_now(code),
            (LauncherExit::Mirror, Status::Killed(number)) => match Signal::numbered(number) {
                Some(signal) => sys::die_by(signal.number()),
                None => sys::exit_now(1),
            },
        }
    }
}
