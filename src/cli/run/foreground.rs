//! A command in the foreground, as if it had been started without ringer.
//!
//! It stays in this process's group, with its streams and its terminal. What the terminal sends to
//! the group (interrupt, quit) reaches it by itself: ringer goes on waiting for it. What is sent to
//! ringer alone, to end it, is passed on.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use crate::sys;

/// Signals that reach the command by themselves.
const OF_THE_TERMINAL: [i32; 2] = [libc::SIGINT, libc::SIGQUIT];
/// Signals that are passed on.
const PASSED_ON: [i32; 4] = [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];
/// Longer than any command runs.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Runs a command to its end and returns its exit code, as shells have it: 128 and the number of
/// the signal that it died by.
///
/// # Errors
///
/// It cannot be started.
pub(in crate::cli) fn run(command: &[OsString], envs: &[(OsString, OsString)]) -> io::Result<u8> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    for number in OF_THE_TERMINAL.into_iter().chain(PASSED_ON) {
        sys::notice(number, false);
    }
    sys::interrupt_after(NEVER);
    let child = Command::new(program).args(arguments).envs(envs.iter().cloned()).spawn()?;
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    wait(pid)
}

fn wait(pid: Pid) -> io::Result<u8> {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(code(status)),
            Ok(None) => {}
            Err(Errno::INTR) => pass_signals_on(pid),
            Err(error) => return Err(error.into()),
        }
    }
}

fn pass_signals_on(pid: Pid) {
    while let Some(number) = sys::take_signal() {
        if PASSED_ON.contains(&number)
            && let Some(signal) = Signal::from_named_raw(number)
        {
            // It may be gone already; then waiting for it tells.
            let _ = kill_process(pid, signal);
        }
    }
    sys::interrupt_after(NEVER);
}

fn code(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 0,
    };
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}
