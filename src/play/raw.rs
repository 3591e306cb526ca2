//! Raw recordings: the bytes of a file, to the last one, as fast as `cat`.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;

use super::player::Player;
use super::stop::Play;
use crate::error::Error;
use crate::recording::Output;

/// What is read and written at once.
const CHUNK: usize = 128 << 10;
/// What memory is copied by.
const PAGE: usize = 4096;
/// How far back from the end a long stream is searched for the event that decides the exit code:
/// looking for it in everything that passes would cost half the throughput.
const TAIL: u64 = 4 << 20;

impl Player {
    /// Plays a raw recording: what was read of it already, then the rest, if there is more.
    pub fn raw(&mut self, start: &[u8], rest: Option<File>) -> Play<()> {
        match rest {
            None => self.emit(Output::Stdout, start)?,
            Some(rest) => {
                self.watches = self.plan.render;
                self.long(start, &rest)?;
                self.watches = true;
                self.watch_tail(&rest)?;
            }
        }
        self.after_the_last_step(0)
    }

    fn long(&mut self, start: &[u8], mut rest: &File) -> Play<()> {
        self.emit(Output::Stdout, start)?;
        let mut buffer = vec![0; CHUNK + PAGE];
        // The kernel copies whole pages at half the cost where they begin on a page.
        let aligned = buffer.as_ptr().align_offset(PAGE).min(PAGE);
        let buffer = &mut buffer[aligned..aligned + CHUNK];
        // What nobody reads need not be read either.
        while self.spawn.stdout.is_open() {
            match rest.read(buffer) {
                Ok(0) => break,
                Ok(count) => self.emit(Output::Stdout, &buffer[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(Error::io("cannot read", &self.plan.recording, error).into());
                }
            }
        }
        Ok(())
    }

    /// Reads the end of a long recording once more, for the exit code that follows from it.
    fn watch_tail(&mut self, file: &File) -> Play<()> {
        let unreadable = |error| Error::io("cannot read", &self.plan.recording, error);
        let size = file.metadata().map_err(unreadable)?.len();
        let mut at = size.saturating_sub(TAIL);
        let mut buffer = vec![0; CHUNK];
        while at < size {
            let count = file.read_at(&mut buffer, at).map_err(unreadable)?;
            if count == 0 {
                break;
            }
            self.watch.feed(&buffer[..count]);
            at += count as u64;
        }
        Ok(())
    }
}
