//! One direction of one stream, passed on as it comes: a buffer between two descriptors, and never
//! a call that could wait.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio;

use super::tape::Stream;
use crate::sys;

/// A pipe that is ready takes this much without waiting; more might block a descriptor that is
/// shared with others and so cannot be made non-blocking.
const SURE: usize = 4096;
const BUFFER: usize = 64 << 10;

/// One end of a flow.
#[derive(Debug)]
pub(super) enum End {
    /// A standard descriptor of this process.
    Standard(u8),
    /// A descriptor of our own, which does not block.
    Own(OwnedFd),
    /// It was closed.
    Closed,
}

impl End {
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            End::Standard(fd) => Some(sys::standard(*fd)),
            End::Own(fd) => Some(fd.as_fd()),
            End::Closed => None,
        }
    }

    /// Closes it, so that whoever is at the other end notices. The number of a standard descriptor
    /// stays taken: no file that is opened later may get it.
    fn close(&mut self) {
        if let End::Standard(fd) = *self
            && let Ok(null) = std::fs::File::options().read(true).write(true).open("/dev/null")
        {
            let _ = match fd {
                0 => stdio::dup2_stdin(null),
                1 => stdio::dup2_stdout(null),
                _ => stdio::dup2_stderr(null),
            };
        }
        *self = End::Closed;
    }
}

/// What a look at the source came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// These bytes arrived.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// The end.
    End,
}

/// A stream that is passed on.
#[derive(Debug)]
pub(super) struct Flow {
    pub stream: Stream,
    pub from: End,
    pub to: End,
    buffer: Vec<u8>,
    /// How much of the buffer has gone out.
    sent: usize,
    /// Whether a terminal is on the program's side.
    pub terminal: bool,
    /// When the source ended, in milliseconds since the start.
    pub ended: Option<f64>,
}

impl Flow {
    pub fn new(stream: Stream, from: End, to: End, terminal: bool) -> Flow {
        Flow { stream, from, to, buffer: Vec::new(), sent: 0, terminal, ended: None }
    }

    /// Whether bytes wait to go out.
    pub fn is_full(&self) -> bool {
        self.sent < self.buffer.len()
    }

    /// Whether nothing will come through any more.
    pub fn is_over(&self) -> bool {
        matches!(self.from, End::Closed) && !self.is_full()
    }

    /// Whether there is something to read now.
    pub fn is_readable(&self) -> bool {
        self.from.fd().is_some_and(|fd| is_ready(fd, PollFlags::IN))
    }

    /// Reads what is there. The caller has seen that something is.
    pub fn read(&mut self) -> Got {
        let Some(fd) = self.from.fd() else { return Got::Nothing };
        self.sent = 0;
        self.buffer.resize(BUFFER, 0);
        let read = rustix::io::read(fd, &mut self.buffer[..]);
        self.buffer.truncate(read.unwrap_or(0));
        match read {
            Ok(count) if count > 0 => Got::Bytes(self.buffer.clone()),
            Err(Errno::AGAIN | Errno::INTR) => Got::Nothing,
            // A terminal whose last user is gone fails instead of ending.
            Ok(_) | Err(_) => Got::End,
        }
    }

    /// Sends as much as goes without waiting. Where the reader is gone, the flow is cut: the writer
    /// finds that out as it would have without us.
    pub fn send(&mut self) {
        while self.is_full() {
            let Some(fd) = self.to.fd() else { return self.cut() };
            if !is_ready(fd, PollFlags::OUT) {
                return;
            }
            let rest = &self.buffer[self.sent..];
            let at_once = rest.len().min(SURE);
            match rustix::io::write(fd, &rest[..at_once]) {
                Ok(count) => self.sent += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return self.cut(),
            }
        }
    }

    /// The source has ended: the reader is told, once it has everything.
    pub fn end(&mut self, at: f64) {
        self.from.close();
        self.ended = Some(at);
    }

    /// Closes the far end of a flow that is over.
    pub fn close_if_over(&mut self) {
        if self.is_over() && !matches!(self.to, End::Closed) {
            self.to.close();
        }
    }

    /// Gives up both ends.
    pub fn cut(&mut self) {
        self.buffer.clear();
        self.sent = 0;
        self.from.close();
        self.to.close();
    }
}

/// Whether a descriptor is ready now; one that failed is, since the next call says so.
fn is_ready(fd: BorrowedFd, flags: PollFlags) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, flags)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|count| count > 0)
}
