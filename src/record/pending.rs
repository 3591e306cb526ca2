//! What arrived and cannot be written yet: the pieces of all streams in the order of arrival, and
//! with each stream the line that is not finished.
//!
//! A piece may leave when it is redacted and everything before it has left. A line is redacted as a
//! whole when it ends. One that grows very long is redacted before, all but its end, and the end
//! is looked at again with what follows: nothing that is to be replaced is longer than that.

use std::collections::VecDeque;

use super::lines::Mark;
use super::redact::{Earlier, Edit, Redactor};
use super::tape::Stream;

/// Bytes of one stream that arrive within this time, with nothing between them, are one write of
/// the program that a pipe cut up.
const ONE_WRITE_MS: f64 = 20.0;

/// What arrived.
#[derive(Debug)]
pub(super) enum Arrival {
    Bytes { stream: Stream, bytes: Vec<u8>, begins_line: bool },
    InputEnd,
    Close(Stream),
}

/// What is one write, and how much of an unfinished line is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How close in time, in milliseconds, the pieces of one write are.
    pub one_write: f64,
    /// A line that is longer is let go but for its end.
    pub line: usize,
    /// How long that end is at least.
    pub back: usize,
    /// A piece that is longer is not added to.
    pub piece: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { one_write: ONE_WRITE_MS, line: 16 << 20, back: 64 << 10, piece: 1 << 20 }
    }
}

#[derive(Debug)]
struct Piece {
    arrival: Arrival,
    mark: Mark,
    /// When the last byte of it arrived.
    last: f64,
    /// Whether it can be written: redacted, if it is bytes.
    settled: bool,
}

/// The unfinished line of a stream.
#[derive(Debug, Default)]
struct Open {
    /// The numbers of its pieces, since the start.
    pieces: Vec<usize>,
    /// How long they are.
    length: usize,
    /// The end of what was let go of it, as it arrived.
    before: Vec<u8>,
    earlier: Earlier,
}

/// The pieces.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub limits: Limits,
    pieces: VecDeque<Piece>,
    /// How many pieces have left the front.
    gone: usize,
    open: [Open; 3],
}

impl Pending {
    /// Adds a part of a line.
    pub fn part(&mut self, stream: Stream, part: &[u8], mark: Mark, redactor: &mut Redactor) {
        let open = &mut self.open[stream as usize];
        let begins_line = open.pieces.is_empty();
        let now = mark.at.unwrap_or(0.0);
        open.length += part.len();
        if !begins_line
            && let Some(last) = self.pieces.back_mut()
            && !last.settled
            && let Arrival::Bytes { stream: known, bytes, .. } = &mut last.arrival
            && *known == stream
            && bytes.len() < self.limits.piece
            && now - last.last < self.limits.one_write
        {
            bytes.extend_from_slice(part);
            last.last = now;
            last.mark.unsure |= mark.unsure;
        } else {
            open.pieces.push(self.gone + self.pieces.len());
            let arrival = Arrival::Bytes { stream, bytes: part.to_vec(), begins_line };
            self.pieces.push_back(Piece { arrival, mark, last: now, settled: false });
        }
        if part.ends_with(b"\n") {
            self.settle(stream, redactor);
        } else if self.open[stream as usize].length > self.limits.line {
            self.redact(stream, self.limits.back, redactor);
        }
    }

    /// Adds what needs no redaction.
    pub fn push(&mut self, arrival: Arrival, mark: Mark) {
        self.pieces.push_back(Piece { arrival, mark, last: mark.at.unwrap_or(0.0), settled: true });
    }

    /// Takes the unfinished line of a stream as finished.
    pub fn settle(&mut self, stream: Stream, redactor: &mut Redactor) {
        if !self.open[stream as usize].pieces.is_empty() {
            self.redact(stream, 0, redactor);
        }
        self.open[stream as usize].before.clear();
    }

    /// The next thing that can be written.
    pub fn next(&mut self) -> Option<(Arrival, Mark)> {
        self.pieces.front().filter(|piece| piece.settled)?;
        let piece = self.pieces.pop_front()?;
        self.gone += 1;
        Some((piece.arrival, piece.mark))
    }

    /// Redacts the unfinished line of a stream as a whole, and lets its pieces go but for those in
    /// the last `back` bytes. A replacement stands in the piece in which the secret began.
    fn redact(&mut self, stream: Stream, back: usize, redactor: &mut Redactor) {
        let open = &mut self.open[stream as usize];
        let mut line = std::mem::take(&mut open.before);
        let start = line.len();
        let mut ends = Vec::with_capacity(open.pieces.len());
        for number in &open.pieces {
            if let Arrival::Bytes { bytes, .. } = &self.pieces[number - self.gone].arrival {
                line.extend_from_slice(bytes);
            }
            ends.push(line.len());
        }
        let edits = redactor.edits(&line, &mut open.earlier);
        let count = let_go(&ends, &edits, back);
        let end = count.checked_sub(1).map_or(start, |last| ends[last]);
        let mut copied = start;
        let mut edits = edits.into_iter().filter(|edit| edit.span.end > start).peekable();
        for (number, end) in open.pieces.drain(..count).zip(ends) {
            let piece = &mut self.pieces[number - self.gone];
            piece.settled = true;
            let Arrival::Bytes { bytes, .. } = &mut piece.arrival else { continue };
            bytes.clear();
            while let Some(edit) = edits.next_if(|edit| edit.span.start < end) {
                bytes.extend_from_slice(&line[copied..edit.span.start.max(copied)]);
                bytes.extend_from_slice(edit.text.as_bytes());
                copied = edit.span.end;
            }
            if copied < end {
                bytes.extend_from_slice(&line[copied..end]);
                copied = end;
            }
        }
        open.length = line.len() - end;
        open.before = line[end.saturating_sub(back)..end].to_vec();
    }
}

/// How many of the pieces that end at these places may go: those before the last `back` bytes, but
/// never the beginning of what is replaced without its end. What is longer than that is replaced
/// from both sides.
fn let_go(ends: &[usize], edits: &[Edit], back: usize) -> usize {
    let length = ends.last().copied().unwrap_or(0);
    let divides = |edit: &Edit, at: usize| {
        edit.span.start < at && at < edit.span.end && edit.span.len() <= back
    };
    let may_end = |at: usize| at + back <= length && !edits.iter().any(|edit| divides(edit, at));
    ends.iter().rposition(|end| may_end(*end)).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::super::redact::{Numbers, People};
    use super::*;

    const KEY: &str = "zq-secret-value-77";

    /// All that is let go while a line arrives in these parts, then what is left at its end.
    fn through(parts: &[&[u8]]) -> (Vec<u8>, Vec<u8>, usize) {
        let env = [("API_KEY", KEY)];
        let mut redactor =
            Redactor::new(env.into_iter(), People::default(), Vec::new(), Numbers::default());
        let limits = Limits { line: 400, back: 100, piece: 64, ..Limits::default() };
        let mut pending = Pending { limits, ..Pending::default() };
        let drain = |pending: &mut Pending, into: &mut Vec<u8>| {
            while let Some((Arrival::Bytes { bytes, .. }, _)) = pending.next() {
                into.extend(bytes);
            }
        };
        let (mut before, mut most) = (Vec::new(), 0);
        for part in parts {
            pending.part(Stream::Out, part, Mark::at(0.0), &mut redactor);
            drain(&mut pending, &mut before);
            most = most.max(pending.open[Stream::Out as usize].length);
        }
        let mut after = before.clone();
        pending.settle(Stream::Out, &mut redactor);
        drain(&mut pending, &mut after);
        (before, after, most)
    }

    #[test]
    fn a_very_long_line_is_not_held_whole() {
        let line = "x".repeat(5000);
        let parts: Vec<&[u8]> = line.as_bytes().chunks(50).collect();
        let (before, after, most) = through(&parts);
        assert!(before.len() > 4000 && most <= 500, "{} {most}", before.len());
        assert_eq!(after, line.as_bytes());
    }

    #[test]
    fn a_secret_anywhere_in_a_very_long_line_is_replaced_and_the_rest_stays() {
        for at in (0..1200).step_by(7) {
            let line = format!("{}{KEY}{}", "x".repeat(at), "y".repeat(1200 - at));
            for size in [1, 13, 50, 333] {
                let parts: Vec<&[u8]> = line.as_bytes().chunks(size).collect();
                let wanted = line.replace(KEY, "redacted-API_KEY");
                let (_, after, _) = through(&parts);
                assert_eq!(String::from_utf8(after).unwrap(), wanted, "{at} {size}");
            }
        }
    }

    #[test]
    fn what_is_known_by_what_stands_before_it_is_so_across_a_cut() {
        for at in 280..420 {
            let token = "Authorization: Bearer abcdefghij0123456789";
            let line = format!("{} {token} {}", "x".repeat(at), "y".repeat(900));
            let parts: Vec<&[u8]> = line.as_bytes().chunks(10).collect();
            let (_, after, _) = through(&parts);
            assert!(!String::from_utf8(after).unwrap().contains("abcdefghij"), "{at}");
        }
    }
}
