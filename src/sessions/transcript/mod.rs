//! The session files that the real CLIs keep, for the clients that read them (`transcripts = true`
//! in `ringer.toml`).
//!
//! A transcript is made of what goes to stdout, whether a turn was rendered or a recording played:
//! [`Transcript::prompt`] and [`Transcript::event`] take what happens, in order, and the lines are
//! appended at once, so that a spawn that is killed leaves what it has done. The file is named by
//! the id in the stream, since that is the id by which a client looks for it; until the stream has
//! named one, nothing is written.
//!
//! Not written is what only the real CLI reads itself: requests, attachments, locks, databases, and
//! the files of subagents. Times are those of the run's start, given by the caller.

mod claude;
mod codex;
mod file;
mod project;

use crate::error::Error;

pub use claude::ClaudeRun;
pub use codex::CodexRun;
pub use project::project_folder;

/// The session file of one spawn.
#[derive(Debug)]
pub struct Transcript(Kind);

#[derive(Debug)]
enum Kind {
    Claude(Box<claude::Transcript>),
    Codex(Box<codex::Transcript>),
}

impl Transcript {
    /// The transcript of a `claude` spawn.
    #[must_use]
    pub fn claude(run: ClaudeRun) -> Transcript {
        Transcript(Kind::Claude(Box::new(claude::Transcript::new(run))))
    }

    /// The rollout of a `codex exec` spawn.
    #[must_use]
    pub fn codex(run: CodexRun) -> Transcript {
        Transcript(Kind::Codex(Box::new(codex::Transcript::new(run))))
    }

    /// Takes a prompt: that of a run as text, or the whole user line of a live session.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn prompt(&mut self, prompt: Prompt) -> Result<(), Error> {
        match &mut self.0 {
            Kind::Claude(transcript) => transcript.prompt(prompt),
            Kind::Codex(transcript) => {
                transcript.prompt(&prompt.text());
                Ok(())
            }
        }
    }

    /// Takes a line of the event stream: stream-json of `claude` (`json` output serves as well),
    /// `--json` of `codex exec`. Anything else is passed over.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn event(&mut self, line: &[u8]) -> Result<(), Error> {
        let Ok(event) = serde_json::from_slice(line) else { return Ok(()) };
        match &mut self.0 {
            Kind::Claude(transcript) => transcript.events(event),
            Kind::Codex(transcript) => transcript.event(&event),
        }
    }

    /// Ends the run: writes what was held back.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        match self.0 {
            Kind::Claude(transcript) => transcript.finish(),
            Kind::Codex(_) => Ok(()),
        }
    }
}

/// What a user asks for.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'a> {
    /// As text.
    Text(&'a str),
    /// As a line of a live session.
    Line(&'a [u8]),
}

impl Prompt<'_> {
    /// The line as JSON, where it is one.
    fn line(&self) -> Option<serde_json::Value> {
        match self {
            Prompt::Text(_) => None,
            Prompt::Line(line) => serde_json::from_slice(line).ok(),
        }
    }

    /// The text; of a line, that of its message.
    fn text(&self) -> String {
        let Prompt::Text(text) = self else {
            let line = self.line().unwrap_or_default();
            return content_text(&line["message"]["content"]);
        };
        (*text).to_owned()
    }
}

/// The text of a message's content: a string, or its text blocks.
fn content_text(content: &serde_json::Value) -> String {
    match content {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A time as the files carry it: `2026-01-01T00:00:00.000Z`.
fn stamp(time: jiff::Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests;
