//! Starting a state directory anew.
//!
//! Cursor and tables go first: whoever dies in between has left a whole journal, from which they
//! are made again as they were. Then the journal goes out of sight by one rename. The lock file
//! stays, since others may be waiting for it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{StateDir, make_dir};
use crate::error::Error;
use crate::journal::{Journal, Life};

/// What a reset has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// There was no state directory, so there was nothing to do.
    Nothing,
    /// So many spawns were in the journal.
    Spawns(usize),
}

/// Removes what a state directory says of the past: cursor, tables, journal. Everything else in it
/// is left alone.
///
/// # Errors
///
/// The directory is no state directory; a double still runs there and `even_running` is not set;
/// something cannot be removed.
pub fn reset(path: &Path, even_running: bool) -> Result<Cleared, Error> {
    let journal = Journal::of(path)?;
    if !path.join("journal").exists() {
        return Ok(Cleared::Nothing);
    }
    let state = StateDir { path: path.to_owned(), patience: None };
    let _lock = state.hold()?;
    let numbers = journal.numbers()?;
    if !even_running {
        refuse_running(&journal, &numbers)?;
    }
    remove(&path.join("cursor"))?;
    for table in tables(path)? {
        remove(&path.join(table))?;
    }
    let (folder, old) = (path.join("journal"), path.join(".journal.old"));
    remove_dir(&old)?;
    fs::rename(&folder, &old).map_err(|error| Error::io("cannot remove", &folder, error))?;
    make_dir(&folder)?;
    remove_dir(&old)?;
    Ok(Cleared::Spawns(numbers.len()))
}

/// A damaged entry is no obstacle: it is what a reset is for.
fn refuse_running(journal: &Journal, numbers: &[u64]) -> Result<(), Error> {
    let records = numbers.iter().filter_map(|number| journal.record(*number).ok().flatten());
    let running: Vec<_> = records.filter(|record| record.life == Life::Running).collect();
    let Some(first) = running.first() else { return Ok(()) };
    let more = match running.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Err(Error::State {
        path: journal.state().to_owned(),
        what: format!(
            "a double still runs with it: spawn {}, {}, pid {}{more}; end it first (`ringer \
             status` shows what it waits for), or use --force",
            first.entry.spawn, first.entry.program, first.entry.pid
        ),
    })
}

/// The names of the tables of plays, and of files that were being written when somebody died.
fn tables(path: &Path) -> Result<Vec<String>, Error> {
    let unreadable = |error| Error::io("cannot list", path, error);
    let mut names = Vec::new();
    for found in fs::read_dir(path).map_err(unreadable)? {
        let Ok(name) = found.map_err(unreadable)?.file_name().into_string() else { continue };
        let number = name.strip_prefix('.').and_then(|name| name.strip_suffix(".json"));
        let entry = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let scratch = entry || name == ".cursor.new" || name == ".plays.new";
        if name == "plays" || name.starts_with("plays-") || scratch {
            names.push(name);
        }
    }
    Ok(names)
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("cannot remove", path, error))
        }
        _ => Ok(()),
    }
}

fn remove_dir(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("cannot remove", path, error))
        }
        _ => Ok(()),
    }
}
