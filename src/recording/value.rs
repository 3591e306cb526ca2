//! Typed reading of JSON source, with messages that name the key.
//!
//! Nothing here builds a tree: an object is the source texts of its values, a list those of its
//! elements. Skipping a value takes no recursion, so that no nesting can exhaust the stack.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{Mistake, quoted, shown};
use super::object::{Keys, Object, unknown_key};

/// No time in a recording is longer, in milliseconds: about thirty years. What is beyond that is a
/// slip, and would overflow clocks.
const MOST_MS: f64 = 1e12;

/// A value and the key that it was found under.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) raw: &'a RawValue,
}

impl<'a> Field<'a> {
    /// The value's source text.
    pub(super) fn source(self) -> &'a str {
        self.raw.get()
    }

    /// The mistake of a value that is not what it should be.
    pub(super) fn refuse(self, want: impl fmt::Display) -> Mistake {
        Mistake::new(format!("`{}` wants {want}, not {}", self.key, shown(self.source())))
    }

    pub(super) fn is_string(self) -> bool {
        self.source().starts_with('"')
    }

    pub(super) fn is_object(self) -> bool {
        self.source().starts_with('{')
    }

    pub(super) fn string(self) -> Result<String, Mistake> {
        self.string_or("a string")
    }

    pub(super) fn string_or(self, want: &str) -> Result<String, Mistake> {
        if !self.is_string() {
            return Err(self.refuse(want));
        }
        // What was skipped as a string fails only at an escape for half of a surrogate pair.
        serde_json::from_str(self.source()).map_err(|_| {
            let what = format!("`{}` has an escape that is no character", self.key);
            Mistake::new(what).hint("half of a surrogate pair can only be written as base64")
        })
    }

    pub(super) fn flag(self) -> Result<bool, Mistake> {
        match self.source() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.refuse("true or false")),
        }
    }

    /// A whole number without sign, fraction or exponent, in the range of the type.
    pub(super) fn whole<T: FromStr>(self, want: &str) -> Result<T, Mistake> {
        self.source().parse().map_err(|_| self.refuse(want))
    }

    /// A finite number that is not negative.
    pub(super) fn amount(self, want: &str) -> Result<f64, Mistake> {
        // The source is JSON, so that none of Rust's own spellings (`inf`, `nan`) can be here.
        match self.source().parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number.abs()),
            _ => Err(self.refuse(want)),
        }
    }

    pub(super) fn millis(self) -> Result<f64, Mistake> {
        const WANT: &str = "milliseconds, from 0 to 1000000000000";
        match self.amount(WANT)? {
            ms if ms <= MOST_MS => Ok(ms),
            _ => Err(self.refuse(WANT)),
        }
    }

    pub(super) fn base64(self) -> Result<Vec<u8>, Mistake> {
        let text = self.string_or("a base64 string")?;
        STANDARD.decode(&text).map_err(|error| {
            let what = format!("`{}` is not base64 ({error}): {}", self.key, quoted(&text));
            Mistake::new(what).hint("it needs the standard alphabet, with padding")
        })
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(self, words: &[(&'static str, T)]) -> Result<T, Mistake> {
        let names = || words.iter().map(|(name, _)| *name);
        let want = || {
            let names: Vec<String> = names().map(|name| format!("{name:?}")).collect();
            names.join(" or ")
        };
        if !self.is_string() {
            return Err(self.refuse(want()));
        }
        let text = self.string()?;
        match words.iter().find(|(name, _)| *name == text) {
            Some((_, value)) => Ok(*value),
            None => Err(self.refuse(want()).did_you_mean(&text, names())),
        }
    }

    /// The elements of a list, each under the list's own key.
    pub(super) fn list(self, want: &str) -> Result<Vec<Field<'a>>, Mistake> {
        if !self.source().starts_with('[') {
            return Err(self.refuse(want));
        }
        let elements: Vec<&'a RawValue> =
            serde_json::from_str(self.source()).map_err(|_| self.refuse(want))?;
        Ok(elements.into_iter().map(|raw| Field { key: self.key, raw }).collect())
    }

    /// An object with none but the keys given.
    pub(super) fn object(self, want: &str, keys: Keys) -> Result<Object<'a>, Mistake> {
        if !self.is_object() {
            return Err(self.refuse(want));
        }
        let (object, unknown) = Object::parse(self.source(), keys)
            .map_err(|_| self.refuse(want))?
            .without_duplicates()?;
        match unknown {
            None => Ok(object),
            Some(key) => Err(unknown_key(&key, &format!("in `{}`", self.key), keys)),
        }
    }

    /// An object whose keys are the author's to choose, such as names of variables.
    pub(super) fn pairs(self, want: &str) -> Result<Vec<(String, &'a RawValue)>, Mistake> {
        if !self.is_object() {
            return Err(self.refuse(want));
        }
        let pairs = serde_json::Deserializer::from_str(self.source())
            .deserialize_map(PairsVisitor)
            .map_err(|_| self.refuse(want))?;
        let mut seen = HashSet::new();
        match pairs.iter().find(|(name, _)| !seen.insert(name.as_str())) {
            Some((name, _)) => {
                Err(Mistake::new(format!("{} stands twice in `{}`", quoted(name), self.key)))
            }
            None => Ok(pairs),
        }
    }
}

/// What serde says, without the position, which is one within the piece that was parsed.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}
