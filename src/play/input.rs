//! Standard input: read as it comes, kept for the journal, handed out by lines or bytes.

use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

use super::spawn::Spawn;
use super::stop::Play;
use super::waiting::{Listen, Wait, Woke};
use crate::invocation::StreamKind;
use crate::journal::Stdin;
use crate::recording::Signal;
use crate::sys;

/// How much is read at once.
const CHUNK: usize = 64 << 10;
/// How much of a line is kept: no frame is longer, and a line without an end must not take all
/// memory. The journal has all of it.
const LONGEST: usize = 256 << 20;
/// How much of it the entry shows as text.
const SHOWN: usize = 64 << 10;

/// Standard input of a double.
#[derive(Debug)]
pub(crate) struct Input {
    pub kind: StreamKind,
    /// Bytes that were read and not handed out.
    pending: Vec<u8>,
    /// Whether the rest of a line that was too long is being dropped.
    drops: bool,
    /// Where in `pending` no newline has been found so far.
    searched: usize,
    bytes: u64,
    eof: bool,
    closed: bool,
    /// Whether it was waited for in vain, for as long as the program does.
    pub given_up: bool,
    waited: Duration,
    /// The first bytes, for the entry.
    start: Vec<u8>,
}

/// What came of reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// More bytes.
    Some,
    /// The end.
    End,
    /// The time was over.
    Time,
    /// A signal came.
    Signal(Signal),
}

impl Input {
    /// The input of this process.
    pub fn new(kind: StreamKind) -> Input {
        Input {
            kind,
            pending: Vec::new(),
            drops: false,
            searched: 0,
            bytes: 0,
            eof: false,
            closed: false,
            given_up: false,
            waited: Duration::ZERO,
            start: Vec::new(),
        }
    }

    /// Tells whether the end was seen.
    pub fn ended(&self) -> bool {
        self.eof || self.closed
    }

    /// Closes it: whoever writes to it finds nobody there.
    pub fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            sys::close_standard(0);
        }
    }

    /// Takes the next whole line, with its newline; after the end, what is left.
    pub fn take_line(&mut self) -> Option<Vec<u8>> {
        let found = memchr::memchr(b'\n', self.pending.get(self.searched..)?);
        let end = match found {
            Some(at) => self.searched + at + 1,
            None if self.ended() && !self.pending.is_empty() => self.pending.len(),
            None => {
                self.searched = self.pending.len();
                return None;
            }
        };
        Some(self.take(end))
    }

    /// Takes at most so many bytes, and returns how many there were.
    pub fn take_bytes(&mut self, most: u64) -> u64 {
        let count = usize::try_from(most).unwrap_or(usize::MAX).min(self.pending.len());
        self.take(count).len() as u64
    }

    /// How many bytes were read and not taken.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Everything that was read and not taken.
    pub fn pending_bytes(&self) -> &[u8] {
        &self.pending
    }

    /// Takes everything that was read.
    pub fn take_all(&mut self) -> Vec<u8> {
        self.take(self.pending.len())
    }

    /// The first line of everything that came, without its newline.
    pub fn first_line(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', &self.start).unwrap_or(self.start.len());
        &self.start[..end]
    }

    /// For the journal. The text is masked by whoever writes the entry.
    pub fn journaled(&self) -> Stdin {
        Stdin {
            kind: self.kind,
            bytes: self.bytes,
            eof: self.eof,
            waited_ms: u64::try_from(self.waited.as_millis()).unwrap_or(u64::MAX),
            text: std::str::from_utf8(utf8_start(&self.start)).ok().map(str::to_owned),
        }
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.pending.split_off(count);
        self.searched = 0;
        std::mem::replace(&mut self.pending, rest)
    }

    fn came(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = SHOWN.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..room]);
        self.keep(bytes, LONGEST);
    }

    /// Keeps what came, of one line no more than `longest` bytes.
    fn keep(&mut self, bytes: &[u8], longest: usize) {
        let mut bytes = bytes;
        if self.drops {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return };
            self.drops = false;
            bytes = &bytes[end..];
        }
        let room = longest.saturating_sub(self.pending.len());
        if bytes.len() <= room {
            self.pending.extend_from_slice(bytes);
            return;
        }
        let (kept, rest) = bytes.split_at(room);
        self.pending.extend_from_slice(kept);
        self.drops = true;
        if let Some(end) = memchr::memchr(b'\n', rest) {
            self.drops = false;
            self.pending.extend_from_slice(&rest[end..]);
        }
    }
}

/// Without the beginning of a character at the very end, where the text was cut.
fn utf8_start(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

impl Spawn {
    /// Reads more of stdin, at most `limit` bytes, waiting until something comes.
    pub fn read_stdin(&mut self, limit: usize, until: Option<Instant>, what: &str) -> Play<Read> {
        if self.stdin.ended() {
            return Ok(Read::End);
        }
        if self.stdin.kind == StreamKind::Null {
            self.stdin.eof = true;
            return Ok(Read::End);
        }
        // Not an array: zeroing that would touch pages which most reads never need.
        let mut buffer = Vec::with_capacity(limit.clamp(1, CHUNK));
        loop {
            let began = Instant::now();
            let woke = self.wait(Wait { fd: Some(0), listen: Listen::No, until, what });
            self.stdin.waited += began.elapsed();
            match woke? {
                Woke::Ready | Woke::Heard => {}
                Woke::Time => return Ok(Read::Time),
                Woke::Signal(signal) => return Ok(Read::Signal(signal)),
            }
            match rustix::io::read(sys::standard(0), spare_capacity(&mut buffer)) {
                Ok(0) => {
                    self.stdin.eof = true;
                    return Ok(Read::End);
                }
                Ok(_) => {
                    self.stdin.came(&buffer);
                    self.keep_stdin(&buffer)?;
                    return Ok(Read::Some);
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                // A terminal that is gone, a connection that was reset: nothing more will come.
                Err(_) => {
                    self.stdin.eof = true;
                    return Ok(Read::End);
                }
            }
        }
    }

    fn keep_stdin(&self, bytes: &[u8]) -> Play<()> {
        match &self.ticket {
            Some(ticket) if self.keeps_stdin => Ok(ticket.keep_stdin(bytes)?),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_line_that_does_not_end_only_so_much_is_kept() {
        let mut input = Input::new(StreamKind::Pipe);
        for chunk in [&b"abcdef"[..], b"ghij", b"klmno", b"pq\nnext\n"] {
            input.keep(chunk, 8);
        }
        assert_eq!(input.take_line().as_deref(), Some(&b"abcdefgh\n"[..]));
        assert_eq!(input.take_line().as_deref(), Some(&b"next\n"[..]));
        input.keep(b"0123456789\nrest", 8);
        assert_eq!(input.take_line().as_deref(), Some(&b"01234567\n"[..]));
        assert_eq!(input.take_line(), None);
        assert_eq!(input.pending_bytes(), b"rest");
    }
}
