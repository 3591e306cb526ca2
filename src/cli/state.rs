//! Which state directory a subcommand is about.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::settings::STAGE_FILE;

/// The state directory named, else the one that the environment tells: `RINGER_STATE`, or
/// `.ringer` of `RINGER_RECORDINGS`.
///
/// # Errors
///
/// The working directory is gone.
pub(super) fn find(named: Option<&Path>, subcommand: &str) -> anyhow::Result<PathBuf> {
    let of_recordings = || recordings().map(|recordings| recordings.join(".ringer"));
    let found =
        named.map(Path::to_owned).or_else(|| variable("RINGER_STATE")).or_else(of_recordings);
    let Some(found) = found else {
        super::usage(
            subcommand,
            "no state directory is named; name it, or set RINGER_STATE, or RINGER_RECORDINGS for \
             its .ringer",
        )
    };
    std::path::absolute(&found).with_context(|| format!("cannot find {}", found.display()))
}

/// The recording directory that the environment names.
pub(super) fn recordings() -> Option<PathBuf> {
    variable("RINGER_RECORDINGS")
}

/// The doubles of the stage that a state directory belongs to: the stage around it, or the first on
/// PATH.
pub(super) fn doubles(state: &Path) -> BTreeMap<String, PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let around = state.parent().map(Path::to_owned);
    let mut folders = around.into_iter().chain(env::split_paths(&path));
    let stage = folders.find(|folder| folder.join(STAGE_FILE).is_file());
    let listing = stage.and_then(|stage| std::fs::read_dir(stage).ok());
    let names = listing.into_iter().flatten().flatten().filter_map(|found| {
        let name = found.file_name().into_string().ok()?;
        let double = found.path().is_file() && !name.starts_with('.') && name != STAGE_FILE;
        double.then(|| (name, found.path()))
    });
    names.collect()
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
