//! The removal of a directory with all that is in it, never through a link.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

/// A directory that is being emptied.
struct Level {
    name: CString,
    dir: OwnedFd,
    left: Vec<CString>,
}

impl Level {
    fn open(parent: impl AsFd, name: CString) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = openat(parent, &name, flags, Mode::empty())?;
        let mut left = Vec::new();
        for entry in Dir::read_from(&dir)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                left.push(entry.file_name().to_owned());
            }
        }
        Ok(Self { name, dir, left })
    }
}

/// Removes what has this name in `parent`. An error comes with the path, inside the directory, of
/// what could not be removed; `NOENT` only if nothing had the name in the first place.
///
/// The levels are on the heap and each holds a descriptor: a directory too deep for that is an
/// error, never an overflow.
pub(super) fn remove(parent: &OwnedFd, name: &CStr) -> Result<(), (PathBuf, Errno)> {
    let at = |levels: &[Level], last: Option<&CStr>| -> PathBuf {
        let inner = levels.iter().skip(1).map(|level| level.name.as_c_str()).chain(last);
        inner.map(|name| OsStr::from_bytes(name.to_bytes())).collect()
    };
    let first = match unlink(parent, name) {
        Ok(None) => return Ok(()),
        Ok(Some(level)) => level,
        Err(errno) => return Err((PathBuf::new(), errno)),
    };
    let mut levels = vec![first];
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.left.pop() {
            match unlink(&level.dir, &name) {
                // Somebody else may have removed it meanwhile.
                Ok(None) | Err(Errno::NOENT) => {}
                Ok(Some(inner)) => levels.push(inner),
                Err(errno) => return Err((at(&levels, Some(&name)), errno)),
            }
        } else if let Some(empty) = levels.pop() {
            let above = levels.last().map_or(parent, |level| &level.dir);
            match unlinkat(above, &empty.name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) if levels.is_empty() => return Err((PathBuf::new(), errno)),
                Err(errno) => return Err((at(&levels, Some(&empty.name)), errno)),
            }
        }
    }
    Ok(())
}

/// Removes a name that is not a directory; opens it if it is one.
fn unlink(dir: &OwnedFd, name: &CStr) -> Result<Option<Level>, Errno> {
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) => Ok(None),
        // Linux says ISDIR of a directory, others PERM.
        Err(errno @ (Errno::ISDIR | Errno::PERM)) => match Level::open(dir, name.to_owned()) {
            Ok(level) => Ok(Some(level)),
            Err(Errno::NOTDIR | Errno::LOOP) => Err(errno),
            Err(other) => Err(other),
        },
        Err(errno) => Err(errno),
    }
}
