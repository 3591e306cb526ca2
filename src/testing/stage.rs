//! The stage of one test.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use super::builder::StageBuilder;
use super::invocation::Invocation;
use super::watch::{Watch, is_over, until};
use crate::author::Recording;
use crate::error::Error;
use crate::journal::Journal;
use crate::stage::Layout;

/// The stage of one test: doubles of its own in a temporary directory, with recordings and state.
///
/// The program under test is given its [`envs`](Stage::envs), or the [`path`](Stage::path) of a
/// double; then [`verify`](Stage::verify) says whether all went by the recordings. The directory is
/// removed when the stage is dropped.
///
/// ```
/// use std::process::Command;
///
/// let stage = ringer::Stage::claude(["It is 42."]);
/// let out = Command::new("sh").args(["-c", "claude -p 'What is it?'"]).envs(stage.envs()).output()?;
/// assert_eq!(String::from_utf8_lossy(&out.stdout), "It is 42.\n");
/// assert_eq!(stage.argv(1), ["claude", "-p", "What is it?"]);
/// stage.verify();
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// A stage that is dropped without a verdict makes up for it: it panics if the verdict is bad, or
/// prints it where the test is failing anyway.
#[derive(Debug)]
#[must_use = "a stage is of use once its `envs` or `path` are given to the program under test"]
pub struct Stage {
    // Removed on drop; the doubles may still be running then, and live on.
    pub(super) temp: TempDir,
    pub(super) layout: Layout,
    pub(super) allow_unused: bool,
    pub(super) keep: bool,
    /// Whether somebody asked for the verdict.
    pub(super) judged: AtomicBool,
}

impl Stage {
    /// A stage on which each spawn of `claude` gets the next of these: texts, turns or
    /// [`Recording`]s.
    ///
    /// # Panics
    ///
    /// Whenever [`try_build`](StageBuilder::try_build) has an error.
    #[track_caller]
    pub fn claude<R: Into<Recording>>(recordings: impl IntoIterator<Item = R>) -> Stage {
        Stage::builder().claude(recordings).build()
    }

    /// A stage on which each spawn of `codex` gets the next of these: texts, turns or
    /// [`Recording`]s.
    ///
    /// # Panics
    ///
    /// Whenever [`try_build`](StageBuilder::try_build) has an error.
    #[track_caller]
    pub fn codex<R: Into<Recording>>(recordings: impl IntoIterator<Item = R>) -> Stage {
        Stage::builder().codex(recordings).build()
    }

    /// A stage that plays a recording directory, read where it is and never written. A relative
    /// path counts from the working directory of the test, which is the package under cargo.
    ///
    /// # Panics
    ///
    /// Whenever [`try_build`](StageBuilder::try_build) has an error.
    #[track_caller]
    pub fn of(recordings: impl AsRef<Path>) -> Stage {
        Stage::builder().of(recordings).build()
    }

    /// Begins a stage with several personas or with settings.
    pub fn builder() -> StageBuilder {
        StageBuilder::default()
    }

    /// The environment for the program under test, as pairs for `envs` of
    /// [`Command`] and of `assert_cmd::Command` alike: `PATH` with the stage in front of what it is
    /// now, and the `RINGER_` variables that name its directories and settings.
    ///
    /// A program that empties the environment of its children needs `PATH` alone; one that does not
    /// go by `PATH` needs [`path`](Stage::path).
    #[must_use]
    pub fn envs(&self) -> Vec<(OsString, OsString)> {
        self.layout.envs()
    }

    /// A command with this stage's environment.
    #[must_use]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.envs(self.envs());
        command
    }

    /// The double of this name, for clients that take the path of an executable.
    ///
    /// # Panics
    ///
    /// There is none of this name: besides `claude` and `codex` there are those that have
    /// recordings.
    #[must_use]
    #[track_caller]
    pub fn path(&self, program: &str) -> PathBuf {
        match self.layout.programs.get(program) {
            Some(path) => path.clone(),
            None => {
                let names: Vec<&str> = self.layout.programs.keys().map(String::as_str).collect();
                panic!("no double for {program:?} on this stage, which has {}", names.join(", "))
            }
        }
    }

    /// The directory that is put on `PATH`.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.layout.dir
    }

    /// The state directory: cursor and journal.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.layout.state
    }

    /// All spawns so far, in the order of their starts.
    ///
    /// # Panics
    ///
    /// Whenever [`try_invocations`](Stage::try_invocations) has an error.
    #[must_use]
    #[track_caller]
    pub fn invocations(&self) -> Vec<Invocation> {
        readable(self.try_invocations())
    }

    /// All spawns so far, in the order of their starts.
    ///
    /// # Errors
    ///
    /// The journal cannot be read.
    pub fn try_invocations(&self) -> Result<Vec<Invocation>, Error> {
        let journal = self.journal()?;
        let records = journal.records()?;
        Ok(records.into_iter().map(|record| Invocation::new(record, &journal)).collect())
    }

    /// The spawn of this number, from 1.
    ///
    /// # Panics
    ///
    /// There were not so many spawns, or the journal cannot be read.
    #[must_use]
    #[track_caller]
    pub fn invocation(&self, number: u64) -> Invocation {
        match readable(self.journal().and_then(|journal| until(&journal, number, NOW, |_| true))) {
            Some(found) => found,
            None => panic!("there was no spawn {number}\n{}", self.spawns()),
        }
    }

    /// The arguments of the spawn of this number, from 1; argv[0] first.
    ///
    /// # Panics
    ///
    /// There were not so many spawns, or the journal cannot be read.
    #[must_use]
    #[track_caller]
    pub fn argv(&self, number: u64) -> Vec<String> {
        self.invocation(number).argv().to_vec()
    }

    /// Follows the spawns as they start, from the first on. The iterator ends when no further one
    /// comes within this time.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// let stage = ringer::Stage::claude(["a", "b", "c"]);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         for spawn in stage.watch(Duration::from_secs(1)) {
    ///             println!("{}: {:?}", spawn.number(), spawn.argv());
    ///         }
    ///     });
    ///     // The program under test runs here.
    /// });
    /// # stage.verify();
    /// ```
    ///
    /// # Panics
    ///
    /// The state directory is not one any more.
    #[track_caller]
    pub fn watch(&self, patience: Duration) -> Watch {
        Watch::new(readable(self.journal()), patience)
    }

    /// Waits until the spawn of this number, from 1, has started, and returns it.
    ///
    /// # Panics
    ///
    /// It has not started within this time, or the journal cannot be read.
    #[track_caller]
    pub fn wait_for(&self, number: u64, patience: Duration) -> Invocation {
        self.wait(number, patience, "started", |_| true)
    }

    /// Waits until the spawn of this number, from 1, has ended or was killed, and returns it.
    ///
    /// # Panics
    ///
    /// It has not ended within this time, or the journal cannot be read.
    #[track_caller]
    pub fn wait_for_end(&self, number: u64, patience: Duration) -> Invocation {
        self.wait(number, patience, "ended", is_over)
    }

    /// Starts anew: all recordings are there to be played again, the journal is empty, and the
    /// verdict is open.
    ///
    /// # Panics
    ///
    /// Whenever [`try_reset`](Stage::try_reset) has an error.
    #[track_caller]
    pub fn reset(&self) {
        if let Err(error) = self.try_reset() {
            panic!("cannot reset the stage: {error}");
        }
    }

    /// Starts anew: all recordings are there to be played again, the journal is empty, and the
    /// verdict is open.
    ///
    /// # Errors
    ///
    /// A double still runs, or the state directory cannot be changed.
    pub fn try_reset(&self) -> Result<(), Error> {
        crate::state::reset(self.state(), false)?;
        self.judged.store(false, Ordering::Relaxed);
        Ok(())
    }

    #[track_caller]
    fn wait(
        &self,
        number: u64,
        patience: Duration,
        what: &str,
        wanted: impl Fn(&Invocation) -> bool,
    ) -> Invocation {
        match readable(self.journal().and_then(|journal| until(&journal, number, patience, wanted)))
        {
            Some(found) => found,
            None => panic!("spawn {number} has not {what} within {patience:?}\n{}", self.spawns()),
        }
    }

    fn journal(&self) -> Result<Journal, Error> {
        Journal::of(self.state())
    }
}

/// No time at all.
const NOW: Duration = Duration::ZERO;

#[track_caller]
fn readable<T>(read: Result<T, Error>) -> T {
    match read {
        Ok(value) => value,
        Err(error) => panic!("cannot read the stage's journal: {error}"),
    }
}
