//! `ringer status`: what each double does now.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::{Outcome, output, state};
use crate::journal::{Exit, Journal, Life, Record};
use crate::verdict::{command, ending};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The state directory [default: RINGER_STATE, else .ringer of RINGER_RECORDINGS]
    state: Option<PathBuf>,
    /// Say it as JSON
    #[arg(long)]
    json: bool,
}

/// One spawn as it stands.
#[derive(Debug, Serialize)]
struct Standing {
    spawn: u64,
    program: String,
    command: String,
    state: &'static str,
    pid: i32,
    recording: Option<String>,
    waiting_for: Option<String>,
    exit: Option<Exit>,
    started_at: Timestamp,
    wall_ms: Option<u64>,
}

/// Prints how the spawns of a state directory stand.
pub(super) fn status(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let state = state::find(arguments.state.as_deref(), "status")?;
    let records = Journal::of(&state)?.records()?;
    let text = if arguments.json {
        let standing: Vec<_> = records.iter().map(Standing::of).collect();
        output::pretty(&standing)?
    } else {
        in_words(&state.display().to_string(), &records)
    };
    output::print(&text)?;
    Ok(Outcome::Fine)
}

impl Standing {
    fn of(record: &Record) -> Standing {
        let entry = &record.entry;
        Standing {
            spawn: entry.spawn,
            program: entry.program.clone(),
            command: command(entry),
            state: record.life.name(),
            pid: entry.pid,
            recording: entry.recording.clone(),
            waiting_for: entry.waiting_for.clone(),
            exit: entry.exit.clone(),
            started_at: entry.started_at,
            wall_ms: entry.wall_ms,
        }
    }
}

fn in_words(state: &str, records: &[Record]) -> String {
    if records.is_empty() {
        return format!("no double was started with {state}\n");
    }
    let count = |life| records.iter().filter(|record| record.life == life).count();
    let mut text = format!(
        "{} running, {} killed, {} ended, in {state}\n",
        count(Life::Running),
        count(Life::Killed),
        count(Life::Ended)
    );
    for record in records {
        let entry = &record.entry;
        let recording = entry.recording.as_deref().unwrap_or("no recording");
        let _ = write!(text, "  {}  {}  {recording}  ", entry.spawn, command(entry));
        match record.life {
            Life::Running => text.push_str(&running(record)),
            Life::Killed | Life::Ended => text.push_str(&ending(record)),
        }
        text.push('\n');
    }
    text
}

fn running(record: &Record) -> String {
    let entry = &record.entry;
    let since = Timestamp::now().duration_since(entry.started_at).as_secs_f64().max(0.0);
    let waits = match &entry.waiting_for {
        Some(what) => format!(", waits for {what}"),
        None => String::new(),
    };
    format!("running for {since:.1} s (pid {}){waits}", entry.pid)
}
