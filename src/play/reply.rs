//! Replies: an output in which `"$id"` stands for the id of a request that came.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::player::Player;
use super::stop::Play;
use crate::recording::{Source, Write};

/// What a placeholder begins with, the opening quote included.
const PLACEHOLDER: &[u8] = b"\"$id";

/// The ids of requests that came, as JSON source text.
#[derive(Debug, Default)]
pub(super) struct Ids {
    last: Option<String>,
    named: HashMap<String, String>,
}

/// What of a line names a request.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl Ids {
    /// Takes note of a line that an `in` step got, under the step's name if it has one.
    pub fn came(&mut self, line: &[u8], name: Option<&str>) {
        let Ok(request) = serde_json::from_slice::<Request>(line) else { return };
        let Some(id) = request.request_id.or(request.id) else { return };
        self.last = Some(id.get().to_owned());
        if let Some(name) = name {
            self.named.insert(name.to_owned(), id.get().to_owned());
        }
    }

    /// The text with every placeholder replaced, or the placeholder that nothing stands for.
    fn fill_in(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = Vec::with_capacity(text.len() + 32);
        let mut rest = text;
        while let Some(at) = memchr::memmem::find(rest, PLACEHOLDER) {
            out.extend_from_slice(&rest[..at]);
            let after = &rest[at + PLACEHOLDER.len()..];
            let end = memchr::memchr(b'"', after).map_or(after.len(), |end| end + 1);
            let name = after[..end].strip_suffix(b"\"").unwrap_or(after);
            let id = match name {
                b"" => Some(self.last.as_ref()),
                [b':', name @ ..] => {
                    Some(std::str::from_utf8(name).ok().and_then(|name| self.named.get(name)))
                }
                // Some other text that begins alike, such as "$idle".
                _ => None,
            };
            match id {
                Some(Some(id)) => out.extend_from_slice(id.as_bytes()),
                Some(None) => return Err(format!("$id{}", String::from_utf8_lossy(name))),
                None => out.extend_from_slice(&rest[at..at + PLACEHOLDER.len() + end]),
            }
            rest = &after[end..];
        }
        out.extend_from_slice(rest);
        Ok(out)
    }
}

impl Player {
    /// Plays a `reply`.
    pub(super) fn reply(&mut self, write: &Write, line: u64) -> Play<()> {
        let (text, json) = match &write.source {
            Source::Text(text) => (text.as_bytes().to_vec(), false),
            Source::Json(json) => ([json.get().as_bytes(), b"\n"].concat(), true),
            // The format has replies of these two only; anything else goes out as it stands.
            Source::Bytes(_) | Source::File(_) | Source::Fill { .. } => {
                return self.output(write, line);
            }
        };
        match self.ids.fill_in(&text) {
            Ok(text) => self.sends(write, &text, json),
            Err(placeholder) => Err(self.unplayable(
                line,
                format!("{placeholder:?} stands for the id of a request, and no `in` step got one"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(lines: &[(&str, Option<&str>)]) -> Ids {
        let mut ids = Ids::default();
        lines.iter().for_each(|(line, name)| ids.came(line.as_bytes(), *name));
        ids
    }

    fn filled(ids: &Ids, text: &str) -> Result<String, String> {
        ids.fill_in(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn an_id_is_put_in_as_it_came() {
        let text = r#"{"id":"$id","text":"$idle"}"#;
        let number = ids(&[(r#"{"id":7}"#, None)]);
        assert_eq!(filled(&number, text).unwrap(), r#"{"id":7,"text":"$idle"}"#);
        let string = ids(&[(r#"{"request_id":"a\"b","id":1}"#, None)]);
        assert_eq!(filled(&string, text).unwrap(), r#"{"id":"a\"b","text":"$idle"}"#);
    }

    #[test]
    fn an_earlier_request_is_answered_by_its_name() {
        let ids = ids(&[(r#"{"id":1}"#, Some("call")), (r#"{"id":2}"#, None), ("no id", None)]);
        assert_eq!(filled(&ids, r#"["$id","$id:call"]"#).unwrap(), "[2,1]");
    }

    #[test]
    fn a_placeholder_without_a_request_is_named() {
        assert_eq!(filled(&Ids::default(), r#"["$id"]"#).unwrap_err(), "$id");
        assert_eq!(filled(&ids(&[(r#"{"id":1}"#, None)]), r#"["$id:x"]"#).unwrap_err(), "$id:x");
    }
}
