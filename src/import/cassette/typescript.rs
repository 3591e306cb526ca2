//! Typescripts of `script` of util-linux, and their timing files: script(1) and scriptreplay(1).
//!
//! A typescript is what went to a terminal, between a line that says when it began, often with the
//! command, and one that says when it was done, often with the exit code. A timing file of the
//! classic kind has a line for each write: the seconds since the one before and how many bytes. The
//! advanced kind has a letter in front: `O`utput, `I`nput, `S`ignal, `H`eader. Input in the same
//! file is passed over: a program that is typed at is no matter of a recording's stdout. Without a
//! timing file there are no times.

use std::path::Path;

use memchr::memmem;

use super::arguments::{self, exact};
use super::call::{Call, Writes, exit_of};
use super::{Reel, unfit, wrong};
use crate::error::Error;
use crate::persona::CLIS;
use crate::record::lines::Mark;
use crate::record::tape::Stream;

const STARTED: &[u8] = b"Script started on ";
const DONE: &[u8] = b"\nScript done on ";

/// Whether this is a typescript.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(STARTED)
}

/// A typescript without what `script` itself put into it.
struct Script<'a> {
    body: &'a [u8],
    command: Option<String>,
    exit: Option<i64>,
}

impl<'a> Script<'a> {
    fn of(bytes: &'a [u8]) -> Script<'a> {
        let (mut body, mut command, mut exit) = (bytes, None, None);
        if is_one(bytes) {
            let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
            command = command_in(&String::from_utf8_lossy(&bytes[..end]));
            body = &bytes[end..];
        }
        // Nothing may have been written: then the line that ends it follows at once.
        let place = memmem::rfind(body, DONE);
        if let Some(place) = place {
            let last = String::from_utf8_lossy(&body[place..]).into_owned();
            exit = last
                .split_once("COMMAND_EXIT_CODE=\"")
                .and_then(|(_, code)| code.split_once('"').and_then(|(code, _)| code.parse().ok()));
            body = &body[..place];
        }
        Script { body, command, exit }
    }
}

/// The command in the first line, whose quotes are not escaped.
fn command_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("[COMMAND=\"")?;
    let ends = ["\" TERM=\"", "\" TTY=\"", "\" COLUMNS=\"", "\" <not executed", "\"]"];
    let end = ends.iter().filter_map(|end| rest.rfind(end)).min()?;
    Some(rest[..end].to_owned())
}

/// Reads a typescript.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let mut script = Script::of(reel.bytes);
    let mut call = Call { note: "imported from a typescript".to_owned(), ..Call::default() };
    match &reel.wanted.timing {
        None => {
            let lines = script.body.split_inclusive(|byte| *byte == b'\n');
            call.writes = lines.map(|line| (Mark::default(), Stream::Out, line.to_vec())).collect();
        }
        Some((path, bytes)) => {
            let timing = Timing::read(&super::text(bytes, path)?, path)?;
            let (writes, end) = timing.writes(script.body, reel.path)?;
            call.writes = writes;
            script.command = timing.command.or(script.command);
            script.exit = timing.exit.or(script.exit);
            call.exit = script.exit.and_then(exit_of).map(|exit| (Mark::at(end), exit));
        }
    }
    if call.exit.is_none() {
        call.exit = script.exit.and_then(exit_of).map(|exit| (Mark::default(), exit));
    }
    if call.exit.is_none() {
        call.note.push_str("; how it ended is not known");
    }
    // A shell or a harness in which the program ran is not what a double stands in for.
    let words = script.command.as_deref().and_then(arguments::shell_words);
    if let Some((program, words)) = words.as_deref().and_then(<[String]>::split_first) {
        let program = arguments::program_of(program);
        let asked = reel.wanted.persona.as_ref() == Some(&program);
        if asked || CLIS.contains(&program.as_str()) {
            call.program = Some(program);
            call.arguments = Some(exact(words));
        }
    }
    reel.take(call);
    Ok(())
}

/// What a timing file says.
#[derive(Default)]
struct Timing {
    /// Milliseconds since the start, whether it is output, how many bytes.
    entries: Vec<(f64, bool, usize)>,
    end: f64,
    command: Option<String>,
    exit: Option<i64>,
    logs: [Option<String>; 2],
}

impl Timing {
    fn read(text: &str, path: &Path) -> Result<Timing, Error> {
        let mut timing = Timing::default();
        let mut seconds = 0.0;
        for (line, number) in super::jsonl::lines(text) {
            let entry = timing.entry(line, &mut seconds);
            entry.ok_or_else(|| {
                let what = "no entry of a timing file: seconds and bytes, or `O`, `I`, `S` or `H` \
                            in front";
                wrong(path, number, what)
            })?;
        }
        timing.end = seconds * 1000.0;
        Ok(timing)
    }

    fn entry(&mut self, line: &str, seconds: &mut f64) -> Option<()> {
        let kind = line.chars().next().filter(|kind| "OISH".contains(*kind));
        let fields = if kind.is_some() { line[1..].trim_start() } else { line };
        let (passed, rest) = fields.split_once(' ')?;
        let passed = passed.parse::<f64>().ok().filter(|passed| passed.is_finite())?;
        *seconds += passed.max(0.0);
        match kind {
            None | Some('O' | 'I') => {
                let bytes = rest.trim().parse().ok()?;
                self.entries.push((*seconds * 1000.0, kind != Some('I'), bytes));
            }
            Some('H') => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                match name {
                    "COMMAND" => self.command = Some(value.to_owned()),
                    "EXIT_CODE" => self.exit = value.trim().parse().ok(),
                    "OUTPUT_LOG" => self.logs[0] = Some(value.to_owned()),
                    "INPUT_LOG" => self.logs[1] = Some(value.to_owned()),
                    _ => {}
                }
            }
            Some(_) => {}
        }
        Some(())
    }

    /// The body cut into writes, and when it was done.
    fn writes(&self, body: &[u8], path: &Path) -> Result<(Writes, f64), Error> {
        // Input is in the same file only where one name was given for both.
        let one_file = self.logs[0].is_some() && self.logs[0] == self.logs[1];
        let (mut writes, mut rest) = (Vec::new(), body);
        for &(at, is_output, bytes) in &self.entries {
            if !is_output && !one_file {
                continue;
            }
            let Some((write, after)) = rest.split_at_checked(bytes) else {
                let what = "has fewer bytes than its timing file tells of; is it the right one?";
                return Err(unfit(path, what));
            };
            if is_output {
                writes.push((Mark::at(at), Stream::Out, write.to_vec()));
            }
            rest = after;
        }
        if !rest.is_empty() {
            // When the rest came is not known.
            writes.push((Mark::default(), Stream::Out, rest.to_vec()));
        }
        Ok((writes, self.end))
    }
}
