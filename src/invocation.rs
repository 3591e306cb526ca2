//! How a double was started: everything that the process can see of itself, gathered once, before
//! anything is decided.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use rustix::fd::BorrowedFd;
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use crate::sys;

/// One start of a double.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The arguments, argv[0] first.
    pub argv: Vec<OsString>,
    /// The working directory; where it is gone, the last known name of it.
    pub cwd: PathBuf,
    /// The environment, in its own order.
    pub env: Vec<(OsString, OsString)>,
    /// The path that the process was started by, links not resolved; absent where the system does
    /// not tell.
    pub started_by: Option<PathBuf>,
    /// What standard input, output and error are.
    pub stdio: [StreamKind; 3],
    /// This process.
    pub pid: i32,
    /// The process that started this one.
    pub ppid: i32,
    /// The process group.
    pub pgid: i32,
    /// The session.
    pub sid: i32,
    /// When it started, for the journal.
    pub started_at: Timestamp,
    /// When it started, for measuring.
    pub clock: Instant,
}

/// What a standard stream is connected to.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StreamKind {
    /// A terminal.
    Tty,
    /// A pipe or a named pipe.
    Pipe,
    /// A regular file.
    File,
    /// `/dev/null`, or a device like it.
    Null,
    /// A socket.
    Socket,
    /// Nothing: the descriptor was closed.
    Closed,
}

impl Invocation {
    /// Looks at this process.
    #[must_use]
    pub fn of_this_process() -> Invocation {
        let clock = Instant::now();
        let started_at = Timestamp::now();
        let env: Vec<_> = std::env::vars_os().collect();
        let cwd = std::env::current_dir().unwrap_or_else(|_| {
            let said = env.iter().find(|(name, _)| name == "PWD").map(|(_, value)| value);
            said.map_or_else(|| PathBuf::from("(gone)"), PathBuf::from)
        });
        let started_by = sys::started_by().map(|path| cwd.join(OsStr::from_bytes(path.to_bytes())));
        Invocation {
            argv: std::env::args_os().collect(),
            started_by,
            cwd,
            env,
            stdio: [StreamKind::of(0), StreamKind::of(1), StreamKind::of(2)],
            pid: this_process(),
            ppid: parent(),
            pgid: sys::process_group(),
            sid: sys::session(),
            started_at,
            clock,
        }
    }

    /// The value of a variable; absent and empty are told apart.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsString> {
        self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The arguments without argv[0].
    #[must_use]
    pub fn arguments(&self) -> &[OsString] {
        self.argv.get(1..).unwrap_or_default()
    }

    /// The arguments without argv[0], as text; what is not UTF-8 is replaced character by character.
    #[must_use]
    pub fn args(&self) -> Vec<String> {
        self.argv.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
    }

    /// The home directory, as the CLIs find it.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.var("HOME").filter(|home| !home.is_empty()).map_or_else(|| "/".into(), PathBuf::from)
    }
}

impl StreamKind {
    /// Looks at a standard descriptor: 0, 1 or 2.
    fn of(fd: u8) -> StreamKind {
        if sys::was_closed(fd) { StreamKind::Closed } else { StreamKind::of_fd(sys::standard(fd)) }
    }

    fn of_fd(fd: BorrowedFd) -> StreamKind {
        let Ok(stat) = rustix::fs::fstat(fd) else { return StreamKind::Closed };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Fifo => StreamKind::Pipe,
            FileType::Socket => StreamKind::Socket,
            FileType::RegularFile => StreamKind::File,
            _ if is_null(stat.st_rdev) || !rustix::termios::isatty(fd) => StreamKind::Null,
            _ => StreamKind::Tty,
        }
    }

    /// The names that conditions and the journal use.
    pub(crate) const NAMES: &[(&str, StreamKind)] = &[
        ("tty", StreamKind::Tty),
        ("pipe", StreamKind::Pipe),
        ("file", StreamKind::File),
        ("null", StreamKind::Null),
        ("socket", StreamKind::Socket),
        ("closed", StreamKind::Closed),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        StreamKind::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// `/dev/null` is the character device 1:3 on Linux; asking a terminal's questions of it would
/// cost a call more.
fn is_null(device: u64) -> bool {
    rustix::fs::major(device) == 1 && rustix::fs::minor(device) == 3
}

/// This process.
#[must_use]
pub fn this_process() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The process that started this one; 0 where it is outside this process's view.
#[must_use]
pub fn parent() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}
