//! Keeps secrets and people out of recordings: what is to be replaced in a piece of text, and by
//! what.
//!
//! Replaced are values of secret-looking variables (also in base64), tokens known by their shape,
//! credentials, names of people and machines, and what `--redact` names. They are looked for in the
//! text as it stands and with its escapes undone once and twice, so that no spelling hides them. A
//! value always gets the same placeholder, which is made of characters that no format escapes.
//!
//! It does not find what looks like an ordinary word in an ordinary place, nor what was split over
//! two lines. `ringer check-secrets` looks with the same eyes at what was written.

use std::ops::Range;

use memchr::memmem::Finder;
use regex::bytes::Regex;

mod literals;
mod numbers;
mod people;
mod tokens;
mod view;

pub(crate) use numbers::Numbers;
pub(crate) use people::People;
use view::View;

/// The mark by which what was replaced is known.
pub(crate) const MARK: &str = "redacted";

/// Something that must not be written.
#[derive(Debug)]
struct Find {
    span: Range<usize>,
    kind: Kind,
}

/// What it is, which decides what is written in its place.
#[derive(Clone, Debug)]
enum Kind {
    /// The value of a variable.
    Variable(String),
    /// Base64 of such a value.
    Encoded,
    /// A token known by its shape.
    Token { prefix: &'static str },
    /// Name and password in base64.
    Basic,
    /// An e-mail address.
    Email,
    /// What has one replacement.
    Fixed(String),
    /// What the user named.
    Named(String),
}

/// A replacement: a range of the text, and what is written instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// What is replaced.
    pub span: Range<usize>,
    /// By what.
    pub text: String,
}

/// A secret by what it is, for messages; its value is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leak {
    /// Where it stands.
    pub span: Range<usize>,
    /// What it looks like.
    pub what: &'static str,
}

/// Finds and replaces.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    literals: Vec<literals::Literal>,
    people: People,
    named: Vec<(String, Regex)>,
    numbers: Numbers,
}

/// What has to be remembered of the earlier lines of a stream.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// A private key has begun and not ended.
    in_key: bool,
}

impl Redactor {
    /// A redactor for what is secret in an environment.
    pub fn new<'e>(
        env: impl Iterator<Item = (&'e str, &'e str)>,
        people: People,
        named: Vec<(String, Regex)>,
        numbers: Numbers,
    ) -> Redactor {
        Redactor { literals: literals::of_env(env), people, named, numbers }
    }

    /// Who must not be named.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// What is to be replaced in a line, in order, none overlapping another.
    pub fn edits(&mut self, line: &[u8], earlier: &mut Earlier) -> Vec<Edit> {
        if let Some(edits) = private_key(line, earlier) {
            return edits;
        }
        let mut finds = self.finds(line);
        merge(&mut finds);
        finds.into_iter().map(|find| self.edit(line, find)).collect()
    }

    /// The line with everything replaced.
    pub fn redact(&mut self, line: &[u8]) -> Vec<u8> {
        apply(line, &self.edits(line, &mut Earlier::default()))
    }

    /// The text with everything replaced.
    pub fn text(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact(text.as_bytes())).into_owned()
    }

    /// What looks like a secret or somebody's address, without knowing the environment. What a
    /// recorder wrote in the place of one is none.
    pub fn leaks(&self, line: &[u8]) -> Vec<Leak> {
        let mut finds = self.finds(line);
        finds.retain(|find| {
            memchr::memmem::find(&line[find.span.clone()], MARK.as_bytes()).is_none()
        });
        finds.retain(|find| {
            !matches!(find.kind, Kind::Basic) || !is_placeholder(&line[find.span.clone()])
        });
        merge(&mut finds);
        let leak = |find: Find| Leak { what: find.kind.name(), span: find.span };
        finds.into_iter().map(leak).collect()
    }

    fn finds(&self, line: &[u8]) -> Vec<Find> {
        let mut finds = Vec::new();
        let plain = View::plain(line);
        let once = plain.unescaped();
        let twice = once.as_ref().and_then(View::unescaped);
        let views = [Some(&plain), once.as_ref(), twice.as_ref()];
        for view in views.into_iter().flatten() {
            self.look(view, &mut finds);
            if let Some(decoded) = view.percent_decoded() {
                self.look(&decoded, &mut finds);
            }
        }
        finds.retain(|find| !find.span.is_empty() && find.span.end <= line.len());
        finds
    }

    fn look(&self, view: &View, finds: &mut Vec<Find>) {
        let first = finds.len();
        for literal in &self.literals {
            literal.find(&view.text, finds);
        }
        for (name, regex) in &self.named {
            let matches = regex.find_iter(&view.text).map(|found| found.range());
            finds.extend(matches.map(|span| Find { span, kind: Kind::Named(name.clone()) }));
        }
        tokens::find(&as_text(&view.text), finds);
        self.people.find(&view.text, finds);
        for find in &mut finds[first..] {
            find.span = view.span(find.span.clone());
        }
    }

    fn edit(&mut self, line: &[u8], find: Find) -> Edit {
        let value = &line[find.span.clone()];
        let text = match find.kind {
            Kind::Variable(name) => format!("{MARK}-{name}"),
            Kind::Encoded => "cmVkYWN0ZWQ=".to_owned(),
            Kind::Basic => BASIC.to_owned(),
            Kind::Token { prefix } => format!("{prefix}{MARK}-{}", self.numbers.of("token", value)),
            Kind::Email => format!("user{}@example.com", self.numbers.of("email", value)),
            Kind::Fixed(text) => text,
            Kind::Named(name) => {
                let number = self.numbers.of(&name, value);
                format!("{MARK}-{name}-{number}")
            }
        };
        Edit { span: find.span, text }
    }
}

/// `redacted:redacted` in base64: still credentials, but nobody's.
const BASIC: &str = "cmVkYWN0ZWQ6cmVkYWN0ZWQ=";

fn is_placeholder(text: &[u8]) -> bool {
    text.starts_with(BASIC.trim_end_matches('=').as_bytes())
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Variable(_) => "the value of a secret variable",
            Kind::Encoded => "the value of a secret variable, in base64",
            Kind::Token { .. } => "a token",
            Kind::Basic => "a name and password in base64",
            Kind::Email => "an e-mail address",
            Kind::Fixed(_) => "the name of a user or host",
            Kind::Named(_) => "what --redact names",
        }
    }
}

/// The body of a private key that goes over several lines, which no line shows by its shape.
fn private_key(line: &[u8], earlier: &mut Earlier) -> Option<Vec<Edit>> {
    let has = |text: &str| Finder::new(text).find(line).is_some();
    let (begins, ends) = (has("PRIVATE KEY-----") && has("-----BEGIN "), has("-----END "));
    let inside = earlier.in_key;
    earlier.in_key = (inside || begins) && !ends;
    if !inside || ends {
        return None;
    }
    let end = line.trim_ascii_end().len();
    Some(vec![Edit { span: 0..end, text: MARK.to_owned() }])
}

/// The bytes with the edits made.
pub(crate) fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for edit in edits {
        out.extend_from_slice(&bytes[copied..edit.span.start]);
        out.extend_from_slice(edit.text.as_bytes());
        copied = edit.span.end;
    }
    out.extend_from_slice(&bytes[copied..]);
    out
}

/// Text of the same length, in which bytes that are no UTF-8 are blanks.
fn as_text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| ' '));
    }
    text.into()
}

/// Sorts, and makes one of those that overlap: the longest says what it is, except that the value
/// of a variable is called by its name.
fn merge(finds: &mut Vec<Find>) {
    finds.sort_by_key(|find| (find.span.start, std::cmp::Reverse(find.span.end)));
    finds.dedup_by(|next, kept| {
        let joins = next.span.start < kept.span.end;
        if joins {
            let longer = next.span.len() > kept.span.len();
            let named = |kind: &Kind| matches!(kind, Kind::Variable(_) | Kind::Named(_));
            if named(&next.kind) && !named(&kept.kind) || longer && !named(&kept.kind) {
                kept.kind = next.kind.clone();
            }
            kept.span.end = kept.span.end.max(next.span.end);
        }
        joins
    });
}

#[cfg(test)]
mod tests;
