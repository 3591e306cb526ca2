//! Recorded values that a replay exchanges for this spawn's own: the header's `bind`.
//!
//! A recording holds the session id, the directory and the home of the run it was made from. What
//! is named in `bind` is replaced wherever it occurs in what is written: exact case, also inside a
//! longer word or path (`/srv/demo` in `/srv/demo2`), in one pass from the left, of several values
//! that begin at one place the longest. Replaced text is never looked at again. In JSON the value
//! is looked for as JSON writers spell it, and its replacement is spelled the same way.
//!
//! This is no templating: nothing is found that does not occur literally. The dashed form of a
//! directory in session file names (`-srv-demo`) stays as recorded, and so does JSON escaped twice
//! where the value has characters that JSON escapes.

use std::borrow::Cow;

use memchr::memmem::Finder;

mod spelling;

use spelling::Spelling;

/// One spelling of a recorded value, and what is written in its place.
#[derive(Clone, Debug)]
struct Needle {
    finder: Finder<'static>,
    own: Vec<u8>,
}

impl Needle {
    fn new(recorded: &str, own: &str) -> Self {
        let finder = Finder::new(recorded.as_bytes()).into_owned();
        Self { finder, own: own.as_bytes().to_vec() }
    }

    fn text(&self) -> &[u8] {
        self.finder.needle()
    }
}

/// An occurrence of a recorded value.
#[derive(Clone, Copy)]
struct Hit {
    start: usize,
    end: usize,
    needle: usize,
}

/// The recorded values of one recording with this spawn's own.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    raw: Vec<Needle>,
    json: Vec<Needle>,
}

impl Bindings {
    /// Takes pairs of a recorded value and this spawn's own. An empty recorded value is passed
    /// over; that a short one is refused is the business of who reads the header.
    #[must_use]
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let mut bindings = Self::default();
        // A value that stays as it is still keeps shorter ones from being replaced inside it, but
        // where all stay there is nothing to do.
        if pairs.iter().all(|(recorded, own)| recorded == own) {
            return bindings;
        }
        for (recorded, own) in pairs.iter().filter(|(recorded, _)| !recorded.is_empty()) {
            bindings.raw.push(Needle::new(recorded, own));
            for spelling in Spelling::of(recorded) {
                let text = spelling.escape(recorded);
                if bindings.json.iter().all(|known| known.text() != text.as_bytes()) {
                    bindings.json.push(Needle::new(&text, &spelling.escape(own)));
                }
            }
        }
        bindings
    }

    /// Whether nothing is ever replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Replaces every recorded value in the bytes of one step. `json`: the bytes are JSON text.
    /// They are handed back as they are where no value occurs.
    #[must_use]
    pub fn apply<'a>(&self, bytes: &'a [u8], json: bool) -> Cow<'a, [u8]> {
        let mut scan = Scan::new(self.needles(json), bytes, json, 0);
        let Some(mut hit) = scan.next() else {
            return Cow::Borrowed(bytes);
        };
        let mut out = Vec::with_capacity(bytes.len() + 64);
        let mut copied = 0;
        loop {
            out.extend_from_slice(&bytes[copied..hit.start]);
            out.extend_from_slice(&scan.needles[hit.needle].own);
            copied = hit.end;
            match scan.next() {
                Some(next) => hit = next,
                None => break,
            }
        }
        out.extend_from_slice(&bytes[copied..]);
        Cow::Owned(out)
    }

    /// Replaces in bytes that come in chunks; see [`Stream`].
    #[must_use]
    pub fn stream(&self, json: bool) -> Stream<'_> {
        Stream { needles: self.needles(json), json, held: Vec::new(), context: 0 }
    }

    fn needles(&self, json: bool) -> &[Needle] {
        if json { &self.json } else { &self.raw }
    }
}

/// Finds the occurrences in order, none overlapping another.
struct Scan<'n, 'a> {
    needles: &'n [Needle],
    bytes: &'a [u8],
    json: bool,
    /// Where the last hit ended; in JSON never inside an escape.
    at: usize,
    /// Where each needle occurs next, at or after `at` when it is looked at; `None`: no more.
    /// Remembering it makes the whole scan one pass a needle.
    upcoming: Vec<Option<usize>>,
}

impl<'n, 'a> Scan<'n, 'a> {
    /// Scans from `at` on; what is before it is only looked at for escapes.
    fn new(needles: &'n [Needle], bytes: &'a [u8], json: bool, at: usize) -> Self {
        let mut scan = Self { needles, bytes, json, at: 0, upcoming: Vec::new() };
        scan.upcoming = needles.iter().map(|needle| scan.occurrence(needle, at)).collect();
        scan.at = at;
        scan
    }

    fn occurrence(&self, needle: &Needle, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let start = from + needle.finder.find(self.bytes.get(from..)?)?;
            if !self.json || !inside_escape(&self.bytes[self.at..start]) {
                return Some(start);
            }
            from = start + 1;
        }
    }
}

impl Iterator for Scan<'_, '_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for (needle, it) in self.needles.iter().enumerate() {
            if self.upcoming[needle].is_some_and(|start| start < self.at) {
                self.upcoming[needle] = self.occurrence(it, self.at);
            }
            let Some(start) = self.upcoming[needle] else { continue };
            let hit = Hit { start, end: start + it.text().len(), needle };
            let better =
                best.is_none_or(|b| start < b.start || start == b.start && hit.end > b.end);
            if better {
                best = Some(hit);
            }
        }
        self.at = best?.end;
        best
    }
}

/// Whether a place is inside a JSON escape, by the text before it: after an odd number of
/// backslashes, or among the hexadecimal digits of `\uXXXX`.
fn inside_escape(before: &[u8]) -> bool {
    let open = |text: &[u8]| text.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
    if open(before) {
        return true;
    }
    // The `u` is one to four places back.
    let near = before.len().saturating_sub(4);
    (near..before.len()).any(|at| before[at] == b'u' && open(&before[..at]))
}

/// Replaces in bytes that come in chunks, as [`Bindings::apply`] would in all of them at once.
///
/// Nothing is held back longer than needed: only an end that may be the beginning of a recorded
/// value waits for the next chunk.
#[derive(Debug)]
pub struct Stream<'n> {
    needles: &'n [Needle],
    json: bool,
    /// Bytes that have gone out already and tell of an escape, then those that are held back.
    held: Vec<u8>,
    /// How many of `held` have gone out.
    context: usize,
}

impl Stream<'_> {
    /// Takes a chunk and returns what can be written now.
    #[must_use]
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<u8> {
        if self.needles.is_empty() {
            return chunk.to_vec();
        }
        self.held.extend_from_slice(chunk);
        self.advance(false)
    }

    /// Returns what was held back, at the end of the bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.advance(true)
    }

    fn advance(&mut self, last: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.held.len());
        let mut copied = self.context;
        let scan = Scan::new(self.needles, &self.held, self.json, copied);
        let mut stop = self.waiting_from(copied, last);
        for hit in scan {
            // A longer value may yet begin at the same place or before it.
            if hit.start >= stop {
                break;
            }
            out.extend_from_slice(&self.held[copied..hit.start]);
            out.extend_from_slice(&self.needles[hit.needle].own);
            copied = hit.end;
            if stop < copied {
                stop = self.waiting_from(copied, last);
            }
        }
        out.extend_from_slice(&self.held[copied..stop]);
        self.keep_from(stop);
        out
    }

    /// The first place from which on the bytes are the beginning of a recorded value.
    fn waiting_from(&self, from: usize, last: bool) -> usize {
        let len = self.held.len();
        let longest = self.needles.iter().map(|needle| needle.text().len()).max().unwrap_or(0);
        let from = from.max((len + 1).saturating_sub(longest));
        let begins = |at: &usize| {
            let rest = &self.held[*at..];
            let mut texts = self.needles.iter().map(Needle::text);
            texts.any(|text| text.len() > rest.len() && text.starts_with(rest))
        };
        if last { len } else { (from..len).find(begins).unwrap_or(len) }
    }

    /// Forgets what has gone out, except for what tells of an escape that is still open: the last
    /// five bytes, and of a run of backslashes before them whether it is odd.
    fn keep_from(&mut self, stop: usize) {
        let near = stop.saturating_sub(if self.json { 5 } else { 0 });
        let run = self.held[..near].iter().rev().take_while(|&&byte| byte == b'\\').count();
        let keep = near - usize::from(self.json && run % 2 == 1);
        self.held.drain(..keep);
        self.context = stop - keep;
    }
}

#[cfg(test)]
mod tests;
