//! The stage file: the settings of a stage, beside the doubles, for harnesses that start their
//! children with an emptied environment.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use crate::error::Error;

/// The stage file's name.
pub const STAGE_FILE: &str = "ringer.json";

/// What a stage file can say. Values are kept as text, to be read like the variables of the same
/// names; paths are made absolute, counting from the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StageFile {
    /// `RINGER_RECORDINGS`.
    pub recordings: Option<PathBuf>,
    /// `RINGER_STATE`.
    pub state: Option<PathBuf>,
    /// `RINGER_SPEED`.
    #[serde(deserialize_with = "as_text")]
    pub speed: Option<String>,
    /// `RINGER_ARGS`.
    #[serde(deserialize_with = "as_text")]
    pub args: Option<String>,
    /// `RINGER_MODE`.
    #[serde(deserialize_with = "as_text")]
    pub mode: Option<String>,
    /// `RINGER_REPEAT_LAST`.
    #[serde(deserialize_with = "as_text")]
    pub repeat_last: Option<String>,
    /// `RINGER_FAULT`.
    #[serde(deserialize_with = "as_text")]
    pub fault: Option<String>,
    /// `RINGER_MAX_LIFE`.
    #[serde(deserialize_with = "as_text")]
    pub max_life: Option<String>,
}

impl StageFile {
    /// Reads the stage file beside an executable; none if there is no such file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is not JSON, or has a key that it cannot have.
    pub fn beside(executable: &Path) -> Result<Option<(PathBuf, StageFile)>, Error> {
        let folder = executable.parent().unwrap_or(Path::new("/"));
        let path = folder.join(STAGE_FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(Error::io("cannot read the stage file", &path, error)),
        };
        let mut stage: StageFile = serde_json::from_str(&text).map_err(|error| Error::Setting {
            place: path.display().to_string(),
            what: format!("{error}; `ringer stage` writes this file anew"),
        })?;
        for path in [&mut stage.recordings, &mut stage.state].into_iter().flatten() {
            *path = folder.join(&*path);
        }
        Ok(Some((path, stage)))
    }
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// A string, a number or a boolean, as the text that a variable would have.
fn as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Null => Ok(None),
        serde_json::Value::String(text) => Ok(Some(text)),
        serde_json::Value::Number(number) => Ok(Some(number.to_string())),
        serde_json::Value::Bool(on) => Ok(Some(on.to_string())),
        _ => Err(serde::de::Error::custom("expected a string, a number or a boolean")),
    }
}
