//! The colours of the human transcript, nested as the real CLI nests them (`07-pty-all`).

/// One attribute of text: the number in its escape sequence.
pub(super) type Attribute = u8;

pub(super) const BOLD: Attribute = 1;
pub(super) const DIM: Attribute = 2;
pub(super) const ITALIC: Attribute = 3;
pub(super) const RED: Attribute = 31;
pub(super) const GREEN: Attribute = 32;
pub(super) const YELLOW: Attribute = 33;
pub(super) const MAGENTA: Attribute = 35;
pub(super) const CYAN: Attribute = 36;

/// Paints text, or leaves it plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Whether to paint.
    pub color: bool,
}

impl Style {
    /// The text with these attributes, the outermost first.
    pub fn paint(self, attributes: &[Attribute], text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let mut out = String::new();
        for attribute in attributes {
            out.push_str(&format!("\x1b[{attribute}m"));
        }
        out.push_str(text);
        for _ in attributes {
            out.push_str("\x1b[0m");
        }
        out
    }
}
