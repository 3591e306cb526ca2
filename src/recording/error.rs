//! What is said of a recording that cannot be read: short, on one line, with the way out.

use std::fmt::{self, Write as _};

/// How many characters of a recording's own text are repeated in a message.
const SHOWN: usize = 60;

/// Why a recording cannot be played, and the line that it is about. The file's name is the
/// caller's to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, counted from 1. Nested steps have the line that they stand on.
    pub line: u64,
    /// What is wrong, a lowercase fragment.
    pub what: String,
    /// The way out, where there is one to name.
    pub hint: Option<String>,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FormatError {}

/// Something wrong in a line that does not know its number.
#[derive(Debug)]
pub(super) struct Mistake {
    what: String,
    hint: Option<String>,
}

impl Mistake {
    pub(super) fn new(what: impl Into<String>) -> Mistake {
        Mistake { what: what.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Mistake {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the known word that `word` was probably meant to be, if there is one.
    pub(super) fn did_you_mean<'k>(
        self,
        word: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Mistake {
        match nearest(word, known) {
            Some(near) => self.hint(format!("did you mean {near:?}?")),
            None => self,
        }
    }

    /// Says where in the line the mistake is.
    pub(super) fn within(mut self, place: impl fmt::Display) -> Mistake {
        self.what = format!("{place}: {}", self.what);
        self
    }

    pub(super) fn on_line(self, line: u64) -> FormatError {
        FormatError { line, what: self.what, hint: self.hint }
    }
}

/// Renders text for a message: quoted, escaped, and cut.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    push_cut(&mut out, text, |out, c| out.extend(c.escape_debug()));
    out.push('"');
    out
}

/// Renders a piece of JSON source for a message: as it stands, but cut and without anything that
/// a terminal would act on.
pub(super) fn shown(source: &str) -> String {
    let mut out = String::new();
    push_cut(&mut out, source, |out, c| match c {
        '"' | '\\' | '\'' => out.push(c),
        c => out.extend(c.escape_debug()),
    });
    out
}

fn push_cut(out: &mut String, text: &str, push: impl Fn(&mut String, char)) {
    let mut chars = text.chars();
    chars.by_ref().take(SHOWN).for_each(|c| push(out, c));
    if chars.next().is_some() {
        out.push_str("...");
    }
}

/// Renders names as a list for a message: `` `a`, `b`, `c` ``.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut out = String::new();
    for name in names {
        let comma = if out.is_empty() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(out, "{comma}`{name}`");
    }
    out
}

/// The known word that is a slip or two away from `word`.
fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word: Vec<char> = word.trim().chars().take(33).flat_map(char::to_lowercase).collect();
    if word.is_empty() || word.len() > 32 {
        return None;
    }
    // Half of a short word replaced is another word.
    let allowed = if word.len() < 5 { 1 } else { 2 };
    known
        .into_iter()
        .map(|name| (slips(&word, &name.to_lowercase().chars().collect::<Vec<_>>()), name))
        .filter(|&(slips, _)| slips <= allowed)
        .min_by_key(|&(slips, _)| slips)
        .map(|(_, name)| name)
}

/// Letters added, left out, replaced or swapped with their neighbour between two words.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &ca) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, &cb) in b.iter().enumerate() {
            let mut best = (row[j] + usize::from(ca != cb)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && ca == b[j - 1] && a[i - 1] == cb {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_line_the_fault_and_the_way_out() {
        let mistake = Mistake::new("unknown verb \"outt\"").did_you_mean("outt", ["out", "err"]);
        let text = mistake.on_line(3).to_string();
        assert_eq!(text, "line 3: unknown verb \"outt\"; did you mean \"out\"?");
    }

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["out", "out_file", "wait_ms", "signal"];
        assert_eq!(nearest("OUT", known), Some("out"));
        assert_eq!(nearest("out ", known), Some("out"));
        assert_eq!(nearest("wiat_ms", known), Some("wait_ms"));
        assert_eq!(nearest("out_fiel", known), Some("out_file"));
        assert_eq!(nearest("stdout", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), known), None);
    }

    #[test]
    fn repeated_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\u{1b}[0m\n"), r#""a\u{1b}[0m\n""#);
        assert_eq!(shown("\"x\\n\"\u{7}"), "\"x\\n\"\\u{7}");
        assert_eq!(quoted(&"y".repeat(9_000_000)), format!("\"{}...\"", "y".repeat(60)));
    }
}
