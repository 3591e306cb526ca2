//! The state directory: which recordings were handed out, and to whom.
//!
//! Everything that must be exact happens while the `lock` file is held: a spawn gets its number, a
//! recording is chosen, both become known to those who come later. Nothing is played and nothing is
//! waited for under the lock. Processes die at any instruction here, by SIGKILL; the machine does
//! not, so nothing is synced. The order of the writes is made for that:
//!
//! * A spawn that claims at its start: its `.stdin` file is made and locked, its entry appears
//!   whole by a rename and names the recording, then the table of plays, then the cursor. Whoever
//!   finds an entry beyond the cursor's count knows that its spawn died in between, and does the
//!   last two writes for it.
//! * A later claim (a live session at its first message): announced in the cursor, then the entry
//!   names it, then the table, then the announcement goes. Whoever finds an announcement looks at
//!   that one entry: if it names the recording the claim holds, if not it never happened.
//!
//! The journal is the truth; cursor and tables are its sum, and are added up anew from it when they
//! are missing, damaged, or behind by more than one spawn.

mod choice;
mod cursor;
mod ledger;
mod plays;
mod rebuild;
mod reset;
mod ticket;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use choice::{Choice, Depth, Fit, Pick, Shortage, Weighed};
pub use ledger::Ledger;
pub use plays::{Allowed, Duty, Stamp};
#[cfg(feature = "cli")]
pub use reset::Cleared;
pub use reset::reset;
pub use ticket::Ticket;

use crate::error::Error;
use crate::journal::{self, ProblemKind};
use crate::sys;

/// The note in a state directory that is removed at the end of a run.
const TEMPORARY: &str = ".temporary";

/// A state directory.
#[derive(Clone, Debug)]
pub struct StateDir {
    path: PathBuf,
    /// How long its lock is waited for.
    patience: Option<Patience>,
}

/// The life of a double, which is all the time that it has for the lock.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// When it must have ended.
    until: Instant,
    /// How long it lives in all.
    life: Duration,
}

impl StateDir {
    /// Opens a state directory, making it if it is not there. The default one, inside the
    /// recordings, gets a `.gitignore` that hides it.
    ///
    /// # Errors
    ///
    /// The directory cannot be made.
    pub fn open(path: PathBuf, ignored_by_git: bool) -> Result<StateDir, Error> {
        let journal = path.join("journal");
        if std::fs::metadata(&journal).is_err() {
            make_dir(&journal)?;
            if ignored_by_git {
                let file = path.join(".gitignore");
                std::fs::write(&file, "*\n").map_err(|e| Error::io("cannot write", &file, e))?;
            }
        }
        Ok(StateDir { path, patience: None })
    }

    /// The same directory for a double that has started at this time and may live so long: it waits
    /// for the lock no longer than that.
    #[must_use]
    pub fn for_a_life(&self, started: Instant, life: Duration) -> StateDir {
        let until = started.checked_add(life);
        StateDir { path: self.path.clone(), patience: until.map(|until| Patience { until, life }) }
    }

    /// Notes that the directory is removed at the end of a run, so that nobody is sent to it.
    ///
    /// # Errors
    ///
    /// The note cannot be written.
    #[cfg(feature = "cli")]
    pub fn mark_temporary(&self) -> Result<(), Error> {
        let note = self.path.join(TEMPORARY);
        std::fs::write(&note, "").map_err(|error| Error::io("cannot write", &note, error))
    }

    /// Whether it is removed at the end of a run.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.path.join(TEMPORARY).exists()
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a spawn's journal entry.
    #[must_use]
    pub fn entry_path(&self, spawn: u64) -> PathBuf {
        journal::entry_path(&self.path, spawn)
    }

    /// The path of the file with the bytes that a spawn read from stdin.
    #[must_use]
    pub fn stdin_path(&self, spawn: u64) -> PathBuf {
        journal::stdin_path(&self.path, spawn)
    }

    /// The path of the file with the lines of a spawn's live session.
    #[must_use]
    pub fn exchange_path(&self, spawn: u64) -> PathBuf {
        journal::exchange_path(&self.path, spawn)
    }

    /// Waits for the lock and puts right what a spawn that died under it has left.
    ///
    /// # Errors
    ///
    /// The state cannot be read or written, or contradicts itself.
    pub fn lock(&self) -> Result<Ledger<'_>, Error> {
        Ledger::open(self, self.hold()?)
    }

    /// Waits for the lock.
    fn hold(&self) -> Result<File, Error> {
        let path = self.path.join("lock");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| Error::io("cannot open", &path, error))?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(Error::io("cannot lock", &path, error)),
        }
        if let Some(patience) = self.patience {
            sys::interrupt_after(patience.until.saturating_duration_since(Instant::now()));
        }
        loop {
            match file.lock() {
                Ok(()) => return Ok(file),
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    die_of_pending_signal();
                    self.patience.map_or(Ok(()), |patience| patience.check(&path))?;
                }
                Err(error) => return Err(Error::io("cannot lock", &path, error)),
            }
        }
    }

    /// Replaces a file of the state as a whole: its readers see the old one or the new one.
    fn replace(&self, scratch: &str, path: &Path, contents: &[u8]) -> Result<(), Error> {
        let scratch = self.path.join(scratch);
        let written = create(&scratch).and_then(|mut file| file.write_all(contents));
        let done = written.and_then(|()| std::fs::rename(&scratch, path));
        done.map_err(|error| {
            // What was half written is of no use to anybody.
            let _ = std::fs::remove_file(&scratch);
            Error::io("cannot write", path, error)
        })
    }
}

impl Patience {
    /// Ends a double that has waited for its whole life.
    fn check(&self, lock: &Path) -> Result<(), Error> {
        if Instant::now() < self.until {
            return Ok(());
        }
        Err(Error::Play {
            kind: ProblemKind::Expired,
            what: format!(
                "{}: ended itself after {} s (RINGER_MAX_LIFE), as another process holds this lock \
                 and does not let go; a double or `ringer` that was stopped while it held it must \
                 go on or be killed",
                lock.display(),
                self.life.as_secs_f64()
            ),
        })
    }
}

/// A signal that comes while a spawn waits for the lock finds no entry and nothing claimed: it ends
/// the process as it would have without ringer.
fn die_of_pending_signal() {
    if let Some(number) = sys::take_signal() {
        sys::die_by(number);
    }
}

fn make_dir(path: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| Error::io("cannot make the state directory", path, error))
}

fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// A checksum against a spoilt file, not against people: 64-bit FNV-1a.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
