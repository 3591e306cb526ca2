//! The first line of a steps recording.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::value::RawValue;

use super::error::{FormatError, Mistake, shown};
use super::kind::BYTE_ORDER_MARK;
use super::object::{Keys, Object, unknown_key};
use super::parse::signal;
use super::signal::Signal;
use super::value::Field;
use super::when::{When, variables};

/// The version of the format that this ringer reads, the only one so far.
pub const VERSION: u64 = 1;

/// What holds for a recording as a whole.
#[derive(Debug, Default)]
pub struct Header {
    /// Where the recording came from. Nothing depends on it.
    pub origin: Origin,
    /// Which spawns it is for; `None`: any.
    pub when: Option<When>,
    /// How often it may be played.
    pub plays: Plays,
    /// Whether it answers matching spawns off the cursor, any number of times.
    pub probe: bool,
    /// How stdin is treated; `None`: as `ringer.toml` says, else as the real CLI would.
    pub stdin: Option<StdinMode>,
    /// Recorded values that are replaced by this spawn's own.
    pub bind: Vec<(BindName, String)>,
    /// What happens when the reader of stdout is gone.
    pub on_epipe: OnEpipe,
    /// Whether it is run as a launcher and an inner process, and how.
    pub launcher: Option<Launcher>,
    /// Whether a live session claims it at its start.
    pub claim_at_start: bool,
    /// Whether it may outlive the process that started it.
    pub orphan: bool,
    /// The speed; `None`: not for the recording to say. Finite and not negative.
    pub speed: Option<f64>,
    /// Whether the recorded stream is rendered by the spawn's arguments; `None`: not said.
    pub render: Option<bool>,
}

/// Where a recording came from.
#[derive(Debug, Default)]
pub struct Origin {
    /// The persona that was recorded.
    pub program: Option<String>,
    /// The version of its CLI.
    pub cli_version: Option<String>,
    /// Its arguments, `argv[0]` included.
    pub argv: Vec<OsString>,
    /// Its working directory.
    pub cwd: Option<String>,
    /// Its environment, as far as it was kept; `None`: known not to be set.
    pub env: Vec<(String, Option<String>)>,
    /// When, as RFC 3339 has it; not checked.
    pub recorded_at: Option<String>,
    /// Whatever the author had to say, any JSON.
    pub note: Option<Box<RawValue>>,
}

/// How often a recording may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plays {
    /// So many times; 0 switches it off.
    Times(u32),
    /// Any number of times.
    Any,
}

impl Default for Plays {
    fn default() -> Plays {
        Plays::Times(1)
    }
}

/// How stdin is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinMode {
    /// As the real CLI would, by its arguments.
    Auto,
    /// Never read.
    Ignore,
    /// Read to the end before the first step.
    Eof,
    /// Read as `in` steps ask.
    Lines,
}

/// The words for [`StdinMode`], which `ringer.toml` has too.
pub const STDIN_MODES: &[(&str, StdinMode)] = &[
    ("auto", StdinMode::Auto),
    ("ignore", StdinMode::Ignore),
    ("eof", StdinMode::Eof),
    ("lines", StdinMode::Lines),
];

/// A value that a recording may ask to have replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindName {
    /// The session's id.
    SessionId,
    /// The thread's id.
    ThreadId,
    /// The working directory.
    Cwd,
    /// The home directory.
    Home,
}

/// What happens when the reader of stdout is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnEpipe {
    /// What the real CLI does.
    #[default]
    Auto,
    /// The rest is written to nobody.
    Ignore,
    /// A death by SIGPIPE.
    Sigpipe,
    /// This exit code.
    Exit(u8),
}

/// A launcher that has an inner process do the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The signals that it passes on. All of them can be caught.
    pub forward: Vec<Signal>,
    /// How it ends after the inner process.
    pub exit: LauncherExit,
}

/// How a launcher ends after its inner process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LauncherExit {
    /// As the inner process did.
    #[default]
    Mirror,
    /// With this code, whatever the inner process did.
    Code(u8),
}

const KEYS: Keys = &[
    "ringer",
    "program",
    "cli_version",
    "argv",
    "cwd",
    "env",
    "recorded_at",
    "note",
    "when",
    "plays",
    "probe",
    "stdin",
    "bind",
    "on_epipe",
    "launcher",
    "claim",
    "orphan",
    "speed",
    "render",
];

/// A recorded value shorter than this, in bytes, would be found where it does not stand.
const LEAST_BOUND: usize = 4;

impl Header {
    /// Parses the line with this number as a header.
    pub fn parse(line: &str, number: u64) -> Result<Header, FormatError> {
        parse(line, number).map_err(|mistake| mistake.on_line(number))
    }
}

fn parse(line: &str, number: u64) -> Result<Header, Mistake> {
    if line.as_bytes().starts_with(BYTE_ORDER_MARK) {
        return Err(Mistake::new("a byte order mark stands before the header")
            .hint("save the file without it"));
    }
    let (mut keys, unknown) = Object::parse_line(line, "the header", "{\"ringer\": 1}", KEYS)?;
    // The version comes first: another one may well have other keys.
    version(keys.need("ringer", "the header")?)?;
    if let Some(key) = unknown {
        return Err(unknown_key(&key, "in the header", KEYS));
    }
    Ok(Header {
        origin: Origin {
            program: keys.read("program", Field::string)?,
            cli_version: keys.read("cli_version", Field::string)?,
            argv: keys.read("argv", arguments)?.unwrap_or_default(),
            cwd: keys.read("cwd", Field::string)?,
            env: keys.read("env", variables)?.unwrap_or_default(),
            recorded_at: keys.read("recorded_at", Field::string)?,
            note: keys.take("note").map(|field| field.raw.to_owned()),
        },
        when: keys.read("when", |field| When::parse(field, number))?,
        plays: keys.read("plays", plays)?.unwrap_or_default(),
        probe: keys.read("probe", Field::flag)?.unwrap_or_default(),
        stdin: keys.read("stdin", |field| field.word(STDIN_MODES))?,
        bind: keys.read("bind", bind)?.unwrap_or_default(),
        on_epipe: keys.read("on_epipe", on_epipe)?.unwrap_or_default(),
        launcher: keys.read("launcher", launcher)?,
        claim_at_start: keys.read("claim", |field| field.word(&[("start", ())]))?.is_some(),
        orphan: keys.read("orphan", Field::flag)?.unwrap_or_default(),
        speed: keys.read("speed", |field| field.amount("a number, 0 or more"))?,
        render: keys.read("render", Field::flag)?,
    })
}

fn version(field: Field) -> Result<(), Mistake> {
    match field.whole::<u64>("the format's version, a whole number")? {
        VERSION => Ok(()),
        other => Err(Mistake::new(format!("the format's version is {other}"))
            .hint(format!("this ringer reads version {VERSION}"))),
    }
}

/// Arguments; one that is not UTF-8 is written as the journal writes it, `{"base64": "..."}`.
fn arguments(field: Field) -> Result<Vec<OsString>, Mistake> {
    const WANT: &str = "a list of strings";
    let argument = |field: Field| match field.is_object() {
        false => field.string_or(WANT).map(OsString::from),
        true => {
            let mut keys = field.object(WANT, &["base64"])?;
            keys.need("base64", "argv")?.base64().map(OsString::from_vec)
        }
    };
    field.list(WANT)?.into_iter().map(argument).collect()
}

fn plays(field: Field) -> Result<Plays, Mistake> {
    const WANT: &str = "a number of times or \"any\"";
    match field.is_string() {
        true => field.word(&[("any", Plays::Any)]).map_err(|_| field.refuse(WANT)),
        false => field.whole(WANT).map(Plays::Times),
    }
}

fn bind(field: Field) -> Result<Vec<(BindName, String)>, Mistake> {
    const NAMES: [(&str, BindName); 4] = [
        ("session_id", BindName::SessionId),
        ("thread_id", BindName::ThreadId),
        ("cwd", BindName::Cwd),
        ("home", BindName::Home),
    ];
    const KEYS: Keys = &[NAMES[0].0, NAMES[1].0, NAMES[2].0, NAMES[3].0];
    let mut keys = field.object("an object of recorded values", KEYS)?;
    let mut bound = Vec::new();
    for (key, name) in NAMES {
        let Some(field) = keys.take(key) else { continue };
        let value = field.string_or("the recorded value, a string")?;
        if value.len() < LEAST_BOUND {
            let what = format!("`bind.{key}` is too short: {}", shown(field.source()));
            return Err(Mistake::new(what)
                .hint(format!("a value under {LEAST_BOUND} bytes would be found everywhere")));
        }
        bound.push((name, value));
    }
    Ok(bound)
}

fn on_epipe(field: Field) -> Result<OnEpipe, Mistake> {
    const WORDS: &[(&str, OnEpipe)] =
        &[("auto", OnEpipe::Auto), ("ignore", OnEpipe::Ignore), ("sigpipe", OnEpipe::Sigpipe)];
    match field.is_string() {
        true => field.word(WORDS),
        false => field
            .whole("\"auto\", \"ignore\", \"sigpipe\" or an exit code from 0 to 255")
            .map(OnEpipe::Exit),
    }
}

fn launcher(field: Field) -> Result<Launcher, Mistake> {
    let mut keys =
        field.object("an object such as {\"forward\": [\"TERM\"]}", &["forward", "exit"])?;
    let forward = |field: Field| {
        let signals = field.list("a list of signals")?.into_iter();
        signals.map(|field| signal(field, Signal::can_be_caught, "be caught")).collect()
    };
    let exit = |field: Field| match field.is_string() {
        true => field.word(&[("mirror", LauncherExit::Mirror)]),
        false => field.whole("\"mirror\" or an exit code from 0 to 255").map(LauncherExit::Code),
    };
    Ok(Launcher {
        forward: keys.read("forward", forward)?.unwrap_or_default(),
        exit: keys.read("exit", exit)?.unwrap_or_default(),
    })
}
