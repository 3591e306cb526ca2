//! A spawn's place in the journal: its number, the file with its stdin, its entry.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;

use super::StateDir;
use crate::error::Error;
use crate::journal::Entry;

/// A spawn's number and the lock that says that it lives: as long as this value is held, readers
/// of the journal take the spawn for running.
#[derive(Debug)]
pub struct Ticket {
    state: StateDir,
    number: u64,
    stdin: File,
}

impl Ticket {
    /// Makes and locks the `.stdin` file of a number. The caller holds the state's lock, so a file
    /// that is there already is that of a spawn which died before it had an entry.
    pub(super) fn issue(state: &StateDir, number: u64) -> Result<Ticket, Error> {
        let path = state.stdin_path(number);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600).custom_flags(libc::O_TRUNC);
        let stdin = options.open(&path).map_err(|error| Error::io("cannot make", &path, error))?;
        match stdin.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::State {
                    path,
                    what: "is locked by a spawn that is not in the journal; was the journal \
                           cleared under a running test? `ringer reset` makes it anew"
                        .to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("cannot lock", &path, error)),
        }
        Ok(Ticket { state: state.clone(), number, stdin })
    }

    /// The number of the spawn.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The state directory.
    #[must_use]
    pub fn state(&self) -> &StateDir {
        &self.state
    }

    /// Replaces the spawn's entry as a whole.
    ///
    /// # Errors
    ///
    /// The entry cannot be written.
    pub fn write(&self, entry: &Entry) -> Result<(), Error> {
        let path = self.state.entry_path(self.number);
        let mut text = serde_json::to_vec(entry)
            .map_err(|error| Error::io("cannot write", &path, std::io::Error::from(error)))?;
        text.push(b'\n');
        self.state.replace(&format!(".{:06}.json", self.number), &path, &text)
    }

    /// Keeps bytes that came by stdin.
    ///
    /// # Errors
    ///
    /// The bytes cannot be written.
    pub fn keep_stdin(&self, bytes: &[u8]) -> Result<(), Error> {
        let written = (&self.stdin).write_all(bytes);
        written.map_err(|e| Error::io("cannot write", &self.state.stdin_path(self.number), e))
    }

    /// Opens the file for the lines of a live session.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn exchange(&self) -> Result<File, Error> {
        let path = self.state.exchange_path(self.number);
        let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        opened.map_err(|error| Error::io("cannot make", &path, error))
    }

    /// Takes back what was made for a spawn whose entry could not be written.
    pub(super) fn withdraw(self) {
        let _ = std::fs::remove_file(self.state.stdin_path(self.number));
    }
}
