//! What a verdict mentions without holding it against the test.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::{SpawnProblem, command, counted, is_shortage, shown, spawn};
use crate::directory::{Pool, natural_order};
use crate::journal::{Entry, Journal, Kind, Life, Record};

/// A wait for stdin that lasts longer than this is not the time a program takes to write.
const LONG_WAIT_MS: u64 = 1000;

/// Something worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The spawn that it is about; none if it is about several.
    pub spawn: Option<u64>,
    /// What kind of thing it is.
    pub kind: MentionKind,
    /// What happened, and what it may mean.
    pub message: String,
}

/// The kinds of things that are mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionKind {
    /// Arguments or input that the real CLI refuses.
    Usage,
    /// It waited long for stdin.
    WaitedForStdin,
    /// It was killed, or ended by a signal from outside.
    Ended,
    /// It still runs.
    Running,
    /// Recordings were played in another order than they have.
    Order,
    /// The state was, or may have been, shared by two tests.
    SharedState,
    /// What the double noted itself.
    Noted,
}

/// What is to be said of each spawn.
pub(super) fn of_spawns(journal: &Journal, records: &[Record], deny_usage: bool) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for record in records {
        let entry = &record.entry;
        let mut mention = |kind, message: String| {
            mentions.push(Mention { spawn: Some(entry.spawn), kind, message });
        };
        if entry.kind == Kind::Usage && !deny_usage {
            mention(MentionKind::Usage, spawn::refused_as_usage(entry));
        }
        if entry.stdin.waited_ms >= LONG_WAIT_MS && !journal.is_session(entry.spawn) {
            mention(MentionKind::WaitedForStdin, waited_for_stdin(entry));
        }
        match record.life {
            Life::Running => mention(MentionKind::Running, running(entry)),
            Life::Killed => mention(MentionKind::Ended, killed(entry)),
            Life::Ended if entry.terminated => mention(MentionKind::Ended, terminated(entry)),
            Life::Ended => {}
        }
        for noted in &entry.mentions {
            mention(MentionKind::Noted, noted.clone());
        }
    }
    mentions
}

/// What is to be said of the spawns together.
pub(super) fn of_the_whole(
    played: &BTreeMap<PathBuf, Vec<&Record>>,
    problems: &[SpawnProblem],
    records: &[Record],
) -> Vec<Mention> {
    let of_all = |kind, message| Mention { spawn: None, kind, message };
    let mut mentions = Vec::new();
    if played.len() > 1 {
        mentions.push(of_all(MentionKind::SharedState, two_directories(played)));
    } else if problems.iter().any(|problem| is_shortage(problem.kind))
        && let Some(message) = several_starters(records)
    {
        mentions.push(of_all(MentionKind::SharedState, message));
    }
    for spawns in played.values() {
        mentions.extend(out_of_order(spawns).map(|message| of_all(MentionKind::Order, message)));
    }
    mentions
}

fn waited_for_stdin(entry: &Entry) -> String {
    let seconds = entry.stdin.waited_ms.div_euclid(100) as f64 / 10.0;
    format!(
        "it waited {seconds} s for stdin, as the real {} does when stdin is left open; close it, \
         or start it with stdin from /dev/null",
        entry.program
    )
}

fn running(entry: &Entry) -> String {
    let waits = match &entry.waiting_for {
        Some(what) => format!(" and waits for {what}"),
        None => String::new(),
    };
    format!("it still runs (pid {}){waits}", entry.pid)
}

fn killed(entry: &Entry) -> String {
    let waited = match &entry.waiting_for {
        Some(what) => format!(" while it waited for {what}"),
        None => String::new(),
    };
    let signals = match entry.signals.last() {
        Some(last) => format!(", after it had got SIG{}", last.signal),
        None => String::new(),
    };
    format!("it was killed (SIGKILL){waited}{signals}")
}

fn terminated(entry: &Entry) -> String {
    let by = match entry.signals.last() {
        Some(last) => format!("SIG{} after {} ms", last.signal, last.t_ms),
        None => "a signal".to_owned(),
    };
    let lines = counted(entry.stdout.lines, "line");
    format!("it was ended from outside, by {by}, with {lines} of stdout written")
}

fn two_directories(played: &BTreeMap<PathBuf, Vec<&Record>>) -> String {
    let each: Vec<_> = played
        .iter()
        .map(|(path, spawns)| {
            format!("\n  {}: {}", shown(path), numbers(spawns.iter().map(|r| r.entry.spawn)))
        })
        .collect();
    format!(
        "recordings of {} directories were played into one state directory:{}\nif these are \
         different tests, give each its own RINGER_STATE",
        played.len(),
        each.concat()
    )
}

/// Running out of recordings is often the sign of two tests that share a state directory.
fn several_starters(records: &[Record]) -> Option<String> {
    let mut starters: Vec<(i32, Vec<u64>)> = Vec::new();
    for Record { entry, .. } in records {
        match starters.iter_mut().find(|(starter, _)| *starter == entry.ppid) {
            Some((_, spawns)) => spawns.push(entry.spawn),
            None => starters.push((entry.ppid, vec![entry.spawn])),
        }
    }
    if starters.len() < 2 {
        return None;
    }
    let each: Vec<_> = starters
        .iter()
        .map(|(starter, spawns)| format!("\n  pid {starter}: {}", numbers(spawns.iter().copied())))
        .collect();
    Some(format!(
        "the doubles were started by {} processes:{}\nif these are different tests, they share a \
         state directory; give each its own RINGER_STATE",
        starters.len(),
        each.concat()
    ))
}

/// Two recordings of a pool of which the later one in order was played first, by a spawn that had
/// ended before the other began: of spawns at the same time, either may be the first.
fn out_of_order(spawns: &[&Record]) -> Option<String> {
    let runs: Vec<_> = spawns
        .iter()
        .filter(|record| record.entry.play == Some(1))
        .filter_map(|record| Some((&record.entry, record.entry.recording.as_deref()?)))
        .collect();
    runs.iter().zip(1..).find_map(|((entry, recording), from)| {
        let (pool, file) = Pool::split(recording);
        let ended = entry.ended_at?;
        let (other, late) = runs[from..].iter().find(|(other, late)| {
            let (other_pool, other_file) = Pool::split(late);
            other_pool == pool
                && natural_order(other_file, file).is_lt()
                && ended <= other.started_at
        })?;
        Some(format!(
            "the recordings were not played in their order: {recording} by spawn {} (`{}`), and \
             only then {late} by spawn {} (`{}`)",
            entry.spawn,
            command(entry),
            other.spawn,
            command(other)
        ))
    })
}

/// "spawns 1, 2 and 5", with at most a few of them named.
fn numbers(spawns: impl Iterator<Item = u64>) -> String {
    let all: Vec<String> = spawns.map(|spawn| spawn.to_string()).collect();
    match all.as_slice() {
        [one] => format!("spawn {one}"),
        [first @ .., last] if first.len() < 8 => format!("spawns {} and {last}", first.join(", ")),
        many => format!("{} spawns, the first {}", many.len(), many.first().map_or("", |n| n)),
    }
}
