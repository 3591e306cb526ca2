//! Tells the two kinds of recordings apart by their first bytes.

/// What a recording is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes for stdout, whatever they are.
    Raw,
    /// A header line, then one step a line. Whether the header is a good one is not yet said.
    Steps,
}

/// The token that a steps recording begins with, after `{`.
const KEY: &[u8] = b"\"ringer\"";

/// What an editor may put in front of a file; a header behind it is told so when it is read.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Kind {
    /// So many first bytes always suffice. A file that begins with more white space is raw.
    pub const ENOUGH: usize = 256;

    /// Decides by the first bytes of a file; `None`: these are too few to tell. `whole` says that
    /// there are no more.
    pub fn of(start: &[u8], whole: bool) -> Option<Kind> {
        let open_end = |rest: &[u8]| match rest.is_empty() && !whole && start.len() < Kind::ENOUGH {
            true => None,
            false => Some(Kind::Raw),
        };
        let rest = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
        if !start.is_empty() && BYTE_ORDER_MARK.starts_with(start) && start != BYTE_ORDER_MARK {
            return open_end(&[]);
        }
        let rest = skip_blanks(rest);
        let Some(rest) = rest.strip_prefix(b"{") else { return open_end(rest) };
        let rest = skip_blanks(rest);
        if rest.starts_with(KEY) {
            return Some(Kind::Steps);
        }
        open_end(if KEY.starts_with(rest) { &[] } else { rest })
    }
}

/// Skips white space as JSON has it, which is less than what `trim_ascii_start` trims.
fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    &bytes[blanks..]
}

/// Whether a byte is white space to JSON.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_begins_with_the_key_ringer_holds_steps() {
        for text in
            ["{\"ringer\":1}", " { \"ringer\" : 1", "\t\r\n{\n\"ringer\"", "{\"ringer\" oops"]
        {
            assert_eq!(Kind::of(text.as_bytes(), false), Some(Kind::Steps), "{text:?}");
        }
        assert_eq!(Kind::of(b"\xef\xbb\xbf{\"ringer\":1}", true), Some(Kind::Steps));
    }

    #[test]
    fn anything_else_is_raw() {
        let texts: [&[u8]; 10] = [
            b"{\"type\":\"system\"}\n",
            b"plain text",
            b"{\"ringers\":1}",
            b"[{\"ringer\":1}]",
            b"\xff\xfe",
            b"{}",
            b"{'ringer'",
            b"\0{\"ringer\"",
            b"\x0b{\"ringer\"",
            b"{\"\\u0072inger\":1}",
        ];
        for text in texts {
            assert_eq!(Kind::of(text, false), Some(Kind::Raw), "{text:?}");
        }
    }

    #[test]
    fn too_few_bytes_are_said_to_be_too_few_until_the_file_ends() {
        let text = b"\xef\xbb\xbf \r\n{ \"ringer\"";
        for cut in 0..text.len() {
            assert_eq!(Kind::of(&text[..cut], false), None, "{cut}");
            assert_eq!(Kind::of(&text[..cut], true), Some(Kind::Raw), "{cut}");
        }
        assert_eq!(Kind::of(text, false), Some(Kind::Steps));
    }

    #[test]
    fn endless_white_space_is_raw() {
        assert_eq!(Kind::of(&[b' '; Kind::ENOUGH], false), Some(Kind::Raw));
        assert_eq!(Kind::of(&[b' '; Kind::ENOUGH - 1], false), None);
    }
}
