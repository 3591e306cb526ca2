//! A recording that was looked at: its file, its first bytes, its header.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Cursor, Read, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::play::open_beside;
use crate::recording::{
    Facts, FormatError, Header, Kind, Plays, Regexes, StdinMode, Summary, Surroundings, Verdict,
    check, read_header,
};
use crate::state::{Allowed, Depth, Duty, Fit, Stamp, Weighed};

/// What is read of a recording when it is looked at; most are not longer.
const START: usize = 64 << 10;

/// In how many of its first lines a help text has its usage line; some words come before it.
const HELP_HEAD: usize = 20;

/// A recording, opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub path: PathBuf,
    pub kind: Kind,
    pub header: Header,
    /// The first bytes.
    pub start: Vec<u8>,
    /// The file, read up to the end of `start`.
    pub rest: File,
    /// Whether `start` is all of it.
    pub whole: bool,
}

impl Opened {
    /// Opens a recording and reads its header.
    fn open(path: &Path) -> (Option<Stamp>, Result<Opened, Error>) {
        let unreadable = |error| Error::io("cannot read the recording", path, error);
        // A named pipe or a terminal must not be waited for.
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) => return (None, Err(unreadable(error))),
        };
        let found = match file.metadata() {
            Ok(found) if found.is_file() => found,
            Ok(_) => {
                let what = "is not a regular file, so it is no recording".to_owned();
                return (None, Err(Error::Recording { path: path.to_owned(), what }));
            }
            Err(error) => return (None, Err(unreadable(error))),
        };
        let stamp = Some(Stamp::of(&found));
        let size = usize::try_from(found.len()).unwrap_or(usize::MAX);
        let mut start = Vec::with_capacity(size.min(START));
        if let Err(error) = (&mut file).take(START as u64).read_to_end(&mut start) {
            return (stamp, Err(unreadable(error)));
        }
        let whole = start.len() < START;
        let kind = Kind::of(&start, whole).unwrap_or(Kind::Raw);
        let mut opened = Opened {
            path: path.to_owned(),
            kind,
            header: Header::default(),
            start,
            rest: file,
            whole,
        };
        let header = match kind {
            Kind::Raw => Ok(Header::default()),
            Kind::Steps => opened.read_header(),
        };
        (stamp, header.map(|header| Opened { header, ..opened }))
    }

    /// Says how a recording stands to a spawn. One that cannot be read accepts any spawn, so that
    /// it is used up and named.
    pub fn weigh(
        path: &Path,
        depth: Depth,
        facts: &Facts,
        regexes: &mut Regexes,
    ) -> Weighed<Result<Opened, Error>> {
        let (stamp, item) = Opened::open(path);
        let (mut plays, mut duty, mut fit) = (Allowed::Times(1), Duty::Cursor, Fit::Accepts);
        let item = item.and_then(|opened| {
            plays = match opened.header.plays {
                Plays::Any => Allowed::Any,
                Plays::Times(times) => Allowed::Times(times),
            };
            if opened.header.probe {
                let any = opened.header.when.is_none();
                (plays, duty) = (Allowed::Any, if any { Duty::Probes } else { Duty::Matching });
            }
            match opened.fit(depth, facts, regexes) {
                Ok(found) => fit = found,
                Err(error) => return Err(opened.error(&error)),
            }
            Ok(opened)
        });
        Weighed { stamp, duty, plays, fit, item }
    }

    fn fit(&self, depth: Depth, facts: &Facts, regexes: &mut Regexes) -> Result<Fit, FormatError> {
        let Some(when) = &self.header.when else { return Ok(Fit::Accepts) };
        if depth == Depth::Careful {
            when.check(regexes)?;
        }
        Ok(match when.evaluate(facts, regexes)? {
            Verdict::Accepts => Fit::Accepts,
            Verdict::Needs(_) => Fit::Needs,
            Verdict::Rejects if depth == Depth::Quick => Fit::Rejects(Vec::new()),
            Verdict::Rejects => {
                let misses = when.misses(facts, regexes)?;
                Fit::Rejects(misses.iter().map(ToString::to_string).collect())
            }
        })
    }

    /// Whether a live session claims it at its start, and not at its first message.
    pub fn claims_at_start(&self) -> bool {
        let header = &self.header;
        header.claim_at_start || matches!(header.stdin, Some(StdinMode::Ignore | StdinMode::Eof))
    }

    /// Whether it is a capture of what the program prints when it is asked for help: as it stands,
    /// no events, and a usage line of the program near its beginning.
    pub fn is_help_of(&self, program: &str) -> bool {
        let is_usage = |line: &[u8]| {
            let rest =
                line.strip_prefix(b"Usage: ").and_then(|l| l.strip_prefix(program.as_bytes()));
            rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
        };
        let is_json = matches!(self.start.trim_ascii_start().first(), Some(b'{' | b'['));
        let mut head = self.start.split(|byte| *byte == b'\n').take(HELP_HEAD);
        self.kind == Kind::Raw && !is_json && head.any(is_usage)
    }

    /// Checks the whole recording, so that nothing of a broken one is ever played.
    pub fn check(&mut self, regexes: &mut Regexes) -> Result<Summary, Error> {
        let path = self.path.clone();
        let file = |beside: &str| match open_beside(&path, beside) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        let mut around = Surroundings { file: &file, regexes };
        let checked = match self.reader() {
            Ok(reader) => check(reader, &mut around),
            Err(error) => return Err(error),
        };
        checked.map_err(|error| self.error(&error))
    }

    /// Whether it has `in` steps, which read stdin; a broken one has none.
    pub fn reads_by_itself(&self, regexes: &mut Regexes) -> bool {
        let Ok(file) = File::open(&self.path) else { return false };
        let mut around = Surroundings { file: &|_| Ok(()), regexes };
        self.kind == Kind::Steps
            && check(BufReader::new(file), &mut around).is_ok_and(|summary| summary.inputs > 0)
    }

    /// Reads the recording from its first byte.
    pub fn reader(&mut self) -> Result<Box<dyn BufRead + '_>, Error> {
        if self.whole {
            return Ok(Box::new(Cursor::new(&self.start)));
        }
        self.rest
            .seek(SeekFrom::Start(0))
            .map_err(|error| Error::io("cannot read the recording", &self.path, error))?;
        Ok(Box::new(BufReader::with_capacity(START, &self.rest)))
    }

    fn read_header(&mut self) -> Result<Header, Error> {
        let header = read_header(self.reader()?);
        header.map_err(|error| self.error(&error))
    }

    fn error(&self, error: &FormatError) -> Error {
        Error::Recording { path: self.path.clone(), what: error.to_string() }
    }
}
