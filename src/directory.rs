//! The recording directory: which files in it are recordings for a persona, and their order.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The recordings that a persona draws from: its own folder, or the directory itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The folder that holds the recordings.
    pub path: PathBuf,
    /// Its name below the recording directory; empty for the directory itself.
    pub name: String,
}

impl Pool {
    /// Finds the pool of a persona. A persona that has a folder of its own draws from it alone.
    ///
    /// # Errors
    ///
    /// A folder of the persona's name that cannot be looked at.
    pub fn of(recordings: &Path, persona: &str) -> Result<Pool, Error> {
        let own = recordings.join(persona);
        match fs::metadata(&own) {
            Ok(found) if found.is_dir() => Ok(Pool { path: own, name: persona.to_owned() }),
            Ok(_) => Ok(Pool::shared(recordings)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Pool::shared(recordings))
            }
            Err(error) => Err(Error::io("cannot look at", &own, error)),
        }
    }

    fn shared(recordings: &Path) -> Pool {
        Pool { path: recordings.to_owned(), name: String::new() }
    }

    /// Splits a recording's path, as the journal has it, into its pool's name and its file name.
    #[must_use]
    pub fn split(recording: &str) -> (&str, &str) {
        recording.rsplit_once('/').unwrap_or(("", recording))
    }

    /// The path of one of its recordings below the recording directory, with `/`.
    #[must_use]
    pub fn recording(&self, file: &str) -> String {
        if self.name.is_empty() { file.to_owned() } else { format!("{}/{file}", self.name) }
    }

    /// Lists the file names of its recordings, in order.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read, or a recording whose name is not UTF-8.
    pub fn list(&self) -> Result<Vec<String>, Error> {
        let unreadable = |error| Error::io("cannot list the recordings in", &self.path, error);
        let mut files = Vec::new();
        for found in fs::read_dir(&self.path).map_err(unreadable)? {
            let name = found.map_err(unreadable)?.file_name();
            match name.to_str() {
                Some(name) if is_recording(name) => files.push(name.to_owned()),
                Some(_) => {}
                None if !name.to_string_lossy().ends_with(".jsonl") => {}
                None => {
                    return Err(Error::Directory {
                        path: self.path.join(name),
                        what: "the name of a recording must be UTF-8; rename it".to_owned(),
                    });
                }
            }
        }
        files.sort_by(|a, b| natural_order(a, b));
        Ok(files)
    }

    /// The error for a pool without recordings.
    #[must_use]
    pub fn empty(&self, persona: &str) -> Error {
        let others =
            if self.name.is_empty() { format!(" and no folder {persona}/") } else { String::new() };
        Error::Directory {
            path: self.path.clone(),
            what: format!(
                "the recording directory has no recordings for {persona}: no *.jsonl files here \
                 (names that start with `.` or `_` are skipped){others}; put a capture there, or \
                 write one with `ringer new`"
            ),
        }
    }
}

/// Tells whether a file of this name is a recording.
fn is_recording(name: &str) -> bool {
    name.ends_with(".jsonl") && !name.starts_with(['.', '_'])
}

/// Compares file names with runs of digits as numbers: `2` before `10`, and `a2` before `a10`.
/// Names that are the same but for leading zeros are told apart by the plain order.
#[must_use]
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        match (left.first(), right.first()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, rest_left) = leading_number(left);
                let (y, rest_right) = leading_number(right);
                let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
                if order != Ordering::Equal {
                    return order;
                }
                (left, right) = (rest_left, rest_right);
            }
            (Some(x), Some(y)) if x != y => return x.cmp(y),
            _ => (left, right) = (&left[1..], &right[1..]),
        }
    }
}

/// Splits off the digits at the start, without leading zeros.
fn leading_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len());
    (&digits[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let mut names =
            vec!["10.jsonl", "2.jsonl", "1.jsonl", "b10-a2", "b2", "b10-a10", "01.jsonl"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            ["01.jsonl", "1.jsonl", "2.jsonl", "10.jsonl", "b2", "b10-a2", "b10-a10"]
        );
    }

    #[test]
    fn numbers_longer_than_any_integer_are_still_in_order() {
        let long = "9".repeat(60);
        assert_eq!(natural_order(&format!("{long}0"), &format!("{long}1")), Ordering::Less);
        assert_eq!(natural_order(&long, &format!("1{}", "0".repeat(60))), Ordering::Less);
    }
}
