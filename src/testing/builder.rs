//! Putting a stage together: recordings, settings, where the doubles come from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::stage::Stage;
use crate::author::Recording;
use crate::error::Error;
use crate::stage::{StagePlan, StageSettings, Strictness, make};

/// What a [`Stage`] is to be; [`Stage::builder`] begins one.
///
/// ```no_run
/// use ringer::{Recording, Stage, Turn};
///
/// let stage = Stage::builder()
///     .claude(["a plan", "a patch"])
///     .codex([Recording::from(Turn::new().fail("stream disconnected"))])
///     .repeat_last()
///     .build();
/// # stage.verify();
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a stage is made by `build`"]
pub struct StageBuilder {
    personas: BTreeMap<String, Vec<Recording>>,
    existing: Option<PathBuf>,
    toml: Option<String>,
    doubles: Option<PathBuf>,
    settings: StageSettings,
    allow_unused: bool,
    keep: bool,
}

impl StageBuilder {
    /// Adds recordings for `claude`, in order: texts, turns or [`Recording`]s, one a spawn.
    pub fn claude<R: Into<Recording>>(self, recordings: impl IntoIterator<Item = R>) -> Self {
        self.persona("claude", recordings)
    }

    /// Adds recordings for `codex`, in order: texts, turns or [`Recording`]s, one a spawn.
    pub fn codex<R: Into<Recording>>(self, recordings: impl IntoIterator<Item = R>) -> Self {
        self.persona("codex", recordings)
    }

    /// Adds recordings for a program of any name. Of one that is neither `claude` nor `codex`
    /// nothing is known: its arguments all pass, and it has no turns.
    ///
    /// ```no_run
    /// use ringer::{Recording, Stage};
    ///
    /// let stage = Stage::builder().persona("gemini", [Recording::new().out("hi\n")]).build();
    /// # stage.verify();
    /// ```
    pub fn persona<R: Into<Recording>>(
        mut self,
        name: &str,
        recordings: impl IntoIterator<Item = R>,
    ) -> Self {
        let added = recordings.into_iter().map(Into::into);
        self.personas.entry(name.to_owned()).or_default().extend(added);
        self
    }

    /// Plays a recording directory that is there already. It is read where it is, never written.
    pub fn of(mut self, recordings: impl AsRef<Path>) -> Self {
        self.existing = Some(recordings.as_ref().to_owned());
        self
    }

    /// The text of the recordings' `ringer.toml`: pinned versions, what the journal keeps.
    ///
    /// ```no_run
    /// # use ringer::Stage;
    /// let pinned = "[claude]\nversion = \"2.1.197\"\n";
    /// let stage = Stage::builder().claude(["hello"]).ringer_toml(pinned).build();
    /// # stage.verify();
    /// ```
    pub fn ringer_toml(mut self, text: &str) -> Self {
        self.toml = Some(text.to_owned());
        self
    }

    /// The last recording answers all further spawns (`RINGER_REPEAT_LAST`).
    pub fn repeat_last(mut self) -> Self {
        self.settings.repeat_last = Some(true);
        self
    }

    /// Arguments that the real CLI would refuse pass (`RINGER_ARGS=lax`).
    pub fn args_lax(mut self) -> Self {
        self.settings.args = Some(Strictness::Lax);
        self
    }

    /// How fast time passes (`RINGER_SPEED`): 0, unless said, skips recorded times and keeps
    /// written pauses; 1 keeps both; 10 is ten times faster, pauses too.
    pub fn speed(mut self, speed: f64) -> Self {
        self.settings.speed = Some(speed);
        self
    }

    /// A fault laid over whatever is played (`RINGER_FAULT`), such as `cut@line:3`.
    pub fn fault(mut self, fault: &str) -> Self {
        self.settings.fault = Some(fault.to_owned());
        self
    }

    /// After which time a double ends itself (`RINGER_MAX_LIFE`): ten minutes, unless said.
    pub fn max_life(mut self, life: Duration) -> Self {
        self.settings.max_life = Some(life);
        self
    }

    /// Recordings that are left over do not count against the test.
    pub fn allow_unused(mut self) -> Self {
        self.allow_unused = true;
        self
    }

    /// Takes the doubles from here instead of looking for them: a directory that has `ringer` or
    /// the doubles in it, or an executable that calls [`ringer::run`](crate::run).
    pub fn doubles_from(mut self, place: impl AsRef<Path>) -> Self {
        self.doubles = Some(place.as_ref().to_owned());
        self
    }

    /// Leaves the stage's directory behind, to be looked into; [`Stage::dir`] says where.
    pub fn keep(mut self) -> Self {
        self.keep = true;
        self
    }

    /// Makes the stage.
    ///
    /// # Panics
    ///
    /// Whenever [`try_build`](StageBuilder::try_build) has an error.
    #[must_use = "a stage is of use once its `envs` or `path` are given to the program under test"]
    #[track_caller]
    pub fn build(self) -> Stage {
        match self.try_build() {
            Ok(stage) => stage,
            Err(error) => panic!("cannot make a stage: {error}"),
        }
    }

    /// Makes the stage.
    ///
    /// # Errors
    ///
    /// A recording that a double would refuse, doubles that are not found or of another version
    /// (with the command that mends it), a temporary directory that cannot be made.
    pub fn try_build(self) -> Result<Stage, Error> {
        let in_temp = |error| Error::io("cannot make a directory in", &std::env::temp_dir(), error);
        let mut temp = tempfile::Builder::new().prefix("ringer-").tempdir().map_err(in_temp)?;
        temp.disable_cleanup(self.keep);
        let recordings = match &self.existing {
            Some(existing) => self.alone(existing)?,
            None => self.write_recordings(temp.path().join("recordings"))?,
        };
        let layout = make(&StagePlan {
            dir: temp.path().join("stage"),
            recordings: Some(recordings),
            names: self.personas.keys().cloned().collect(),
            state: Some(temp.path().join("state")),
            doubles: self.doubles,
            settings: self.settings,
        })?;
        let (allow_unused, keep) = (self.allow_unused, self.keep);
        Ok(Stage { temp, layout, allow_unused, keep, judged: AtomicBool::new(false) })
    }

    /// The existing directory, which nothing is to be added to.
    fn alone(&self, existing: &Path) -> Result<PathBuf, Error> {
        if self.personas.is_empty() && self.toml.is_none() {
            return Ok(existing.to_owned());
        }
        Err(Error::Directory {
            path: existing.to_owned(),
            what: "an existing recording directory is played as it is; put the further recordings \
                   or settings into it, or leave `of` out"
                .to_owned(),
        })
    }

    fn write_recordings(&self, dir: PathBuf) -> Result<PathBuf, Error> {
        let make_dir = |path: &Path| {
            std::fs::create_dir_all(path).map_err(|error| Error::io("cannot make", path, error))
        };
        make_dir(&dir)?;
        for (persona, recordings) in &self.personas {
            let folder = dir.join(persona);
            make_dir(&folder)?;
            for (recording, number) in recordings.iter().zip(1..) {
                recording.write_to(folder.join(format!("{number:02}.jsonl")))?;
            }
        }
        if let Some(text) = &self.toml {
            let path = dir.join("ringer.toml");
            std::fs::write(&path, text).map_err(|e| Error::io("cannot write", &path, e))?;
            crate::settings::Set::read(&dir)?;
        }
        Ok(dir)
    }
}
