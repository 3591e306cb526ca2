//! Adds recordings that were not recorded here but made of what others wrote: all of a set, or none.

use std::fs;
use std::path::{Path, PathBuf};

use super::partial::Partial;
use crate::error::Error;

/// Adds recordings that are there whole, all of them or, where one cannot be written, none. Each
/// goes behind all that are in its folder, or under the name that it has; a name that is taken gets
/// a number. Returns the names.
///
/// # Errors
///
/// A folder that cannot be written.
pub(crate) fn add_all(recordings: &[New]) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    // One at a time: a set may have more recordings than a process may have open files.
    for new in recordings {
        match add(new) {
            Ok(name) => names.push(name),
            Err(error) => {
                for (new, name) in recordings.iter().zip(&names) {
                    let _ = fs::remove_file(new.folder.join(name));
                }
                return Err(error);
            }
        }
    }
    Ok(names)
}

/// A recording that is to be added to a set.
#[derive(Clone, Debug)]
pub(crate) struct New {
    /// The folder.
    pub folder: PathBuf,
    /// Its name; `None`: the next free number.
    pub name: Option<String>,
    /// Its text.
    pub text: String,
}

/// Adds one, and returns its name.
fn add(new: &New) -> Result<String, Error> {
    let mut partial = match &new.name {
        None => Partial::next_in(&new.folder)?,
        Some(name) => named_anew(&new.folder, name)?,
    };
    let rest = partial.path();
    partial.append(&new.text);
    let header = new.text.lines().next().unwrap_or_default();
    partial.finish(header, false).inspect_err(|_| {
        let _ = fs::remove_file(rest);
    })
}

/// Begins a recording of this name, or of this name with the first number that is free.
fn named_anew(folder: &Path, name: &str) -> Result<Partial, Error> {
    let stem = name.trim_end_matches(".jsonl");
    let mut names = (2..).map(|number: u64| format!("{stem}-{number}.jsonl"));
    let mut name = name.to_owned();
    loop {
        if !folder.join(&name).exists()
            && let Some(partial) = Partial::named(folder, &name, false)?
        {
            return Ok(partial);
        }
        // There is no end to the numbers.
        name = names.next().unwrap_or(name);
    }
}
