//! A directory with recordings in which commands are run, and what they said, without paths, times
//! and process ids, which differ from run to run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use regex::Regex;

/// The executable under test.
pub const RINGER: &str = env!("CARGO_BIN_EXE_ringer");

/// What a good run answers, as text, since that is what most scenes ask for.
pub const DONE: &str = "All done.\n";

/// A temporary directory with a folder `rec` of recordings.
pub struct Scene {
    directory: tempfile::TempDir,
}

/// How a command ended and what it said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    /// A scene without recordings.
    pub fn new() -> Scene {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("rec")).unwrap();
        fs::create_dir(directory.path().join("tmp")).unwrap();
        Scene { directory }
    }

    /// A scene with so many recordings of claude.
    pub fn with_claude(recordings: usize) -> Scene {
        let mut scene = Scene::new();
        for number in 1..=recordings {
            scene = scene.file(&format!("rec/claude/{number:02}.jsonl"), DONE);
        }
        scene
    }

    /// Adds a file.
    pub fn file(self, path: &str, contents: &str) -> Scene {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// Adds a script that can be started.
    pub fn script(self, path: &str, contents: &str) -> Scene {
        let scene = self.file(path, contents);
        fs::set_permissions(scene.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        scene
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// A command in the scene, with nothing of ringer in its environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).stdin(Stdio::null());
        for name in ["RECORDINGS", "STATE", "SPEED", "ARGS", "MODE", "REPEAT_LAST", "BIN"] {
            command.env_remove(format!("RINGER_{name}"));
        }
        command.env("TMPDIR", self.path("tmp"));
        // Scripts call `ringer` by name.
        let folder = Path::new(RINGER).parent().unwrap().to_str().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{folder}:{path}"));
        command
    }

    /// Runs `ringer` with these arguments.
    pub fn ringer(&self, arguments: &[&str]) -> Said {
        self.said(self.command(RINGER).args(arguments))
    }

    /// Runs a shell script under `ringer run rec`.
    pub fn run(&self, script: &str) -> Said {
        self.ringer(&["run", "rec", "--", "sh", "-c", script])
    }

    /// Runs a command, and says what it said.
    pub fn said(&self, command: &mut Command) -> Said {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Said { code: status.code(), stdout: self.plain(&stdout), stderr: self.plain(&stderr) }
    }

    /// What is the same in every run.
    pub fn plain(&self, bytes: &[u8]) -> String {
        static SAME: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
            let pairs = [
                (r"\[root\]/tmp/ringer-[0-9A-Za-z]+/stage", "[stage]"),
                (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "[time]"),
                (r"pid [0-9]+", "pid [pid]"),
                (r"\b[0-9]+ ms\b", "[ms] ms"),
                (r"\b[0-9]+(\.[0-9])? s\b", "[s] s"),
            ];
            pairs.map(|(pattern, same)| (Regex::new(pattern).unwrap(), same)).into()
        });
        let text = String::from_utf8_lossy(bytes).replace(self.root().to_str().unwrap(), "[root]");
        SAME.iter().fold(text, |text, (pattern, same)| pattern.replace_all(&text, *same).into())
    }
}

impl Said {
    /// The verdict on stderr: from the first line of `ringer` itself.
    pub fn verdict(&self) -> &str {
        let at = self.stderr.find("ringer: ").unwrap_or(self.stderr.len());
        &self.stderr[at..]
    }
}

/// Compares texts as wholes, and shows both where they differ.
#[track_caller]
pub fn same(found: &str, expected: &str) {
    assert!(found == expected, "found:\n{found}\nexpected:\n{expected}");
}
