//! Recordings with plays left.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{BufReader, Read as _, Seek as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::directory::{Pool, natural_order};
use crate::error::Error;
use crate::journal::Record;
use crate::recording::{Kind, Plays, read_header};

/// A recording with plays left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The recording directory.
    pub recordings: PathBuf,
    /// The recording, as a path below it, with `/`.
    pub recording: String,
    /// How many plays are left.
    pub left: u32,
    /// How many there were.
    pub plays: u32,
}

/// What a recording directory holds.
pub(super) struct Found {
    /// Recordings that are handed out a number of times; one that is never left over counts only
    /// once it was played.
    pub total: usize,
    /// Those with plays left, in order.
    pub left: Vec<Left>,
}

/// Compares a recording directory with the plays that these spawns got.
///
/// # Errors
///
/// The directory cannot be listed.
pub(super) fn of_directory(recordings: &Path, spawns: &[&Record]) -> Result<Found, Error> {
    let mut taken: HashMap<&str, u32> = HashMap::new();
    for record in spawns {
        if let (Some(recording), Some(_)) = (&record.entry.recording, record.entry.play) {
            *taken.entry(recording).or_default() += 1;
        }
    }
    let mut found = Found { total: 0, left: Vec::new() };
    for pool in pools(recordings)? {
        for file in pool.list()? {
            let recording = pool.recording(&file);
            let taken = taken.get(recording.as_str()).copied().unwrap_or(0);
            let plays = match plays(&pool.path.join(&file)) {
                Some(plays) => plays,
                None if taken > 0 => taken,
                None => continue,
            };
            found.total += usize::from(plays > 0);
            let left = plays.saturating_sub(taken);
            if left > 0 {
                let recordings = recordings.to_owned();
                found.left.push(Left { recordings, recording, left, plays });
            }
        }
    }
    Ok(found)
}

/// The directory itself and its folders, in order.
fn pools(recordings: &Path) -> Result<Vec<Pool>, Error> {
    let unreadable = |error| Error::io("cannot list the recordings in", recordings, error);
    let mut names = Vec::new();
    for found in fs::read_dir(recordings).map_err(unreadable)? {
        let found = found.map_err(unreadable)?;
        let Ok(name) = found.file_name().into_string() else { continue };
        if !name.starts_with(['.', '_']) && found.path().is_dir() {
            names.push(name);
        }
    }
    names.sort_by(|a, b| natural_order(a, b));
    let itself = Pool { path: recordings.to_owned(), name: String::new() };
    let folders = names.into_iter().map(|name| Pool { path: recordings.join(&name), name });
    Ok(std::iter::once(itself).chain(folders).collect())
}

/// How often a recording is handed out; none if it is never left over. One that cannot be read is
/// handed out once, to be named.
fn plays(path: &Path) -> Option<u32> {
    let Some(header) = header(path) else { return Some(1) };
    match header.plays {
        _ if header.probe => None,
        Plays::Any => None,
        Plays::Times(times) => Some(times),
    }
}

fn header(path: &Path) -> Option<crate::recording::Header> {
    // A named pipe must not be waited for.
    let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let mut file = opened.ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
    let mut start = Vec::with_capacity(Kind::ENOUGH);
    (&mut file).take(Kind::ENOUGH as u64).read_to_end(&mut start).ok()?;
    match Kind::of(&start, start.len() < Kind::ENOUGH) {
        Some(Kind::Steps) => {}
        Some(Kind::Raw) | None => return None,
    }
    file.rewind().ok()?;
    read_header(BufReader::new(file)).ok()
}
