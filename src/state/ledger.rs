//! What happens under the lock: numbers and recordings are handed out.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use jiff::Timestamp;

use super::cursor::{Announced, Cursor, Found as FoundCursor};
pub use super::plays::{Allowed, Duty, Stamp};
use super::plays::{Found as FoundPlays, Plays, Slot};
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

/// What was found out about a recording that might be next.
#[derive(Debug)]
pub struct Weighed<T> {
    /// The version of the file that was looked at, if it could be.
    pub stamp: Option<Stamp>,
    /// What it is there for.
    pub duty: Duty,
    /// How often it may be played.
    pub plays: Allowed,
    /// Whether it accepts the spawn.
    pub fit: Fit,
    /// The recording itself, opened.
    pub item: T,
}

/// How closely recordings are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only as far as it takes to choose one.
    Quick,
    /// Everything, to say why there is none: slower, and only worth it when nothing was found.
    Careful,
}

/// Whether a recording accepts a spawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It does.
    Accepts,
    /// It does not; the conditions that failed, in words, if it was looked at carefully.
    Rejects(Vec<String>),
    /// It cannot be told before the prompt or stdin has been read.
    Needs,
}

/// A recording that was chosen and not yet claimed.
#[derive(Debug)]
pub struct Pick<T> {
    /// Its path below the recording directory.
    pub recording: String,
    /// Which play of it this is, from 1; none for a recording that is not on the cursor.
    pub play: Option<u64>,
    /// The recording itself, opened.
    pub item: T,
    index: u32,
    pool: Pool,
}

/// What came of looking for a recording.
#[derive(Debug)]
pub enum Choice<T> {
    /// This one is next.
    Found(Pick<T>),
    /// The one that would be next asks for the prompt or stdin.
    Needs(T),
    /// There is none.
    Nothing(Shortage),
}

/// Why no recording was found.
#[derive(Clone, Debug, Default)]
pub struct Shortage {
    /// Recordings on the cursor.
    on_cursor: u32,
    /// Those of them that are handed out a number of times; one that is never left over
    /// counts only once it was played, as it does for the verdict.
    pub recordings: u32,
    /// How many of them have no plays left.
    pub spent: u32,
    /// When a recording was last handed out.
    pub last_play: Option<String>,
    /// Recordings that have plays left, in order, with the conditions that failed.
    pub near: Vec<(String, Vec<String>)>,
}

impl Shortage {
    fn count(&mut self, slot: &Slot) {
        self.on_cursor += 1;
        match slot.allowed {
            Allowed::Times(0) => {}
            Allowed::Any if slot.taken == 0 => {}
            Allowed::Any => {
                self.recordings += 1;
                self.spent += 1;
            }
            Allowed::Times(_) | Allowed::Unknown => {
                self.recordings += 1;
                self.spent += u32::from(slot.spent());
            }
        }
    }
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

/// Looks for a recording that has plays left and accepts the spawn.
///
/// In passing, the head of the table moves on, and what the table says of spent recordings and
/// probes is taken as it stands. The careful way starts at the first slot and looks at every file's
/// version.
fn scan<T>(
    plays: &mut Plays,
    depth: Depth,
    shortage: &mut Shortage,
    weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
) -> Result<Option<Choice<T>>, Error> {
    let careful = depth == Depth::Careful;
    let mut from = if careful { 0 } else { plays.head };
    let mut head = from;
    while from < plays.count {
        for mut slot in plays.read(from)? {
            from += 1;
            let known = slot.gone || !careful || is_unchanged(plays, &slot);
            let weighed = if known && (slot.duty == Duty::Probes || slot.spent()) {
                None
            } else {
                Some(look(plays, &mut slot, depth, weigh)?)
            };
            if !slot.gone && slot.duty == Duty::Cursor {
                shortage.count(&slot);
            }
            match weighed {
                Some(weighed) if slot.duty != Duty::Probes && !slot.spent() => {
                    if let Some(choice) = judge(plays, &slot, weighed, shortage) {
                        plays.move_head(if careful { plays.head } else { head })?;
                        return Ok(Some(choice));
                    }
                }
                // Nothing to be had here, now and later: the head may pass.
                _ if head == slot.index => head += 1,
                _ => {}
            }
        }
    }
    Ok(None)
}

/// Looks for a recording that answers a probe.
fn scan_probes<T>(
    plays: &Plays,
    weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
) -> Result<Option<Pick<T>>, Error> {
    let mut from = 0;
    while from < plays.count {
        for mut slot in plays.read(from)? {
            from += 1;
            let looked_at = slot.allowed != Allowed::Unknown && is_unchanged(plays, &slot);
            if slot.gone || looked_at && slot.duty == Duty::Cursor {
                continue;
            }
            let weighed = look(plays, &mut slot, Depth::Quick, weigh)?;
            if slot.duty != Duty::Cursor && weighed.fit == Fit::Accepts {
                return Ok(Some(pick(plays, &slot, weighed.item)));
            }
        }
    }
    Ok(None)
}

/// Has a recording looked at, and notes what was learnt.
fn look<T>(
    plays: &Plays,
    slot: &mut Slot,
    depth: Depth,
    weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
) -> Result<Weighed<T>, Error> {
    let weighed = weigh(&plays.pool.path.join(&slot.name), depth);
    let stamp = weighed.stamp.unwrap_or_default();
    if (stamp, weighed.plays, weighed.duty) != (slot.stamp, slot.allowed, slot.duty) {
        (slot.stamp, slot.allowed, slot.duty) = (stamp, weighed.plays, weighed.duty);
        plays.learn(slot)?;
    }
    Ok(weighed)
}

/// Tells whether the file is the one that the table speaks of.
fn is_unchanged(plays: &Plays, slot: &Slot) -> bool {
    let found = std::fs::metadata(plays.pool.path.join(&slot.name));
    found.is_ok_and(|found| Stamp::of(&found) == slot.stamp)
}

/// Turns what was found into a choice, or into a near miss.
fn judge<T>(
    plays: &Plays,
    slot: &Slot,
    weighed: Weighed<T>,
    shortage: &mut Shortage,
) -> Option<Choice<T>> {
    match weighed.fit {
        Fit::Accepts => Some(Choice::Found(pick(plays, slot, weighed.item))),
        Fit::Needs => Some(Choice::Needs(weighed.item)),
        Fit::Rejects(why) => {
            shortage.near.push((plays.pool.recording(&slot.name), why));
            None
        }
    }
}

fn pick<T>(plays: &Plays, slot: &Slot, item: T) -> Pick<T> {
    Pick {
        recording: plays.pool.recording(&slot.name),
        play: (slot.duty == Duty::Cursor).then(|| u64::from(slot.taken) + 1),
        item,
        index: slot.index,
        pool: plays.pool.clone(),
    }
}

/// The last recording that accepts the spawn, whether or not it has plays left.
fn last_that_accepts<T>(
    plays: &Plays,
    weigh: &mut dyn FnMut(&Path, Depth) -> Weighed<T>,
) -> Result<Option<Choice<T>>, Error> {
    for index in (0..plays.count).rev() {
        let Some(mut slot) = plays.read(index)?.into_iter().next() else { continue };
        if slot.gone {
            continue;
        }
        let weighed = look(plays, &mut slot, Depth::Quick, weigh)?;
        if slot.duty != Duty::Cursor || slot.allowed == Allowed::Times(0) {
            continue;
        }
        if let Some(choice) = judge(plays, &slot, weighed, &mut Shortage::default()) {
            return Ok(Some(choice));
        }
    }
    Ok(None)
}
