//! Which recording of a pool is next: the table of plays says what is left, the caller says how a
//! recording stands to the spawn. Nothing is handed out here; that is the ledger's.

use std::path::Path;

use super::plays::{Allowed, Duty, Plays, Slot, Stamp};
use crate::directory::Pool;
use crate::error::Error;

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
    /// Its place in the table.
    pub(super) index: u32,
    /// The pool that it is of.
    pub(super) pool: Pool,
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
    pub(super) on_cursor: u32,
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

/// Looks for a recording that has plays left and accepts the spawn.
///
/// In passing, the head of the table moves on, and what the table says of spent recordings and
/// probes is taken as it stands. The careful way starts at the first slot and looks at every file's
/// version.
pub(super) fn scan<T>(
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
pub(super) fn scan_probes<T>(
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
pub(super) fn last_that_accepts<T>(
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
