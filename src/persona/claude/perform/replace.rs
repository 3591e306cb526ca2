//! Putting one text in the place of another without touching the rest.

use memchr::memmem;
use std::borrow::Cow;

/// Ids shorter than this stand for too much to be replaced wherever they occur: they are replaced
/// only where they are a whole string.
const SHORT: usize = 8;

/// Replaces every first text by its second, in one pass; where several fit, the longest.
pub(super) fn all<'a>(line: &'a [u8], pairs: &[(&str, &str)]) -> Cow<'a, [u8]> {
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = pairs
        .iter()
        .filter(|(from, to)| from != to && !from.is_empty())
        .map(|(from, to)| match from.len() < SHORT {
            true => (format!("\"{from}\"").into_bytes(), format!("\"{to}\"").into_bytes()),
            false => (from.as_bytes().to_vec(), to.as_bytes().to_vec()),
        })
        .filter(|(from, _)| memmem::find(line, from).is_some())
        .collect();
    if pairs.is_empty() {
        return Cow::Borrowed(line);
    }
    pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
    let mut out = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some((start, (from, to))) = next(line, at, &pairs) {
        out.extend_from_slice(&line[at..start]);
        out.extend_from_slice(to);
        at = start + from.len();
    }
    out.extend_from_slice(&line[at..]);
    Cow::Owned(out)
}

/// The first place behind `at` where one of the texts stands.
fn next<'p>(
    line: &[u8],
    at: usize,
    pairs: &'p [(Vec<u8>, Vec<u8>)],
) -> Option<(usize, &'p (Vec<u8>, Vec<u8>))> {
    let places = pairs.iter().filter_map(|pair| {
        let found = memmem::find(line.get(at..)?, &pair.0)?;
        Some((at + found, pair))
    });
    places.min_by_key(|(start, pair)| (*start, std::cmp::Reverse(pair.0.len())))
}

/// A line with other bytes in a range of it.
pub(super) fn range(line: &[u8], range: std::ops::Range<usize>, with: &[u8]) -> Vec<u8> {
    let head = line.get(..range.start).unwrap_or(line);
    let tail = line.get(range.end..).unwrap_or_default();
    [head, with, tail].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_replaced_in_one_pass_and_the_rest_stays() {
        let line = br#"{"a":"12345678","b":"/x/12345678.y","c":87654321}"#;
        let out = all(line, &[("12345678", "87654321"), ("87654321", "12345678")]);
        assert_eq!(out.as_ref(), br#"{"a":"87654321","b":"/x/87654321.y","c":12345678}"#);
        assert!(matches!(all(line, &[("nowhere!", "x")]), Cow::Borrowed(_)));
    }

    #[test]
    fn short_ids_are_replaced_only_where_they_are_a_whole_string() {
        let out = all(br#"{"id":"s1","text":"s1 s12"}"#, &[("s1", "s2")]);
        assert_eq!(out.as_ref(), br#"{"id":"s2","text":"s1 s12"}"#);
    }
}
