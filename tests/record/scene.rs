//! A directory with stand-ins for the real programs on PATH, and the command under test.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub const RINGER: &str = env!("CARGO_BIN_EXE_ringer");

/// A live session of claude.
pub const SESSION: &[&str] = &[
    "claude",
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
];

/// A scene in a temporary directory: `real` is on PATH, `rec` is for recordings.
pub struct Scene {
    directory: tempfile::TempDir,
}

/// What a command did on its streams: apart, and what a reader of both through one pipe saw.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub stdout: String,
    pub stderr: String,
    pub status: ExitStatus,
}

impl Scene {
    pub fn new() -> Scene {
        let directory = tempfile::tempdir().unwrap();
        for folder in ["real", "rec", "tmp", "work", "home/jdoe"] {
            fs::create_dir_all(directory.path().join(folder)).unwrap();
        }
        Scene { directory }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    /// Adds a stand-in, a shell script. It says its version.
    pub fn real(self, program: &str, script: &str) -> Scene {
        let says =
            format!("case \"$1\" in --version) echo '9.8.7 (stand-in)'; exit;; esac\n{script}");
        self.script(&format!("real/{program}"), &says)
    }

    pub fn script(self, path: &str, script: &str) -> Scene {
        let path = self.path(path);
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A command in the scene. Its doubles take any arguments, since the stand-ins do.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path("work")).stdin(Stdio::null());
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.path("real").display()));
        command.env("HOME", self.path("home/jdoe")).env("USER", "jdoe").env("RINGER_ARGS", "lax");
        command.env("TMPDIR", self.path("tmp")).env_remove("RINGER_RECORDINGS");
        command
    }

    pub fn ringer(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(RINGER, arguments);
        command.env("RINGER_BIN", RINGER);
        command
    }

    /// `ringer record ../rec OPTIONS -- COMMAND`.
    pub fn record(&self, options: &[&str], command: &[&str]) -> Command {
        self.ringer(&[&["record", "../rec"], options, &["--"], command].concat())
    }

    /// `ringer run ../rec -- COMMAND`.
    pub fn run(&self, command: &[&str]) -> Command {
        self.ringer(&[&["run", "../rec", "--"], command].concat())
    }

    /// The text of a recording.
    pub fn recording(&self, name: &str) -> String {
        let path = self.path("rec").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The names of all files below the recordings, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let root = self.path("rec");
        list(&root, &root, &mut files);
        files.sort();
        files
    }
}

fn list(root: &Path, folder: &Path, files: &mut Vec<String>) {
    for found in fs::read_dir(folder).unwrap() {
        let path = found.unwrap().path();
        if path.is_dir() {
            list(root, &path, files);
        } else {
            files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// Runs a command with this input and reads its streams apart. What ringer itself says is left out.
pub fn seen(command: &mut Command, input: &str) -> Seen {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program may end before it reads.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Seen {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: without_ringer(&output.stderr),
        status: output.status,
    }
}

/// Runs a command and reads both streams through one pipe.
pub fn merged(command: &mut Command) -> String {
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    child.wait().unwrap();
    without_ringer(&bytes)
}

fn without_ringer(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let end = text.find("ringer: ").unwrap_or(text.len());
    text[..end].to_owned()
}
