//! JSON documents that go over several lines, as `jq .` and editors write them: what stdout has then
//! are no lines that could be looked at one by one.

use serde_json::Deserializer;
use serde_json::value::RawValue;

/// How much is kept: a document that a person has laid out is not larger.
const LARGEST: usize = 4 << 20;
/// How long its first line may be.
const LONGEST_FIRST: usize = 64 << 10;

/// Reads along with stdout, and keeps it as long as it may be such documents.
#[derive(Debug, Default)]
pub(super) struct Spread {
    kind: Kind,
    kept: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Too little has come to tell.
    #[default]
    Unknown,
    /// It is something else, lines of JSON for one, and nothing is kept.
    Other,
    /// Documents that go over several lines.
    Documents,
}

impl Spread {
    /// Reads some bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        match self.kind {
            Kind::Other => return,
            // Most of what comes can be told by itself, and need not be copied first.
            Kind::Unknown if self.kept.is_empty() && kind(bytes) == Kind::Other => {
                self.kind = Kind::Other;
                return;
            }
            Kind::Unknown | Kind::Documents => self.kept.extend_from_slice(bytes),
        }
        if self.kind == Kind::Unknown {
            self.kind = kind(&self.kept);
        }
        if self.kind == Kind::Other || self.kept.len() > LARGEST {
            *self = Spread { kind: Kind::Other, kept: Vec::new() };
        }
    }

    /// The documents that have come, whole, in order.
    pub fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let kept = if self.kind == Kind::Documents { self.kept.as_slice() } else { b"" };
        let values = Deserializer::from_slice(kept).into_iter::<&RawValue>();
        values.map_while(Result::ok).map(|value| value.get().as_bytes())
    }
}

/// What a stream is that begins with this. The first line of a document that goes over several is
/// open at its end, or the second goes on with it.
fn kind(start: &[u8]) -> Kind {
    let start = start.trim_ascii_start();
    match start.first() {
        None => return Kind::Unknown,
        Some(b'{' | b'[') => {}
        Some(_) => return Kind::Other,
    }
    let Some(end) = memchr::memchr(b'\n', start) else {
        return if start.len() > LONGEST_FIRST { Kind::Other } else { Kind::Unknown };
    };
    let (first, rest) = start.split_at(end);
    if !matches!(first.trim_ascii_end().last(), Some(b'}' | b']')) {
        return Kind::Documents;
    }
    match rest.trim_ascii_start().first() {
        None => Kind::Unknown,
        Some(b',' | b'"' | b'}' | b']') => Kind::Documents,
        Some(_) => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_text_are_not_kept() {
        for stream in ["{\"a\":1}\n{\"b\":2}\n", "[1]\n[2]\n", "Done.\n", "{}\ntext", " \nx{\n"] {
            let mut spread = Spread::default();
            stream.bytes().for_each(|byte| spread.feed(&[byte]));
            assert_eq!((spread.kind, spread.kept.len()), (Kind::Other, 0), "{stream:?}");
        }
        let mut long = Spread::default();
        long.feed(&[b"{".as_slice(), &[b' '; LONGEST_FIRST]].concat());
        assert_eq!((long.kind, long.kept.len()), (Kind::Other, 0));
    }

    #[test]
    fn documents_are_found_whatever_their_layout_and_the_last_may_be_cut_off() {
        for stream in ["{\n\"a\":1}", "{\"a\":1\n}\n[\n2", "[{\"a\":1}\n,{\"a\":2}]\n", "[{},\n1]{"]
        {
            let mut spread = Spread::default();
            spread.feed(stream.as_bytes());
            assert_eq!((spread.kind, spread.documents().count()), (Kind::Documents, 1), "{stream}");
        }
    }
}
