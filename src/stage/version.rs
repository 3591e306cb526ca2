//! The version of a double, told from its bytes.
//!
//! Every executable that can play carries a marker with the version of the library it was built
//! with. It is searched for, never asked for: a double takes no options of its own, and a program
//! of that name that is no double (the real CLI, say) must not be started to find that out.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem;

/// The version of this library.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What stands before the version in the marker.
const BEFORE: &str = "ringer-double-version=";
/// The marker of this library.
static MARKER: &str = concat!("ringer-double-version=", env!("CARGO_PKG_VERSION"), ";");

/// The longest version that is recognised.
const LONGEST: usize = 64;
/// How much of a file is searched at once.
const PIECE: usize = 1 << 20;

/// What an executable was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A double, of this version.
    Double(String),
    /// No double.
    SomethingElse,
}

/// Keeps the marker in an executable that calls this.
pub(crate) fn mark() {
    std::hint::black_box(&MARKER);
}

/// Tells whether doubles of a version work with this library: the same major version, and the same
/// minor version while the major is 0, as cargo has it.
pub(super) fn fits(version: &str) -> bool {
    compatible_part(version) == compatible_part(VERSION)
}

/// The first number that is not zero, and the zeros before it.
fn compatible_part(version: &str) -> &str {
    let end = version
        .match_indices('.')
        .find(|(dot, _)| version[..*dot].bytes().any(|byte| !matches!(byte, b'0' | b'.')));
    end.map_or(version, |(dot, _)| &version[..dot])
}

/// Looks at an executable.
///
/// # Errors
///
/// It cannot be read.
pub(super) fn look(path: &Path) -> io::Result<Look> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(Look::SomethingElse);
    }
    search(&mut file)
}

fn search(file: &mut impl Read) -> io::Result<Look> {
    let finder = memmem::Finder::new(BEFORE);
    let overlap = BEFORE.len() + LONGEST;
    let mut piece = Vec::with_capacity(PIECE + overlap);
    loop {
        let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        let version =
            finder.find_iter(&piece).find_map(|at| version_at(&piece[at + BEFORE.len()..]));
        if let Some(version) = version {
            return Ok(Look::Double(version.to_owned()));
        }
        if read == 0 {
            return Ok(Look::SomethingElse);
        }
        // A marker may lie across two pieces.
        let keep = piece.len().min(overlap);
        piece.drain(..piece.len() - keep);
    }
}

/// The version at the start of some bytes, if it is one and ends as in the marker.
fn version_at(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
    (plain && text.starts_with(|c: char| c.is_ascii_digit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_fit_as_cargo_has_it() {
        assert!(fits(VERSION));
        let parts = ["0.1.7", "0.0.3", "1.2.3", "12.0.0-rc.1"].map(compatible_part);
        assert_eq!(parts, ["0.1", "0.0.3", "1", "12"]);
    }

    #[test]
    fn a_marker_is_found_across_pieces_and_past_a_false_one() {
        for cut in [0, 1, 10, 23, 40] {
            let mut bytes = b"ringer-double-version=\0\x01 ".to_vec();
            bytes.resize(PIECE - cut, b'x');
            bytes.extend(b"ringer-double-version=7.8.9; and more");
            let found = search(&mut bytes.as_slice()).unwrap();
            assert_eq!(found, Look::Double("7.8.9".to_owned()), "cut {cut}");
        }
    }

    #[test]
    fn bytes_without_a_marker_are_something_else() {
        assert_eq!(search(&mut b"#!/bin/sh\n".as_slice()).unwrap(), Look::SomethingElse);
        let unfinished = b"ringer-double-version=7.8.9".as_slice();
        assert_eq!(search(&mut { unfinished }).unwrap(), Look::SomethingElse);
    }
}
