//! The files of a state directory as a test may spoil, roll back or forge them. Only tests of what
//! happens after a kill look this far inside.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::scene::Scene;

/// Cursor and tables as they were at some moment.
pub struct Snapshot(BTreeMap<PathBuf, Vec<u8>>);

impl Scene {
    /// Remembers the cursor and the tables of plays.
    pub fn snapshot(&self) -> Snapshot {
        let files = fs::read_dir(self.state()).unwrap().map(|found| found.unwrap().path());
        let files = files.filter(|path| path.is_file() && !path.ends_with("lock"));
        Snapshot(files.map(|path| (path.clone(), fs::read(path).unwrap())).collect())
    }

    /// Puts back those files whose names begin so, as if the writes since then had never happened.
    pub fn roll_back(&self, snapshot: &Snapshot, name: &str) {
        let here = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(name);
        for path in self.snapshot().0.keys().filter(|path| here(path)) {
            fs::remove_file(path).unwrap();
        }
        for (path, bytes) in snapshot.0.iter().filter(|(path, _)| here(path)) {
            fs::write(path, bytes).unwrap();
        }
    }

    /// Removes what was remembered: cursor and tables.
    pub fn forget(&self, name: &str) {
        self.roll_back(&Snapshot(BTreeMap::new()), name);
    }

    /// Makes the cursor announce a later claim, as a spawn does just before its entry names it.
    pub fn announce(&self, spawn: u64, recording: &str, play: u64) {
        let path = self.state().join("cursor");
        let block = fs::read(&path).unwrap();
        let line = block.split(|byte| *byte == b'\n').next().unwrap();
        let mut cursor: Value = serde_json::from_slice(line).unwrap();
        cursor["announced"] =
            serde_json::json!({"spawn": spawn, "recording": recording, "play": play});
        let text = cursor.to_string();
        let mut forged = format!("{text}\n{:016x}\n", fnv(text.as_bytes())).into_bytes();
        forged.resize(block.len(), b' ');
        fs::write(path, forged).unwrap();
    }

    /// Changes the entry of a spawn.
    pub fn forge_entry(&self, spawn: u64, change: impl FnOnce(&mut Value)) {
        let path = self.state().join(format!("journal/{spawn:06}.json"));
        let mut entry = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut entry);
        fs::write(path, entry.to_string()).unwrap();
    }
}

/// The cursor's checksum: 64-bit FNV-1a.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
