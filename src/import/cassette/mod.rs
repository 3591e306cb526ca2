//! Cassettes: what other tools recorded of programs, or wrote up for their own doubles.
//!
//! Each format has a module, which reads it as its documentation has it and refuses what it does not
//! know, by file and line. What all of them come to is a [`Call`](call::Call), what one spawn did,
//! or a live session's frames; from there on they are written as `ringer record` writes what it saw:
//! the same steps, the same redaction, ids bound.
//!
//! Nothing is made up: where a format knows neither times nor the order of the two streams, the
//! steps have no times and say that they are unsure. What has no place in a recording is told to
//! the user, in remarks.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::persona::CLIS;
use crate::record::redact::Redactor;
use crate::record::surroundings::redactor_of_this_process;
use crate::recording::{Regexes, Surroundings, check};

mod agent;
mod arguments;
mod call;
mod claudeless;
mod cli_replay;
mod commandeer;
mod format;
mod jsonl;
mod ralph;
mod subprocess_vcr;
mod template;
mod ttyrec;
mod typescript;
mod yaml;

pub use format::Format;

/// What is wanted of a cassette.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Its format; `None`: its contents tell.
    pub format: Option<Format>,
    /// The persona: of calls of several programs, those of this one are taken; a cassette that does
    /// not name a program is this one's.
    pub persona: Option<String>,
    /// Whether the recordings have no conditions, and so are handed out in order.
    pub in_order: bool,
    /// The timing file of a typescript, and what is in it.
    pub timing: Option<(PathBuf, Vec<u8>)>,
}

impl Wanted {
    /// Whether calls of this program are taken.
    fn takes(&self, program: &str) -> bool {
        match &self.persona {
            Some(persona) => persona == program,
            None => CLIS.contains(&program),
        }
    }
}

/// What was made of a cassette.
#[derive(Debug)]
pub struct Cassette {
    /// The recordings, in order.
    pub recordings: Vec<Made>,
    /// What the user has to know of them: what was left out, what is not known.
    pub remarks: Vec<String>,
}

/// A recording that was made of a cassette.
#[derive(Debug)]
pub struct Made {
    /// The persona's folder; `None`: the format does not tell whose recording it is.
    pub persona: Option<String>,
    /// A name for an answer to a probe, which has no place in the order.
    pub name: Option<String>,
    /// The text.
    pub text: String,
}

/// A cassette while it is read.
struct Reel<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    wanted: &'a Wanted,
    redactor: Redactor,
    made: Vec<Made>,
    remarks: Vec<String>,
    left_out: Vec<(String, usize)>,
}

impl<'a> Reel<'a> {
    fn wrong(&self, line: u64, what: impl std::fmt::Display) -> Error {
        wrong(self.path, line, what)
    }

    /// The cassette as text.
    fn text(&self) -> Result<Cow<'a, str>, Error> {
        text(self.bytes, self.path)
    }

    /// Says something once.
    fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }

    /// Counts a call that is not taken.
    fn leave_out(&mut self, program: &str) {
        match self.left_out.iter_mut().find(|(known, _)| known == program) {
            Some((_, count)) => *count += 1,
            None => self.left_out.push((program.to_owned(), 1)),
        }
    }

    /// Takes a call, if it is of a program that is wanted.
    fn take(&mut self, call: call::Call) {
        match &call.program {
            Some(program) if !self.wanted.takes(program) => {
                let program = program.clone();
                self.leave_out(&program);
            }
            _ => {
                let made = call.recording(&mut self.redactor, self.wanted);
                self.made.push(made);
            }
        }
    }
}

/// An error that names file and line.
fn wrong(path: &Path, line: u64, what: impl std::fmt::Display) -> Error {
    Error::Recording { path: path.to_owned(), what: format!("line {line}: {what}") }
}

/// An error that names the file.
fn unfit(path: &Path, what: impl Into<String>) -> Error {
    Error::Recording { path: path.to_owned(), what: what.into() }
}

/// Bytes as text, without a byte order mark.
fn text<'a>(bytes: &'a [u8], path: &Path) -> Result<Cow<'a, str>, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
            Err(wrong(path, line, "not UTF-8, which this format is"))
        }
    }
}

/// Makes recordings of a cassette.
///
/// # Errors
///
/// The format is not known, or the cassette is not as its format has it, or there is nothing in it
/// that is wanted.
pub fn cassette(bytes: &[u8], path: &Path, wanted: &Wanted) -> Result<Cassette, Error> {
    let format = match wanted.format {
        Some(format) => format,
        None => Format::of(bytes, path)?,
    };
    if wanted.timing.is_some() && format != Format::Typescript {
        return Err(unfit(path, format!("is a cassette of {format}, which has no timing file")));
    }
    let redactor = redactor_of_this_process();
    let (made, remarks, left_out) = (Vec::new(), Vec::new(), Vec::new());
    let mut reel = Reel { path, bytes, wanted, redactor, made, remarks, left_out };
    let read = match format {
        Format::Asciinema => asciinema,
        Format::ClaudeAgentCassette => agent::tape,
        Format::Frames => agent::frames,
        Format::Claudeless => claudeless::read,
        Format::CliReplay => cli_replay::read,
        Format::Commandeer => commandeer::read,
        Format::Ralph => ralph::read,
        Format::SubprocessVcr => subprocess_vcr::read,
        Format::Ttyrec => ttyrec::read,
        Format::Typescript => typescript::read,
    };
    read(&mut reel)?;
    let left_out = std::mem::take(&mut reel.left_out);
    let named: Vec<String> =
        left_out.iter().map(|(program, count)| format!("{count} of {program}")).collect();
    if reel.made.is_empty() {
        return Err(unfit(path, nothing(&named, wanted)));
    }
    if !named.is_empty() {
        reel.remark(format!(
            "left out calls: {} (ask for those of one program with --persona)",
            named.join(", ")
        ));
    }
    for made in &reel.made {
        playable(made, path)?;
    }
    Ok(Cassette { recordings: reel.made, remarks: reel.remarks })
}

fn nothing(left_out: &[String], wanted: &Wanted) -> String {
    let asked = wanted.persona.clone().unwrap_or_else(|| CLIS.join(" or "));
    match left_out {
        [] => "holds nothing that could be played".to_owned(),
        named => format!(
            "has no call of {asked}, only {}; name the persona with --persona",
            named.join(", ")
        ),
    }
}

/// Makes sure that what was made can be played.
fn playable(made: &Made, path: &Path) -> Result<(), Error> {
    if !made.text.starts_with("{\"ringer\"") {
        return Ok(());
    }
    let file = |_: &str| Ok(());
    let mut around = Surroundings { file: &file, regexes: &mut Regexes::default() };
    match check(made.text.as_bytes(), &mut around) {
        Ok(_) => Ok(()),
        Err(error) => Err(unfit(path, format!("cannot be made a recording: {error}"))),
    }
}

/// A terminal cast is one recording.
fn asciinema(reel: &mut Reel) -> Result<(), Error> {
    let text = super::cast(&reel.text()?, reel.path)?;
    reel.made.push(Made { persona: reel.wanted.persona.clone(), name: None, text });
    Ok(())
}

#[cfg(test)]
mod tests;
