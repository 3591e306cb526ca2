//! The file of `codex exec -o FILE`: the last message of the agent, written at the real moment.
//!
//! It is opened at the start, made if missing but left as it is, and written only once
//! `turn.completed` is on stdout; a turn that fails or is interrupted leaves what was there
//! (04-last-preexisting-fail-human). It reads along with stdout, so it serves recorded streams and
//! rendered ones alike.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::Deserialize;

use crate::error::Error;
use crate::persona::Answer;

/// Longer lines are no events, and are not kept.
const LONGEST: usize = 64 << 20;

/// How the output of the spawn tells its last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// As events, a line each (`--json`).
    Events,
    /// As the message itself, which is all that goes to stdout.
    Text,
}

/// The file that a spawn leaves its last message in.
#[derive(Debug)]
pub struct LastMessage {
    file: File,
    path: PathBuf,
    shown: String,
    told: Told,
    /// What was written since the last whole line; of a plain text, everything, since it goes to the
    /// file only once the run has ended well.
    rest: Vec<u8>,
    message: Option<String>,
    completed: bool,
}

impl LastMessage {
    /// Opens the file at the start of the run: makes it if it is missing, and leaves what it holds.
    /// A relative path counts from `cwd`.
    ///
    /// # Errors
    ///
    /// What the real CLI says of a file that cannot be opened; the run ends with it, before
    /// anything is on stdout.
    pub fn open(path: &str, cwd: &Path, told: Told) -> Result<LastMessage, Answer> {
        let full = cwd.join(path);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&full);
        match opened {
            Ok(file) => Ok(LastMessage {
                file,
                path: full,
                shown: path.to_owned(),
                told,
                rest: Vec::new(),
                message: None,
                completed: false,
            }),
            Err(error) => Err(Answer {
                stderr: format!("Error: Failed to open last message file {path:?}: {error}\n"),
                code: 1,
                ..Answer::default()
            }),
        }
    }

    /// Whether it is the file of this path.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        self.path == path
    }

    /// Takes bytes that are on stdout now, whole lines or pieces of them. With the event that
    /// completes the turn the file is written.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn written(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.rest.extend_from_slice(bytes);
        if self.told == Told::Text {
            return Ok(());
        }
        let mut rest = std::mem::take(&mut self.rest);
        let whole = memchr::memrchr(b'\n', &rest).map_or(0, |newline| newline + 1);
        for line in rest[..whole].split(|byte| *byte == b'\n') {
            self.line(line)?;
        }
        rest.drain(..whole);
        if rest.len() > LONGEST {
            // No event is that long; what is left of the line is none either.
            rest.clear();
        }
        self.rest = rest;
        Ok(())
    }

    /// Ends the run with this exit code. `message` is the last one, where it is known from
    /// elsewhere than stdout. Returns what the real CLI says on stderr of a turn without a message;
    /// it belongs to rendered turns, not to a recording that has its own stderr.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn finish(mut self, code: u8, message: Option<&str>) -> Result<Option<String>, Error> {
        match self.told {
            Told::Events => {
                let last = std::mem::take(&mut self.rest);
                self.line(&last)?;
            }
            Told::Text if code == 0 => {
                // One newline is the CLI's own; an empty message is nothing but that.
                let text = String::from_utf8_lossy(&self.rest);
                let shown = text.strip_suffix('\n').map(str::to_owned);
                let shown = shown.or_else(|| (!text.is_empty()).then(|| text.into_owned()));
                self.message = message.map(str::to_owned).or(shown);
                self.store()?;
            }
            Told::Text => {}
        }
        let silent = self.completed && self.message.is_none();
        Ok(silent.then(|| {
            format!("Warning: no last agent message; wrote empty content to {}\n", self.shown)
        }))
    }

    /// Takes one line of the events. Only those that matter are read as JSON.
    fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        let has = |word: &str| memmem::find(line, word.as_bytes()).is_some();
        if !has("\"agent_message\"") && !has("\"turn.completed\"") {
            return Ok(());
        }
        let Ok(event) = serde_json::from_slice::<Event>(line) else { return Ok(()) };
        match (event.kind.as_str(), event.item) {
            ("item.completed", Some(Item { kind, text: Some(text) }))
                if kind == "agent_message" =>
            {
                self.message = Some(text);
                Ok(())
            }
            ("turn.completed", _) => self.store(),
            _ => Ok(()),
        }
    }

    /// Puts the message in place of what the file holds, without a newline.
    fn store(&mut self) -> Result<(), Error> {
        self.completed = true;
        let text = self.message.as_deref().unwrap_or_default();
        let stored = self.overwrite(text.as_bytes());
        stored.map_err(|error| Error::io("cannot write", &self.path, error))
    }

    fn overwrite(&self, bytes: &[u8]) -> io::Result<()> {
        // A pipe or a terminal has no beginning to go back to.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
            (&self.file).seek(SeekFrom::Start(0))?;
        }
        (&self.file).write_all(bytes)
    }
}

/// What of an event matters here.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    item: Option<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

#[cfg(test)]
mod tests;
