//! Ids of the recording and the ids that stand in their place in this session, as text.

use std::borrow::Cow;

use crate::bind::Bindings;

/// Ids shorter than this are exchanged only where they are a whole JSON string: `t1` may well
/// occur in a text.
const UNMISTAKABLE: usize = 16;

/// Recorded ids with the live ones, all as JSON source text without quotes.
#[derive(Debug, Default)]
pub(super) struct Links {
    pairs: Vec<(String, String)>,
    to_live: Bindings,
    to_recorded: Bindings,
}

impl Links {
    /// Puts a live id in the place of a recorded one, from now on.
    pub fn link(&mut self, recorded: &str, live: &str) {
        if self.live(recorded) == Some(live) {
            return;
        }
        self.pairs.retain(|(known, _)| known != recorded);
        self.pairs.push((recorded.to_owned(), live.to_owned()));
        self.to_live = Bindings::new(self.pairs.iter().map(|(from, to)| spelt(from, to)).collect());
        let mut back: Vec<(String, String)> = Vec::new();
        for (recorded, live) in self.pairs.iter().rev() {
            if back.iter().all(|(known, _)| known != live) {
                back.push((live.clone(), recorded.clone()));
            }
        }
        self.to_recorded = Bindings::new(back.iter().map(|(from, to)| spelt(from, to)).collect());
    }

    /// The live id for a recorded one.
    pub fn live(&self, recorded: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == recorded).map(|(_, live)| live.as_str())
    }

    /// A recorded line with the live ids.
    pub fn to_live<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        self.to_live.apply(line, false)
    }

    /// A live line with the recorded ids.
    pub fn to_recorded<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        self.to_recorded.apply(line, false)
    }
}

fn spelt(from: &str, to: &str) -> (String, String) {
    if from.len() < UNMISTAKABLE {
        return (format!("\"{from}\""), format!("\"{to}\""));
    }
    (from.to_owned(), to.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(&str, &str)]) -> Links {
        let mut links = Links::default();
        pairs.iter().for_each(|(recorded, live)| links.link(recorded, live));
        links
    }

    fn shown(links: &Links, line: &str) -> String {
        String::from_utf8(links.to_live(line.as_bytes()).into_owned()).unwrap()
    }

    const LONG: &str = "0199a000-0000-7000-8000-000000000001";

    #[test]
    fn a_long_id_is_exchanged_in_paths_too_and_a_short_one_only_as_a_string() {
        let links = links(&[(LONG, "mine"), ("t1", "t2"), ("t2", "t1")]);
        assert_eq!(shown(&links, &format!(r#"["x-{LONG}.jsonl"]"#)), r#"["x-mine.jsonl"]"#);
        assert_eq!(shown(&links, r#"["t1","t2","t1 t2"]"#), r#"["t2","t1","t1 t2"]"#);
    }

    #[test]
    fn a_live_line_is_turned_back() {
        let links = links(&[("t1", "a"), ("t3", "b"), ("t1", "c")]);
        assert_eq!(&*links.to_recorded(br#"["c","b","x c"]"#), br#"["t1","t3","x c"]"#);
    }
}
