//! The files below the directories where the CLIs keep their sessions.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;

/// A session file that is being appended to.
#[derive(Debug)]
pub(super) struct SessionFile {
    path: PathBuf,
    file: File,
}

impl SessionFile {
    /// Opens a session file, making it and its directories where they are missing.
    pub fn open(path: PathBuf) -> Result<SessionFile, Error> {
        if let Some(folder) = path.parent() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| Error::io("cannot make", folder, error))?;
        }
        let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        match opened {
            Ok(file) => Ok(SessionFile { path, file }),
            Err(error) => Err(Error::io("cannot open", &path, error)),
        }
    }

    /// Appends lines, all in one write, so that no reader sees half of one.
    pub fn append(&mut self, lines: &[Value]) -> Result<(), Error> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.to_string().as_bytes());
            bytes.push(b'\n');
        }
        self.append_bytes(&bytes)
    }

    /// Appends bytes as they are.
    pub fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| Error::io("cannot write", &self.path, error))
    }
}

/// The lines of a session file, so far as they are JSON; none if there is no such file.
pub(super) fn lines_of(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}
