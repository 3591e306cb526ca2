//! What a spawn is to do, put together from its surroundings: variables, the stage file beside the
//! executable, `ringer.toml` in the recording directory. A variable wins over the stage file, that
//! over a recording's header, that over `ringer.toml`; so what the first two say and what the last
//! says are kept apart until the header is known.

mod set;
mod stage_file;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

pub use set::{Sessions, Set};
pub use stage_file::{STAGE_FILE, StageFile};

use crate::error::Error;
use crate::invocation::Invocation;

/// Whether arguments that the real CLI would refuse are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// They are refused, with its text and exit code.
    #[default]
    Strict,
    /// Any argument passes.
    Lax,
}

/// What a double does with a spawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Plays a recording.
    #[default]
    Replay,
    /// Runs the real program and records it.
    Record,
    /// Runs the real program.
    Passthrough,
}

/// Where a spawn finds its things, as far as its surroundings say.
#[derive(Clone, Debug)]
pub struct Sources {
    said: Said,
    stage_file: Option<PathBuf>,
}

/// What the variables and the stage file say, the variables having won.
#[derive(Clone, Debug, Default)]
struct Said {
    recordings: Option<PathBuf>,
    state: Option<PathBuf>,
    speed: Option<String>,
    args: Option<String>,
    mode: Option<String>,
    repeat_last: Option<String>,
    fault: Option<String>,
    max_life: Option<String>,
}

/// Everything that is settled before a recording is chosen.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The recording directory.
    pub recordings: PathBuf,
    /// Arguments: refused or passed.
    pub args: Strictness,
    /// Whether the last recording answers on when all are played.
    pub repeat_last: bool,
    /// How fast recorded times pass, where a variable or the stage file says so.
    pub speed: Option<f64>,
    /// How long this process may live.
    pub max_life: Duration,
    /// What `ringer.toml` says.
    pub set: Set,
}

impl Settings {
    /// The life of a double where nothing else is said: ten minutes.
    pub const MAX_LIFE: Duration = Duration::from_secs(600);
}

impl Sources {
    /// Reads the variables, and the stage file if there is one.
    ///
    /// # Errors
    ///
    /// A stage file that cannot be read or has a key that it cannot have.
    pub fn gather(invocation: &Invocation) -> Result<Sources, Error> {
        let stage = match &invocation.started_by {
            Some(path) => StageFile::beside(path)?,
            None => None,
        };
        let (stage_file, stage) =
            stage.map_or_else(|| (None, StageFile::default()), |(path, stage)| (Some(path), stage));
        let var = |name: &str| invocation.var(name).filter(|value| !value.is_empty());
        let text = |name: &str, staged: Option<String>| {
            var(name).map(|value| value.to_string_lossy().into_owned()).or(staged)
        };
        let said = Said {
            recordings: var("RINGER_RECORDINGS")
                .map(|path| invocation.cwd.join(path))
                .or(stage.recordings),
            state: state_path(var("RINGER_STATE").map(OsStr::new))?.or(stage.state),
            speed: text("RINGER_SPEED", stage.speed),
            args: text("RINGER_ARGS", stage.args),
            mode: text("RINGER_MODE", stage.mode),
            repeat_last: text("RINGER_REPEAT_LAST", stage.repeat_last),
            fault: text("RINGER_FAULT", stage.fault),
            max_life: text("RINGER_MAX_LIFE", stage.max_life),
        };
        Ok(Sources { said, stage_file })
    }

    /// The state directory, and whether it is the default one inside the recordings.
    #[must_use]
    pub fn state(&self) -> Option<(PathBuf, bool)> {
        match (&self.said.state, &self.said.recordings) {
            (Some(state), _) => Some((state.clone(), false)),
            (None, Some(recordings)) => Some((recordings.join(".ringer"), true)),
            (None, None) => None,
        }
    }

    /// What a spawn does, as far as the variable and the stage file say; this is looked at before
    /// anything else, since only a replay needs recordings.
    ///
    /// # Errors
    ///
    /// A mode that there is not.
    pub fn mode(&self) -> Result<Mode, Error> {
        let takes = "`replay`, `record` or `passthrough`";
        let mode: Option<Mode> = self.value("mode", &self.said.mode, takes)?;
        Ok(mode.unwrap_or_default())
    }

    /// The recording directory as it is named, there or not.
    #[must_use]
    pub fn named_recordings(&self) -> Option<&Path> {
        self.said.recordings.as_deref()
    }

    /// The recording directory, which must be there.
    ///
    /// # Errors
    ///
    /// It is named nowhere, is missing, or is no directory.
    pub fn recordings(&self, invocation: &Invocation) -> Result<&Path, Error> {
        let Some(path) = &self.said.recordings else {
            return Err(self.recordings_nowhere(invocation));
        };
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => Err(Error::Directory {
                path: path.clone(),
                what: "the recording directory is not a directory; RINGER_RECORDINGS takes the \
                       directory, not a recording in it"
                    .to_owned(),
            }),
            Err(error) => Err(self.recordings_missing(invocation, path, error)),
        }
    }

    fn recordings_nowhere(&self, invocation: &Invocation) -> Error {
        let beside = invocation.started_by.as_deref().and_then(Path::parent);
        let stage = match (&self.stage_file, beside) {
            (Some(file), _) => format!("{} names no `recordings`", file.display()),
            (None, Some(folder)) => format!("there is no {STAGE_FILE} in {}", folder.display()),
            (None, None) => format!("no {STAGE_FILE} can be looked for"),
        };
        Error::Setting {
            place: "RINGER_RECORDINGS".to_owned(),
            what: format!(
                "not set, and {stage}; set it to a directory of recordings, or make a stage with \
                 `ringer stage`"
            ),
        }
    }

    fn recordings_missing(
        &self,
        invocation: &Invocation,
        path: &Path,
        error: std::io::Error,
    ) -> Error {
        let given = invocation.var("RINGER_RECORDINGS").filter(|value| !value.is_empty());
        if given.is_some_and(|given| Path::new(given).is_relative()) {
            return Error::Directory {
                path: path.to_owned(),
                what: format!(
                    "the recording directory cannot be used ({}); RINGER_RECORDINGS is relative \
                     and so counts from the working directory of the spawn, {}",
                    error.kind(),
                    invocation.cwd.display()
                ),
            };
        }
        Error::io("cannot use the recording directory", path, error)
    }

    /// Settles everything but the recording.
    ///
    /// # Errors
    ///
    /// A value that its variable, the stage file or `ringer.toml` cannot have.
    pub fn settle(&self, recordings: PathBuf) -> Result<Settings, Error> {
        let set = Set::read(&recordings)?;
        let said = &self.said;
        if let Some(fault) = &said.fault {
            return Err(self.wrong("fault", fault, "faults are not supported yet; unset it"));
        }
        let args = self.value("args", &said.args, "`strict` or `lax`")?;
        let repeat = self.value("repeat_last", &said.repeat_last, "1 or 0")?;
        let Switch(repeat_last) = repeat.unwrap_or(Switch(set.repeat_last.unwrap_or(false)));
        let speed = self.value("speed", &said.speed, "a number from 0 up, such as 0, 1 or 10")?;
        let life = self.value("max_life", &said.max_life, "a number of seconds above 0")?;
        Ok(Settings {
            recordings,
            args: args.or(set.args).unwrap_or_default(),
            repeat_last,
            speed: speed.map(|Speed(speed)| speed),
            max_life: life.map_or(Settings::MAX_LIFE, |Seconds(life)| life),
            set,
        })
    }

    fn value<T: FromStr>(
        &self,
        key: &str,
        said: &Option<String>,
        takes: &str,
    ) -> Result<Option<T>, Error> {
        match said {
            None => Ok(None),
            Some(text) => match text.trim().parse() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(self.wrong(key, text, &format!("it takes {takes}"))),
            },
        }
    }

    fn wrong(&self, key: &str, value: &str, what: &str) -> Error {
        let shown: String = value.chars().take(60).collect();
        let place = match &self.stage_file {
            Some(file) => format!("RINGER_{} or `{key}` in {}", key.to_uppercase(), file.display()),
            None => format!("RINGER_{}", key.to_uppercase()),
        };
        Error::Setting { place, what: format!("{shown:?}: {what}") }
    }
}

/// The state directory that the variable names; it must be absolute, since harnesses start their
/// children in many places and one test has one state.
fn state_path(given: Option<&OsStr>) -> Result<Option<PathBuf>, Error> {
    match given.map(Path::new) {
        Some(path) if path.is_relative() => Err(Error::Setting {
            place: "RINGER_STATE".to_owned(),
            what: format!(
                "{} is relative; give an absolute path, so that all spawns of a test share it",
                path.display()
            ),
        }),
        path => Ok(path.map(Path::to_owned)),
    }
}

impl FromStr for Strictness {
    type Err = ();

    fn from_str(text: &str) -> Result<Strictness, ()> {
        match text {
            "strict" => Ok(Strictness::Strict),
            "lax" => Ok(Strictness::Lax),
            _ => Err(()),
        }
    }
}

impl FromStr for Mode {
    type Err = ();

    fn from_str(text: &str) -> Result<Mode, ()> {
        match text {
            "replay" => Ok(Mode::Replay),
            "record" => Ok(Mode::Record),
            "passthrough" => Ok(Mode::Passthrough),
            _ => Err(()),
        }
    }
}

/// On or off.
struct Switch(bool);

impl FromStr for Switch {
    type Err = ();

    fn from_str(text: &str) -> Result<Switch, ()> {
        match text {
            "1" | "true" => Ok(Switch(true)),
            "0" | "false" => Ok(Switch(false)),
            _ => Err(()),
        }
    }
}

/// How fast recorded times pass.
struct Speed(f64);

impl FromStr for Speed {
    type Err = ();

    fn from_str(text: &str) -> Result<Speed, ()> {
        text.parse()
            .ok()
            .filter(|speed: &f64| speed.is_finite() && *speed >= 0.0)
            .map(Speed)
            .ok_or(())
    }
}

/// A time above zero.
struct Seconds(Duration);

impl FromStr for Seconds {
    type Err = ();

    fn from_str(text: &str) -> Result<Seconds, ()> {
        let seconds: f64 = text.parse().map_err(|_| ())?;
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|life| !life.is_zero())
            .map(Seconds)
            .ok_or(())
    }
}
