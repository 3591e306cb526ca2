//! What the recipes are played with: a stage, a spawn that is watched, events that are looked into.

use std::io::{Read as _, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use ringer::Stage;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The command under test, which plays any double under that double's name.
pub const RINGER: &str = env!("CARGO_BIN_EXE_ringer");

/// The cookbook's recordings.
pub fn cookbook() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cookbook")
}

/// A recipe on a stage of its own.
pub struct Recipe {
    stage: Stage,
}

impl Recipe {
    /// The recipe of this name.
    #[track_caller]
    pub fn of(name: &str) -> Recipe {
        let stage = Stage::builder().of(cookbook().join(name)).doubles_from(RINGER);
        Recipe { stage: stage.max_life(Duration::from_secs(60)).build() }
    }

    /// `claude -p hi` with these further arguments, its events on stdout.
    pub fn claude(&self, further: &[&str]) -> Command {
        let mut command = self.stage.command(self.stage.path("claude"));
        command.args(["-p", "hi", "--output-format", "stream-json", "--verbose"]).args(further);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `codex exec` with these further arguments, its events on stdout.
    pub fn codex(&self, further: &[&str]) -> Command {
        let mut command = self.stage.command(self.stage.path("codex"));
        command.args(["exec", "--json"]).args(further).arg("hi");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Checks that every recording of the recipe was played and nothing went wrong beside it.
    #[track_caller]
    pub fn is_eaten_up(&self) {
        self.stage.verify();
    }
}

/// Reads stdout until so many lines have come.
pub fn hear(child: &mut Child, lines: usize) -> Vec<u8> {
    let stdout = child.stdout.as_mut().unwrap();
    let (mut heard, mut byte) = (Vec::new(), [0]);
    while heard.iter().filter(|byte| **byte == b'\n').count() < lines {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "stdout ended after {heard:?}");
        heard.push(byte[0]);
    }
    heard
}

/// Reads stdout to its end, and returns each piece as it came.
pub fn pieces(child: &mut Child) -> Result<Vec<Vec<u8>>> {
    let stdout = child.stdout.as_mut().unwrap();
    let mut pieces = Vec::new();
    loop {
        let mut buffer = vec![0; 1 << 16];
        let count = stdout.read(&mut buffer)?;
        if count == 0 {
            return Ok(pieces);
        }
        buffer.truncate(count);
        pieces.push(buffer);
    }
}

/// Sends a signal.
pub fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Tells whether it still runs after a while.
pub fn runs_on(child: &mut Child) -> bool {
    std::thread::sleep(Duration::from_millis(300));
    child.try_wait().unwrap().is_none()
}

/// Drains both streams and waits for the end.
pub fn end(child: Child) -> (ExitStatus, String) {
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (status, String::from_utf8(stderr).unwrap())
}

/// The events of a stream that is whole.
#[track_caller]
pub fn events(stdout: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The events of this type.
pub fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}
