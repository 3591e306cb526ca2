//! Putting a double in its place by a link.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

use super::version::{self, Look};
use crate::error::Error;

/// Links an executable to a place in a stage: hard, or where the system refuses that (another file
/// system, an executable of another user) by a symbolic link. A double that is there already is
/// replaced; anything else is left alone.
///
/// # Errors
///
/// Something that is no double is in the way, or the system refuses both kinds of link.
pub(super) fn put(double: &Path, place: &Path) -> Result<(), Error> {
    if let Ok(there) = fs::symlink_metadata(place) {
        if same_file(double, &there) {
            return Ok(());
        }
        if !replaceable(place, &there) {
            return Err(Error::Stage {
                path: place.to_owned(),
                what:
                    "is there already and is no double; ringer does not overwrite it: remove it, \
                       or make the stage in another directory"
                        .to_owned(),
            });
        }
    }
    let scratch = place.with_file_name(format!(".ringer-link-{}", std::process::id()));
    let _ = fs::remove_file(&scratch);
    let linked = fs::hard_link(double, &scratch).or_else(|_| symlink(double, &scratch));
    let done = linked.and_then(|()| fs::rename(&scratch, place));
    done.map_err(|error| {
        let _ = fs::remove_file(&scratch);
        Error::io("cannot link the double to", place, error)
    })
}

fn same_file(double: &Path, there: &Metadata) -> bool {
    fs::metadata(double).is_ok_and(|found| (found.dev(), found.ino()) == (there.dev(), there.ino()))
}

/// Tells whether what is there is a double, or a link to one, or a link to nothing any more.
fn replaceable(place: &Path, there: &Metadata) -> bool {
    match version::look(place) {
        Ok(Look::Double(_)) => true,
        Ok(Look::SomethingElse) => false,
        Err(error) => there.is_symlink() && error.kind() == ErrorKind::NotFound,
    }
}
