//! The lines of a live session, in and out, as they happen: whatever ends the double, what was
//! said before is on disk.

use std::fs::File;
use std::io::Write as _;

use serde::Serialize;

use crate::error::Error;
use crate::journal::secrets::without_tokens;
use crate::state::Ticket;

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    /// From the client.
    In,
    /// To stdout.
    Out,
    /// To stderr.
    Err,
}

/// One line of `000001.exchange.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    t_ms: u64,
    dir: Direction,
    line: &'a str,
}

/// Writes down what is said.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    file: Option<File>,
    /// Lines to stdout and stderr that have begun and not ended.
    begun: [Vec<u8>; 2],
}

impl Exchange {
    /// Takes bytes that go out; whole lines are written down.
    pub fn bytes(
        &mut self,
        ticket: Option<&Ticket>,
        direction: Direction,
        t_ms: u64,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let index = usize::from(direction == Direction::Err);
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let mut line = std::mem::take(&mut self.begun[index]);
            line.extend_from_slice(&rest[..end]);
            self.line(ticket, direction, t_ms, &line)?;
            rest = &rest[end + 1..];
        }
        self.begun[index].extend_from_slice(rest);
        Ok(())
    }

    /// Writes one line down, without its newline, secrets masked.
    pub fn line(
        &mut self,
        ticket: Option<&Ticket>,
        dir: Direction,
        t_ms: u64,
        line: &[u8],
    ) -> Result<(), Error> {
        let Some(ticket) = ticket else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(ticket.exchange()?),
        };
        let text = String::from_utf8_lossy(line);
        let entry = Line { t_ms, dir, line: &without_tokens(&text) };
        let mut written = serde_json::to_vec(&entry).unwrap_or_default();
        written.push(b'\n');
        // One unbuffered append a line: the next thing to come may be SIGKILL.
        let path = || ticket.state().exchange_path(ticket.number());
        file.write_all(&written).map_err(|error| Error::io("cannot write", &path(), error))
    }
}
