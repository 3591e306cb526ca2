//! Reads steps recordings line by line: a recording may be larger than the memory.

use std::io::BufRead;

use super::error::{FormatError, Mistake};
use super::header::Header;
use super::kind::is_blank;
use super::step::Step;

/// A buffer that a long line made larger than this is given back.
const KEPT: usize = 1 << 20;

/// A steps recording from its start. Lines of nothing but white space are passed over, since
/// editors leave such behind; they count.
///
/// The header is read first, by [`Steps::header`] or unseen by the first call of `next`.
pub struct Steps<R> {
    lines: Lines<R>,
    header_read: bool,
}

impl<R: BufRead> Steps<R> {
    /// Reads from the first byte of a recording.
    pub fn new(reader: R) -> Steps<R> {
        let lines = Lines { reader, number: 0, buffer: Vec::new() };
        Steps { lines, header_read: false }
    }

    /// Reads the header, once and before the first step.
    pub fn header(&mut self) -> Result<Header, FormatError> {
        self.header_read = true;
        let Some((number, line)) = self.lines.next()? else {
            return Err(Mistake::new("there is no header").on_line(1));
        };
        Header::parse(line, number)
    }

    /// The number of the line that was read last.
    pub fn line(&self) -> u64 {
        self.lines.number
    }

    fn step(&mut self) -> Result<Option<Step>, FormatError> {
        if !self.header_read {
            self.header()?;
        }
        let Some((number, line)) = self.lines.next()? else { return Ok(None) };
        Step::parse(line, number).map(Some)
    }
}

impl<R: BufRead> Iterator for Steps<R> {
    type Item = Result<Step, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// Reads a header alone, from the first byte of a recording.
pub fn read_header(reader: impl BufRead) -> Result<Header, FormatError> {
    Steps::new(reader).header()
}

/// The lines of a recording, into one buffer.
struct Lines<R> {
    reader: R,
    number: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The next line that is not blank, with its number.
    fn next(&mut self) -> Result<Option<(u64, &str)>, FormatError> {
        if self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        loop {
            self.buffer.clear();
            self.number += 1;
            match self.reader.read_until(b'\n', &mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(_) if self.buffer.iter().all(|byte| is_blank(*byte)) => {}
                Ok(_) => break,
                Err(error) => {
                    let mistake = Mistake::new(format!("reading failed: {error}"));
                    return Err(mistake.on_line(self.number));
                }
            }
        }
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let text = std::str::from_utf8(line).map_err(|error| {
            let byte = error.valid_up_to() + 1;
            Mistake::new(format!("not UTF-8 at byte {byte} of the line"))
                .hint("bytes that are no text go into `out_base64`")
                .on_line(self.number)
        })?;
        Ok(Some((self.number, text)))
    }
}

#[cfg(test)]
mod tests;
