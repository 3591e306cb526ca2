//! `ringer journal`: what was started, in order.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use super::{Outcome, output, state};
use crate::journal::{Journal, Life, Record};
use crate::verdict::SpawnLine;

/// How often the journal is looked at while it is followed.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The state directory [default: RINGER_STATE, else .ringer of RINGER_RECORDINGS]
    state: Option<PathBuf>,
    /// Show everything of this spawn: its entry, its stdin, the lines of a live session
    #[arg(short = 'n', long, value_name = "NUMBER", conflicts_with = "follow", value_parser = number)]
    spawn: Option<u64>,
    /// Print entries as JSON, one a line
    #[arg(long)]
    json: bool,
    /// Go on with the spawns that come, until interrupted; each when it starts, gets its
    /// recording, and ends
    #[arg(long)]
    follow: bool,
}

/// Prints the journal of a state directory.
pub(super) fn journal(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let state = state::find(arguments.state.as_deref(), "journal")?;
    let journal = Journal::of(&state)?;
    let line = if arguments.json { as_json } else { in_words };
    if let Some(spawn) = arguments.spawn {
        return one(&journal, spawn, arguments.json);
    }
    if arguments.follow {
        return follow(&journal, line);
    }
    let records = journal.records()?;
    if records.is_empty() && !arguments.json {
        output::say(&format!("ringer: no double was started with {}\n", state.display()));
    }
    let mut text = String::new();
    for record in &records {
        text.push_str(&line(record)?);
    }
    output::print(&text)?;
    Ok(Outcome::Fine)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "it takes the number of a spawn, from 1 on".to_owned())
}

/// Everything of one spawn.
fn one(journal: &Journal, spawn: u64, json: bool) -> anyhow::Result<Outcome> {
    let Some(record) = journal.record(spawn)? else {
        let there = journal.numbers()?.len();
        bail!("there is no spawn {spawn} in {}, which has {there}", journal.state().display());
    };
    if json {
        output::print(&as_json(&record)?)?;
        return Ok(Outcome::Fine);
    }
    let mut text = in_words(&record)?;
    text.push_str(&output::pretty(&record.entry)?);
    for (what, bytes) in [("stdin", journal.stdin(spawn)?), ("exchange", journal.exchange(spawn)?)]
    {
        if bytes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "--- {what}, {} bytes", bytes.len());
        text.push_str(&String::from_utf8_lossy(&bytes));
        if !bytes.ends_with(b"\n") {
            text.push('\n');
        }
    }
    output::print(&text)?;
    Ok(Outcome::Fine)
}

/// Prints each spawn when it appears and when there is news of it, for ever.
fn follow(
    journal: &Journal,
    line: fn(&Record) -> anyhow::Result<String>,
) -> anyhow::Result<Outcome> {
    let mut last: HashMap<u64, Option<(Life, Option<String>)>> = HashMap::new();
    loop {
        for number in journal.numbers()? {
            // An ended spawn is not looked at again.
            let known = last.entry(number).or_default();
            if known.as_ref().is_some_and(|(life, _)| *life != Life::Running) {
                continue;
            }
            let Some(record) = journal.record(number)? else { continue };
            let now = Some((record.life, record.entry.recording.clone()));
            if *known != now {
                *known = now;
                output::print(&line(&record)?)?;
            }
        }
        std::thread::sleep(LOOK);
    }
}

fn as_json(record: &Record) -> anyhow::Result<String> {
    output::line(&record.entry)
}

fn in_words(record: &Record) -> anyhow::Result<String> {
    let line = SpawnLine::of(record);
    let entry = &record.entry;
    let mut text = format!(
        "{}  {}  {}  {}  {}",
        line.spawn,
        entry.started_at,
        line.command,
        line.got(),
        line.ending
    );
    if let Some(ms) = entry.wall_ms {
        let _ = write!(text, "  {ms} ms");
    }
    for problem in &entry.problems {
        let _ = write!(text, "  {}", problem.kind.name());
    }
    text.push('\n');
    Ok(text)
}
