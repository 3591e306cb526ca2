//! The verdict: what a state directory says of a test, once it is over.
//!
//! It is made from the journal and the recording directories that the entries name, and changes
//! neither. What it says is said twice, as fields for programs and by [`Report`] for people.
//!
//! *Problems* and recordings with plays left make a verdict bad; so does a test that started no
//! double at all. What is *mentioned* does not: it is often what somebody looks for who wonders
//! why a test does not do what it should.

mod left;
mod mention;
mod report;
mod spawn;
mod ways;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use left::Left;
pub use mention::{Mention, MentionKind};
pub use report::Report;
pub use spawn::SpawnLine;
pub(crate) use spawn::{command, ending};

use crate::error::Error;
use crate::journal::{Journal, Kind, ProblemKind, Record};

/// What is asked of a state directory.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The state directory.
    pub state: PathBuf,
    /// The recording directory, where no entry names one.
    pub recordings: Option<PathBuf>,
    /// Whether recordings may have plays left.
    pub allow_unused: bool,
    /// Whether a spawn with arguments that the real CLI refuses makes the verdict bad.
    pub deny_usage: bool,
}

/// What a state directory says of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The version of this shape, as JSON: 1.
    pub ringer: u32,
    /// Whether everything went as recorded.
    pub good: bool,
    /// The state directory.
    pub state: PathBuf,
    /// The recording directories that were played from.
    pub recordings: Vec<PathBuf>,
    /// The spawns, in the order of their starts.
    pub spawns: Vec<SpawnLine>,
    /// What went wrong, by spawn.
    pub problems: Vec<SpawnProblem>,
    /// Recordings on the cursor: all there are in the recording directories.
    pub recordings_total: usize,
    /// Recordings with plays left.
    pub left: Vec<Left>,
    /// Whether recordings may have plays left.
    pub unused_allowed: bool,
    /// What is worth knowing and is not held against the test.
    pub mentions: Vec<Mention>,
}

/// Something that went wrong with a spawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpawnProblem {
    /// The number of the spawn.
    pub spawn: u64,
    /// Its persona.
    pub program: String,
    /// What was started, as a person would type it.
    pub command: String,
    /// The kind of problem, by its name in the journal; `usage` for arguments that the real CLI
    /// refuses, where these count.
    pub kind: &'static str,
    /// What happened, and the way out.
    pub message: String,
}

/// Says what a state directory says.
///
/// # Errors
///
/// The state directory, its journal or the recording directory cannot be read.
pub fn judge(question: &Question) -> Result<Verdict, Error> {
    let records = Journal::of(&question.state)?.records()?;
    Verdict::of(question, &records)
}

impl Verdict {
    /// The verdict on these records of a journal.
    ///
    /// # Errors
    ///
    /// A recording directory cannot be read.
    pub fn of(question: &Question, records: &[Record]) -> Result<Verdict, Error> {
        let journal = Journal::of(&question.state)?;
        let mut played = directories(records);
        if played.is_empty()
            && let Some(given) = &question.recordings
        {
            played.insert(given.clone(), Vec::new());
        }
        let problems = problems(records, question.deny_usage);
        let (mut left, mut recordings_total) = (Vec::new(), 0);
        for (recordings, spawns) in &played {
            let found = left::of_directory(recordings, spawns)?;
            recordings_total += found.total;
            left.extend(found.left);
        }
        let unused = !left.is_empty() && !question.allow_unused;
        let mut mentions = mention::of_spawns(&journal, records, question.deny_usage);
        mentions.extend(mention::of_the_whole(&played, &problems, records));
        Ok(Verdict {
            ringer: 1,
            good: problems.is_empty() && !unused && !records.is_empty(),
            state: question.state.clone(),
            recordings: played.into_keys().collect(),
            spawns: records.iter().map(SpawnLine::of).collect(),
            problems,
            recordings_total,
            left,
            unused_allowed: question.allow_unused,
            mentions,
        })
    }

    /// How many recordings have no plays left.
    #[must_use]
    pub fn recordings_played(&self) -> usize {
        self.recordings_total.saturating_sub(self.left.len())
    }
}

/// The recording directories that entries name, each with its spawns. A directory has one name
/// here, however it was spelt.
fn directories(records: &[Record]) -> BTreeMap<PathBuf, Vec<&Record>> {
    let mut directories: BTreeMap<PathBuf, Vec<&Record>> = BTreeMap::new();
    for record in records {
        let Some(recordings) = &record.entry.recordings else { continue };
        let path = PathBuf::from(recordings.to_os_string());
        let path = path.canonicalize().unwrap_or(path);
        directories.entry(path).or_default().push(record);
    }
    directories
}

fn problems(records: &[Record], deny_usage: bool) -> Vec<SpawnProblem> {
    let mut problems = Vec::new();
    for Record { entry, .. } in records {
        let of = |kind: &'static str, message: String| SpawnProblem {
            spawn: entry.spawn,
            program: entry.program.clone(),
            command: command(entry),
            kind,
            message,
        };
        if entry.kind == Kind::Usage && deny_usage {
            problems.push(of("usage", spawn::refused_as_usage(entry)));
        }
        let known = entry.problems.iter();
        problems.extend(known.map(|problem| of(problem.kind.name(), problem.message.clone())));
    }
    problems
}

/// Tells whether a problem of this kind is one of too many spawns.
fn is_shortage(kind: &str) -> bool {
    kind == ProblemKind::Exhausted.name() || kind == ProblemKind::Unmatched.name()
}

/// A path for people: as it is below the working directory, shorter.
pub(crate) fn shown(path: &Path) -> String {
    let below = std::env::current_dir().ok();
    let below = below.and_then(|cwd| path.strip_prefix(cwd).ok().map(Path::to_owned));
    match below {
        Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Some(below) => below.display().to_string(),
        None => path.display().to_string(),
    }
}

/// "1 spawn", "2 spawns".
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
