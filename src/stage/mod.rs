//! Making a stage: a directory that a test puts first on PATH, with the doubles, the stage file
//! `ringer.json` and the state directory.
//!
//! The doubles are hard links to an executable that was there before. Nothing is ever written or
//! copied into a stage that is to be started afterwards: a process that forks at the same moment
//! would hold the new file open for writing, and starting it would fail with "text file busy".
//!
//! What a stage is used for (running commands, asking the journal) is not known here.

mod doubles;
mod link;
pub(crate) mod names;
mod version;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

pub use crate::settings::{Mode, Strictness};
pub(crate) use version::mark;

use crate::error::Error;
use crate::settings::STAGE_FILE;
use doubles::Search;

/// The state directory's name within a stage.
const STATE: &str = "state";

/// What a stage is to be.
#[derive(Clone, Debug, Default)]
pub struct StagePlan {
    /// The directory to make. One that is there already is brought up to date: doubles and stage
    /// file are replaced, the state is kept.
    pub dir: PathBuf,
    /// The recording directory; without one, each spawn must find `RINGER_RECORDINGS` set.
    pub recordings: Option<PathBuf>,
    /// Names of doubles beside `claude`, `codex` and those that have a folder of recordings.
    pub names: Vec<String>,
    /// The state directory; by default `state` within the stage.
    pub state: Option<PathBuf>,
    /// Where the doubles are taken from, instead of looking for them: a directory, or an
    /// executable.
    pub doubles: Option<PathBuf>,
    /// What the stage file says beside the two directories.
    pub settings: StageSettings,
}

/// Settings of a stage, by the names that the variables have. What is not said here is left to the
/// recordings' headers and `ringer.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageSettings {
    /// `RINGER_SPEED`: 0 skips recorded times, 1 keeps them, 10 is ten times faster.
    pub speed: Option<f64>,
    /// `RINGER_ARGS`: whether arguments that the real CLI would refuse are refused.
    pub args: Option<Strictness>,
    /// `RINGER_MODE`: replay, record, or pass through to the real program.
    pub mode: Option<Mode>,
    /// `RINGER_REPEAT_LAST`: whether the last recording answers all further spawns.
    pub repeat_last: Option<bool>,
    /// `RINGER_FAULT`: a fault laid over whatever is played.
    pub fault: Option<String>,
    /// `RINGER_MAX_LIFE`: after which time a double ends itself.
    pub max_life: Option<Duration>,
}

/// A stage that was made.
#[derive(Clone, Debug)]
#[must_use = "a stage does nothing until its directory is put on PATH"]
pub struct Layout {
    /// The directory to put first on PATH; absolute.
    pub dir: PathBuf,
    /// The doubles by name: paths for clients that take an executable.
    pub programs: BTreeMap<String, PathBuf>,
    /// The state directory; absolute.
    pub state: PathBuf,
    /// The recording directory; absolute.
    pub recordings: Option<PathBuf>,
    /// What the stage file says beside the two directories.
    pub settings: StageSettings,
}

/// Tells whether a file is a double, of whatever version and under whatever name.
pub(crate) fn is_double(path: &Path) -> bool {
    matches!(version::look(path), Ok(version::Look::Double(_)))
}

impl StagePlan {
    /// A stage in this directory, all else by default.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> StagePlan {
        StagePlan { dir: dir.into(), ..StagePlan::default() }
    }
}

/// Makes a stage.
///
/// The doubles are looked for in this order, and the first that fit are taken:
///
/// 1. what the plan names, else what the variable `RINGER_BIN` names: a directory with `ringer` or
///    the doubles in it, or an executable;
/// 2. beside the running executable; for a test or example that cargo built, in the target
///    directory (`target/debug` and the like) and its `examples`; so for an example in documentation;
/// 3. `ringer` on PATH.
///
/// In each place `ringer` itself comes first, since it plays whatever name it is linked under, then
/// the double of that name. An executable that is no double is passed over, and never started: what
/// it is can be told from its bytes.
///
/// # Errors
///
/// The recordings are not there, no doubles that fit this library's version are found, something
/// else is in the stage's place, or the system refuses.
pub fn make(plan: &StagePlan) -> Result<Layout, Error> {
    let dir = absolute(&plan.dir)?;
    let recordings = plan.recordings.as_deref().map(recording_directory).transpose()?;
    let state = plan.state.as_deref().map_or_else(|| Ok(dir.join(STATE)), absolute)?;
    let names = names::of_doubles(recordings.as_deref(), &plan.names)?;
    if dir.as_os_str().to_string_lossy().contains(':') {
        let what = "a directory with a colon in its name cannot be put on PATH".to_owned();
        return Err(Error::Stage { path: dir, what });
    }
    let search = Search::new(plan.doubles.as_deref());
    let mut found = Vec::new();
    for name in names {
        let double = search.find(&name)?;
        found.push((name, double));
    }
    make_dir(&dir, 0o777)?;
    make_dir(&state, 0o700)?;
    let mut programs = BTreeMap::new();
    for (name, double) in found {
        let place = dir.join(&name);
        link::put(&double, &place)?;
        programs.insert(name, place);
    }
    let layout = Layout { dir, programs, state, recordings, settings: plan.settings.clone() };
    layout.write_stage_file()?;
    Ok(layout)
}

impl Layout {
    /// The environment of a command that is to find the doubles, as pairs: `PATH` with the stage in
    /// front, and the variables that name its directories and settings.
    #[must_use]
    pub fn envs(&self) -> Vec<(OsString, OsString)> {
        let mut envs = vec![("PATH".into(), self.path_variable(std::env::var_os("PATH")))];
        if let Some(recordings) = &self.recordings {
            envs.push(("RINGER_RECORDINGS".into(), recordings.into()));
        }
        envs.push(("RINGER_STATE".into(), self.state.clone().into()));
        for (key, value) in self.settings.said() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            envs.push((format!("RINGER_{}", key.to_uppercase()).into(), text.into()));
        }
        envs
    }

    /// The value of PATH with the stage in front of what it was.
    #[must_use]
    pub fn path_variable(&self, before: Option<OsString>) -> OsString {
        let mut path = self.dir.clone().into_os_string();
        if let Some(before) = before.filter(|before| !before.is_empty()) {
            path.push(":");
            path.push(before);
        }
        path
    }

    /// The path of the stage file.
    #[must_use]
    pub fn stage_file(&self) -> PathBuf {
        self.dir.join(STAGE_FILE)
    }

    fn write_stage_file(&self) -> Result<(), Error> {
        let mut keys = Map::new();
        if let Some(recordings) = &self.recordings {
            keys.insert("recordings".to_owned(), self.relative(recordings)?);
        }
        keys.insert("state".to_owned(), self.relative(&self.state)?);
        keys.extend(self.settings.said().into_iter().map(|(key, value)| (key.to_owned(), value)));
        let mut text = serde_json::to_string_pretty(&keys).unwrap_or_default();
        text.push('\n');
        let (path, scratch) = (self.stage_file(), self.dir.join(".ringer.json.new"));
        // A double that starts meanwhile sees the old file or the new one.
        let written = std::fs::write(&scratch, text);
        let done = written.and_then(|()| std::fs::rename(&scratch, &path));
        done.map_err(|error| Error::io("cannot write", &path, error))
    }

    /// A path as the stage file has it: relative where the stage holds it, so that the stage may be
    /// moved.
    fn relative(&self, path: &Path) -> Result<Value, Error> {
        let path = path.strip_prefix(&self.dir).unwrap_or(path);
        let text = if path == Path::new("") { Some(".") } else { path.to_str() };
        text.map(Value::from).ok_or_else(|| Error::Stage {
            path: path.to_owned(),
            what: "the stage file is JSON and cannot name a path that is not UTF-8".to_owned(),
        })
    }
}

impl StageSettings {
    /// What is said, by the keys of the stage file.
    fn said(&self) -> Vec<(&'static str, Value)> {
        let args = self.args.map(|args| match args {
            Strictness::Strict => "strict",
            Strictness::Lax => "lax",
        });
        let mode = self.mode.map(|mode| match mode {
            Mode::Replay => "replay",
            Mode::Record => "record",
            Mode::Passthrough => "passthrough",
        });
        let life = self.max_life.map(|life| life.as_secs_f64());
        let all = [
            ("speed", self.speed.map(number)),
            ("args", args.map(Value::from)),
            ("mode", mode.map(Value::from)),
            ("repeat_last", self.repeat_last.map(Value::from)),
            ("fault", self.fault.clone().map(Value::from)),
            ("max_life", life.map(number)),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

/// A number as people write it: `1`, not `1.0`.
fn number(value: f64) -> Value {
    let text = value.to_string();
    text.parse::<u64>().map_or_else(|_| Value::from(value), Value::from)
}

/// The recording directory of a stage, which must be there.
fn recording_directory(path: &Path) -> Result<PathBuf, Error> {
    let path = absolute(path)?;
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => Err(Error::Directory {
            path,
            what: "is not a directory; a stage takes the directory that the recordings are in"
                .to_owned(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Error::Directory {
            path,
            what: "there is no such recording directory; it holds the recordings, either *.jsonl \
                   or a folder for each program, such as claude/01.jsonl"
                .to_owned(),
        }),
        Err(error) => Err(Error::io("cannot look at", &path, error)),
    }
}

/// The path counted from the root, links not resolved.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    if path.as_os_str() == OsStr::new("") {
        let what = "is empty where a directory is asked for".to_owned();
        return Err(Error::Setting { place: "path".to_owned(), what });
    }
    std::path::absolute(path).map_err(|error| Error::io("cannot find", path, error))
}

fn make_dir(path: &Path, mode: u32) -> Result<(), Error> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(mode).create(path);
    made.map_err(|error| Error::io("cannot make the directory", path, error))
}

#[cfg(test)]
mod tests;
