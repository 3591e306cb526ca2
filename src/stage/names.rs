//! Which doubles a stage holds.

use std::collections::BTreeSet;
use std::path::Path;

use crate::directory::Pool;
use crate::error::Error;
use crate::persona::CLIS;

/// Names that mean something else in a stage.
const TAKEN: [&str; 3] = ["ringer", crate::settings::STAGE_FILE, super::STATE];

/// The names of a stage's doubles: `claude` and `codex`, each folder of recordings, and those asked
/// for.
///
/// # Errors
///
/// A name that no executable can have, or the recording directory cannot be listed.
pub(super) fn of_doubles(
    recordings: Option<&Path>,
    asked: &[String],
) -> Result<BTreeSet<String>, Error> {
    let mut names: BTreeSet<String> = CLIS.iter().map(ToString::to_string).collect();
    if let Some(recordings) = recordings {
        names.extend(personas(recordings)?.into_iter().filter(|name| may_be_a_double(name)));
    }
    for name in asked {
        check_name(name)
            .map_err(|what| Error::Setting { place: "name of a double".to_owned(), what })?;
        names.insert(name.clone());
    }
    Ok(names)
}

/// Checks that an executable of this name can be a double.
///
/// # Errors
///
/// It cannot; the text says what can.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if may_be_a_double(name) {
        return Ok(());
    }
    Err(format!(
        "{name:?} cannot be one: it takes the plain name of the executable to stand in for, such \
         as gemini, without a folder, a dot in front or a blank; `ringer` and `state` are taken"
    ))
}

/// The folders of a recording directory that hold recordings.
fn personas(recordings: &Path) -> Result<Vec<String>, Error> {
    let unreadable = |error| Error::io("cannot list", recordings, error);
    let mut names = Vec::new();
    for found in std::fs::read_dir(recordings).map_err(unreadable)? {
        let found = found.map_err(unreadable)?;
        let Ok(name) = found.file_name().into_string() else { continue };
        if name.starts_with(['.', '_']) || !found.path().is_dir() {
            continue;
        }
        let pool = Pool { path: found.path(), name: name.clone() };
        // A folder that cannot be listed is the business of the double that would draw from it.
        if pool.list().map_or(true, |files| !files.is_empty()) {
            names.push(name);
        }
    }
    Ok(names)
}

fn may_be_a_double(name: &str) -> bool {
    let odd = |c: char| c == '/' || c.is_whitespace() || c.is_control();
    !name.is_empty()
        && !name.starts_with(['.', '-', '_'])
        && !name.contains(odd)
        && !TAKEN.contains(&name)
}
