//! A JSON object by its top-level keys, each value as its own source text: enough to tell lines
//! apart without reading them whole, and to cut into them without writing anything anew.

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Formatter;
use std::ops::Range;

/// An object's keys and values, in order.
#[derive(Debug, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// Reads a line; none where it is no JSON object.
    pub fn parse(line: &'a [u8]) -> Option<Object<'a>> {
        serde_json::from_slice(line).ok()
    }

    /// The source text of a value. Of a key that stands twice the last counts, as in JavaScript.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// A value that is a string.
    pub fn string(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// A value that is an object.
    pub fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::parse(self.get(key)?.as_bytes())
    }

    /// Whether a value is this string, which must need no escapes.
    pub fn is(&self, key: &str, value: &str) -> bool {
        self.get(key).and_then(|raw| raw.strip_prefix('"')?.strip_suffix('"')) == Some(value)
    }

    /// Whether a value is there and not `null`.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|raw| raw != "null")
    }

    /// The keys and values, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value.get()))
    }
}

/// Where a value's source text stands in the line that it was read from.
pub(super) fn place(line: &[u8], part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    (end <= line.len()).then_some(start..end)
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Object<'a>, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    pairs.push((key, value));
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Keys).map(Object)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_as_they_are_written_and_where() {
        let line = br#"{"a":1.0e3,"b":{"c":[ ]},"a":"x"}"#;
        let object = Object::parse(line).unwrap();
        assert_eq!(object.get("a"), Some("\"x\""));
        assert!(object.is("a", "x"));
        let inner = object.object("b").unwrap();
        assert_eq!(place(line, inner.get("c").unwrap()), Some(20..23));
        assert!(Object::parse(b"[1]").is_none());
    }
}
