//! Adding up the journal anew, where cursor or tables are missing, damaged or out of date.
//!
//! The journal must be whole for that: numbers from 1 without a gap, every entry readable.
//! Otherwise recordings might be handed out twice, so it is refused, with the way out.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use super::StateDir;
use super::cursor::Cursor;
use super::plays::{Found, Plays, Slot};
use crate::directory::Pool;
use crate::error::Error;

/// What of an entry matters here.
#[derive(Debug, Deserialize)]
pub(super) struct EntryClaim {
    pub spawn: u64,
    pub recording: Option<String>,
    pub play: Option<u64>,
}

/// Reads the claim of an entry, if there is such an entry.
pub(super) fn read_entry(path: &Path) -> Result<Option<EntryClaim>, Error> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("cannot read", path, error)),
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| Error::State {
        path: path.to_owned(),
        what: format!(
            "is no journal entry ({error}), so what was handed out cannot be told; \
             `ringer reset` starts this state directory anew"
        ),
    })
}

/// Makes cursor and tables from the journal; with an empty journal, those of a fresh state.
pub(super) fn from_journal(state: &StateDir) -> Result<(Cursor, File), Error> {
    let claims = claims(state)?;
    let mut cursor = Cursor::at(claims.len() as u64);
    for claim in &claims {
        let Some(recording) = &claim.recording else { continue };
        let (pool, _) = Pool::split(recording);
        cursor.set_plays(pool, cursor.plays_of(pool) + u64::from(claim.play.is_some()));
    }
    // The tables are made when they are next asked for: one that the cursor knows of and that is
    // not there is added up from the journal.
    for pool in &cursor.pools {
        remove_table(state, &pool.name)?;
    }
    let file = cursor.create(state)?;
    Ok((cursor, file))
}

/// The plays of one pool as the journal tells them.
pub(super) fn plays_in_journal(
    state: &StateDir,
    pool: &str,
) -> Result<HashMap<String, Slot>, Error> {
    let mut known = HashMap::new();
    for claim in claims(state)? {
        let (Some(recording), Some(play)) = (claim.recording, claim.play) else { continue };
        let (in_pool, name) = Pool::split(&recording);
        if in_pool == pool {
            note(&mut known, name, play);
        }
    }
    Ok(known)
}

/// Makes sure that a pool's table knows of a play, the last of `total`; without a table, or with one
/// that misses more than this play, the next listing adds it up.
pub(super) fn note_play(
    state: &StateDir,
    pool: &str,
    recording: &str,
    play: u64,
    total: u64,
) -> Result<(), Error> {
    // The folder is not looked at: whatever it holds, the table must know what was handed out.
    let folder = Pool { path: state.path.clone(), name: pool.to_owned() };
    let Found::Whole(plays) = Plays::open(state, folder)? else { return remove_table(state, pool) };
    if plays.total != total && plays.total + 1 != total {
        return remove_table(state, pool);
    }
    let Some(known) = plays.read_all()? else { return remove_table(state, pool) };
    let (_, name) = Pool::split(recording);
    match known.get(name) {
        Some(slot) if u64::from(slot.taken) >= play => plays.set_total(total),
        Some(slot) => plays.take(slot.index, u32::try_from(play).unwrap_or(u32::MAX), total),
        None => remove_table(state, pool),
    }
}

/// Removes a table, so that it is made anew from the journal.
fn remove_table(state: &StateDir, pool: &str) -> Result<(), Error> {
    let path = Plays::path_of(state, pool);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("cannot remove", &path, error))
        }
        _ => Ok(()),
    }
}

fn note(known: &mut HashMap<String, Slot>, name: &str, play: u64) {
    let play = u32::try_from(play).unwrap_or(u32::MAX);
    let slot = known.entry(name.to_owned()).or_insert_with(|| Slot::new(name.to_owned()));
    slot.taken = slot.taken.max(play);
}

/// All claims in the journal, by the number of the spawn.
fn claims(state: &StateDir) -> Result<Vec<EntryClaim>, Error> {
    let journal = state.path.join("journal");
    let unreadable = |error| Error::io("cannot list", &journal, error);
    let mut claims = Vec::new();
    for found in std::fs::read_dir(&journal).map_err(unreadable)? {
        let name = found.map_err(unreadable)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".json"));
        if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            claims.extend(read_entry(&journal.join(&name))?);
        }
    }
    claims.sort_by_key(|claim: &EntryClaim| claim.spawn);
    let wrong = claims.iter().zip(1..).find(|(claim, number)| claim.spawn != *number);
    match wrong {
        None => Ok(claims),
        Some((claim, number)) => Err(Error::State {
            path: state.path.join("cursor"),
            what: format!(
                "is missing, damaged or out of date, and cannot be made anew from the journal: \
                 spawn {number} is not in it, {} is; `ringer reset` starts this state directory anew",
                claim.spawn
            ),
        }),
    }
}
