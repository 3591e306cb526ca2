//! Finds the real program that a double stands in for: the first of its name on PATH that is
//! neither a double nor a shim.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::settings::STAGE_FILE;
use crate::stage;

/// No double is larger than this; the real programs may be.
const LARGEST_DOUBLE: u64 = 160 << 20;

/// Finds the program in the directories of these `PATH`s, taken one after the other.
///
/// # Errors
///
/// There is none; the message says what was passed over.
pub(crate) fn find(program: &str, paths: &[&OsStr]) -> Result<PathBuf, Error> {
    let own = fs::metadata("/proc/self/exe").ok();
    let own_folder = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let mut doubles = Vec::new();
    for folder in paths.iter().flat_map(|path| std::env::split_paths(path)) {
        let candidate = folder.join(program);
        let Ok(found) = fs::metadata(&candidate) else { continue };
        if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
            continue;
        }
        let is_own =
            own.as_ref().is_some_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()));
        let beside_own = own_folder.as_ref().is_some_and(|own| is_same_folder(own, &folder));
        if is_own || beside_own || is_stage(&folder) || is_double(&candidate, found.len()) {
            doubles.push(candidate.display().to_string());
        } else {
            return Ok(std::path::absolute(&candidate).unwrap_or(candidate));
        }
    }
    let passed_over = match doubles.as_slice() {
        [] => String::new(),
        doubles => format!(" ({} is a double)", doubles.join(", ")),
    };
    Err(Error::Setting {
        place: "PATH".to_owned(),
        what: format!(
            "there is no real {program} on it{passed_over}; install {program}, or put its \
             directory on PATH"
        ),
    })
}

/// `PATH` without the stages on it, for a real program that starts others of its kind: those are
/// its own business, and a replay does not start them.
pub(crate) fn without_stages(path: &OsStr) -> std::ffi::OsString {
    let kept = std::env::split_paths(path).filter(|folder| !is_stage(folder));
    std::env::join_paths(kept).unwrap_or_else(|_| path.to_owned())
}

/// Whether a directory is a stage.
fn is_stage(folder: &Path) -> bool {
    folder.join(STAGE_FILE).exists()
}

fn is_same_folder(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Whether a file is an executable of ringer, under whatever name: its marker is in it.
fn is_double(path: &Path, size: u64) -> bool {
    size <= LARGEST_DOUBLE && is_binary(path) && stage::is_double(path)
}

/// Scripts and the like are none of ours, and need not be searched.
fn is_binary(path: &Path) -> bool {
    let mut start = [0; 4];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, text: &[u8]) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join("claude");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn doubles_shims_and_files_that_do_not_run_are_passed_over() {
        let scene = tempfile::tempdir().unwrap();
        let folder = |name: &str| scene.path().join(name);
        program(&folder("stage"), b"#!/bin/sh\n");
        fs::write(folder("stage").join(STAGE_FILE), "{}").unwrap();
        program(&folder("copy"), b"\x7fELF ringer-double-version=1.2.3;");
        let idle = program(&folder("idle"), b"x");
        fs::set_permissions(&idle, fs::Permissions::from_mode(0o644)).unwrap();
        let real = program(&folder("real"), b"#!/bin/sh\n");
        let names = ["stage", "copy", "idle", "missing"];
        let path = std::env::join_paths(names.iter().map(|name| folder(name))).unwrap();
        let error = find("claude", &[&path]).unwrap_err().to_string();
        assert!(error.contains("there is no real claude on it"), "{error}");
        assert!(error.contains("copy/claude is a double"), "{error}");
        assert_eq!(find("claude", &[&path, folder("real").as_os_str()]).unwrap(), real);
    }
}
