//! Signals by the names that recordings use: without `SIG`.

use std::fmt;

use libc::c_int;

/// A signal of this system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signal(&'static Entry);

#[derive(PartialEq, Eq)]
struct Entry {
    name: &'static str,
    number: c_int,
    /// Whether a process that does nothing about the signal dies of it.
    ends: bool,
}

const fn ends(name: &'static str, number: c_int) -> Entry {
    Entry { name, number, ends: true }
}

const fn spares(name: &'static str, number: c_int) -> Entry {
    Entry { name, number, ends: false }
}

static SIGNALS: &[Entry] = &[
    ends("HUP", libc::SIGHUP),
    ends("INT", libc::SIGINT),
    ends("QUIT", libc::SIGQUIT),
    ends("ILL", libc::SIGILL),
    ends("TRAP", libc::SIGTRAP),
    ends("ABRT", libc::SIGABRT),
    ends("BUS", libc::SIGBUS),
    ends("FPE", libc::SIGFPE),
    ends("KILL", libc::SIGKILL),
    ends("USR1", libc::SIGUSR1),
    ends("SEGV", libc::SIGSEGV),
    ends("USR2", libc::SIGUSR2),
    ends("PIPE", libc::SIGPIPE),
    ends("ALRM", libc::SIGALRM),
    ends("TERM", libc::SIGTERM),
    ends("XCPU", libc::SIGXCPU),
    ends("XFSZ", libc::SIGXFSZ),
    ends("VTALRM", libc::SIGVTALRM),
    ends("PROF", libc::SIGPROF),
    ends("SYS", libc::SIGSYS),
    spares("CHLD", libc::SIGCHLD),
    spares("CONT", libc::SIGCONT),
    spares("STOP", libc::SIGSTOP),
    spares("TSTP", libc::SIGTSTP),
    spares("TTIN", libc::SIGTTIN),
    spares("TTOU", libc::SIGTTOU),
    spares("URG", libc::SIGURG),
    spares("WINCH", libc::SIGWINCH),
    #[cfg(target_os = "linux")]
    ends("IO", libc::SIGIO),
    #[cfg(target_os = "linux")]
    ends("PWR", libc::SIGPWR),
    #[cfg(all(target_os = "linux", not(any(target_arch = "mips", target_arch = "mips64"))))]
    ends("STKFLT", libc::SIGSTKFLT),
];

impl Signal {
    /// The signal with this name, such as `TERM`.
    pub fn named(name: &str) -> Option<Signal> {
        SIGNALS.iter().find(|entry| entry.name == name).map(Signal)
    }

    /// The signal with this number.
    pub fn numbered(number: i32) -> Option<Signal> {
        SIGNALS.iter().find(|entry| entry.number == number).map(Signal)
    }

    /// The names of all signals.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SIGNALS.iter().map(|entry| entry.name)
    }

    /// The name, without `SIG`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The number that the system knows it by.
    pub fn number(self) -> i32 {
        self.0.number
    }

    /// Whether a process that does nothing about it dies of it.
    pub fn ends_a_process(self) -> bool {
        self.0.ends
    }

    /// Whether a process can do anything about it at all.
    pub fn can_be_caught(self) -> bool {
        self.0.number != libc::SIGKILL && self.0.number != libc::SIGSTOP
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Signal({})", self.name())
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_found_by_its_name_and_by_its_number() {
        for name in Signal::names() {
            let signal = Signal::named(name).unwrap();
            assert_eq!(Signal::numbered(signal.number()), Some(signal), "{name}");
        }
        assert_eq!(Signal::named("TERM").unwrap().number(), 15);
        assert_eq!(Signal::named("SIGTERM"), None);
        assert_eq!(Signal::numbered(0), None);
    }

    #[test]
    fn only_kill_and_stop_cannot_be_caught() {
        let free: Vec<_> =
            Signal::names().filter(|n| !Signal::named(n).unwrap().can_be_caught()).collect();
        assert_eq!(free, ["KILL", "STOP"]);
    }
}
