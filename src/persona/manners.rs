//! What playing has to know of a program, asked of one place.

use std::fmt::Debug;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use super::performer::Performer;
use super::{Answer, Meaning};
use crate::invocation::{Invocation, StreamKind};
use crate::play::{ExitWatch, Shape};
use crate::recording::Signal;
use crate::sessions::transcript::Transcript;
use crate::sessions::{Around, Resolved, Told};
use crate::settings::Settings;

/// The manners of a program that ringer stands in for.
pub(crate) trait Manners: Debug + Sync {
    /// The persona's name.
    fn name(&self) -> &str;

    /// What a spawn's arguments ask for.
    fn read(&self, invocation: &Invocation, settings: &Settings, version: Version) -> Request;

    /// Reads along with stdout for the exit code that the stream means, of the version that is
    /// answered as, where one is pinned.
    fn exit_watch(&self, version: Option<&str>) -> ExitWatch;

    /// Reads along with stdout for the exit code that an interrupt would lead to, where that
    /// depends on what the program is about.
    fn interrupt_watch(&self, version: Option<&str>) -> Option<ExitWatch> {
        let _ = version;
        None
    }

    /// How the program takes a signal.
    fn on_signal(&self, signal: Signal, situation: Situation) -> Ending;

    /// What the program does when the reader of its stdout is gone.
    fn epipe(&self) -> Epipe;

    /// Where the program keeps its configuration.
    fn config_dir(&self, invocation: &Invocation) -> PathBuf;
}

/// Which version of the program the arguments are held against.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Version<'a> {
    /// The one that is pinned, else the newest that is known; the program may be newer still, so
    /// that options which no known version has pass.
    Settled,
    /// The one that is pinned, else this one, with which a recording was made.
    Recorded(&'a str),
    /// The one that is pinned, else the newest that is known, and nothing beyond it.
    Known,
}

impl<'a> Version<'a> {
    /// The version to look up, and whether it is to be taken as pinned.
    pub fn of(self, pinned: Option<&'a str>) -> (Option<&'a str>, bool) {
        match (pinned, self) {
            (Some(pinned), _) => (Some(pinned), true),
            (None, Version::Settled) => (None, false),
            (None, Version::Recorded(recorded)) => (Some(recorded), false),
            (None, Version::Known) => (None, true),
        }
    }
}

/// What a spawn's arguments ask for.
pub(crate) type Request = Meaning<Rc<dyn ModelRun>>;

/// A model run, as its arguments ask for it.
pub(crate) trait ModelRun: Debug {
    /// The prompt among the arguments.
    fn prompt_argument(&self) -> Option<&str>;

    /// How the program reads stdin.
    fn stdin(&self) -> StdinRule;

    /// Whether it holds a conversation over stdin, and claims at the first message.
    fn is_session(&self) -> bool {
        false
    }

    /// The shape of its output, by its arguments; none where anything may come.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// Whether it depends on what comes by stdin if the real CLI runs at all.
    fn hangs_on_stdin(&self) -> bool {
        false
    }

    /// Options that no known version has.
    fn unknown(&self) -> &[String] {
        &[]
    }

    /// What the program warns of, on stderr.
    fn warnings(&self) -> Warnings {
        Warnings::default()
    }

    /// The prompt that the model gets, once stdin was read.
    ///
    /// # Errors
    ///
    /// What the real CLI answers when it does not take it.
    fn prompt(&self, stdin: StdinSeen) -> Result<String, Answer>;

    /// The session that the arguments mean: a new one, or one that an earlier spawn has made.
    ///
    /// # Errors
    ///
    /// What the real CLI says of a session that is not there, where that is asked for.
    fn take_up(&self, around: &Around) -> Result<Resolved, Answer> {
        let _ = around;
        Ok(Resolved::default())
    }

    /// The file that the last message goes to, and how stdout tells that message.
    fn last_message(&self) -> Option<(&str, Told)> {
        None
    }

    /// The session file that the program would write, where such files are asked for.
    fn transcript(&self, around: &Circumstances) -> Option<Transcript> {
        let _ = around;
        None
    }

    /// The voice for turns, rendered recordings and live sessions; none for a program that has no
    /// event stream of its own.
    fn performer(&self, around: &Circumstances) -> Option<Box<dyn Performer>>;

    /// The id of this spawn's session or thread: named by the arguments, taken up, or made.
    fn session_id(&self, around: &Circumstances) -> Option<String>;
}

/// What a program warns of before it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    /// At its start, of its arguments.
    pub at_start: String,
    /// When nothing has come by stdin for as long as it waits.
    pub no_stdin: String,
}

/// What was read from stdin before the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StdinSeen<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Whether nothing came in time.
    pub gave_up: bool,
}

/// What a voice depends on beside the arguments.
#[derive(Clone, Debug)]
pub(crate) struct Circumstances {
    /// The number of the spawn.
    pub spawn: u64,
    /// The same for the same recordings and arguments, whatever the state directory.
    pub seed: u64,
    /// The working directory.
    pub cwd: String,
    /// The home directory.
    pub home: String,
    /// Where the program keeps its configuration.
    pub config_dir: String,
    /// When the spawn started.
    pub started: jiff::Timestamp,
    /// What the standard streams are.
    pub stdio: [StreamKind; 3],
    /// The prompt as the model gets it.
    pub prompt: String,
    /// The session that the arguments mean.
    pub session: Resolved,
    /// Sessions of earlier spawns, where a client may name one of them while this spawn runs.
    pub others: Vec<super::performer::SessionMark>,
}

/// How a program reads stdin, by its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StdinRule {
    /// Not at all.
    #[default]
    Ignore,
    /// To the end, before anything else; if nothing comes within the time, it goes on without.
    ToEnd {
        /// How long it waits for the first byte.
        first_byte: Option<Duration>,
    },
    /// Line by line, while it runs.
    Lines,
}

/// What is going on when a signal comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation<'a> {
    /// The version that is answered as, where one is pinned.
    pub version: Option<&'a str>,
    /// Something has gone to stdout.
    pub started: bool,
    /// The spawn holds a conversation over stdin.
    pub session: bool,
    /// The exit code that an interrupt leads to, as [`Manners::interrupt_watch`] has it.
    pub interrupted_code: u8,
}

/// How a program takes a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It exits by itself.
    Exits(u8),
    /// It dies of it.
    Dies,
}

/// What a program does when the reader of its stdout is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Epipe {
    /// It goes on and writes to nobody.
    Silent,
    /// It exits, with some last words on stderr.
    Exit {
        /// The exit code.
        code: u8,
        /// The words.
        stderr: String,
    },
    /// It dies of SIGPIPE.
    Die,
}
