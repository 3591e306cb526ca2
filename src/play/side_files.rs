//! What a spawn leaves beside its output: the last message, the session file, and what the next
//! spawn must know of its session.

use super::player::Player;
use super::stop::Play;
use crate::error::Error;
use crate::journal::Exit;
use crate::persona::performer::SessionMark;
use crate::recording::Output;
use crate::sessions::transcript::{Prompt, Transcript};
use crate::sessions::{LastMessage, Told};

/// Longer lines are no events: they are not kept in memory for the session file.
const LONGEST: usize = 64 << 20;

impl Player {
    /// What must be known for the next spawn that takes this session up, where the session is the
    /// program's own.
    pub fn session_mark(&self) -> Option<SessionMark> {
        self.performer.as_ref().and_then(|performer| performer.session())
    }

    /// Keeps the last message for the file that the arguments name.
    pub fn keep_last_message(&mut self, path: &str, told: Told) -> Play<()> {
        match LastMessage::open(path, &self.plan.cwd, told) {
            Ok(file) => {
                self.last_message = Some(file);
                Ok(())
            }
            // Strictness is about arguments; no file is looked for.
            Err(answer) => {
                let mention = format!("the real CLI ends here: {}", answer.stderr.trim_end());
                self.spawn.entry.mentions.push(mention);
                Ok(())
            }
        }
    }

    /// Keeps the session file that the program would write, beginning with the prompt.
    pub fn keep_transcript(&mut self, file: Option<Transcript>, prompt: &str) -> Result<(), Error> {
        self.transcript = file;
        match &mut self.transcript {
            Some(file) if !self.plan.session => file.prompt(Prompt::Text(prompt)),
            _ => Ok(()),
        }
    }

    /// Writes the last message, once it is known how the run ends.
    pub(super) fn store_last_message(&mut self, exit: &Exit) -> Result<(), Error> {
        let (Some(file), Exit::Code(code)) = (self.last_message.take(), exit) else {
            return Ok(());
        };
        let known = self.performer.as_ref().and_then(|performer| performer.last_message());
        file.finish(*code, known.as_deref()).map(drop)
    }

    /// Tells the session file of events that stdout does not show.
    pub(super) fn tell_aside(&mut self) -> Result<(), Error> {
        let (Some(file), Some(voice)) = (&mut self.transcript, &mut self.performer) else {
            return Ok(());
        };
        let lines = voice.take_untold();
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.into_iter().try_for_each(|line| file.event(line))
    }

    /// Takes note of bytes that are on a stream now.
    pub(super) fn was_written(&mut self, stream: Output, bytes: &[u8]) -> Play<()> {
        if stream == Output::Stderr {
            return Ok(());
        }
        if let Some(file) = &mut self.last_message {
            file.written(bytes)?;
        }
        if let Some(file) = self.transcript.as_mut().filter(|_| !self.tells_aside) {
            self.untold.extend_from_slice(bytes);
            let whole = memchr::memrchr(b'\n', &self.untold).map_or(0, |newline| newline + 1);
            let lines: Vec<u8> = self.untold.drain(..whole).collect();
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                file.event(line)?;
            }
            if self.untold.len() > LONGEST {
                // No event is that long; what is left of the line is none either.
                self.untold.clear();
            }
        }
        Ok(())
    }
}
