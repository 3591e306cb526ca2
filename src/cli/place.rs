//! Where `ringer new` and `ringer import` write a recording, and what they say of it.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::output;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug)]
pub(super) enum Existing {
    /// It is replaced.
    Replaced,
    /// It stays; this is what the user can do.
    Kept { way_out: &'static str },
}

/// Writes a recording to the file that is meant, whose folders are made, and says where it is and
/// how it is played.
///
/// # Errors
///
/// The file is there and is kept, cannot be written, or would not be played.
pub(super) fn write(file: &Path, bytes: &[u8], existing: Existing) -> anyhow::Result<()> {
    let path = meant(file)?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the directory {}", folder.display()))?;
    if let Err(error) = write_whole(&path, folder, bytes, existing) {
        if let (ErrorKind::AlreadyExists, Existing::Kept { way_out }) = (error.kind(), existing) {
            anyhow::bail!("{} is there already; {way_out}", path.display());
        }
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    output::print(&format!("{}\n", path.display()))?;
    output::say(&hint(folder));
    Ok(())
}

/// The file that is meant: itself, or the next free number in a directory.
fn meant(file: &Path) -> anyhow::Result<PathBuf> {
    let is_folder = file.is_dir() || file.as_os_str().as_encoded_bytes().ends_with(b"/");
    if is_folder {
        return Ok(file.join(format!("{:02}.jsonl", last_number(file)? + 1)));
    }
    if file.extension() != Some(OsStr::new("jsonl")) {
        anyhow::bail!(
            "{} would not be played: the name of a recording ends with .jsonl; a directory is \
             written with a / at its end",
            file.display()
        );
    }
    Ok(file.to_owned())
}

/// The highest number that a name in the directory begins with, 0 if there is none.
fn last_number(folder: &Path) -> anyhow::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
    };
    let mut last = 0;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        // Digits that no number holds are nobody's counting.
        last = last.max(name[..digits].parse::<u32>().map_or(0, u64::from));
    }
    Ok(last)
}

/// Writes a file that is there whole or not at all.
fn write_whole(path: &Path, folder: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    // Its name begins with a dot, so that no double takes it for a recording; its mode is what any
    // new file has.
    let mode = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".new").permissions(mode).tempfile_in(folder)?;
    file.write_all(bytes)?;
    match existing {
        Existing::Replaced => file.persist(path)?,
        Existing::Kept { .. } => file.persist_noclobber(path)?,
    };
    Ok(())
}

/// How the recording is played: the directory is the one that holds the persona's folder.
fn hint(folder: &Path) -> String {
    let persona = folder.file_name().and_then(OsStr::to_str);
    let (recordings, command) = match persona {
        Some("codex") => (folder.parent(), "codex exec hi"),
        Some("claude") => (folder.parent(), "claude -p hi"),
        _ => (Some(folder), "claude -p hi"),
    };
    let recordings = recordings.filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    format!("ringer: to play it: ringer run {} -- {command}\n", recordings.display())
}
