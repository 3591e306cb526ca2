//! The shape of a journal entry, for those who write it and those who read it.
//!
//! Version 1. A reader takes entries of its own version, ignores keys that it does not know and
//! refuses higher versions; a writer never changes the meaning of a key within a version.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::invocation::StreamKind;

/// What one spawn was, and what became of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Entry {
    /// The version of this format: 1.
    pub ringer: u32,
    /// The number of the spawn: the order of the starts, over all personas, from 1.
    pub spawn: u64,
    /// The persona.
    pub program: String,
    /// What kind of spawn it was.
    pub kind: Kind,
    /// The recording that it got, as a path below the recording directory, with `/`.
    pub recording: Option<String>,
    /// Which play of that recording it was, from 1.
    pub play: Option<u64>,
    /// The recording directory it was looked for in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recordings: Option<JournaledText>,
    /// The arguments, argv[0] first, secrets masked.
    pub argv: Vec<JournaledText>,
    /// The working directory.
    pub cwd: JournaledText,
    /// The environment, secrets masked; a value is null where only names are kept.
    pub env: Map<String, serde_json::Value>,
    /// What was masked in `argv`, `env` and the text of stdin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<super::secrets::Masked>,
    /// The process; of a launcher the outer one.
    pub pid: i32,
    /// The inner process of a launcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner_pid: Option<i32>,
    /// The process that started it.
    pub ppid: i32,
    /// Its process group.
    pub pgid: i32,
    /// Its session.
    pub sid: i32,
    /// Whether it leads a session of its own.
    pub new_session: bool,
    /// What came by stdin.
    pub stdin: Stdin,
    /// Turns of the recording that no message of a live session has released so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_left: Option<u64>,
    /// What it waits for, once a wait has lasted for more than 100 ms.
    pub waiting_for: Option<String>,
    /// What went to stdout.
    pub stdout: JournaledStream,
    /// What went to stderr.
    pub stderr: JournaledStream,
    /// Stdout lines that the reader had taken when the double ended: a lower bound, null where the
    /// system does not tell.
    pub lines_read: Option<u64>,
    /// The streams whose reader went away before everything was written.
    pub reader_gone: Option<ReaderGone>,
    /// The signals that came.
    pub signals: Vec<SignalAt>,
    /// Whether a signal from outside ended it.
    pub terminated: bool,
    /// How it ended.
    pub exit: Option<Exit>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How long it ran, in milliseconds.
    pub wall_ms: Option<u64>,
    /// Whether it has ended. A reader tells a killed spawn from a running one by the lock on
    /// `.stdin`.
    pub state: State,
    /// What `verify` reports.
    pub problems: Vec<Problem>,
    /// What `verify` mentions without holding it against the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
}

/// What kind of spawn it was.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A model run.
    Run,
    /// A question that is answered without a model run.
    Probe,
    /// Arguments or input that the real CLI refuses.
    Usage,
    /// Refused by ringer.
    Refused,
}

/// Whether a spawn has ended.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It runs, or was killed.
    Running,
    /// It ended and said how.
    Ended,
}

/// Text as it was, or its bytes where it is not UTF-8.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum JournaledText {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes {
        /// The bytes, in standard base64.
        base64: String,
    },
}

/// What came by stdin.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Stdin {
    /// What it was connected to.
    pub kind: StreamKind,
    /// How many bytes were read.
    pub bytes: u64,
    /// Whether its end was seen.
    pub eof: bool,
    /// How long the double waited for it, in milliseconds.
    pub waited_ms: u64,
    /// The text, secrets masked, up to 64 KiB, where it is UTF-8.
    pub text: Option<String>,
}

/// What went to an output stream.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct JournaledStream {
    /// What it was connected to.
    pub kind: StreamKind,
    /// How many bytes were written.
    pub bytes: u64,
    /// How many line ends were among them.
    pub lines: u64,
}

/// Where a stream was when its reader was found to be gone.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct ReaderGone {
    /// Bytes of stdout written until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<u64>,
    /// Bytes of stderr written until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<u64>,
}

/// A signal and when it came.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct SignalAt {
    /// Its name without `SIG`.
    pub signal: String,
    /// Milliseconds since the start.
    pub t_ms: u64,
}

/// How a process ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    /// By an exit code.
    Code(u8),
    /// By a signal, named without `SIG`.
    Signal(String),
}

/// Something that `verify` reports.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which kind it is.
    pub kind: ProblemKind,
    /// What happened, and the way out.
    pub message: String,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// No recording was left.
    Exhausted,
    /// Recordings were left, but none accepts the spawn.
    Unmatched,
    /// A recording, setting or state could not be read.
    Unreadable,
    /// A user message came when no turn was left.
    TurnsExhausted,
    /// Turns of the recording were never asked for.
    TurnsLeft,
    /// Input came that the recording does not expect.
    UnexpectedInput,
    /// A wait of the recording ran out of time.
    TimedOut,
    /// An option that no known version of the CLI has.
    UnknownOption,
    /// The life limit was reached.
    Expired,
    /// The process that started the double is gone.
    Orphaned,
    /// The system refused a write.
    WriteFailed,
}

impl ProblemKind {
    /// The kind's name, as in the journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::Exhausted => "exhausted",
            ProblemKind::Unmatched => "unmatched",
            ProblemKind::Unreadable => "unreadable",
            ProblemKind::TurnsExhausted => "turns_exhausted",
            ProblemKind::TurnsLeft => "turns_left",
            ProblemKind::UnexpectedInput => "unexpected_input",
            ProblemKind::TimedOut => "timed_out",
            ProblemKind::UnknownOption => "unknown_option",
            ProblemKind::Expired => "expired",
            ProblemKind::Orphaned => "orphaned",
            ProblemKind::WriteFailed => "write_failed",
        }
    }
}

impl JournaledText {
    /// Keeps what the system gave, whatever it is.
    #[must_use]
    pub fn of(value: &OsStr) -> JournaledText {
        value.to_str().map_or_else(
            || JournaledText::Bytes { base64: STANDARD.encode(value.as_bytes()) },
            |text| JournaledText::Text(text.to_owned()),
        )
    }

    /// What the system gave.
    #[must_use]
    pub fn to_os_string(&self) -> OsString {
        match self {
            JournaledText::Text(text) => text.into(),
            JournaledText::Bytes { base64 } => {
                OsString::from_vec(STANDARD.decode(base64).unwrap_or_default())
            }
        }
    }

    /// The text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            JournaledText::Text(text) => Some(text),
            JournaledText::Bytes { .. } => None,
        }
    }
}
