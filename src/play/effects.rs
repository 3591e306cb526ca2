//! Effects on disk, and files beside the recording: nowhere else than where the format allows.

use std::fs::File;
use std::path::Path;

use super::player::Player;
use super::stop::Play;
use crate::confine::{ConfineError, Confined};
use crate::recording::{Base, Effect, EffectPath};

impl Player {
    /// Plays a `file` step.
    pub(super) fn effect(&mut self, path: &EffectPath, effect: &Effect, line: u64) -> Play<()> {
        let base = match path.base {
            Base::Cwd => &self.plan.cwd,
            Base::Home => &self.plan.home,
            Base::ConfigDir => &self.plan.config_dir,
        };
        let base = base.clone();
        self.change(&base, path, effect).map_err(|error| self.unplayable(line, error))
    }

    fn change(
        &mut self,
        base: &Path,
        path: &EffectPath,
        effect: &Effect,
    ) -> Result<(), ConfineError> {
        if path.base == Base::ConfigDir {
            // The real CLIs make it at their first run; an error shows when it is opened.
            let _ = std::fs::create_dir_all(base);
        }
        let confined = Confined::open(base)?;
        if self.last_message.as_ref().is_some_and(|file| file.is_at(&base.join(&path.below))) {
            // The recording says itself what becomes of the file.
            self.last_message = None;
        }
        match effect {
            Effect::Write(bytes) => {
                confined.write(&path.below, &self.plan.bindings.apply(bytes, false))
            }
            Effect::Append(bytes) => {
                confined.append(&path.below, &self.plan.bindings.apply(bytes, false))
            }
            Effect::Remove => confined.remove(&path.below).map(drop),
            Effect::Mkdir => confined.mkdir(&path.below),
        }
    }

    /// Opens a file beside the recording.
    pub(super) fn beside(&self, path: &str) -> Result<File, ConfineError> {
        open_beside(&self.plan.recording, path)
    }
}

/// Opens a file beside a recording.
///
/// # Errors
///
/// The path leads out of the recording's folder, or the file cannot be opened.
pub(crate) fn open_beside(recording: &Path, path: &str) -> Result<File, ConfineError> {
    Confined::open(recording.parent().unwrap_or(Path::new("/")))?.read(path)
}
