//! Reading the journal of a state directory, while doubles write it or long after.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Entry, State};
use crate::error::Error;

/// The highest version of entries that this ringer reads.
const VERSION: u32 = 1;

/// The journal of a state directory. It holds no file open: each question looks anew.
#[derive(Clone, Debug)]
pub struct Journal {
    state: PathBuf,
}

/// An entry, and whether its spawn still lives.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What the spawn wrote about itself.
    pub entry: Entry,
    /// Whether it still lives.
    pub life: Life,
}

/// Whether a spawn still lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It does.
    Running,
    /// It died without being able to say how: by SIGKILL.
    Killed,
    /// It ended and said how.
    Ended,
}

impl Life {
    /// Its name: `running`, `killed`, `ended`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Life::Running => "running",
            Life::Killed => "killed",
            Life::Ended => "ended",
        }
    }
}

impl Journal {
    /// The journal of a state directory. One that is not there yet has no entries: no double has
    /// been started with it.
    ///
    /// # Errors
    ///
    /// There is something else in that place.
    pub fn of(state: &Path) -> Result<Journal, Error> {
        let wrong = |what: &str| {
            Err(Error::State {
                path: state.to_owned(),
                what: format!("is no state directory{what}"),
            })
        };
        match fs::read_dir(state) {
            Ok(mut found) => {
                let has = |name: &str| state.join(name).exists();
                if has("journal") || found.next().is_none() {
                    return Ok(Journal { state: state.to_owned() });
                }
                if has("ringer.json") {
                    return wrong(" but a stage; its state is where its ringer.json says");
                }
                if has(".ringer") {
                    return wrong(" but a recording directory; its state is in .ringer below it");
                }
                wrong(": it has files, but no journal")
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Journal { state: state.to_owned() })
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => wrong(": it is a file"),
            Err(error) => Err(Error::io("cannot list the state directory", state, error)),
        }
    }

    /// The state directory.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// All entries, in the order of the starts.
    ///
    /// # Errors
    ///
    /// An entry that cannot be read, or is not there though a later one is.
    pub fn records(&self) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        for (number, expected) in self.numbers()?.into_iter().zip(1..) {
            let record = if number == expected { self.record(number)? } else { None };
            let Some(record) = record else {
                return Err(Error::State {
                    path: entry_path(&self.state, expected),
                    what: "is missing, so the journal is not whole; `ringer reset` starts this \
                           state directory anew"
                        .to_owned(),
                });
            };
            records.push(record);
        }
        Ok(records)
    }

    /// The entry of a spawn; none if there is no such spawn.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a later version of ringer wrote it.
    pub fn record(&self, spawn: u64) -> Result<Option<Record>, Error> {
        let Some(entry) = self.entry(spawn)? else { return Ok(None) };
        if entry.state == State::Ended {
            return Ok(Some(Record { entry, life: Life::Ended }));
        }
        if self.is_alive(spawn)? {
            return Ok(Some(Record { entry, life: Life::Running }));
        }
        // It may have ended between the two looks; now that it is dead its entry is final.
        let last = self.entry(spawn)?.unwrap_or(entry);
        let life = if last.state == State::Ended { Life::Ended } else { Life::Killed };
        Ok(Some(Record { entry: last, life }))
    }

    /// The bytes that a spawn has read from stdin so far.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn stdin(&self, spawn: u64) -> Result<Vec<u8>, Error> {
        self.bytes(&stdin_path(&self.state, spawn))
    }

    /// The lines of a live session so far, as JSON lines; empty for any other spawn.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn exchange(&self, spawn: u64) -> Result<Vec<u8>, Error> {
        self.bytes(&exchange_path(&self.state, spawn))
    }

    /// Tells whether a spawn was a live session, with an exchange of lines.
    #[must_use]
    pub fn is_session(&self, spawn: u64) -> bool {
        exchange_path(&self.state, spawn).exists()
    }

    /// The numbers of the spawns that have an entry, in order.
    ///
    /// # Errors
    ///
    /// The journal cannot be listed.
    pub fn numbers(&self) -> Result<Vec<u64>, Error> {
        let folder = self.state.join("journal");
        let unreadable = |error| Error::io("cannot list the journal", &folder, error);
        let listing = match fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut numbers = Vec::new();
        for found in listing {
            let name = found.map_err(unreadable)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".json"));
            numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn entry(&self, spawn: u64) -> Result<Option<Entry>, Error> {
        let path = entry_path(&self.state, spawn);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("cannot read the journal entry", &path, error)),
        };
        let broken = |what: String| Error::State { path: path.clone(), what };
        let entry: Entry = serde_json::from_slice(&text).map_err(|error| {
            broken(format!(
                "is no journal entry ({error}); `ringer reset` starts this state directory anew"
            ))
        })?;
        if entry.ringer > VERSION {
            let version = entry.ringer;
            return Err(broken(format!(
                "is a journal entry of version {version}, this ringer reads up to {VERSION}; \
                 use the ringer whose doubles wrote it"
            )));
        }
        Ok(Some(entry))
    }

    /// A living spawn holds an exclusive lock on its `.stdin` file. The shared lock taken here is
    /// gone at once, and nobody tries the exclusive one of a spawn that has an entry again.
    fn is_alive(&self, spawn: u64) -> Result<bool, Error> {
        let path = stdin_path(&self.state, spawn);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::io("cannot open", &path, error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(Error::io("cannot lock", &path, error)),
        }
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        match fs::read(path) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::io("cannot read", path, error)),
        }
    }
}

/// The path of a spawn's entry within a state directory.
pub(crate) fn entry_path(state: &Path, spawn: u64) -> PathBuf {
    state.join(format!("journal/{spawn:06}.json"))
}

/// The path of the file with the bytes that a spawn read from stdin.
pub(crate) fn stdin_path(state: &Path, spawn: u64) -> PathBuf {
    state.join(format!("journal/{spawn:06}.stdin"))
}

/// The path of the file with the lines of a spawn's live session.
pub(crate) fn exchange_path(state: &Path, spawn: u64) -> PathBuf {
    state.join(format!("journal/{spawn:06}.exchange.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least that an entry may have.
    const ENTRY: &str = r#"{"ringer":1,"spawn":1,"program":"claude","kind":"run","recording":null,
        "play":null,"argv":["claude"],"cwd":"/","env":{},"pid":7,"ppid":6,"pgid":6,"sid":6,
        "new_session":false,"stdin":{"kind":"null","bytes":0,"eof":false,"waited_ms":0,"text":null},
        "waiting_for":null,"stdout":{"kind":"pipe","bytes":0,"lines":0},
        "stderr":{"kind":"pipe","bytes":0,"lines":0},"lines_read":null,"reader_gone":null,
        "signals":[],"terminated":false,"exit":null,"started_at":"2026-01-01T00:00:00Z",
        "ended_at":null,"wall_ms":null,"state":"running","problems":[]}"#;

    fn state(entries: &[(u64, &str)]) -> tempfile::TempDir {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("journal")).unwrap();
        for (number, text) in entries {
            fs::write(entry_path(state.path(), *number), text).unwrap();
            fs::write(stdin_path(state.path(), *number), "").unwrap();
        }
        state
    }

    #[test]
    fn a_spawn_runs_as_long_as_its_stdin_file_is_locked_and_was_killed_if_it_is_not() {
        let state = state(&[(1, ENTRY)]);
        let journal = Journal::of(state.path()).unwrap();
        let held = File::open(stdin_path(state.path(), 1)).unwrap();
        held.lock().unwrap();
        assert_eq!(journal.records().unwrap()[0].life, Life::Running);
        drop(held);
        assert_eq!(journal.records().unwrap()[0].life, Life::Killed);
    }

    #[test]
    fn a_state_directory_that_is_not_there_has_no_entries() {
        let journal = Journal::of(Path::new("/nowhere/at/all")).unwrap();
        assert_eq!(journal.records().unwrap(), []);
    }

    #[test]
    fn a_gap_a_broken_entry_and_a_later_version_are_errors_that_name_the_file() {
        let later = ENTRY.replacen("\"ringer\":1", "\"ringer\":2", 1);
        let cases: [(&[(u64, &str)], &str); 3] = [
            (&[(1, ENTRY), (3, ENTRY)], "000002.json: is missing"),
            (&[(1, "{\"ringer\"")], "000001.json: is no journal entry"),
            (&[(1, &later)], "000001.json: is a journal entry of version 2"),
        ];
        for (entries, expected) in cases {
            let state = state(entries);
            let found = Journal::of(state.path()).unwrap().records().unwrap_err().to_string();
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn another_directory_is_told_from_a_state_directory() {
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("ringer.json"), "{}").unwrap();
        let found = Journal::of(other.path()).unwrap_err().to_string();
        assert!(
            found.ends_with(
                "is no state directory but a stage; its state is where its \
             ringer.json says"
            ),
            "{found}"
        );
    }
}
