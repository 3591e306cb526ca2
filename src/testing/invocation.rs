//! One spawn of a double, as a test asks about it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::journal::{Entry, Exit, Journal, JournaledText, Kind, Life, Problem, Record};

/// One start of a double, as the journal had it when it was asked for.
///
/// Secrets are masked in all that is shown here but [`stdin`](Invocation::stdin); whether one was
/// the right one is for [`env_equals`](Invocation::env_equals).
///
/// ```
/// use std::process::Command;
/// use ringer::{Recording, Stage};
///
/// let stage = Stage::claude([Recording::new().out("hello\n")]);
/// Command::new("claude").args(["-p", "Say hello."]).envs(stage.envs()).output()?;
///
/// let first = stage.invocation(1);
/// assert_eq!(first.argv(), ["claude", "-p", "Say hello."]);
/// assert_eq!(first.program(), "claude");
/// assert_eq!(first.recording(), Some("claude/01.jsonl"));
/// assert_eq!(first.exit_code(), Some(0));
/// assert_eq!(first.cwd(), std::env::current_dir()?);
/// # stage.verify();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Invocation {
    entry: Entry,
    life: Life,
    argv: Vec<String>,
    cwd: PathBuf,
    journal: Journal,
}

/// One line of a live session.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ExchangeLine {
    /// Milliseconds since the start of the double.
    pub t_ms: f64,
    /// `in`, `out` or `err`.
    pub dir: String,
    /// The line, without its end.
    pub line: String,
}

impl Invocation {
    pub(super) fn new(record: Record, journal: &Journal) -> Invocation {
        let Record { entry, life } = record;
        let lossy = |text| decoded(text).to_string_lossy().into_owned();
        let argv = entry.argv.iter().map(lossy).collect();
        let cwd = decoded(&entry.cwd).into();
        Invocation { entry, life, argv, cwd, journal: journal.clone() }
    }

    /// The number of the spawn, from 1: the order of the starts over all personas.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.entry.spawn
    }

    /// The persona: `claude`, `codex`, ...
    #[must_use]
    pub fn program(&self) -> &str {
        &self.entry.program
    }

    /// Whether it was a model run, a probe, or was refused.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.entry.kind
    }

    /// The recording that it got, as a path below the recording directory: `claude/01.jsonl`.
    #[must_use]
    pub fn recording(&self) -> Option<&str> {
        self.entry.recording.as_deref()
    }

    /// Which play of that recording it was, from 1.
    #[must_use]
    pub fn play(&self) -> Option<u64> {
        self.entry.play
    }

    /// All arguments, argv[0] first. What is not UTF-8 is replaced character by character.
    #[must_use]
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The argument at this place, argv[0] being 0, byte for byte.
    #[must_use]
    pub fn arg_os(&self, place: usize) -> Option<OsString> {
        self.entry.argv.get(place).map(decoded)
    }

    /// Whether one of the arguments is this one, as a whole.
    #[must_use]
    pub fn has_arg(&self, argument: &str) -> bool {
        self.argv.iter().skip(1).any(|arg| arg == argument)
    }

    /// The value that an option was given, as the next argument or after `=`; the first, where
    /// it occurs twice. Nothing is known here of which options take values.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut args = self.argv.iter().skip(1);
        while let Some(arg) = args.next() {
            match arg.strip_prefix(name) {
                Some("") => return args.next().map(String::as_str),
                Some(rest) if rest.starts_with('=') => return Some(&rest[1..]),
                _ => {}
            }
        }
        None
    }

    /// The working directory.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A variable's value, `[masked]` where it is a secret; none where it was not set, or the
    /// journal keeps names alone, or it is not UTF-8.
    #[must_use]
    pub fn env(&self, name: &str) -> Option<&str> {
        self.entry.env.get(name).and_then(Value::as_str)
    }

    /// Whether a variable was set at all.
    #[must_use]
    pub fn has_env(&self, name: &str) -> bool {
        self.entry.env.contains_key(name)
    }

    /// Whether a variable had this value, also where the journal masks it.
    #[must_use]
    pub fn env_equals(&self, name: &str, value: &str) -> bool {
        let masked = self.entry.masked.as_ref();
        let hidden = masked.and_then(|masked| masked.env_equals(name, value));
        hidden.unwrap_or_else(|| self.env(name) == Some(value))
    }

    /// What it has read from stdin, as text; what is not UTF-8 is replaced.
    ///
    /// These are the bytes as they came, unmasked, read when this is called: while the double runs,
    /// more may come. The journal's text, up to 64 KiB, where the stage is gone or its
    /// `ringer.toml` keeps no bytes.
    #[must_use]
    pub fn stdin(&self) -> String {
        String::from_utf8_lossy(&self.stdin_bytes()).into_owned()
    }

    /// What it has read from stdin, byte for byte; see [`stdin`](Invocation::stdin).
    #[must_use]
    pub fn stdin_bytes(&self) -> Vec<u8> {
        let kept = self.journal.stdin(self.number()).unwrap_or_default();
        match &self.entry.stdin.text {
            Some(text) if kept.is_empty() => text.clone().into_bytes(),
            _ => kept,
        }
    }

    /// The lines of a live session so far, in and out, in their order; none for any other spawn.
    #[must_use]
    pub fn exchange(&self) -> Vec<ExchangeLine> {
        let bytes = self.journal.exchange(self.number()).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        // The last line may be half written.
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// How it ended; none while it runs, and where it was killed by SIGKILL.
    #[must_use]
    pub fn exit(&self) -> Option<&Exit> {
        self.entry.exit.as_ref()
    }

    /// The code that it exited with, 0 to 255; none while it runs, and where a signal ended it.
    #[must_use]
    pub fn exit_code(&self) -> Option<u8> {
        match self.entry.exit {
            Some(Exit::Code(code)) => Some(code),
            _ => None,
        }
    }

    /// Whether it runs, has ended, or was killed by SIGKILL.
    #[must_use]
    pub fn life(&self) -> Life {
        self.life
    }

    /// The names of the signals that came, without `SIG`, in their order.
    #[must_use]
    pub fn signals(&self) -> Vec<&str> {
        self.entry.signals.iter().map(|came| came.signal.as_str()).collect()
    }

    /// What it waits for, once a wait has lasted for more than 100 ms.
    #[must_use]
    pub fn waiting_for(&self) -> Option<&str> {
        self.entry.waiting_for.as_deref()
    }

    /// How long it ran, to the millisecond; none while it runs.
    #[must_use]
    pub fn wall_time(&self) -> Option<Duration> {
        self.entry.wall_ms.map(Duration::from_millis)
    }

    /// What the verdict will report of it.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.entry.problems
    }

    /// The whole journal entry: process ids, byte counts, times.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// Journaled text as the system had it.
fn decoded(text: &JournaledText) -> OsString {
    match text {
        JournaledText::Text(text) => text.into(),
        // A journal entry that was tampered with is no reason to fail here.
        JournaledText::Bytes { base64 } => {
            OsString::from_vec(STANDARD.decode(base64).unwrap_or_default())
        }
    }
}
