//! Text as it reads once its escapes are undone, with the way back to where it stands.
//!
//! A secret is written in many ways: `\u0073k-...` in JSON, the same again in JSON inside JSON,
//! `%2F` in a URL. Looking for each spelling of each value would miss mixtures; undoing the escapes
//! and remembering where every byte came from misses none.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes, and for each of them where it stands in the source.
pub(super) struct View<'a> {
    pub text: Cow<'a, [u8]>,
    /// The start of each byte's spelling, then the end of the source; `None`: they are the source.
    at: Option<Vec<u32>>,
}

impl<'a> View<'a> {
    /// The source itself. Offsets are kept in 32 bits: of a longer source only the beginning is
    /// seen, and the caller takes care not to hand in such a line.
    pub fn plain(source: &'a [u8]) -> View<'a> {
        View { text: Cow::Borrowed(source), at: None }
    }

    /// Where a range of this text stands in the source.
    pub fn span(&self, range: Range<usize>) -> Range<usize> {
        self.start(range.start)..self.start(range.end)
    }

    fn start(&self, index: usize) -> usize {
        let Some(at) = &self.at else { return index };
        at.get(index).or(at.last()).map_or(0, |at| *at as usize)
    }

    /// The text with its backslash escapes undone; `None`: there are none.
    pub fn unescaped(&self) -> Option<View<'static>> {
        self.undo(b'\\', backslash)
    }

    /// The text with its percent escapes undone; `None`: there are none.
    pub fn percent_decoded(&self) -> Option<View<'static>> {
        self.undo(b'%', percent)
    }

    /// Undoes the escapes that begin with a byte. `decode` gives what one of them stands for and
    /// its length; what is none stays.
    fn undo(&self, begin: u8, decode: fn(&[u8]) -> Option<(char, usize)>) -> Option<View<'static>> {
        memchr::memchr(begin, &self.text)?;
        let mut text = Vec::with_capacity(self.text.len());
        let mut at = Vec::with_capacity(self.text.len() + 1);
        let mut index = 0;
        while index < self.text.len() {
            let here = u32::try_from(self.start(index)).unwrap_or(u32::MAX);
            let rest = &self.text[index..];
            if let Some((character, length)) = (rest[0] == begin).then(|| decode(rest)).flatten() {
                let mut buffer = [0; 4];
                for byte in character.encode_utf8(&mut buffer).bytes() {
                    text.push(byte);
                    at.push(here);
                }
                index += length;
            } else {
                text.push(rest[0]);
                at.push(here);
                index += 1;
            }
        }
        at.push(u32::try_from(self.start(self.text.len())).unwrap_or(u32::MAX));
        Some(View { text: Cow::Owned(text), at: Some(at) })
    }
}

/// Where a run of letters that was found in text with escapes really begins: the letters right
/// after a backslash or a percent sign are a part of the escape.
pub(super) fn after_escape(text: &[u8], start: usize) -> usize {
    match start.checked_sub(1).map(|at| text[at]) {
        Some(b'\\') if text.get(start) == Some(&b'u') => start + 5,
        Some(b'\\') => start + 1,
        Some(b'%') => start + 2,
        _ => start,
    }
}

/// An escape as JSON and most languages have it.
fn backslash(rest: &[u8]) -> Option<(char, usize)> {
    let simple = |character| Some((character, 2));
    match rest.get(1)? {
        b'n' => simple('\n'),
        b't' => simple('\t'),
        b'r' => simple('\r'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        byte @ (b'"' | b'\\' | b'/' | b'\'') => simple(char::from(*byte)),
        b'x' => Some((char::from(u8::try_from(hex(rest.get(2..4)?)?).ok()?), 4)),
        b'u' => {
            let high = hex(rest.get(2..6)?)?;
            if let Some(character) = char::from_u32(high) {
                return Some((character, 6));
            }
            let low = rest.get(6..12)?.strip_prefix(b"\\u").and_then(hex)?;
            let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
            let high = high.checked_sub(0xd800).filter(|high| *high < 0x400)?;
            char::from_u32(0x10000 + (high << 10) + low).map(|character| (character, 12))
        }
        _ => None,
    }
}

/// An escape as URLs have it. Beyond ASCII it is one byte of several, and stays.
fn percent(rest: &[u8]) -> Option<(char, usize)> {
    let byte = u8::try_from(hex(rest.get(1..3)?)?).ok()?;
    byte.is_ascii().then(|| (char::from(byte), 3))
}

fn hex(digits: &[u8]) -> Option<u32> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_each_byte_knows_where_it_stood() {
        let source = br#"a\u0062\nc\ud83d\ude00\/%2F"#;
        let view = View::plain(source).unescaped().unwrap();
        assert_eq!(&*view.text, "ab\nc\u{1f600}/%2F".as_bytes());
        assert_eq!(&source[view.span(1..2)], br"\u0062");
        assert_eq!(&source[view.span(4..8)], br"\ud83d\ude00");
        let decoded = view.percent_decoded().unwrap();
        assert_eq!(decoded.text.last(), Some(&b'/'));
        assert_eq!(&source[decoded.span(9..10)], b"%2F");
    }

    #[test]
    fn what_is_no_escape_stays_as_it_is() {
        let source = br"C:\new\q \u12 \ud800x 100% \";
        let view = View::plain(source).unescaped().unwrap();
        assert_eq!(&*view.text, b"C:\new\\q \\u12 \\ud800x 100% \\");
        assert!(View::plain(b"plain").unescaped().is_none());
    }
}
