//! A recording while it is being made: a file of its own, written line by line, which becomes a
//! recording of the set only when it is whole.
//!
//! Its name, `.01.jsonl.partial`, is skipped by every listing. Made with `O_EXCL`, it also reserves
//! the number for spawns that run at the same time. It is locked while its recorder lives, so that
//! what a killed one left is told from what is still being made. At the end the header, which then
//! knows more, goes with the steps into a second file, and a rename makes that the recording: a
//! recorder killed at any moment leaves the set as it was.

use std::cmp::Ordering;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::directory::natural_order;
use crate::error::Error;

const PARTIAL: &str = ".partial";
const FINISHED: &str = ".finished";

/// What the names of answers to probes begin with.
pub(super) const PROBE: &str = "probe-";

/// A recording that is being made.
#[derive(Debug)]
pub(crate) struct Partial {
    folder: PathBuf,
    /// The name that it will have.
    name: String,
    /// Whether it takes the place of a recording of that name.
    replaces: bool,
    file: File,
    /// The first thing that went wrong in writing.
    failed: Option<io::Error>,
}

impl Partial {
    /// Begins a recording behind all that are in the folder, or being made there.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read or written.
    pub fn next_in(folder: &Path) -> Result<Partial, Error> {
        let unusable = |error| Error::io("cannot record into", folder, error);
        loop {
            let name = next_name(&names(folder).map_err(unusable)?);
            match Partial::create(folder, &name, false) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map_err(unusable),
            }
        }
    }

    /// Begins a recording of this name; `None`: it is being made already.
    ///
    /// # Errors
    ///
    /// A folder that cannot be written.
    pub fn named(folder: &Path, name: &str, replaces: bool) -> Result<Option<Partial>, Error> {
        match Partial::create(folder, name, replaces) {
            Ok(partial) => Ok(Some(partial)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(Error::io("cannot record into", folder, error)),
        }
    }

    fn create(folder: &Path, name: &str, replaces: bool) -> io::Result<Partial> {
        let path = hidden(folder, name, PARTIAL);
        let file =
            OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
        file.lock()?;
        Ok(Partial {
            folder: folder.to_owned(),
            name: name.to_owned(),
            replaces,
            file,
            failed: None,
        })
    }

    /// Appends a line, by one write, so that a kill leaves whole lines.
    pub fn line(&mut self, line: &str) {
        self.append(&format!("{line}\n"));
    }

    /// Appends whole lines. What goes wrong is told at the end.
    pub fn append(&mut self, lines: &str) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(lines.as_bytes()).err();
        }
    }

    /// Where it is until it is finished.
    pub fn path(&self) -> PathBuf {
        hidden(&self.folder, &self.name, PARTIAL)
    }

    /// Makes it a recording of the set, under its name, with this header in the place of the first
    /// line; or, `aside`, a file that is not on the list. Returns the name.
    ///
    /// # Errors
    ///
    /// What went wrong in writing, now or before; then what there is stays as it is.
    pub fn finish(self, header: &str, aside: bool) -> Result<String, Error> {
        let path = self.path();
        let failed = |error| Error::io("cannot finish the recording", &path, error);
        if let Some(error) = self.failed {
            return Err(failed(error));
        }
        let finished = hidden(&self.folder, &self.name, FINISHED);
        copy_with_header(&self.file, &finished, header).map_err(failed)?;
        let mut name = if aside { format!("_{}", self.name) } else { self.name.clone() };
        loop {
            let to = self.folder.join(&name);
            let overwrite = self.replaces || aside;
            let flags = if overwrite { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
            match renameat_with(CWD, &finished, CWD, &to, flags) {
                Ok(()) => break,
                Err(rustix::io::Errno::EXIST) => {
                    name = next_name(&names(&self.folder).map_err(failed)?);
                }
                // Not every file system can do without replacing.
                Err(rustix::io::Errno::INVAL) if !to.exists() => {
                    fs::rename(&finished, &to).map_err(failed)?;
                    break;
                }
                Err(error) => return Err(failed(error.into())),
            }
        }
        let _ = fs::remove_file(&path);
        Ok(name)
    }

    /// Removes what was written.
    pub fn discard(self) {
        let _ = fs::remove_file(self.path());
    }
}

fn hidden(folder: &Path, name: &str, suffix: &str) -> PathBuf {
    folder.join(format!(".{name}{suffix}"))
}

/// Writes the header and all lines but the first of a file into another.
fn copy_with_header(file: &File, to: &Path, header: &str) -> io::Result<()> {
    let mut from = BufReader::with_capacity(256 << 10, file);
    from.seek(SeekFrom::Start(0))?;
    io::BufRead::skip_until(&mut from, b'\n')?;
    let to = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(to)?;
    let mut to = BufWriter::with_capacity(256 << 10, to);
    writeln!(to, "{header}")?;
    io::copy(&mut from, &mut to)?;
    to.flush()
}

/// The names of the recordings in a folder, those being made among them.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for found in fs::read_dir(folder)? {
        let name = found?.file_name().to_string_lossy().into_owned();
        let bare = name.strip_prefix('.').and_then(|name| name.strip_suffix(PARTIAL));
        let own = bare.unwrap_or(&name);
        // Answers to probes are found by their conditions, so their order does not matter.
        let counts = !own.starts_with(['.', '_']) && !own.starts_with(PROBE);
        if own.ends_with(".jsonl") && counts {
            names.push(own.to_owned());
        }
    }
    Ok(names)
}

/// A name that comes after all of these in the order of a set.
fn next_name(names: &[String]) -> String {
    let number = |name: &String| {
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        name[..digits].parse::<u64>().ok()
    };
    let mut next = names.iter().filter_map(number).max().unwrap_or(0).saturating_add(1);
    let last = names.iter().max_by(|a, b| natural_order(a, b)).filter(|_| !names.is_empty());
    let stem = last.map_or("", |last| last.trim_end_matches(".jsonl"));
    loop {
        let plain = format!("{next:02}.jsonl");
        let name = match last {
            Some(last) if natural_order(&plain, last) != Ordering::Greater => {
                format!("{stem}_{next:02}.jsonl")
            }
            _ => plain,
        };
        if !names.contains(&name) {
            return name;
        }
        next = next.saturating_add(1);
    }
}

/// What a killed recorder left in a recording directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The partial recording.
    pub path: PathBuf,
    /// The name that it was to have.
    pub name: String,
    /// How many whole steps it has.
    pub steps: usize,
}

/// Finds partial recordings whose recorder is gone, in a recording directory and the folders of
/// personas in it.
#[must_use]
pub fn leftovers(recordings: &Path) -> Vec<Leftover> {
    let mut found = Vec::new();
    for path in partials(recordings) {
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_start_matches('.').trim_end_matches(PARTIAL).to_owned();
        let lines = fs::read(&path).map_or(0, |text| memchr::memchr_iter(b'\n', &text).count());
        found.push(Leftover { path, name, steps: lines.saturating_sub(1) });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Partial recordings that are still being made.
#[must_use]
pub fn unfinished(recordings: &Path) -> Vec<PathBuf> {
    let is_locked = |path: &PathBuf| File::open(path).is_ok_and(|file| file.try_lock().is_err());
    partials(recordings).into_iter().filter(is_locked).collect()
}

/// Waits until no recording is being made in a recording directory any more. A descendant of a
/// recorded program may hold its streams long after its end.
pub(crate) fn wait_for_recorders(recordings: &Path) {
    for path in partials(recordings) {
        if let Ok(file) = File::open(&path) {
            let _ = file.lock_shared();
        }
    }
}

fn partials(recordings: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|found| found.path()).collect()
    };
    let top = list(recordings);
    let is_folder = |path: &&PathBuf| path.is_dir() && !path.ends_with(".ringer");
    let below: Vec<PathBuf> = top.iter().filter(is_folder).flat_map(|path| list(path)).collect();
    let is_partial = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') && name.ends_with(".jsonl.partial")
    };
    top.into_iter().chain(below).filter(is_partial).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_recording_comes_after_all_others() {
        for (names, wanted) in [
            (&[][..], "01.jsonl"),
            (&["01.jsonl", "9.jsonl"], "10.jsonl"),
            (&["99.jsonl", "100-login.jsonl"], "101.jsonl"),
            (&["session.jsonl"], "session_01.jsonl"),
            (&["01.jsonl", "b.jsonl"], "b_02.jsonl"),
        ] {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let next = next_name(&names);
            assert_eq!(next, wanted);
            assert!(names.iter().all(|name| natural_order(name, &next) == Ordering::Less));
        }
    }

    #[test]
    fn a_partial_recording_reserves_its_number_and_becomes_a_recording_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Partial::next_in(folder.path()).unwrap();
        let second = Partial::next_in(folder.path()).unwrap();
        first.line("{\"ringer\":1}");
        first.line("{\"out\":\"x\"}");
        assert_eq!(leftovers(folder.path()), []);
        assert_eq!(first.finish("{\"ringer\":1,\"note\":1}", false).unwrap(), "01.jsonl");
        drop(second);
        let left = leftovers(folder.path());
        assert_eq!((left.len(), left[0].name.as_str(), left[0].steps), (1, "02.jsonl", 0));
        let text = fs::read_to_string(folder.path().join("01.jsonl")).unwrap();
        assert_eq!(text, "{\"ringer\":1,\"note\":1}\n{\"out\":\"x\"}\n");
    }

    #[test]
    fn a_recording_that_came_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let mut made = Partial::next_in(folder.path()).unwrap();
        made.line("{\"ringer\":1}");
        fs::write(folder.path().join("01.jsonl"), "mine").unwrap();
        assert_eq!(made.finish("{\"ringer\":1}", false).unwrap(), "02.jsonl");
        assert_eq!(fs::read_to_string(folder.path().join("01.jsonl")).unwrap(), "mine");
    }
}
