//! The text of a path in a recording: what can be said of it without looking at the disk.

use super::{ConfineError, Refusal};

/// What a path of a `file` step is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The spawn's working directory.
    Cwd,
    /// `${home}/...`: the home directory that the spawn sees.
    Home,
    /// `${config_dir}/...`: where the persona's CLI keeps its files.
    ConfigDir,
}

/// Takes the base off a path and checks the rest with [`syntax`]. Only the beginning counts:
/// further on `${` is part of a name.
///
/// # Errors
///
/// A `${...}` at the beginning that is no base, or is not followed by `/`; what `syntax` refuses.
pub fn split_base(path: &str) -> Result<(Base, &str), ConfineError> {
    let unknown = || ConfineError::refused(path, Refusal::UnknownBase);
    let (base, rest) = if let Some(rest) = path.strip_prefix("${home}") {
        (Base::Home, rest)
    } else if let Some(rest) = path.strip_prefix("${config_dir}") {
        (Base::ConfigDir, rest)
    } else if path.starts_with("${") {
        return Err(unknown());
    } else {
        return check(path, path).map(|()| (Base::Cwd, path));
    };
    let rest = match rest.strip_prefix('/') {
        Some(rest) => rest,
        None if rest.is_empty() => "",
        None => return Err(unknown()),
    };
    check(rest, path).map(|()| (base, rest))
}

/// Checks the text of a path: relative, without `..` and NUL, with a name in it. Empty and `.`
/// components are passed over, as everywhere.
///
/// # Errors
///
/// The [`Refusal`]s that need no look at the disk.
pub fn syntax(rel: &str) -> Result<(), ConfineError> {
    check(rel, rel)
}

/// Checks a path that was written as `whole`.
fn check(rel: &str, whole: &str) -> Result<(), ConfineError> {
    let refusal = if rel.contains('\0') {
        Refusal::Nul
    } else if rel.starts_with('/') {
        Refusal::Absolute
    } else if rel.split('/').any(|name| name == "..") {
        Refusal::Parent
    } else if names(rel).next().is_none() {
        Refusal::Empty
    } else {
        return Ok(());
    };
    Err(ConfineError::refused(whole, refusal))
}

/// The names that a path is made of.
pub(super) fn names(rel: &str) -> impl Iterator<Item = &str> {
    rel.split('/').filter(|name| !name.is_empty() && *name != ".")
}
