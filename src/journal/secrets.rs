//! Secrets do not get into a journal entry: they are replaced by a placeholder, and what a test
//! needs in order to ask whether the right one was given is kept beside it, as length and salted
//! hash.
//!
//! Masked are the values of secret-looking names, in the environment and in arguments, and tokens
//! known by their shape in both and in stdin. The entry's `masked` key lists each of them:
//!
//! ```json
//! {"salt": "5bd1e995a1b2c3d4",
//!  "env": {"ANTHROPIC_API_KEY": {"length": 32, "hash": "0f343b0931126a20f133d67c2b018a3b"}},
//!  "argv": [{"index": 3, "length": 24, "hash": "..."}],
//!  "stdin": [{"length": 51, "hash": "..."}]}
//! ```
//!
//! `length` counts characters; `hash` is the first half of the SHA-256 of salt and value, in
//! hexadecimal. This keeps secrets out of logs and test reports; it does not hide a value that can
//! be guessed, and a secret that looks like an ordinary word in an ordinary place is not found.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

mod assignments;
mod names;
mod shapes;

pub use names::is_secret_name;

/// What stands in the place of a secret.
pub const PLACEHOLDER: &str = "[masked]";

/// What the journal keeps of the environment: `[journal] env` in `ringer.toml`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnvMode {
    /// Everything except secrets.
    #[default]
    Masked,
    /// Names without values.
    Names,
    /// Everything. Arguments and stdin are masked all the same.
    All,
}

/// A hidden value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    /// Its length in characters.
    pub length: usize,
    /// Its salted hash.
    pub hash: String,
}

/// A hidden value in an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenArg {
    /// Which argument, argv[0] being 0. One argument may hold several, listed in their order.
    pub index: usize,
    /// Its length in characters.
    pub length: usize,
    /// Its salted hash.
    pub hash: String,
}

/// All that was hidden in an entry: its `masked` key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masked {
    /// What every hash begins with.
    pub salt: String,
    /// Variables by name. Length and hash are those of the whole value, also where only a part of
    /// it is hidden (a token in a longer text).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Hidden>,
    /// What was hidden in arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<HiddenArg>,
    /// What was hidden in the text of stdin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stdin: Vec<Hidden>,
}

impl Masked {
    /// Whether a hidden variable had this value; `None` if no variable of the name was hidden.
    #[must_use]
    pub fn env_equals(&self, name: &str, value: &str) -> Option<bool> {
        self.env.get(name).map(|hidden| *hidden == hide(&self.salt, value))
    }

    /// Whether nothing was hidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.env.is_empty() && self.argv.is_empty() && self.stdin.is_empty()
    }
}

/// Masks what goes into one entry and notes what it hid.
#[derive(Clone, Debug)]
pub struct Masker {
    mode: EnvMode,
    masked: Masked,
}

impl Masker {
    /// Begins an entry. The salt, 16 hexadecimal digits, must differ from entry to entry.
    #[must_use]
    pub fn new(salt: impl Into<String>, mode: EnvMode) -> Self {
        Self { mode, masked: Masked { salt: salt.into(), ..Masked::default() } }
    }

    /// Returns what is to be written of a variable's value; `None`: its name alone.
    pub fn env<'a>(&mut self, name: &str, value: &'a str) -> Option<Cow<'a, str>> {
        if self.mode == EnvMode::All {
            return Some(Cow::Borrowed(value));
        }
        let mut spans = Vec::new();
        if is_secret_name(name) && names::is_worth_hiding(name, value) {
            spans.push(0..value.len());
        } else {
            embedded(value, &mut spans);
        }
        let text = replace(value, spans, |_| ());
        if matches!(text, Cow::Owned(_)) {
            self.masked.env.insert(name.to_owned(), hide(&self.masked.salt, value));
        }
        (self.mode == EnvMode::Masked).then_some(text)
    }

    /// Returns the arguments as they are to be written, argv[0] first. For one that is not UTF-8
    /// an empty string may stand in.
    pub fn argv<'a, S: AsRef<str>>(&mut self, args: &'a [S]) -> Vec<Cow<'a, str>> {
        self.masked.argv.clear();
        let mut previous = "";
        let mut texts = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().map(AsRef::as_ref).enumerate() {
            texts.push(replace(arg, secrets_in_arg(previous, arg), |value| {
                let Hidden { length, hash } = hide(&self.masked.salt, value);
                self.masked.argv.push(HiddenArg { index, length, hash });
            }));
            previous = arg;
        }
        texts
    }

    /// Returns the text of stdin as it is to be written. An entry is written more than once: what
    /// an earlier call noted is forgotten.
    pub fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let mut spans = Vec::new();
        shapes::find(text, &mut spans);
        self.masked.stdin.clear();
        replace(text, spans, |value| self.masked.stdin.push(hide(&self.masked.salt, value)))
    }

    /// What was hidden so far; `None`: nothing.
    #[must_use]
    pub fn masked(&self) -> Option<&Masked> {
        Some(&self.masked).filter(|masked| !masked.is_empty())
    }

    /// What was hidden in all; `None`: nothing.
    #[must_use]
    pub fn into_masked(self) -> Option<Masked> {
        Some(self.masked).filter(|masked| !masked.is_empty())
    }
}

/// Replaces tokens known by their shape, for text that belongs to no entry and where nothing is
/// noted.
#[must_use]
pub fn without_tokens(text: &str) -> Cow<'_, str> {
    let mut spans = Vec::new();
    shapes::find(text, &mut spans);
    replace(text, spans, |_| ())
}

/// Whether a variable of this name with this value holds a secret: a secret-looking name, and a
/// value that is not short, no number and no boolean.
#[must_use]
pub fn is_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) && names::is_worth_hiding(name, value)
}

/// The places of tokens known by their shape, in no order; some may overlap.
#[must_use]
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    shapes::find(text, &mut spans);
    spans
}

/// The places of secrets in an argument that follows `previous`.
fn secrets_in_arg(previous: &str, arg: &str) -> Vec<Range<usize>> {
    let (name, start) = match option_name(previous) {
        Some(name) if !name.contains('=') && !looks_like_option(arg) => (name, 0),
        _ => match option_name(arg).and_then(|text| text.split_once('=')) {
            Some((name, value)) => (name, arg.len() - value.len()),
            None => ("", 0),
        },
    };
    let mut spans = Vec::new();
    if is_secret_name(name) {
        let value = assignments::without_scheme(arg, start..arg.len());
        if names::is_worth_hiding(name, &arg[value.clone()]) {
            spans.push(value);
        }
    } else {
        embedded(&arg[start..], &mut spans);
        for span in &mut spans {
            *span = span.start + start..span.end + start;
        }
    }
    spans
}

/// The name of a long option, with one hyphen or two, and with a value that it may have.
fn option_name(arg: &str) -> Option<&str> {
    let name = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'))?;
    (name.len() > 1 && !name.starts_with('-')).then_some(name)
}

/// Whether an argument after an option is itself one, so that the first is a mere flag. A single
/// hyphen may begin a secret too.
fn looks_like_option(arg: &str) -> bool {
    arg.starts_with("--") || arg.starts_with('-') && arg.len() == 2
}

/// Adds the places of secrets that are part of a text.
fn embedded(text: &str, spans: &mut Vec<Range<usize>>) {
    assignments::find(text, spans);
    shapes::find(text, spans);
}

/// Puts the placeholder in the place of every span; those that overlap count as one.
fn replace(text: &str, mut spans: Vec<Range<usize>>, mut hidden: impl FnMut(&str)) -> Cow<'_, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    spans.sort_by_key(|span| span.start);
    spans.dedup_by(|next, kept| {
        let joins = next.start < kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for span in spans {
        out.push_str(&text[copied..span.start]);
        out.push_str(PLACEHOLDER);
        hidden(&text[span.clone()]);
        copied = span.end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn hide(salt: &str, value: &str) -> Hidden {
    let digest = Sha256::new().chain_update(salt).chain_update(value).finalize();
    let digits = digest.iter().take(16).flat_map(|byte| [byte >> 4, byte & 15]);
    let hash = digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect();
    Hidden { length: value.chars().count(), hash }
}

#[cfg(test)]
mod tests;
