//! The text of a path in a recording: what can be said of it without looking at the disk.

use super::{ConfineError, Refusal};

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
