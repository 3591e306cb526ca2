//! The table of plays: for each recording of a pool, in order, how often it was handed out.
//!
//! A binary file `plays-<pool>` with one slot of fixed size a recording, so that a spawn reads the
//! few slots it needs and writes two numbers, with ten recordings or ten thousand. The second is the
//! sum of all plays, which the cursor has too: a table that was put back in time is found out. It is at the same
//! time the listing of the pool's folder, valid as long as the folder has not changed; when it has,
//! the folder is listed anew and the counts are carried over by name. A recording that is gone
//! keeps its slot, at the end, in case it comes back.
//!
//! The directory's times are coarse: a file added within the same tick of the file system's clock
//! leaves no trace in them. A listing that is not older than the folder's last change by more than
//! a few ticks is therefore not used again.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;
use std::time::SystemTime;

use super::{StateDir, checksum};
use crate::directory::Pool;
use crate::error::Error;

const MAGIC: &[u8; 8] = b"rngplay2";
const HEADER: usize = 64;
/// Where the sum of all plays stands; the head stands before it.
const TOTAL_AT: usize = HEADER + 8;
const SLOTS_AT: u64 = TOTAL_AT as u64 + 16;
/// Bytes of a slot before the name.
const FIXED: usize = 42;
/// Slots that are read at once.
const BATCH: u32 = 128;
/// How much older than the listing the folder's last change must be: some ticks of 10 ms.
const TICKS_NS: i128 = 40_000_000;
/// The same on file systems that count whole seconds, or two of them.
const COARSE_TICKS_NS: i128 = 4_000_000_000;

/// How often a recording may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Not known: the recording must be looked at.
    Unknown,
    /// So often.
    Times(u32),
    /// Without end.
    Any,
}

/// What a recording is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duty {
    /// It is handed out, so many times.
    #[default]
    Cursor,
    /// It answers probes, any number of times, and is never handed out.
    Probes,
    /// It answers whatever its conditions accept, any number of times, and is never handed out.
    Matching,
}

/// What identifies a version of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    size: u64,
    changed: i64,
}

/// One recording in the table.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub index: u32,
    pub name: String,
    /// The file's version that `allowed` and `duty` were read from.
    pub stamp: Stamp,
    pub allowed: Allowed,
    /// What it is there for, as of `stamp`.
    pub duty: Duty,
    /// It was not in the folder when that was last listed.
    pub gone: bool,
    /// How often it was handed out.
    pub taken: u32,
}

/// The table of one pool, open for reading and writing.
#[derive(Debug)]
pub(super) struct Plays {
    file: File,
    path: PathBuf,
    pub pool: Pool,
    slot_size: u32,
    pub count: u32,
    /// No slot before this one has plays left.
    pub head: u32,
    /// Plays of all recordings together, as the cursor must have it too.
    pub total: u64,
}

/// A table as it was found.
pub(super) enum Found {
    Missing,
    Damaged,
    Whole(Plays),
}

impl Stamp {
    /// The stamp of a file.
    #[must_use]
    pub fn of(found: &Metadata) -> Stamp {
        let changed = found.mtime().wrapping_mul(1_000_000_000).wrapping_add(found.mtime_nsec());
        Stamp { inode: found.ino(), size: found.len(), changed }
    }
}

impl Slot {
    /// A recording that nobody has looked at.
    pub fn new(name: String) -> Slot {
        Slot {
            index: 0,
            name,
            stamp: Stamp::default(),
            allowed: Allowed::Unknown,
            duty: Duty::Cursor,
            gone: false,
            taken: 0,
        }
    }

    /// Tells whether it is known to have no plays left.
    pub fn spent(&self) -> bool {
        self.gone || matches!(self.allowed, Allowed::Times(times) if self.taken >= times)
    }

    fn encode(&self, size: usize) -> Vec<u8> {
        let allowed = match self.allowed {
            Allowed::Unknown => 0,
            // A recording with no plays at all is told apart from an unknown one by the shift.
            Allowed::Times(times) => times.saturating_add(1).min(u32::MAX - 1),
            Allowed::Any => u32::MAX,
        };
        let duty = match self.duty {
            Duty::Cursor => 0,
            Duty::Probes => 1,
            Duty::Matching => 2,
        };
        let flags = duty | u32::from(self.gone) << 2;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend(self.stamp.inode.to_le_bytes());
        bytes.extend(self.stamp.size.to_le_bytes());
        bytes.extend(self.stamp.changed.to_le_bytes());
        bytes.extend(allowed.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(taken_bytes(self.taken));
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend(self.name.as_bytes());
        bytes.resize(size, 0);
        bytes
    }

    fn decode(index: u32, bytes: &[u8]) -> Option<Slot> {
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let short = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let taken = short(32)?;
        if short(36)? != !taken {
            return None;
        }
        let length = usize::from(u16::from_le_bytes(bytes.get(40..42)?.try_into().ok()?));
        let name = std::str::from_utf8(bytes.get(FIXED..FIXED + length)?).ok()?.to_owned();
        let flags = short(28)?;
        Some(Slot {
            index,
            name,
            stamp: Stamp { inode: long(0)?, size: long(8)?, changed: long(16)? as i64 },
            allowed: match short(24)? {
                0 => Allowed::Unknown,
                u32::MAX => Allowed::Any,
                shifted => Allowed::Times(shifted - 1),
            },
            duty: match flags & 3 {
                0 => Duty::Cursor,
                1 => Duty::Probes,
                _ => Duty::Matching,
            },
            gone: flags & 4 != 0,
            taken,
        })
    }
}

/// The count and its complement, so that a torn or spoilt number is found out.
fn taken_bytes(taken: u32) -> [u8; 8] {
    (u64::from(taken) | u64::from(!taken) << 32).to_le_bytes()
}

/// The sum of all plays and its complement.
fn total_bytes(total: u64) -> [u8; 16] {
    (u128::from(total) | u128::from(!total) << 64).to_le_bytes()
}

/// The number at a place in a table's first bytes; 0 beyond them.
fn long(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
    found.map_or(0, u64::from_le_bytes)
}

impl Plays {
    pub fn path_of(state: &StateDir, pool: &str) -> PathBuf {
        state.path.join(if pool.is_empty() { "plays".to_owned() } else { format!("plays-{pool}") })
    }

    /// Opens the table of a pool as it is on disk, whatever the folder looks like now.
    pub fn open(state: &StateDir, pool: Pool) -> Result<Found, Error> {
        let path = Plays::path_of(state, &pool.name);
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Missing),
            Err(error) => return Err(Error::io("cannot open", &path, error)),
        };
        let mut start = [0; SLOTS_AT as usize];
        match file.read_exact_at(&mut start, 0) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Found::Damaged),
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        }
        let short = |at: usize| {
            u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]])
        };
        let check = checksum(&start[..HEADER - 8]).to_le_bytes();
        let head = short(HEADER);
        let (total, complement) = (long(&start, TOTAL_AT), long(&start, TOTAL_AT + 8));
        if &start[..8] != MAGIC
            || start[HEADER - 8..HEADER] != check
            || short(HEADER + 4) != !head
            || complement != !total
        {
            return Ok(Found::Damaged);
        }
        let (slot_size, count) = (short(8), short(12));
        let length =
            file.metadata().map_err(|error| Error::io("cannot look at", &path, error))?.len();
        if length != SLOTS_AT + u64::from(slot_size) * u64::from(count) {
            return Ok(Found::Damaged);
        }
        Ok(Found::Whole(Plays { file, path, pool, slot_size, count, head, total }))
    }

    /// Tells whether the listing in the table still is what the folder holds.
    pub fn is_current(&self) -> Result<bool, Error> {
        let mut known = [0; 40];
        self.file.read_exact_at(&mut known, 16).map_err(|e| self.unreadable(e))?;
        let (folder, listed_at) = known.split_at(32);
        let now = std::fs::metadata(&self.pool.path)
            .map_err(|error| Error::io("cannot look at", &self.pool.path, error))?;
        let listed_at = i64::from_le_bytes(listed_at.try_into().unwrap_or_default());
        Ok(folder == folder_stamp(&now) && is_settled(&now, listed_at))
    }

    /// Lists the folder and writes the table anew, with the counts carried over by name.
    pub fn list(
        state: &StateDir,
        pool: Pool,
        mut known: HashMap<String, Slot>,
    ) -> Result<Plays, Error> {
        let listed_at = nanoseconds(SystemTime::now());
        let folder = std::fs::metadata(&pool.path)
            .map_err(|error| Error::io("cannot look at", &pool.path, error))?;
        let mut slots: Vec<Slot> = Vec::new();
        for name in pool.list()? {
            let mut slot = known.remove(&name).unwrap_or_else(|| Slot::new(name));
            slot.gone = false;
            // A spent recording is not opened again: it must be known whether it has changed.
            let path = pool.path.join(&slot.name);
            if slot.taken > 0
                && std::fs::metadata(path).map(|f| Stamp::of(&f)).ok() != Some(slot.stamp)
            {
                slot.allowed = Allowed::Unknown;
            }
            slots.push(slot);
        }
        let mut gone: Vec<Slot> = known.into_values().filter(|slot| slot.taken > 0).collect();
        gone.sort_by(|a, b| a.name.cmp(&b.name));
        slots.extend(gone.into_iter().map(|slot| Slot { gone: true, ..slot }));
        let path = Plays::path_of(state, &pool.name);
        state.replace(".plays.new", &path, &table(&slots, &folder, listed_at))?;
        match Plays::open(state, pool)? {
            Found::Whole(plays) => Ok(plays),
            Found::Missing | Found::Damaged => Err(Error::State {
                path,
                what: "was changed while it was being written; is anything else at work in this \
                       state directory?"
                    .to_owned(),
            }),
        }
    }

    /// Reads some slots from `from` on; none at the end of the table.
    pub fn read(&self, from: u32) -> Result<Vec<Slot>, Error> {
        let many = BATCH.min(self.count.saturating_sub(from));
        let mut bytes = vec![0; many as usize * self.slot_size as usize];
        let at = SLOTS_AT + u64::from(from) * u64::from(self.slot_size);
        self.file.read_exact_at(&mut bytes, at).map_err(|error| self.unreadable(error))?;
        let chunks = bytes.chunks_exact(self.slot_size.max(1) as usize);
        chunks
            .zip(from..)
            .map(|(chunk, index)| {
                Slot::decode(index, chunk).ok_or_else(|| Error::State {
                    path: self.path.clone(),
                    what: format!("slot {index} is damaged; remove the file, it is made anew"),
                })
            })
            .collect()
    }

    /// Reads all slots, by name; none if one of them is damaged.
    pub fn read_all(&self) -> Result<Option<HashMap<String, Slot>>, Error> {
        let mut all = HashMap::with_capacity(self.count as usize);
        let mut from = 0;
        while from < self.count {
            let slots = match self.read(from) {
                Ok(slots) if !slots.is_empty() => slots,
                Ok(_) | Err(Error::State { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            from += slots.len() as u32;
            all.extend(slots.into_iter().map(|slot| (slot.name.clone(), slot)));
        }
        Ok(Some(all))
    }

    /// Notes what was read from a recording: its version, how often it may be played, what it
    /// is there for.
    pub fn learn(&self, slot: &Slot) -> Result<(), Error> {
        let bytes = slot.encode(self.slot_size as usize);
        self.write(&bytes[..32], self.slot_at(slot.index))
    }

    /// Notes that a recording was handed out `taken` times in all, and that there were `total` plays
    /// of all recordings.
    pub fn take(&self, index: u32, taken: u32, total: u64) -> Result<(), Error> {
        self.write(&taken_bytes(taken), self.slot_at(index) + 32)?;
        self.set_total(total)
    }

    /// Notes how many plays there were of all recordings.
    pub fn set_total(&self, total: u64) -> Result<(), Error> {
        self.write(&total_bytes(total), TOTAL_AT as u64)
    }

    /// Moves the head, before which no slot has plays left.
    pub fn move_head(&mut self, head: u32) -> Result<(), Error> {
        if head != self.head {
            self.head = head;
            let bytes = (u64::from(head) | u64::from(!head) << 32).to_le_bytes();
            self.write(&bytes, HEADER as u64)?;
        }
        Ok(())
    }

    fn slot_at(&self, index: u32) -> u64 {
        SLOTS_AT + u64::from(index) * u64::from(self.slot_size)
    }

    fn write(&self, bytes: &[u8], at: u64) -> Result<(), Error> {
        let written = self.file.write_all_at(bytes, at);
        written.map_err(|error| Error::io("cannot write", &self.path, error))
    }

    /// A table that is shorter than it says is damaged, not unreadable.
    fn unreadable(&self, error: std::io::Error) -> Error {
        if error.kind() == ErrorKind::UnexpectedEof {
            let what = "is cut off; remove the file, it is made anew".to_owned();
            return Error::State { path: self.path.clone(), what };
        }
        Error::io("cannot read", &self.path, error)
    }
}

/// The whole file.
fn table(slots: &[Slot], folder: &Metadata, listed_at: i64) -> Vec<u8> {
    let longest = slots.iter().map(|slot| slot.name.len()).max().unwrap_or(0);
    let size = (FIXED + longest).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(SLOTS_AT as usize + slots.len() * size);
    bytes.extend(MAGIC);
    bytes.extend((size as u32).to_le_bytes());
    bytes.extend((slots.len() as u32).to_le_bytes());
    bytes.extend(folder_stamp(folder));
    bytes.extend(listed_at.to_le_bytes());
    let check = checksum(&bytes).to_le_bytes();
    bytes.extend(check);
    bytes.extend((u64::from(u32::MAX) << 32).to_le_bytes());
    bytes.extend(total_bytes(slots.iter().map(|slot| u64::from(slot.taken)).sum()));
    for slot in slots {
        bytes.extend(slot.encode(size));
    }
    bytes
}

/// What identifies the folder and its last change.
fn folder_stamp(folder: &Metadata) -> [u8; 32] {
    let modified = folder.mtime().wrapping_mul(1_000_000_000).wrapping_add(folder.mtime_nsec());
    let changed = folder.ctime().wrapping_mul(1_000_000_000).wrapping_add(folder.ctime_nsec());
    let mut stamp = [0; 32];
    stamp[..8].copy_from_slice(&folder.dev().to_le_bytes());
    stamp[8..16].copy_from_slice(&folder.ino().to_le_bytes());
    stamp[16..24].copy_from_slice(&modified.to_le_bytes());
    stamp[24..].copy_from_slice(&changed.to_le_bytes());
    stamp
}

/// Tells whether the folder's last change lies so far before the listing that its times would show
/// any later one.
fn is_settled(folder: &Metadata, listed_at: i64) -> bool {
    let modified = i128::from(folder.mtime()) * 1_000_000_000 + i128::from(folder.mtime_nsec());
    let changed = i128::from(folder.ctime()) * 1_000_000_000 + i128::from(folder.ctime_nsec());
    let coarse = folder.mtime_nsec() == 0 && folder.ctime_nsec() == 0;
    let ticks = if coarse { COARSE_TICKS_NS } else { TICKS_NS };
    i128::from(listed_at) - modified.max(changed) > ticks
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
