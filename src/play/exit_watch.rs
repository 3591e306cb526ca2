//! The exit code that follows from a stream: the real CLIs end with 1 after a failed run, and say
//! in their own events that it failed.

use memchr::memmem::Finder;

use super::spread::Spread;

/// Longer lines are not looked into: no event that ends a run is that long, and memory stays flat.
const LONGEST: usize = 8 << 20;

/// Reads along with everything that goes to stdout.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    /// Occurs in every line that decides; `None`: nothing in the stream decides.
    needle: Option<Finder<'static>>,
    judge: fn(&[u8]) -> Option<u8>,
    /// What makes a run fail however it ends, where there is something like that.
    spoils: Option<Spoils>,
    /// The line that has begun and not ended.
    line: Vec<u8>,
    too_long: bool,
    /// Documents that go over several lines, which are judged as they are on one.
    spread: Spread,
    code: u8,
    spoilt: bool,
}

/// Lines that make a run fail, whatever comes after them.
#[derive(Debug)]
struct Spoils {
    needle: Finder<'static>,
    judge: fn(&[u8]) -> bool,
}

impl Spoils {
    fn are_in(&self, document: &[u8]) -> bool {
        self.needle.find(document).is_some() && (self.judge)(document)
    }
}

impl ExitWatch {
    /// Watches for lines with `needle`, of which `judge` tells the exit code they mean, if any.
    pub fn new(needle: Option<&'static str>, judge: fn(&[u8]) -> Option<u8>) -> ExitWatch {
        let needle = needle.map(|needle| Finder::new(needle.as_bytes()));
        ExitWatch {
            needle,
            judge,
            spoils: None,
            line: Vec::new(),
            too_long: false,
            spread: Spread::default(),
            code: 0,
            spoilt: false,
        }
    }

    /// Watches as well for lines with `needle` of which `judge` tells that the exit code is 1 from
    /// then on, whatever else comes.
    pub fn spoilt_by(mut self, needle: &'static str, judge: fn(&[u8]) -> bool) -> ExitWatch {
        self.spoils = Some(Spoils { needle: Finder::new(needle.as_bytes()), judge });
        self
    }

    /// Reads some bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.needle.is_none() {
            return;
        }
        self.spread.feed(bytes);
        let (Some(first), Some(last)) =
            (memchr::memchr(b'\n', bytes), memchr::memrchr(b'\n', bytes))
        else {
            return self.keep(bytes);
        };
        self.keep(&bytes[..first]);
        self.end_line();
        if last > first {
            self.whole_lines(&bytes[first + 1..last]);
        }
        self.keep(&bytes[last + 1..]);
    }

    /// The exit code after everything that was read.
    pub fn code(&mut self) -> u8 {
        self.end_line();
        let meant = self.spread.documents().filter_map(|it| self.judged(it)).last();
        self.code = meant.unwrap_or(self.code);
        let mut documents = self.spread.documents();
        self.spoilt |= self.spoils.as_ref().is_some_and(|it| documents.any(|one| it.are_in(one)));
        if self.spoilt { self.code.max(1) } else { self.code }
    }

    /// What a document means, if it may be one of those that decide.
    fn judged(&self, document: &[u8]) -> Option<u8> {
        self.needle.as_ref()?.find(document).and_then(|_| (self.judge)(document))
    }

    /// The exit code that the last line means of those that decide.
    fn meaning(&self, lines: &[u8]) -> Option<u8> {
        lines_with(self.needle.as_ref()?, lines).filter_map(self.judge).last()
    }

    /// Whether a line spoils the run.
    fn spoils(&self, lines: &[u8]) -> bool {
        let spoils = self.spoils.as_ref();
        spoils.is_some_and(|it| lines_with(&it.needle, lines).any(it.judge))
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > LONGEST {
            self.line.clear();
            self.too_long = true;
        } else if !self.too_long {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) {
        if !self.too_long && !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.whole_lines(&line);
            self.line = line;
        }
        self.line.clear();
        self.too_long = false;
    }

    fn whole_lines(&mut self, lines: &[u8]) {
        self.code = self.meaning(lines).unwrap_or(self.code);
        self.spoilt |= self.spoils(lines);
    }
}

/// The lines with something in them.
fn lines_with<'a>(needle: &'a Finder<'static>, lines: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + needle.find(lines.get(from..)?)?;
        let start = memchr::memrchr(b'\n', &lines[..at]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &lines[at..]).map_or(lines.len(), |newline| at + newline);
        from = end + 1;
        Some(&lines[start..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(line: &[u8]) -> Option<u8> {
        let text = std::str::from_utf8(line).ok()?;
        text.strip_prefix("end ").and_then(|code| code.parse().ok())
    }

    #[test]
    fn the_last_line_that_decides_decides_however_the_stream_is_cut() {
        let stream = b"a\nend 3\nthe end is not near\nend 7\nb";
        for cut in 0..stream.len() {
            let mut watch = ExitWatch::new(Some("end"), judge);
            watch.feed(&stream[..cut]);
            watch.feed(&stream[cut..]);
            assert_eq!(watch.code(), 7, "cut at {cut}");
        }
    }

    #[test]
    fn a_document_that_is_spread_over_lines_counts_however_it_is_cut() {
        let of_document = |document: &[u8]| {
            let value: serde_json::Value = serde_json::from_slice(document).ok()?;
            u8::try_from(value["end"].as_u64()?).ok()
        };
        let stream = b"\n {\n  \"end\": 3,\n  \"x\": {}\n}\n{\n  \"end\":\n  7\n}\n{\"x\": 1\n}\n";
        for cut in 0..stream.len() {
            let mut watch = ExitWatch::new(Some("end"), of_document);
            watch.feed(&stream[..cut]);
            watch.feed(&stream[cut..]);
            assert_eq!(watch.code(), 7, "cut at {cut}");
        }
    }

    #[test]
    fn a_run_that_is_spoilt_fails_whatever_comes_after() {
        for (stream, code) in [
            (&b"end 0\n"[..], 0),
            (b"bad\nend 0\n", 1),
            (b"end 0\nbad", 1),
            (b"bad\nend 7\n", 7),
            (b"not bad\n", 0),
        ] {
            let mut watch = ExitWatch::new(Some("end"), judge);
            watch = watch.spoilt_by("bad", |line| line == b"bad");
            watch.feed(stream);
            assert_eq!(watch.code(), code, "{}", String::from_utf8_lossy(stream));
        }
    }

    #[test]
    fn a_last_line_without_a_newline_counts() {
        let mut watch = ExitWatch::new(Some("end"), judge);
        watch.feed(b"end 1\nend 5");
        assert_eq!(watch.code(), 5);
    }
}
