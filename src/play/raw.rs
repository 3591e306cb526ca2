//! Raw recordings: the bytes of a file, to the last one, as fast as `cat`.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use super::player::Player;
use super::stop::Play;
use crate::error::Error;
use crate::recording::Output;

/// What is read and written at once: as much as a pipe holds, so that the next part is read and
/// counted while the reader takes this one. Twice as much is a tenth slower.
const CHUNK: usize = 64 << 10;
/// What memory is copied by.
const PAGE: usize = 4096;
/// How far back from the end a long stream is searched for the event that decides the exit code:
/// looking for it in everything that passes would cost half the throughput.
const TAIL: u64 = 4 << 20;
/// How far back from there the line may begin that is cut by it; longer ones decide nothing.
const LONGEST: u64 = 8 << 20;
/// What is read at once to find that beginning.
const STEP: u64 = 16 << 10;

impl Player {
    /// Plays a raw recording: what was read of it already, then the rest, if there is more.
    pub fn raw(&mut self, start: &[u8], rest: Option<File>) -> Play<()> {
        match rest {
            None => self.emit(Output::Stdout, start)?,
            Some(rest) => {
                let tail = self.tail(&rest)?;
                self.watches = self.plan.render;
                self.long(start, &rest, tail)?;
                self.watches = true;
            }
        }
        self.after_the_last_step(0)
    }

    /// Writes a long stream, and reads along from its tail on.
    fn long(&mut self, start: &[u8], mut rest: &File, tail: u64) -> Play<()> {
        self.emit(Output::Stdout, start)?;
        self.watch.feed(from(tail, start, 0));
        let mut at = start.len() as u64;
        let mut buffer = vec![0; CHUNK + PAGE];
        // The kernel copies whole pages at half the cost where they begin on a page.
        let aligned = buffer.as_ptr().align_offset(PAGE).min(PAGE);
        let buffer = &mut buffer[aligned..aligned + CHUNK];
        // What nobody reads need not be written, but it still decides.
        loop {
            if !self.spawn.stdout.is_open() && at < tail {
                at = rest.seek(SeekFrom::Start(tail)).map_err(|error| self.unreadable(error))?;
            }
            match rest.read(buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    let bytes = &buffer[..count];
                    self.emit(Output::Stdout, bytes)?;
                    self.watch.feed(from(tail, bytes, at));
                    at += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unreadable(error).into()),
            }
        }
    }

    /// Where the lines begin that may decide the exit code of a long stream.
    fn tail(&self, file: &File) -> Play<u64> {
        let size = file.metadata().map_err(|error| self.unreadable(error))?.len();
        let tail = size.saturating_sub(TAIL);
        let mut buffer = [0; STEP as usize];
        let mut end = tail;
        while end > tail.saturating_sub(LONGEST) {
            let begin = end.saturating_sub(STEP);
            let before = &mut buffer[..(end - begin) as usize];
            file.read_exact_at(before, begin).map_err(|error| self.unreadable(error))?;
            if let Some(newline) = memchr::memrchr(b'\n', before) {
                return Ok(begin + newline as u64 + 1);
            }
            end = begin;
        }
        Ok(if end == 0 { 0 } else { tail })
    }

    fn unreadable(&self, error: std::io::Error) -> Error {
        Error::io("cannot read", &self.plan.recording, error)
    }
}

/// The part of some bytes, which stand at `at`, that is at `tail` or behind it.
fn from(tail: u64, bytes: &[u8], at: u64) -> &[u8] {
    let before = usize::try_from(tail.saturating_sub(at)).unwrap_or(usize::MAX);
    bytes.get(before..).unwrap_or_default()
}
