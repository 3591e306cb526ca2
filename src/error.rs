//! What keeps ringer itself from doing its job. Everything here ends a double with exit code 97,
//! after one message on stderr that names the place and the way out.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::journal::ProblemKind;

/// The exit code that is ringer's own: it could not do its job.
pub const EXIT_RINGER: u8 = 97;

/// A failure of ringer itself, never one of the program it stands in for.
#[derive(Debug)]
pub enum Error {
    /// The system refused an operation on a file or directory.
    Io {
        /// What was being done: "cannot read", "cannot make".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A variable, the stage file or `ringer.toml` says something that cannot be.
    Setting {
        /// Where it was said: a variable's name, or a file's path.
        place: String,
        /// What is wrong with it, and the way out.
        what: String,
    },
    /// The recording directory holds nothing to play.
    Directory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it, and the way out.
        what: String,
    },
    /// A recording cannot be played as it stands.
    Recording {
        /// The recording.
        path: PathBuf,
        /// Where in it and why: "line 3: unknown verb".
        what: String,
    },
    /// The state directory contradicts itself.
    State {
        /// The file that does.
        path: PathBuf,
        /// What is wrong with it, and the way out.
        what: String,
    },
    /// A stage cannot be made in this place.
    Stage {
        /// What is in the way.
        path: PathBuf,
        /// Why, and the way out.
        what: String,
    },
    /// The executables that a stage links to are not found.
    Doubles {
        /// Where they were looked for, and the way out.
        what: String,
    },
    /// No recording is left for this spawn, or none accepts it.
    NoRecording {
        /// Whether there are recordings left that other spawns could get.
        unmatched: bool,
        /// What was asked, what there is, which condition failed where.
        what: String,
    },
    /// While playing, something came that the recording cannot go on with.
    Play {
        /// Which problem it is.
        kind: ProblemKind,
        /// What happened, and the way out.
        what: String,
    },
}

impl Error {
    /// Wraps an error of the system with what was being done to which path.
    pub(crate) fn io(doing: &'static str, path: &Path, source: impl Into<io::Error>) -> Error {
        Error::Io { doing, path: path.to_owned(), source: source.into() }
    }

    /// The problem that the journal reports for it, if it is one of those that `verify` counts.
    #[must_use]
    pub fn problem(&self) -> Option<ProblemKind> {
        match self {
            Error::NoRecording { unmatched: true, .. } => Some(ProblemKind::Unmatched),
            Error::NoRecording { unmatched: false, .. } => Some(ProblemKind::Exhausted),
            Error::Play { kind, .. } => Some(*kind),
            Error::Io { .. }
            | Error::Setting { .. }
            | Error::Directory { .. }
            | Error::Recording { .. }
            | Error::State { .. }
            | Error::Stage { .. }
            | Error::Doubles { .. } => Some(ProblemKind::Unreadable),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Io { doing, path, source } => {
                write!(f, "{doing} {}: {}", path.display(), plain(source))
            }
            Error::Setting { place, what } => write!(f, "{place}: {what}"),
            Error::Directory { path, what }
            | Error::Recording { path, what }
            | Error::State { path, what }
            | Error::Stage { path, what } => write!(f, "{}: {what}", path.display()),
            Error::Doubles { what }
            | Error::NoRecording { what, .. }
            | Error::Play { what, .. } => f.write_str(what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// An I/O error's text as a fragment: lower case, without the number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
