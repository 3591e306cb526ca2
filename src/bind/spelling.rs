//! How JSON writers spell a string: they agree on what it says, not on its escapes.

/// How a JSON writer spells the characters about which writers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling {
    /// `/` as `\/`, as PHP does.
    slash: bool,
    /// `<`, `>` and `&` as `\u003c` and so on, as Go does.
    html: bool,
    /// Characters beyond ASCII as `\uXXXX`, as Python does.
    ascii: bool,
    /// Hexadecimal digits in upper case.
    upper: bool,
}

impl Spelling {
    /// The spellings that the value may have, some of them alike.
    pub(super) fn of(value: &str) -> impl Iterator<Item = Self> {
        let slash = value.contains('/');
        let html = value.contains(['<', '>', '&']);
        let ascii = !value.is_ascii();
        let upper = html || ascii || value.contains(|c: char| c < ' ');
        let bits = [slash, html, ascii, upper];
        let possible = move |n: &u8| (0..4).all(|bit| n >> bit & 1 == 0 || bits[bit]);
        (0u8..16).filter(possible).map(|n| Self {
            slash: n & 1 != 0,
            html: n & 2 != 0,
            ascii: n & 4 != 0,
            upper: n & 8 != 0,
        })
    }

    /// Spells the value as the inside of a JSON string.
    pub(super) fn escape(self, value: &str) -> String {
        let mut text = String::with_capacity(value.len() + 8);
        for c in value.chars() {
            match c {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\u{8}' => text.push_str("\\b"),
                '\u{c}' => text.push_str("\\f"),
                '/' if self.slash => text.push_str("\\/"),
                '\0'..='\u{1f}' => self.push_hex(&mut text, c),
                '<' | '>' | '&' if self.html => self.push_hex(&mut text, c),
                _ if self.ascii && !c.is_ascii() => self.push_hex(&mut text, c),
                _ => text.push(c),
            }
        }
        text
    }

    fn push_hex(self, text: &mut String, c: char) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let escape =
                if self.upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
            text.push_str(&escape);
        }
    }
}
