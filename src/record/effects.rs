//! What a program did to the files in its working directory: a look before, a look after.
//!
//! Passed over are directories that hold no work (`.git`, `node_modules`, ...) and links. What is too
//! large or too much to be kept in a recording is left out too, and [`Changes::note`] says so.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::lines;
use super::redact::Redactor;

const PASSED_OVER: [&str; 6] =
    [".git", "node_modules", "target", ".ringer", "__pycache__", ".venv"];
/// What a note names before it only counts.
const MOST_NAMES: usize = 5;

/// How much is looked at, and kept.
#[derive(Clone, Copy, Debug)]
struct Limits {
    files: usize,
    /// The size of a file, in bytes.
    size: u64,
}

const LIMITS: Limits = Limits { files: 20_000, size: 4 << 20 };

/// What a file was like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Folder,
    File { size: u64, modified: (i64, i64), changed: (i64, i64), inode: u64 },
}

/// A look at a directory.
#[derive(Debug)]
pub(super) struct Look {
    root: PathBuf,
    /// The recordings themselves are none of the program's work.
    without: Option<PathBuf>,
    found: BTreeMap<String, Found>,
    limits: Limits,
    /// What could not be looked at.
    unseen: Unseen,
}

/// What a look did not see.
#[derive(Clone, Debug, Default)]
struct Unseen {
    /// There are more files than are looked at.
    more: bool,
    /// Names that are not UTF-8, as well as they can be shown.
    names: Vec<String>,
}

/// What was changed.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub steps: Vec<String>,
    /// What is not in the steps, and why.
    pub left_out: Vec<String>,
}

impl Changes {
    /// Says what was left out; `None`: nothing.
    pub fn note(&self) -> Option<String> {
        let more = match self.left_out.len().checked_sub(MOST_NAMES) {
            None | Some(0) => String::new(),
            Some(more) => format!(" and {more} more"),
        };
        let named: Vec<&str> = self.left_out.iter().take(MOST_NAMES).map(String::as_str).collect();
        (!named.is_empty()).then(|| format!("left out of the effects: {}{more}", named.join(", ")))
    }
}

impl Look {
    /// Looks at everything below a directory.
    pub fn at(root: &Path, without: Option<&Path>) -> Look {
        Look::within(LIMITS, root, without)
    }

    fn within(limits: Limits, root: &Path, without: Option<&Path>) -> Look {
        let without = without.and_then(|path| path.canonicalize().ok());
        let mut look = Look {
            root: root.to_owned(),
            without,
            found: BTreeMap::new(),
            limits,
            unseen: Unseen::default(),
        };
        look.walk(root, "");
        look
    }

    fn walk(&mut self, folder: &Path, below: &str) {
        for found in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = found.metadata() else { continue };
            let path = found.path();
            if self.without.as_deref() == Some(&path) {
                continue;
            }
            let name = match found.file_name().into_string() {
                Ok(name) => name,
                // It cannot stand in a recording.
                Err(name) => {
                    self.unseen.names.push(joined(below, &name.to_string_lossy()));
                    continue;
                }
            };
            let relative = joined(below, &name);
            let folder = metadata.is_dir() && !PASSED_OVER.contains(&name.as_str());
            if !metadata.is_file() && !folder {
                continue;
            }
            if self.found.len() >= self.limits.files {
                self.unseen.more = true;
                return;
            }
            if folder {
                self.found.insert(relative.clone(), Found::Folder);
                self.walk(&path, &relative);
            } else {
                let file = Found::File {
                    size: metadata.size(),
                    modified: (metadata.mtime(), metadata.mtime_nsec()),
                    changed: (metadata.ctime(), metadata.ctime_nsec()),
                    inode: metadata.ino(),
                };
                self.found.insert(relative, file);
            }
        }
    }

    /// The steps that make of this what is there now.
    pub fn changes_to_now(&self, redactor: &mut Redactor) -> Changes {
        let now = Look::within(self.limits, &self.root, self.without.as_deref());
        let mut changes = Changes::default();
        self.removed(&now, redactor, &mut changes);
        for (path, after) in &now.found {
            match self.found.get(path) {
                Some(before) if before == after => continue,
                // It may have been there before, unseen.
                None if self.unseen.more => continue,
                _ => {}
            }
            let name = redactor.text(path);
            match after {
                Found::Folder => changes.steps.push(lines::file("mkdir", &name, None)),
                Found::File { size, .. } if *size > self.limits.size => {
                    changes.left_out.push(format!("{name} ({size} bytes)"));
                }
                Found::File { .. } => match fs::read(self.root.join(path)) {
                    Ok(bytes) => {
                        let bytes = redactor.redact(&bytes);
                        changes.steps.push(lines::file("write", &name, Some(&bytes)));
                    }
                    Err(error) => changes.left_out.push(format!("{name} ({error})")),
                },
            }
        }
        let odd = now.unseen.names.iter().filter(|name| !self.unseen.names.contains(name));
        changes.left_out.extend(odd.map(|name| format!("{} (not UTF-8)", redactor.text(name))));
        if self.unseen.more || now.unseen.more {
            let most = self.limits.files;
            changes.left_out.push(format!("whatever came after the first {most} files"));
        }
        changes
    }

    /// What is not there any more, or is something else. One that the second look did not get to is
    /// looked for.
    fn removed(&self, now: &Look, redactor: &mut Redactor, changes: &mut Changes) {
        let is_folder = |found: &Found| *found == Found::Folder;
        for (path, before) in self.found.iter().rev() {
            let gone = match now.found.get(path) {
                Some(after) => is_folder(after) != is_folder(before),
                None => fs::symlink_metadata(self.root.join(path)).is_err(),
            };
            if gone {
                changes.steps.push(lines::file("remove", &redactor.text(path), None));
            }
        }
    }
}

fn joined(below: &str, name: &str) -> String {
    if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_say_what_was_made_changed_and_removed() {
        let scene = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = scene.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("same", "1");
        write("changed", "1");
        write("old/gone", "1");
        write("recordings/01.jsonl", "");
        let look = Look::at(scene.path(), Some(&scene.path().join("recordings")));
        write("changed", "22");
        write("new/a", "\u{e9}");
        write(".git/HEAD", "x");
        write("recordings/02.jsonl", "");
        fs::remove_dir_all(scene.path().join("old")).unwrap();
        let changes = look.changes_to_now(&mut Redactor::default());
        assert_eq!(changes.note(), None);
        assert_eq!(
            changes.steps,
            [
                r#"{"file":{"remove":"old/gone"}}"#,
                r#"{"file":{"remove":"old"}}"#,
                r#"{"file":{"write":"changed","text":"22"}}"#,
                r#"{"file":{"mkdir":"new"}}"#,
                "{\"file\":{\"write\":\"new/a\",\"text\":\"\u{e9}\"}}",
            ]
        );
    }
    #[test]
    fn what_is_too_large_or_too_much_is_named_and_never_taken_for_removed() {
        let scene = tempfile::tempdir().unwrap();
        let write = |path: &str, bytes: &[u8]| fs::write(scene.path().join(path), bytes).unwrap();
        for name in ["a", "b", "c", "d"] {
            write(name, b"1");
        }
        let limits = Limits { files: 3, size: 4 };
        let look = Look::within(limits, scene.path(), None);
        assert_eq!(look.found.len(), 3);
        write("new", b"1");
        let changes = look.changes_to_now(&mut Redactor::default());
        assert_eq!(changes.steps, [""; 0]);
        let note = "left out of the effects: whatever came after the first 3 files";
        assert_eq!(changes.note().as_deref(), Some(note));

        let look = Look::within(Limits { files: 9, size: 4 }, scene.path(), None);
        write("large", b"12345");
        write("binary", b"\xff\0");
        let changes = look.changes_to_now(&mut Redactor::default());
        assert_eq!(changes.steps, [r#"{"file":{"write":"binary","base64":"/wA="}}"#]);
        assert_eq!(changes.note().unwrap(), "left out of the effects: large (5 bytes)");
    }
}
