//! Values of secret variables, as they are and in base64.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem::Finder;

use super::view::after_escape;
use super::{Find, Kind};
use crate::journal::secrets;

/// A value to be looked for.
#[derive(Debug)]
pub(super) struct Literal {
    name: String,
    value: Finder<'static>,
    /// Whether it is made of letters alone, and so could be a part of an ordinary word.
    word: bool,
    encoded: Vec<Finder<'static>>,
}

/// The secrets of an environment, the longest first.
pub(super) fn of_env<'e>(env: impl Iterator<Item = (&'e str, &'e str)>) -> Vec<Literal> {
    let mut literals: Vec<Literal> = Vec::new();
    for (name, value) in env {
        // Where a key is kept is no key: `GOOGLE_APPLICATION_CREDENTIALS=/etc/key.json`.
        let is_place = value.starts_with('/') && Path::new(value).exists();
        let known = literals.iter().any(|known| known.value.needle() == value.as_bytes());
        if secrets::is_secret(name, value) && !is_place && !known {
            literals.push(Literal::new(name, value));
        }
    }
    literals.sort_by_key(|literal| std::cmp::Reverse(literal.value.needle().len()));
    literals
}

impl Literal {
    fn new(name: &str, value: &str) -> Literal {
        Literal {
            name: name.to_owned(),
            value: Finder::new(value).into_owned(),
            word: value.bytes().all(|byte| byte.is_ascii_alphabetic()),
            encoded: encoded(value.as_bytes()),
        }
    }

    /// Adds the places where the value stands.
    pub fn find(&self, text: &[u8], finds: &mut Vec<Find>) {
        let length = self.value.needle().len();
        for start in self.value.find_iter(text) {
            let span = start..start + length;
            let alone = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let before = start.checked_sub(1).and_then(|at| text.get(at));
            if !self.word || alone(before) && alone(text.get(span.end)) {
                finds.push(Find { span, kind: Kind::Variable(self.name.clone()) });
            }
        }
        for core in &self.encoded {
            for start in core.find_iter(text) {
                let run = start - text[..start].iter().rev().take_while(is_base64).count();
                let start = after_escape(text, run).min(start);
                let mut end = start + text[start..].iter().take_while(is_base64).count();
                end += text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
                finds.push(Find { span: start..end, kind: Kind::Encoded });
            }
        }
    }
}

fn is_base64(byte: &&u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(byte)
}

/// The letters that every base64 text with the value in it has in common: one row for each place
/// that the value can have in a group of three bytes.
fn encoded(value: &[u8]) -> Vec<Finder<'static>> {
    let mut cores: Vec<String> = Vec::new();
    for before in 0..3 {
        let padded = [&[0; 3][..before], value].concat();
        let known = (before * 8).div_ceil(6)..padded.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let text = engine.encode(&padded);
            if let Some(core) = text.get(known.clone())
                && cores.iter().all(|other| other != core)
            {
                cores.push(core.to_owned());
            }
        }
    }
    cores.iter().map(|core| Finder::new(core).into_owned()).collect()
}
