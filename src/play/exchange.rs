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
    /// Whether the line goes on with the next entry of its direction.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

/// How much of a line that has not ended is held in memory; what is longer is written down in
/// pieces.
const LONGEST: usize = 8 << 20;

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
        while self.begun[index].len() > LONGEST {
            let begun = &mut self.begun[index];
            let rest = begun.split_off(whole_characters(begun, LONGEST));
            let piece = std::mem::replace(begun, rest);
            self.write(ticket, direction, t_ms, &piece, true)?;
        }
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
        self.write(ticket, dir, t_ms, line, false)
    }

    fn write(
        &mut self,
        ticket: Option<&Ticket>,
        dir: Direction,
        t_ms: u64,
        line: &[u8],
        more: bool,
    ) -> Result<(), Error> {
        let Some(ticket) = ticket else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(ticket.exchange()?),
        };
        let text = String::from_utf8_lossy(line);
        let entry = Line { t_ms, dir, line: &without_tokens(&text), more };
        let mut written = serde_json::to_vec(&entry).unwrap_or_default();
        written.push(b'\n');
        // One unbuffered append a line: the next thing to come may be SIGKILL.
        let path = || ticket.state().exchange_path(ticket.number());
        file.write_all(&written).map_err(|error| Error::io("cannot write", &path(), error))
    }
}

/// Where to cut so that no character falls apart, at `at` or a little before it.
fn whole_characters(bytes: &[u8], at: usize) -> usize {
    let starts = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0b1100_0000 != 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(starts).unwrap_or(at)
}
