//! JSON objects with known keys, as the source texts of their values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::error::{Mistake, listed, quoted, shown};
use super::value::{Field, reason};

/// The keys that an object may have.
pub(super) type Keys = &'static [&'static str];

/// An object's values by key.
pub(super) struct Object<'a> {
    fields: Vec<Field<'a>>,
}

/// An object with what is wrong with its keys, which is the reader's to say.
pub(super) struct Parsed<'a> {
    object: Object<'a>,
    unknown: Option<String>,
    duplicate: Option<&'static str>,
}

impl<'a> Parsed<'a> {
    /// The object and its first unknown key; a known key that stands twice is an error.
    pub(super) fn without_duplicates(self) -> Result<(Object<'a>, Option<String>), Mistake> {
        match self.duplicate {
            Some(key) => Err(Mistake::new(format!("`{key}` stands twice"))),
            None => Ok((self.object, self.unknown)),
        }
    }
}

impl<'a> Object<'a> {
    /// Parses an object, to its end. Only known keys are kept, so that the cost of a hostile line
    /// is its length and no more.
    pub(super) fn parse(source: &'a str, keys: Keys) -> serde_json::Result<Parsed<'a>> {
        let mut deserializer = serde_json::Deserializer::from_str(source);
        let parsed = deserializer.deserialize_map(ObjectVisitor { keys })?;
        deserializer.end()?;
        Ok(parsed)
    }

    /// Parses a whole line. `noun` is what the line should be and `example` how that looks, for
    /// the message.
    pub(super) fn parse_line(
        line: &'a str,
        noun: &str,
        example: &str,
        keys: Keys,
    ) -> Result<(Object<'a>, Option<String>), Mistake> {
        match Object::parse(line, keys) {
            Ok(parsed) => parsed.without_duplicates(),
            Err(error) if error.is_data() => Err(Mistake::new(format!(
                "{noun} is an object, such as {example}, not {}",
                shown(line.trim_ascii())
            ))),
            Err(error) if error.is_eof() => {
                Err(not_json(&error, line).hint(format!("{noun} stands on one line")))
            }
            Err(error) => Err(not_json(&error, line)),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Field<'a>> {
        let at = self.fields.iter().position(|field| field.key == key)?;
        Some(self.fields.swap_remove(at))
    }

    /// Takes a value and reads it.
    pub(super) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Field<'a>) -> Result<T, Mistake>,
    ) -> Result<Option<T>, Mistake> {
        self.take(key).map(read).transpose()
    }

    /// Takes a value that has to be there; `whose` is the key of the object.
    pub(super) fn need(&mut self, key: &str, whose: &str) -> Result<Field<'a>, Mistake> {
        self.take(key).ok_or_else(|| Mistake::new(format!("`{whose}` needs `{key}`")))
    }

    /// What was not taken.
    pub(super) fn rest(&self) -> &[Field<'a>] {
        &self.fields
    }
}

/// The mistake of a line that is not JSON at all.
fn not_json(error: &serde_json::Error, line: &str) -> Mistake {
    let start = shown(line.trim_ascii());
    let (reason, column) = (reason(error), error.column());
    Mistake::new(format!("not JSON: {reason} at column {column}: {start}"))
}

struct ObjectVisitor {
    keys: Keys,
}

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Parsed<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Vec<Field<'de>> = Vec::with_capacity(2);
        let (mut unknown, mut duplicate) = (None, None);
        while let Some(found) = map.next_key_seed(Key)? {
            let Some(key) = self.keys.iter().find(|key| **key == found) else {
                unknown.get_or_insert_with(|| found.into_owned());
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if fields.iter().any(|field| field.key == *key) {
                duplicate = Some(*key);
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            fields.push(Field { key, raw: map.next_value()? });
        }
        Ok(Parsed { object: Object { fields }, unknown, duplicate })
    }
}

/// The mistake of a key that nobody knows.
pub(super) fn unknown_key(key: &str, place: &str, keys: Keys) -> Mistake {
    let known = listed(keys.iter().copied());
    Mistake::new(format!("unknown key {} {place} (the keys are {known})", quoted(key)))
        .did_you_mean(key, keys.iter().copied())
}

/// A key, borrowed from the source unless it is written with escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}
