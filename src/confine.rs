//! Files that stay inside a directory: what a recording reads beside itself and what its `file`
//! steps do on disk.
//!
//! A path is walked name by name with `openat`, no link is ever followed, and what is opened must
//! be a regular file or a directory. So neither `..`, nor an absolute path, nor a link that was put
//! there before or is put there meanwhile leads out. The directory itself may be reached through
//! links: it is the user's choice, not the recording's. A hard link to a file elsewhere is not
//! found out.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

mod error;
mod path;

pub use error::{ConfineError, Refusal};
pub use path::syntax;

/// How a directory is opened that is only gone through: without the right to list it, where the
/// system can do that.
#[cfg(any(target_os = "linux", target_os = "android"))]
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const THROUGH: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// How a file is opened: a FIFO must not block, a terminal must not become the controlling one.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A directory and nothing outside it.
#[derive(Debug)]
pub struct Confined {
    dir: OwnedFd,
    base: PathBuf,
}

impl Confined {
    /// Opens the directory, which must be there. It is held open: what `base` names later does not
    /// matter.
    ///
    /// # Errors
    ///
    /// What the system says, with the path.
    pub fn open(base: &Path) -> Result<Self, ConfineError> {
        let dir = rustix::fs::open(base, THROUGH, Mode::empty())
            .map_err(|errno| ConfineError::new(base, errno))?;
        Ok(Self { dir, base: base.to_owned() })
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    ///
    /// A path that leads out or is no path of a file, anything but a regular file, and what the
    /// system says.
    pub fn read(&self, rel: &str) -> Result<File, ConfineError> {
        self.file(rel, OFlags::RDONLY, false)
    }

    /// Makes a file with these bytes, or gives an existing one these bytes instead of its own.
    /// Directories on the way are made as needed; modes are what the umask leaves.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn write(&self, rel: &str, bytes: &[u8]) -> Result<(), ConfineError> {
        let mut file = self.file(rel, OFlags::WRONLY | OFlags::CREATE, true)?;
        // Not by a flag of `open`, which would come before the look at what was opened.
        file.set_len(0).map_err(|error| self.io(rel, error))?;
        file.write_all(bytes).map_err(|error| self.io(rel, error))
    }

    /// Puts bytes at the end of a file, which is made, with its directories, if it is not there.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn append(&self, rel: &str, bytes: &[u8]) -> Result<(), ConfineError> {
        let mut file = self.file(rel, OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND, true)?;
        file.write_all(bytes).map_err(|error| self.io(rel, error))
    }

    /// Makes a directory and those on the way to it. One that is there already is no error.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); a file that has the name.
    pub fn mkdir(&self, rel: &str) -> Result<(), ConfineError> {
        syntax(rel)?;
        let walk = self.walk(rel, true)?;
        match mkdirat(&walk.dir, &walk.last, DIRECTORY_MODE) {
            Err(Errno::EXIST) => self.step(&walk.dir, &walk.last, rel).map(drop),
            Err(errno) => Err(self.io(rel, errno)),
            Ok(()) => Ok(()),
        }
    }

    /// Removes a file, a link (never what it points to) or a directory with all that is in it.
    /// Says whether there was something: that nothing is there is what was asked for, no error.
    ///
    /// # Errors
    ///
    /// A path that leads out, and what the system says; part of a directory may be gone by then.
    pub fn remove(&self, rel: &str) -> Result<bool, ConfineError> {
        syntax(rel)?;
        let walk = match self.walk(rel, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            walk => walk?,
        };
        match tree::remove(&walk.dir, &walk.last) {
            Err((_, Errno::NOENT)) => Ok(false),
            Err((inside, errno)) => Err(ConfineError::new(
                self.base.join(rel.trim_end_matches('/')).join(inside),
                errno,
            )),
            Ok(()) => Ok(true),
        }
    }

    fn file(&self, rel: &str, flags: OFlags, make: bool) -> Result<File, ConfineError> {
        syntax(rel)?;
        if rel.ends_with('/') || rel.ends_with("/.") {
            return Err(self.refused(rel, Refusal::Directory));
        }
        let walk = self.walk(rel, make)?;
        let fd = openat(&walk.dir, &walk.last, flags | FILE, Mode::from_raw_mode(0o666))
            .map_err(|errno| self.explained(&walk.dir, &walk.last, rel, errno))?;
        let stat = fstat(&fd).map_err(|errno| self.io(rel, errno))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(fd)),
            FileType::Directory => Err(self.refused(rel, Refusal::Directory)),
            _ => Err(self.refused(rel, Refusal::Special)),
        }
    }

    /// Goes to the directory that holds the last name of the path.
    fn walk(&self, rel: &str, make: bool) -> Result<Walk, ConfineError> {
        let mut dir = self.dir.try_clone().map_err(|error| self.io(rel, error))?;
        let mut names = path::names(rel);
        // The syntax was checked, so there is a name and none has a NUL in it.
        let mut last = c_name(names.next().unwrap_or("."));
        for name in names {
            if make {
                match mkdirat(&dir, &last, DIRECTORY_MODE) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    // Where the file system is read-only and the like, the directory may be there.
                    Err(errno) if statat(&dir, &last, AtFlags::SYMLINK_NOFOLLOW).is_err() => {
                        return Err(self.io(rel, errno));
                    }
                    Err(_) => {}
                }
            }
            dir = self.step(&dir, &last, rel)?;
            last = c_name(name);
        }
        Ok(Walk { dir, last })
    }

    /// Opens a directory inside another, never through a link.
    fn step(&self, dir: &OwnedFd, name: &CStr, rel: &str) -> Result<OwnedFd, ConfineError> {
        openat(dir, name, THROUGH | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|errno| self.explained(dir, name, rel, errno))
    }

    /// The error of an `openat`. Systems differ in what they say of a link and of a file that is
    /// not of the kind asked for, so it is looked at.
    fn explained(&self, dir: &OwnedFd, name: &CStr, rel: &str, errno: Errno) -> ConfineError {
        let kind = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| FileType::from_raw_mode(stat.st_mode));
        match kind {
            Ok(FileType::Symlink) => {
                self.refused(rel, Refusal::Link(name.to_string_lossy().into_owned()))
            }
            Ok(FileType::Directory) if errno == Errno::ISDIR => {
                self.refused(rel, Refusal::Directory)
            }
            Ok(FileType::RegularFile | FileType::Directory) | Err(_) => self.io(rel, errno),
            Ok(_) if errno == Errno::NOTDIR => self.io(rel, errno),
            Ok(_) => self.refused(rel, Refusal::Special),
        }
    }

    fn refused(&self, rel: &str, refusal: Refusal) -> ConfineError {
        ConfineError::refused(self.base.join(rel), refusal)
    }

    fn io(&self, rel: &str, error: impl Into<io::Error>) -> ConfineError {
        ConfineError::new(self.base.join(rel), error)
    }
}

const DIRECTORY_MODE: Mode = Mode::from_bits_retain(0o777);

/// The end of a path: a directory and a name in it.
struct Walk {
    dir: OwnedFd,
    last: CString,
}

fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

mod tree;

#[cfg(test)]
mod tests;
