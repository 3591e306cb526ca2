//! What an `in` step waits for, and the comparison with what came.
//!
//! A line is compared as source text: only the values that a pattern names are looked into, so that
//! a line with a picture in it costs one scan, and oddities elsewhere in the line (half a surrogate
//! pair, a number that fits no type, deep nesting) do not keep it from matching.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{Mistake, shown};
use super::value::{Field, reason};

/// What is waited for.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `"line"`: any line.
    Line,
    /// `"eof"`: the end of stdin.
    Eof,
    /// `{"bytes": n}`: exactly so many bytes, at least one. Only an `in` step has it.
    Bytes(u64),
    /// An object: a line that is JSON and contains it.
    Object(Shape),
}

/// A JSON value to compare with, made ready once.
#[derive(Clone, Debug)]
pub struct Shape {
    root: Node,
    /// Its source, for messages.
    source: String,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.source)
    }
}

#[derive(Clone, Debug)]
enum Node {
    /// `null`, `true`, `false`.
    Word(String),
    /// A number's source text.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl fmt::Display for Pattern {
    /// Says what is waited for, for people.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Pattern::Line => f.write_str("a line"),
            Pattern::Eof => f.write_str("the end of stdin"),
            Pattern::Bytes(count) => write!(f, "{count} bytes"),
            Pattern::Object(shape) => write!(f, "a line with {shape}"),
        }
    }
}

impl Pattern {
    /// Whether this line of input is what the pattern waits for. The newline may be there or not.
    pub fn matches_line(&self, line: &[u8]) -> bool {
        match self {
            Pattern::Line => true,
            Pattern::Eof | Pattern::Bytes(_) => false,
            Pattern::Object(shape) => shape.is_in(line),
        }
    }

    pub(super) fn parse(field: Field) -> Result<Pattern, Mistake> {
        const WANT: &str = "\"line\", \"eof\", {\"bytes\": n}, or an object that the line contains";
        if field.is_string() {
            return match field.string()?.as_str() {
                "line" => Ok(Pattern::Line),
                "eof" => Ok(Pattern::Eof),
                word => Err(field.refuse(WANT).did_you_mean(word, ["line", "eof"])),
            };
        }
        if !field.is_object() {
            return Err(field.refuse(WANT));
        }
        let pairs = field.pairs(WANT)?;
        if let [(key, raw)] = pairs.as_slice()
            && key == "bytes"
        {
            return match (Field { key, raw }).whole("a number of bytes, at least 1")? {
                0 => Err((Field { key, raw }).refuse("a number of bytes, at least 1")),
                count => Ok(Pattern::Bytes(count)),
            };
        }
        Shape::parse(field).map(Pattern::Object)
    }

    /// Parses a pattern for a line or the end, where bytes cannot be counted.
    pub(super) fn parse_line_pattern(field: Field) -> Result<Pattern, Mistake> {
        match Pattern::parse(field)? {
            Pattern::Bytes(_) => Err(Mistake::new(format!("`{}` cannot count bytes", field.key))
                .hint("only `in` itself can")),
            pattern => Ok(pattern),
        }
    }
}

impl Shape {
    fn parse(field: Field) -> Result<Shape, Mistake> {
        // This tree is only for its checks (nesting, escapes, numbers out of range); in the shape,
        // numbers are kept as they were written.
        let checked = serde_json::from_str::<serde_json::Value>(field.source());
        let refuse = |reason: &str| {
            Mistake::new(format!("`{}` cannot be compared with: {reason}", field.key))
        };
        checked.map_err(|error| refuse(&reason(&error)))?;
        let root = Node::parse(field.raw).ok_or_else(|| refuse("not JSON"))?;
        Ok(Shape { root, source: shown(field.source()) })
    }

    /// Whether a line is JSON and contains this.
    pub fn is_in(&self, line: &[u8]) -> bool {
        // A real CLI reads bytes that are not UTF-8 as replacement characters.
        let text = String::from_utf8_lossy(line);
        match serde_json::from_str::<&RawValue>(&text) {
            Ok(raw) => self.root.is_in(raw.get()),
            Err(_) => false,
        }
    }

    /// The string at the top-level key, if the pattern names one.
    pub fn string(&self, key: &str) -> Option<&str> {
        match &self.root {
            Node::Object(entries) => entries.iter().find_map(|(name, node)| match node {
                Node::Text(text) if name == key => Some(text.as_str()),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Whether every JSON object matches.
    pub fn is_empty(&self) -> bool {
        matches!(&self.root, Node::Object(entries) if entries.is_empty())
    }
}

impl Node {
    /// Parses source that is known to be JSON without too much nesting.
    fn parse(raw: &RawValue) -> Option<Node> {
        let source = raw.get();
        match source.as_bytes().first()? {
            b'{' => {
                let entries = object(source, |_| true)?;
                let parse =
                    |(key, raw): (Cow<str>, &RawValue)| Some((key.into_owned(), Node::parse(raw)?));
                entries.into_iter().map(parse).collect::<Option<_>>().map(Node::Object)
            }
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(source).ok()?;
                elements.into_iter().map(Node::parse).collect::<Option<_>>().map(Node::List)
            }
            b'"' => serde_json::from_str(source).ok().map(Node::Text),
            b't' | b'f' | b'n' => Some(Node::Word(source.to_owned())),
            _ => Some(Node::Number(source.to_owned())),
        }
    }

    /// Whether a value contains this one: objects key by key, everything else whole.
    fn is_in(&self, source: &str) -> bool {
        let Node::Object(entries) = self else { return self.equals(source) };
        let named = |key: &str| entries.iter().any(|(name, _)| name == key);
        let Some(found) = object(source, named) else { return false };
        entries
            .iter()
            .all(|(name, node)| found.iter().any(|(key, raw)| key == name && node.is_in(raw.get())))
    }

    /// Whether a value is this one, numbers by value.
    fn equals(&self, source: &str) -> bool {
        match self {
            Node::Word(word) => word == source,
            Node::Number(number) => Decimal::parse(number) == Decimal::parse(source),
            Node::Text(text) => {
                source.starts_with('"')
                    && serde_json::from_str::<String>(source).is_ok_and(|other| other == *text)
            }
            Node::List(nodes) => serde_json::from_str::<Vec<&RawValue>>(source).is_ok_and(|list| {
                list.len() == nodes.len()
                    && nodes.iter().zip(list).all(|(node, raw)| node.equals(raw.get()))
            }),
            Node::Object(entries) => object(source, |_| true).is_some_and(|found| {
                found.len() == entries.len()
                    && entries.iter().all(|(name, node)| {
                        found.iter().any(|(key, raw)| key == name && node.equals(raw.get()))
                    })
            }),
        }
    }
}

/// A JSON number by its value, however long: digits without zeros at either end, times a power of
/// ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// `None` if the source is no number.
    fn parse(source: &str) -> Option<Decimal> {
        let unsigned = source.strip_prefix('-').unwrap_or(source);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let power = power.parse::<i64>().unwrap_or(match power.starts_with('-') {
            true => i64::MIN,
            false => i64::MAX,
        });
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let places = fraction.len() as i64 - (all.len() - digits.len()) as i64;
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits, exponent: 0 });
        }
        let negative = source.len() != unsigned.len();
        Some(Decimal { negative, digits, exponent: power.saturating_sub(places) })
    }
}

/// The values of an object, those of a key that stands twice only once: the last, as the real CLIs
/// read it. Only keys that are `wanted` are kept. `None` if the source is no object.
fn object<'a>(
    source: &'a str,
    wanted: impl Fn(&str) -> bool,
) -> Option<Vec<(Cow<'a, str>, &'a RawValue)>> {
    if !source.starts_with('{') {
        return None;
    }
    let mut found = serde_json::Deserializer::from_str(source)
        .deserialize_map(ObjectVisitor { wanted })
        .ok()?;
    // Sorting is stable, so that the last of equal keys is the first after turning round.
    found.reverse();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.dedup_by(|(a, _), (b, _)| a == b);
    Some(found)
}

struct ObjectVisitor<W> {
    wanted: W,
}

impl<'de, W: Fn(&str) -> bool> Visitor<'de> for ObjectVisitor<W> {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(key) = map.next_key_seed(LossyKey)? {
            if (self.wanted)(&key) {
                found.push((key, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// A key of a line that came. Half a surrogate pair in it is no reason to refuse the line; reading
/// it as bytes takes it.
struct LossyKey;

impl<'de> DeserializeSeed<'de> for LossyKey {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for LossyKey {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_bytes<E>(self, key: &'de [u8]) -> Result<Self::Value, E> {
        Ok(String::from_utf8_lossy(key))
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(String::from_utf8_lossy(key).into_owned()))
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(source: &str) -> Result<Pattern, String> {
        let raw: Box<RawValue> = serde_json::from_str(source).unwrap();
        Pattern::parse(Field { key: "in", raw: &raw }).map_err(|m| m.on_line(1).to_string())
    }

    fn matches(source: &str, line: &str) -> bool {
        pattern(source).unwrap().matches_line(line.as_bytes())
    }

    #[test]
    fn objects_are_contained_key_by_key() {
        let line = r#"{"type":"user","message":{"role":"user","content":"hi"},"n":1}"#;
        assert!(matches(r#"{"type":"user"}"#, line));
        assert!(matches(r#"{"message":{"role":"user"}}"#, &format!("  {line}\r\n")));
        assert!(matches("{}", line));
        assert!(!matches(r#"{"type":"control_request"}"#, line));
        assert!(!matches(r#"{"message":{"role":"user","id":1}}"#, line));
        assert!(!matches(r#"{"message":"user"}"#, line));
        assert!(!matches(r#"{"type":{"user":1}}"#, line));
        assert!(!matches("{}", "[]"));
        assert!(!matches("{}", "plain text"));
        assert!(!matches("{}", ""));
        assert!(!matches("{}", "{} {}"));
    }

    #[test]
    fn arrays_are_compared_whole() {
        let line = r#"{"a":[1,{"b":2,"c":3},"x"]}"#;
        assert!(matches(r#"{"a":[1,{"c":3,"b":2},"x"]}"#, line));
        assert!(!matches(r#"{"a":[1,{"b":2},"x"]}"#, line));
        assert!(!matches(r#"{"a":[1]}"#, line));
        assert!(!matches(r#"{"a":[1,{"b":2,"c":3},"x",null]}"#, line));
        assert!(!matches(r#"{"a":[]}"#, r#"{"a":{}}"#));
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let same = [
            ("1", "1.0"),
            ("1", "1e0"),
            ("10", "1E+1"),
            ("0.1", "1e-1"),
            ("-0", "0.0"),
            ("150", "1.50e2"),
            ("0", "0e99999999999999999999"),
            ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ];
        for (a, b) in same {
            assert!(matches(&format!("{{\"n\":{a}}}"), &format!("{{\"n\":{b}}}")), "{a} {b}");
        }
        let differ = [
            ("1", "-1"),
            ("1", "1.5"),
            ("9007199254740993", "9007199254740992.0"),
            ("1", "\"1\""),
            ("0", "false"),
            ("0", "null"),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("1", "1e999"),
        ];
        for (a, b) in differ {
            assert!(!matches(&format!("{{\"n\":{a}}}"), &format!("{{\"n\":{b}}}")), "{a} {b}");
        }
    }

    #[test]
    fn strings_are_compared_as_text_not_as_source() {
        assert!(matches(r#"{"a":"é/\n"}"#, r#"{"\u0061":"\u00e9\/\u000a"}"#));
        assert!(!matches(r#"{"a":"user"}"#, r#"{"a":"User"}"#));
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        assert!(matches(r#"{"a":2}"#, r#"{"a":1,"a":2}"#));
        assert!(!matches(r#"{"a":1}"#, r#"{"a":1,"a":2}"#));
        assert!(matches(r#"{"l":[{"a":2}]}"#, r#"{"l":[{"a":1,"a":2}]}"#));
    }

    #[test]
    fn oddities_elsewhere_in_a_line_do_not_matter() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for odd in [r#""\ud83d""#, "1e999", deep.as_str()] {
            assert!(matches(r#"{"type":"user"}"#, &format!(r#"{{"x":{odd},"type":"user"}}"#)));
        }
        assert!(matches(r#"{"type":"user"}"#, r#"{"\ud83d":1,"type":"user"}"#));
        let broken = b"{\"x\":\"\xff\",\"type\":\"user\"}";
        assert!(pattern(r#"{"type":"user"}"#).unwrap().matches_line(broken));
    }

    #[test]
    fn words_and_bytes_are_told_from_objects() {
        assert!(matches("\"line\"", "anything"));
        assert!(!matches("\"eof\"", "anything"));
        assert!(matches!(pattern(r#"{"bytes":4096}"#), Ok(Pattern::Bytes(4096))));
        assert!(matches(r#"{"bytes":1,"type":"x"}"#, r#"{"type":"x","bytes":1}"#));
        for bad in [
            "5",
            "\"lines\"",
            "[]",
            "null",
            r#"{"bytes":-1}"#,
            r#"{"bytes":0}"#,
            r#"{"bytes":"x"}"#,
        ] {
            assert!(pattern(bad).is_err(), "{bad}");
        }
        let text = pattern("\"lin\"").unwrap_err();
        assert!(text.ends_with("did you mean \"line\"?"), "{text}");
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
        assert!(pattern(&deep).is_err());
    }
}
