//! How a run is recorded. `ringer record` writes this beside its shims, since a harness may start
//! its children with an emptied environment; a double that is only told `RINGER_MODE=record` has
//! the defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The file's name, beside the shims.
pub(crate) const FILE: &str = "record.json";

/// What is done with the recordings that are there already.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// They are replayed, one a spawn, and what comes after the last is recorded.
    #[default]
    Once,
    /// Every spawn is recorded, behind those that are there.
    New,
    /// Every spawn is recorded, in the place of those that are there.
    All,
    /// They are replayed, and nothing is recorded.
    None,
}

/// How a run is recorded.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// What is done with recordings that are there.
    pub policy: Policy,
    /// Whether changes of files in the working directory are recorded.
    pub effects: bool,
    /// Whether ids and directories stay as recorded when the recording is played.
    pub verbatim: bool,
    /// What else is replaced: a name and a regular expression.
    pub redact: Vec<(String, String)>,
    /// `PATH` of whoever records, for spawns that have none of their own.
    pub path: Option<String>,
    /// Real programs that are not looked for, by persona.
    pub programs: BTreeMap<String, PathBuf>,
    /// Versions of the real programs, by persona.
    pub versions: BTreeMap<String, String>,
    /// The recordings that were there at the start, in order, by persona.
    pub existing: BTreeMap<String, Vec<String>>,
    /// What the hashes of placeholders begin with.
    pub salt: String,
    /// The stage: where this was read from.
    #[serde(skip)]
    pub stage: Option<PathBuf>,
}

impl Options {
    /// Reads the options beside an executable; the defaults where there are none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or understood.
    pub fn beside(executable: Option<&Path>) -> Result<Options, Error> {
        let Some(stage) = executable.and_then(Path::parent) else { return Ok(Options::default()) };
        let path = stage.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Options::default());
            }
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        };
        let options: Options = serde_json::from_str(&text).map_err(|error| Error::Setting {
            place: path.display().to_string(),
            what: format!("{error}; `ringer record` writes this file anew"),
        })?;
        Ok(Options { stage: Some(stage.to_owned()), ..options })
    }
}
