//! What happens under the lock: numbers and recordings are handed out.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use jiff::Timestamp;

use super::choice::{Choice, Depth, Pick, Shortage, Weighed, last_that_accepts, scan, scan_probes};
use super::cursor::{Announced, Cursor, Found as FoundCursor};
use super::plays::{Found as FoundPlays, Plays};
use super::rebuild;
use super::{StateDir, Ticket};
use crate::directory::Pool;
use crate::error::Error;
use crate::journal::Entry;

/// The state directory while its lock is held by this process.
#[derive(Debug)]
pub struct Ledger<'a> {
    state: &'a StateDir,
    cursor: Cursor,
    cursor_file: File,
    /// The table that a recording was last chosen from.
    table: Option<Plays>,
    _lock: File,
}

impl<'a> Ledger<'a> {
    /// Reads the cursor and settles what a spawn that died under the lock has left.
    pub(super) fn open(state: &'a StateDir, lock: File) -> Result<Ledger<'a>, Error> {
        let (cursor, cursor_file) = match Cursor::read(state)? {
            FoundCursor::Whole(cursor, file) => (cursor, file),
            FoundCursor::Missing | FoundCursor::Damaged => rebuild::from_journal(state)?,
        };
        let mut ledger = Ledger { state, cursor, cursor_file, table: None, _lock: lock };
        ledger.settle_unknown_spawn()?;
        ledger.settle_announcement()?;
        Ok(ledger)
    }

    /// Gives the next number out; the spawn's entry must follow by [`Ledger::enter`].
    ///
    /// # Errors
    ///
    /// The file that marks the spawn as living cannot be made.
    pub fn ticket(&self) -> Result<Ticket, Error> {
        Ticket::issue(self.state, self.cursor.spawns + 1)
    }

    /// Finds the first recording of a pool, in order, that has plays left and accepts the spawn.
    /// `weigh` opens a recording and says how it stands to the spawn.
    ///
    /// # Errors
    ///
    /// The pool cannot be listed, is empty, or its table cannot be read.
    pub fn choose<T>(
        &mut self,
        pool: &Pool,
        persona: &str,
        repeat_last: bool,
        weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
    ) -> Result<Choice<T>, Error> {
        let mut plays = self.plays(pool)?;
        if plays.count == 0 {
            return Err(pool.empty(persona));
        }
        let mut shortage =
            Shortage { last_play: self.cursor.last_play.clone(), ..Shortage::default() };
        if let Some(choice) = scan(&mut plays, Depth::Quick, &mut Shortage::default(), weigh)? {
            self.table = Some(plays);
            return Ok(choice);
        }
        // Nothing was found, so time does not matter: a spent recording may have been changed.
        if let Some(choice) = scan(&mut plays, Depth::Careful, &mut shortage, weigh)? {
            return Ok(choice);
        }
        if shortage.on_cursor == 0 {
            return Err(pool.empty(persona));
        }
        if repeat_last && let Some(choice) = last_that_accepts(&plays, weigh)? {
            return Ok(choice);
        }
        Ok(Choice::Nothing(shortage))
    }

    /// Finds the first recording of a pool that answers a probe; it uses nothing up.
    ///
    /// # Errors
    ///
    /// The pool cannot be listed, or its table cannot be read.
    pub fn choose_probe<T>(
        &mut self,
        pool: &Pool,
        weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
    ) -> Result<Option<Pick<T>>, Error> {
        let plays = self.plays(pool)?;
        scan_probes(&plays, weigh)
    }

    /// Enters a spawn that has a ticket into the journal, with the recording it claims, if it
    /// claims one at its start.
    ///
    /// # Errors
    ///
    /// The entry cannot be written: then nothing has happened and the number is free again. Or the
    /// table or the cursor cannot: then the next spawn does it.
    pub fn enter<T>(
        &mut self,
        ticket: Ticket,
        entry: &mut Entry,
        pick: Option<&Pick<T>>,
    ) -> Result<Ticket, Error> {
        if let Some(pick) = pick {
            entry.recording = Some(pick.recording.clone());
            entry.play = pick.play;
        }
        if let Err(error) = ticket.write(entry) {
            ticket.withdraw();
            return Err(error);
        }
        if let Some(pick) = pick {
            self.settle_pick(pick)?;
        }
        self.cursor.spawns = ticket.number();
        self.write_cursor()?;
        Ok(ticket)
    }

    /// Claims a recording for a spawn that is in the journal already.
    ///
    /// # Errors
    ///
    /// The announcement or the entry cannot be written: then nothing is claimed. Or the table
    /// cannot: then the next spawn does it.
    pub fn claim_later<T>(
        &mut self,
        ticket: &Ticket,
        entry: &mut Entry,
        pick: &Pick<T>,
    ) -> Result<(), Error> {
        if let Some(play) = pick.play {
            let (spawn, recording) = (ticket.number(), pick.recording.clone());
            self.cursor.announced = Some(Announced { spawn, recording, play });
            self.write_cursor()?;
        }
        entry.recording = Some(pick.recording.clone());
        entry.play = pick.play;
        if let Err(error) = ticket.write(entry) {
            (entry.recording, entry.play) = (None, None);
            return Err(error);
        }
        self.settle_pick(pick)?;
        self.cursor.announced = None;
        self.write_cursor()
    }

    fn settle_pick<T>(&mut self, pick: &Pick<T>) -> Result<(), Error> {
        let Some(play) = pick.play else { return Ok(()) };
        self.cursor.last_play = Some(Timestamp::now().to_string());
        let table = match self.table.take() {
            Some(table) if table.pool == pick.pool => table,
            _ => self.plays(&pick.pool)?,
        };
        let total = self.cursor.plays_of(&pick.pool.name) + 1;
        table.take(pick.index, u32::try_from(play).unwrap_or(u32::MAX), total)?;
        self.cursor.set_plays(&pick.pool.name, total);
        Ok(())
    }

    fn write_cursor(&self) -> Result<(), Error> {
        self.cursor.write(self.state, &self.cursor_file)
    }

    /// The table of a pool, listed anew if its folder has changed.
    fn plays(&mut self, pool: &Pool) -> Result<Plays, Error> {
        let known = match Plays::open(self.state, pool.clone())? {
            FoundPlays::Whole(plays) if plays.total != self.cursor.plays_of(&pool.name) => None,
            FoundPlays::Whole(plays) if plays.is_current()? => return Ok(plays),
            FoundPlays::Whole(plays) => plays.read_all()?,
            FoundPlays::Missing if !self.cursor.has_pool(&pool.name) => Some(HashMap::new()),
            FoundPlays::Missing | FoundPlays::Damaged => None,
        };
        let known = match known {
            Some(known) => known,
            None => rebuild::plays_in_journal(self.state, &pool.name)?,
        };
        let plays = Plays::list(self.state, pool.clone(), known)?;
        if !self.cursor.has_pool(&pool.name) || self.cursor.plays_of(&pool.name) != plays.total {
            self.cursor.set_plays(&pool.name, plays.total);
            self.write_cursor()?;
        }
        Ok(plays)
    }

    /// A spawn that died after its entry appeared and before the cursor knew of it: its claim
    /// holds. More than one such spawn cannot be; then the cursor is an old one.
    fn settle_unknown_spawn(&mut self) -> Result<(), Error> {
        let next = self.cursor.spawns + 1;
        let Some(entry) = rebuild::read_entry(&self.state.entry_path(next))? else {
            return Ok(());
        };
        if rebuild::read_entry(&self.state.entry_path(next + 1))?.is_some() {
            (self.cursor, self.cursor_file) = rebuild::from_journal(self.state)?;
            return Ok(());
        }
        if let (Some(recording), Some(play)) = (entry.recording, entry.play) {
            self.settle_play(&recording, play)?;
        }
        self.cursor.spawns = next;
        self.write_cursor()
    }

    /// A later claim that was announced by a spawn that died before it was done.
    fn settle_announcement(&mut self) -> Result<(), Error> {
        let Some(announced) = self.cursor.announced.take() else { return Ok(()) };
        let entry = rebuild::read_entry(&self.state.entry_path(announced.spawn))?;
        let (recording, play) = (Some(announced.recording.clone()), Some(announced.play));
        if entry.is_some_and(|entry| entry.recording == recording && entry.play == play) {
            self.settle_play(&announced.recording, announced.play)?;
        }
        self.write_cursor()
    }

    /// Makes sure that the table knows of a play.
    fn settle_play(&mut self, recording: &str, play: u64) -> Result<(), Error> {
        let (pool, _) = Pool::split(recording);
        let total = self.cursor.plays_of(pool) + 1;
        rebuild::note_play(self.state, pool, recording, play, total)?;
        self.cursor.set_plays(pool, total);
        Ok(())
    }
}
