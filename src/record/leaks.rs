//! Looks at what was written with the eyes of the recorder: what it would have replaced must not be
//! there.

use std::fs;
use std::path::{Path, PathBuf};

use super::redact::Redactor;
use crate::error::Error;

/// Something in a recording directory that looks like a secret or names somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1 on.
    pub line: usize,
    /// What it looks like.
    pub what: &'static str,
    /// Its first characters, which are not enough to use it.
    pub begins: String,
}

/// What a look at a recording directory came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// How many files it has.
    pub files: usize,
    /// What looks like a secret, file by file.
    pub leaks: Vec<Leak>,
}

/// Looks for secrets in all files of a recording directory, those of killed recorders among them.
///
/// # Errors
///
/// A directory or file that cannot be read.
pub fn check_secrets(recordings: &Path) -> Result<Looked, Error> {
    let redactor = super::surroundings::redactor_of_this_process();
    let mut leaks = Vec::new();
    let mut folders = vec![recordings.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let unreadable = |error| Error::io("cannot look into", &folder, error);
        for found in fs::read_dir(&folder).map_err(unreadable)? {
            let path = found.map_err(unreadable)?.path();
            // The state of tests is no part of the set, and keeps secrets by rules of its own.
            if path.is_dir() && !path.is_symlink() && !path.ends_with(".ringer") {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in &files {
        let bytes = fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
        in_file(&redactor, path, &bytes, &mut leaks);
    }
    Ok(Looked { files: files.len(), leaks })
}

fn in_file(redactor: &Redactor, path: &Path, bytes: &[u8], leaks: &mut Vec<Leak>) {
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        for leak in redactor.leaks(line) {
            let text = String::from_utf8_lossy(&line[leak.span]);
            let shown = (text.chars().count() / 3).min(8);
            let begins: String = text.chars().take(shown).filter(|c| !c.is_control()).collect();
            let (path, line) = (path.to_owned(), index + 1);
            leaks.push(Leak { path, line, what: leak.what, begins });
        }
    }
}
