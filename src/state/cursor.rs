//! The `cursor` file: how many spawns there were, and the one later claim that may be under way.
//!
//! One block of fixed size, two lines of text and padding, written in place by one call: a process
//! that is killed has written all of it or nothing. The second line is a checksum, for files that
//! were cut or spoilt by something else.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;

use serde::{Deserialize, Serialize};

use super::{StateDir, checksum};
use crate::error::Error;

/// Large enough for any file name of a recording, escaped; small enough to stay within one page.
const BLOCK: usize = 4096;

/// What the cursor says.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Cursor {
    /// The version of this format: 1.
    pub ringer: u32,
    /// Spawns that are known to cursor and tables.
    pub spawns: u64,
    /// A claim that was announced and may have happened.
    pub announced: Option<Announced>,
    /// The pools that have a table.
    pub pools: Vec<PoolPlays>,
    /// When a recording was last handed out, for messages.
    pub last_play: Option<String>,
}

/// A pool and how many plays were handed out of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct PoolPlays {
    /// The pool's name.
    pub name: String,
    /// Plays of all its recordings together; a table that says otherwise is an old one.
    pub plays: u64,
}

/// A claim by a spawn that already has an entry.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Announced {
    /// The spawn.
    pub spawn: u64,
    /// The recording, as the journal has it.
    pub recording: String,
    /// Which play of it.
    pub play: u64,
}

/// The cursor file as it was found.
pub(super) enum Found {
    /// There is none.
    Missing,
    /// It cannot be trusted.
    Damaged,
    /// It is whole.
    Whole(Cursor, File),
}

impl Cursor {
    /// A cursor over a number of spawns.
    pub fn at(spawns: u64) -> Cursor {
        Cursor { ringer: 1, spawns, ..Cursor::default() }
    }

    /// Tells whether the pool of this name has had a table.
    pub fn has_pool(&self, pool: &str) -> bool {
        self.pools.iter().any(|known| known.name == pool)
    }

    /// How many plays of a pool were handed out.
    pub fn plays_of(&self, pool: &str) -> u64 {
        self.pools.iter().find(|known| known.name == pool).map_or(0, |known| known.plays)
    }

    /// Notes how many plays of a pool were handed out.
    pub fn set_plays(&mut self, pool: &str, plays: u64) {
        match self.pools.iter_mut().find(|known| known.name == pool) {
            Some(known) => known.plays = plays,
            None => self.pools.push(PoolPlays { name: pool.to_owned(), plays }),
        }
    }

    /// Reads the cursor of a state directory.
    pub fn read(state: &StateDir) -> Result<Found, Error> {
        let path = state.path.join("cursor");
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Missing),
            Err(error) => return Err(Error::io("cannot open", &path, error)),
        };
        let mut block = [0; BLOCK];
        match file.read_exact_at(&mut block, 0) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Found::Damaged),
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        }
        Ok(Cursor::parse(&block).map_or(Found::Damaged, |cursor| Found::Whole(cursor, file)))
    }

    fn parse(block: &[u8]) -> Option<Cursor> {
        let mut lines = block.splitn(3, |byte| *byte == b'\n');
        let (text, check) = (lines.next()?, lines.next()?);
        let check = u64::from_str_radix(std::str::from_utf8(check).ok()?, 16).ok()?;
        if check != checksum(text) {
            return None;
        }
        serde_json::from_slice(text).ok().filter(|cursor: &Cursor| cursor.ringer == 1)
    }

    /// The block that says this.
    fn block(&self) -> Vec<u8> {
        // A struct of numbers and strings always serialises; were it not so, the empty text would
        // be found damaged and added up anew from the journal.
        let text = serde_json::to_string(self).unwrap_or_default();
        let mut block = format!("{text}\n{:016x}\n", checksum(text.as_bytes())).into_bytes();
        block.resize(BLOCK, b' ');
        block
    }

    /// Writes it over the open cursor file.
    pub fn write(&self, state: &StateDir, file: &File) -> Result<(), Error> {
        let written = file.write_all_at(&self.block(), 0);
        written.map_err(|error| Error::io("cannot write", &state.path.join("cursor"), error))
    }

    /// Makes the cursor file anew, as a whole.
    pub fn create(&self, state: &StateDir) -> Result<File, Error> {
        let path = state.path.join("cursor");
        state.replace(".cursor.new", &path, &self.block())?;
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        opened.map_err(|error| Error::io("cannot open", &path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let announced = Announced { spawn: 7, recording: "claude/a b.jsonl".into(), play: 2 };
        let cursor =
            Cursor { announced: Some(announced), last_play: Some("now".into()), ..Cursor::at(12) };
        assert_eq!(Cursor::parse(&cursor.block()), Some(cursor));
    }

    #[test]
    fn a_changed_digit_is_found_out() {
        let mut block = Cursor::at(12).block();
        let digit = block.iter().position(|byte| *byte == b'2').unwrap();
        block[digit] = b'3';
        assert_eq!(Cursor::parse(&block), None);
    }
}
