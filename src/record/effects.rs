//! What a program did to the files in its working directory: a look before, a look after.
//!
//! Left out are directories that hold no work (`.git`, `node_modules`, ...), links, and what is too
//! large or too much to be kept in a recording; that something was left out is noted.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::lines;
use super::redact::Redactor;

const PASSED_OVER: [&str; 6] =
    [".git", "node_modules", "target", ".ringer", "__pycache__", ".venv"];
const MOST_FILES: usize = 20_000;
const LARGEST: u64 = 1 << 20;

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
}

impl Look {
    /// Looks at everything below a directory.
    pub fn at(root: &Path, without: Option<&Path>) -> Look {
        let without = without.and_then(|path| path.canonicalize().ok());
        let mut look = Look { root: root.to_owned(), without, found: BTreeMap::new() };
        look.walk(root, "");
        look
    }

    fn walk(&mut self, folder: &Path, below: &str) {
        for found in fs::read_dir(folder).into_iter().flatten().flatten() {
            // A name that is not UTF-8 cannot stand in a recording.
            let Ok(name) = found.file_name().into_string() else { continue };
            let Ok(metadata) = found.metadata() else { continue };
            let path = found.path();
            if self.found.len() >= MOST_FILES || self.without.as_deref() == Some(&path) {
                continue;
            }
            let relative = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            if metadata.is_file() {
                let file = Found::File {
                    size: metadata.size(),
                    modified: (metadata.mtime(), metadata.mtime_nsec()),
                    changed: (metadata.ctime(), metadata.ctime_nsec()),
                    inode: metadata.ino(),
                };
                self.found.insert(relative, file);
            } else if metadata.is_dir() && !PASSED_OVER.contains(&name.as_str()) {
                self.found.insert(relative.clone(), Found::Folder);
                self.walk(&path, &relative);
            }
        }
    }

    /// The steps that make of this what is there now.
    pub fn steps_to_now(&self, redactor: &mut Redactor) -> Vec<String> {
        let now = Look::at(&self.root, self.without.as_deref());
        let mut steps = Vec::new();
        for (path, before) in self.found.iter().rev() {
            let after = now.found.get(path);
            let is_folder = |found: &Found| *found == Found::Folder;
            if after.is_none_or(|after| is_folder(after) != is_folder(before)) {
                steps.push(lines::file("remove", &redactor.text(path), None));
            }
        }
        for (path, after) in &now.found {
            if self.found.get(path) == Some(after) {
                continue;
            }
            let name = redactor.text(path);
            match after {
                Found::Folder => steps.push(lines::file("mkdir", &name, None)),
                Found::File { size, .. } if *size > LARGEST => {}
                Found::File { .. } => {
                    if let Ok(bytes) = fs::read(self.root.join(path)) {
                        let bytes = redactor.redact(&bytes);
                        steps.push(lines::file("write", &name, Some(&bytes)));
                    }
                }
            }
        }
        steps
    }
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
        assert_eq!(
            look.steps_to_now(&mut Redactor::default()),
            [
                r#"{"file":{"remove":"old/gone"}}"#,
                r#"{"file":{"remove":"old"}}"#,
                r#"{"file":{"write":"changed","text":"22"}}"#,
                r#"{"file":{"mkdir":"new"}}"#,
                "{\"file\":{\"write\":\"new/a\",\"text\":\"\u{e9}\"}}",
            ]
        );
    }
}
