//! Compares what the doubles claim of a CLI with the real one on this machine: its version, the
//! options and commands that `--help` of each command shows, and the shape of its stream.
//!
//! It fails closed: what is not understood is a difference, never passed over. It cannot see what a
//! help text hides, and says nothing of how options work together.

mod facts;
mod help;
mod rerun;
mod stream;
mod talk;
mod update;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use rerun::rerun;

use crate::error::Error;
use crate::record::{real, version};
use facts::Facts;

/// The most differences that are shown: one screen.
const SCREEN: usize = 30;

/// Something in which the real CLI is not what the doubles claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: a command, a recording.
    pub place: String,
    /// What.
    pub what: String,
}

/// What the comparison came to.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    /// The persona.
    pub persona: String,
    /// The real program.
    pub program: PathBuf,
    /// Its version, if it says one.
    pub real: Option<String>,
    /// The version that the doubles' facts are of.
    pub claimed: String,
    /// All differences.
    pub differences: Vec<Difference>,
    /// A new data file for the real version, to be looked through.
    pub update: String,
}

/// Compares a real CLI, found on PATH, with the facts of a version: the newest known by default.
///
/// # Errors
///
/// There is no real program, or nothing is claimed of the persona.
pub fn drift(persona: &str, pinned: Option<&str>) -> Result<Drift, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = real::find(persona, &[&path])?;
    drift_of(persona, &program, pinned)
}

/// As [`drift`], for a program at a path.
///
/// # Errors
///
/// Nothing is claimed of the persona.
pub fn drift_of(persona: &str, program: &Path, pinned: Option<&str>) -> Result<Drift, Error> {
    let Some(facts) = Facts::of(persona, pinned) else {
        return Err(Error::Setting {
            place: persona.to_owned(),
            what: "nothing is claimed of this program; there are claude and codex".to_owned(),
        });
    };
    let real = version::ask(program);
    let mut differences = Vec::new();
    let mut add = |place: &str, what: String| {
        differences.push(Difference { place: place.to_owned(), what });
    };
    match &real {
        None => add("--version", "the program does not say its version".to_owned()),
        Some(real) if *real != facts.version => {
            add("--version", format!("the doubles answer as {}, it is {real}", facts.version));
        }
        Some(_) => {}
    }
    let mut changes = update::Changes::default();
    for command in &facts.commands {
        let place = [persona, &command.path].join(" ").trim_end().to_owned();
        let text = help_of(program, &command.path);
        let help = help::read(&text);
        if help.options.is_empty() {
            add(&place, "its --help shows no options that could be read".to_owned());
            continue;
        }
        if !help.is_of(&command.path) {
            add(&place, "its --help is not about this command, if there still is one".to_owned());
            continue;
        }
        for line in &help.strange {
            add(&place, format!("cannot read this line of --help: {line}"));
        }
        for (what, change) in command.compare(&help) {
            add(&place, what);
            changes.add(&command.path, change);
        }
    }
    let update = changes.apply(facts.text, real.as_deref().unwrap_or("unknown"), &facts.source);
    Ok(Drift {
        persona: persona.to_owned(),
        program: program.to_owned(),
        real,
        claimed: facts.version,
        differences,
        update,
    })
}

/// What a command says of itself. Some write it to stderr.
fn help_of(program: &Path, command: &str) -> String {
    let mut process = Command::new(program);
    process.args(command.split_whitespace()).arg("--help").stdin(Stdio::null());
    // Nothing is cut to the width of whatever terminal there is.
    process.env("COLUMNS", "400").env("NO_COLOR", "1").env("RINGER_MODE", "passthrough");
    match process.output() {
        Ok(output) if !output.stdout.is_empty() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(_) => String::new(),
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let real = self.real.as_deref().unwrap_or("of unknown version");
        let program = self.program.display();
        if self.differences.is_empty() {
            let persona = &self.persona;
            return writeln!(f, "{persona} {real} ({program}) is what the doubles claim");
        }
        let claimed = &self.claimed;
        let persona = &self.persona;
        writeln!(f, "{persona} {real} ({program}) differs from what is claimed of {claimed}:")?;
        for Difference { place, what } in self.differences.iter().take(SCREEN) {
            writeln!(f, "  {place}: {what}")?;
        }
        match self.differences.len().saturating_sub(SCREEN) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more"),
        }
    }
}

#[cfg(test)]
use stream::{Shape, compare};
#[cfg(test)]
mod tests;
