//! What a recording says, on its way out: rendered by the spawn's arguments where that is asked for,
//! and with this run's ids in a live session.

use super::player::Player;
use super::stop::Play;
use crate::recording::Output;

impl Player {
    /// Writes what a recording says, rendered where that is asked for.
    pub(super) fn emit(&mut self, stream: Output, bytes: &[u8]) -> Play<()> {
        self.inbox.owes_an_answer &= stream == Output::Stderr || bytes.is_empty();
        if stream == Output::Stdout && self.is_live() && bytes.ends_with(b"\n") {
            return self.emit_translated(bytes);
        }
        if stream == Output::Stderr || !self.plan.render || self.performer.is_none() {
            return self.send(stream, bytes);
        }
        self.spoke = true;
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let mut line = std::mem::take(&mut self.unrendered);
            line.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            let pieces = self.voice(|it| it.recorded(&line));
            self.pieces(pieces)?;
        }
        self.unrendered.extend_from_slice(rest);
        Ok(())
    }

    /// Writes whole lines of a live session, with ids that the client made up or named being this
    /// run's. It stays one write.
    fn emit_translated(&mut self, bytes: &[u8]) -> Play<()> {
        let Some(performer) = &self.performer else { return self.send(Output::Stdout, bytes) };
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let translated: Vec<u8> =
            lines.flat_map(|line| performer.translated(line).into_owned()).collect();
        self.send(Output::Stdout, &translated)
    }

    /// Renders the last line of a recorded stream, if that has no newline.
    pub(super) fn render_the_rest(&mut self) -> Play<()> {
        let line = std::mem::take(&mut self.unrendered);
        if line.is_empty() {
            return Ok(());
        }
        let pieces = self.voice(|it| it.recorded(&line));
        self.pieces(pieces)
    }
}
