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
/// How much of it the entry shows as text.
const SHOWN: usize = 64 << 10;

/// Standard input of a double.
#[derive(Debug)]
pub(crate) struct Input {
    pub kind: StreamKind,
    /// Bytes that were read and not handed out.
    pending: Vec<u8>,
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

    /// Takes exactly so many bytes, if they are there.
    pub fn take_bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        (self.pending.len() >= count).then(|| self.take(count))
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
        self.pending.extend_from_slice(bytes);
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
