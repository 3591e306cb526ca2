//! Placeholders that stay the same: one value has one number, wherever it occurs in a set.
//!
//! The spawns of one `ringer record` share a file for that. It holds salted hashes, so that nothing
//! that was kept out of the recordings is in it; the salt is made anew for every run, and the file
//! goes with the stage.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

/// The numbers given out so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    known: HashMap<(String, Vec<u8>), usize>,
    shared: Option<(PathBuf, String)>,
}

impl Numbers {
    /// Numbers that the processes which name the same file share.
    pub fn shared(file: PathBuf, salt: String) -> Numbers {
        Numbers { known: HashMap::new(), shared: Some((file, salt)) }
    }

    /// The number of a value among those of its kind, from 1 on.
    pub fn of(&mut self, kind: &str, value: &[u8]) -> usize {
        let key = (kind.to_owned(), value.to_vec());
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let own = self.known.keys().filter(|(known, _)| known == kind).count() + 1;
        // Where the file fails, a number of our own is still consistent within the recording.
        let number = self.in_file(kind, value).unwrap_or(own);
        self.known.insert(key, number);
        number
    }

    fn in_file(&self, kind: &str, value: &[u8]) -> Option<usize> {
        let (path, salt) = self.shared.as_ref()?;
        let digest = Sha256::new().chain_update(salt).chain_update(value).finalize();
        let hash: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        number_in(path, kind, &hash).ok()
    }
}

/// Finds the number of a hash in the file, or gives it the next one.
fn number_in(path: &PathBuf, kind: &str, hash: &str) -> io::Result<usize> {
    let mut file: File =
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let of_kind = || text.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    if let Some(index) = of_kind().position(|known| known == hash) {
        return Ok(index + 1);
    }
    file.write_all(format!("{kind} {hash}\n").as_bytes())?;
    Ok(of_kind().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_one_number_for_all_who_share_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("numbers");
        let mut first = Numbers::shared(file.clone(), "salt".into());
        let mut second = Numbers::shared(file.clone(), "salt".into());
        assert_eq!(first.of("email", b"a"), 1);
        assert_eq!(second.of("email", b"b"), 2);
        assert_eq!(second.of("email", b"a"), 1);
        assert_eq!(first.of("token", b"a"), 1);
        assert_eq!(first.of("email", b"b"), 2);
        assert_eq!(Numbers::default().of("email", b"x"), 1);
    }
}
