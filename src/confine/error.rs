//! Why a path was refused, or what the system said about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A path that was refused, or could not be used, and why.
#[derive(Debug)]
pub struct ConfineError {
    path: PathBuf,
    refusal: Refusal,
}

/// Why a path could not be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// It names no file: it is empty, or nothing but dots and slashes.
    Empty,
    /// It begins with `/`.
    Absolute,
    /// It has a `..` in it.
    Parent,
    /// It has a NUL in it.
    Nul,
    /// This name in it is a symbolic link.
    Link(String),
    /// A directory where a file is wanted.
    Directory,
    /// A FIFO, a socket or a device where a file is wanted.
    Special,
    /// What the system says.
    Io(io::Error),
}

impl ConfineError {
    pub(super) fn new(path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Self {
        Self::refused(path, Refusal::Io(error.into()))
    }

    pub(super) fn refused(path: impl Into<PathBuf>, refusal: Refusal) -> Self {
        Self { path: path.into(), refusal }
    }

    /// The path: as written if its text alone was wrong, else below its directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why it could not be used.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// The kind of the error: the system's, or `InvalidInput` for a refusal of ours.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        match &self.refusal {
            Refusal::Io(error) => error.kind(),
            _ => io::ErrorKind::InvalidInput,
        }
    }
}

impl fmt::Display for ConfineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A path is a recording's own text: control characters in it must not reach a terminal.
        write!(f, "{}: {}", self.path.to_string_lossy().escape_debug(), self.refusal)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("names no file; write a path below its directory"),
            Self::Absolute => {
                f.write_str("is an absolute path; write one relative to its directory")
            }
            Self::Parent => f.write_str("has a `..`; write a path that stays in its directory"),
            Self::Nul => f.write_str("has a NUL character; no file name can"),
            Self::Link(name) => write!(
                f,
                "`{}` is a symbolic link, and links are not followed; put the file itself there",
                name.escape_debug()
            ),
            Self::Directory => f.write_str("is a directory; name a file"),
            Self::Special => f.write_str("is a FIFO, a socket or a device; name a regular file"),
            Self::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ConfineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.refusal {
            Refusal::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ConfineError> for io::Error {
    fn from(error: ConfineError) -> Self {
        Self::new(error.kind(), error)
    }
}
