//! An output stream: one `write` a step, counted, to the descriptor as it was inherited.

use std::collections::VecDeque;

use rustix::io::Errno;

use crate::invocation::StreamKind;
use crate::sys;

/// How many places in the stream are remembered, to tell which lines the reader has taken.
const REMEMBERED: usize = 512;
/// So much fits into a pipe that nobody has read from.
const FITS: u64 = 32 << 10;
/// In writes up to this size, each line is remembered: what a pipe holds.
const SMALL: usize = 64 << 10;

/// A stream that a double writes.
#[derive(Debug)]
pub(crate) struct OutStream {
    fd: u8,
    pub kind: StreamKind,
    pub bytes: u64,
    pub lines: u64,
    /// Bytes and lines up to some places in the stream, the last ones.
    marks: VecDeque<(u64, u64)>,
    /// Where the stream was when its reader was found gone, or when it was closed.
    pub gone: Option<u64>,
    closed: bool,
    failed: bool,
}

/// What became of a write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrote {
    /// All of it was taken.
    All,
    /// A signal came after so many bytes.
    Interrupted(usize),
    /// The descriptor takes nothing now, after so many bytes.
    Full(usize),
    /// Nobody will read it.
    NoReader,
    /// The system refused it.
    Failed(Errno),
}

impl OutStream {
    /// The stream of a standard descriptor: 1 or 2.
    pub fn new(fd: u8, kind: StreamKind) -> OutStream {
        let marks = VecDeque::from([(0, 0)]);
        OutStream { fd, kind, bytes: 0, lines: 0, marks, gone: None, closed: false, failed: false }
    }

    /// Its descriptor.
    pub fn fd(&self) -> u8 {
        self.fd
    }

    /// Tells whether writing to it still has an effect.
    pub fn is_open(&self) -> bool {
        !self.closed && !self.failed && self.gone.is_none()
    }

    /// Closes it; what is written later goes nowhere.
    pub fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            sys::close_standard(self.fd);
        }
    }

    /// Tells whether a write of this length may have to wait for the reader. What is
    /// little fits into a pipe as a whole, and files take everything.
    pub fn may_block(&self, length: usize) -> bool {
        let waits = matches!(self.kind, StreamKind::Pipe | StreamKind::Socket | StreamKind::Tty);
        waits && self.bytes + length as u64 > FITS
    }

    /// Writes bytes, as far as the descriptor takes them at once.
    pub fn write(&mut self, bytes: &[u8]) -> Wrote {
        let mut done = 0;
        while done < bytes.len() {
            match rustix::io::write(sys::standard(self.fd), &bytes[done..]) {
                Ok(count) => {
                    self.count(&bytes[done..done + count]);
                    done += count;
                    if done < bytes.len() && sys::signal_pending() {
                        return Wrote::Interrupted(done);
                    }
                }
                Err(Errno::INTR) => return Wrote::Interrupted(done),
                Err(Errno::AGAIN) => return Wrote::Full(done),
                Err(Errno::PIPE) => {
                    self.gone = Some(self.bytes);
                    return Wrote::NoReader;
                }
                Err(error) => {
                    self.failed = true;
                    return Wrote::Failed(error);
                }
            }
        }
        Wrote::All
    }

    /// How many lines the reader has certainly taken, where the system tells how much lies unread.
    pub fn lines_read(&self) -> Option<u64> {
        if self.closed || self.kind != StreamKind::Pipe {
            return None;
        }
        if self.gone.is_some() {
            return Some(0);
        }
        let read = self.bytes.checked_sub(sys::unread_bytes(sys::standard(self.fd))?)?;
        let mark = self.marks.iter().rev().find(|(bytes, _)| *bytes <= read);
        Some(mark.map_or(0, |(_, lines)| *lines))
    }

    fn count(&mut self, written: &[u8]) {
        if written.len() <= SMALL {
            for newline in memchr::memchr_iter(b'\n', written) {
                self.lines += 1;
                self.mark(self.bytes + newline as u64 + 1);
            }
        } else {
            self.lines += memchr::memchr_iter(b'\n', written).count() as u64;
            self.mark(self.bytes + written.len() as u64);
        }
        self.bytes += written.len() as u64;
    }

    fn mark(&mut self, bytes: u64) {
        if self.marks.len() == REMEMBERED {
            self.marks.pop_front();
        }
        self.marks.push_back((bytes, self.lines));
    }
}
