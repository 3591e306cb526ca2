//! One spawn in a line: what was started, what it got, how it ended.

use std::fmt::Write as _;

use serde::Serialize;

use crate::journal::{Entry, Exit, Kind, Life, Record};

/// How much of a command is shown, in characters.
const SHOWN: usize = 72;

/// A spawn as far as a verdict shows it; the journal has the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpawnLine {
    /// The number of the spawn.
    pub spawn: u64,
    /// Its persona.
    pub program: String,
    /// What was started, as a person would type it, cut where it is long.
    pub command: String,
    /// What kind of spawn it was.
    pub kind: Kind,
    /// The recording that it got, as a path below the recording directory.
    pub recording: Option<String>,
    /// Which play of that recording it was.
    pub play: Option<u64>,
    /// `running`, `killed` or `ended`.
    pub state: &'static str,
    /// How it ended.
    pub exit: Option<Exit>,
    /// How it ended, for people.
    #[serde(skip)]
    pub ending: String,
}

impl SpawnLine {
    /// The line of a spawn.
    #[must_use]
    pub fn of(record: &Record) -> SpawnLine {
        let entry = &record.entry;
        SpawnLine {
            spawn: entry.spawn,
            program: entry.program.clone(),
            command: command(entry),
            kind: entry.kind,
            recording: entry.recording.clone(),
            play: entry.play,
            state: record.life.name(),
            exit: entry.exit.clone(),
            ending: ending(record),
        }
    }

    /// What the spawn got, for people.
    #[must_use]
    pub fn got(&self) -> &str {
        match (&self.recording, self.kind) {
            (Some(recording), _) => recording,
            (None, Kind::Run) => "(no turn was asked for)",
            (None, Kind::Probe) => "(probe)",
            (None, Kind::Usage) => "(usage error)",
            (None, Kind::Refused) => "(refused)",
        }
    }
}

/// How a spawn ended, or that it has not.
pub(crate) fn ending(record: &Record) -> String {
    match (record.life, &record.entry.exit) {
        (Life::Running, _) => "running".to_owned(),
        (Life::Killed, _) | (Life::Ended, None) => "killed".to_owned(),
        (Life::Ended, Some(Exit::Code(code))) => format!("exit {code}"),
        (Life::Ended, Some(Exit::Signal(signal))) => format!("died by SIG{signal}"),
    }
}

/// What is said of arguments that the real CLI refuses.
pub(super) fn refused_as_usage(entry: &Entry) -> String {
    let exit = match &entry.exit {
        Some(Exit::Code(code)) => format!(" with exit code {code}"),
        _ => String::new(),
    };
    format!(
        "the real {} refuses these arguments or this input{exit}; the double did the same, and \
         its stderr has the real text",
        entry.program
    )
}

/// A command as a person would type it, cut where it is long. Secrets are masked already.
pub(crate) fn command(entry: &Entry) -> String {
    let mut text = entry.program.clone();
    for argument in entry.argv.iter().skip(1) {
        let argument = argument.as_str().unwrap_or("(not UTF-8)");
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
        text.push(' ');
        if !argument.is_empty() && argument.chars().all(plain) {
            text.push_str(argument);
        } else {
            let _ = write!(text, "{argument:?}");
        }
        // Arguments may be megabytes long.
        if text.len() > 8 * SHOWN {
            break;
        }
    }
    if text.chars().count() > SHOWN {
        text = text.chars().take(SHOWN - 3).collect::<String>() + "...";
    }
    text
}
