//! Words to stdout and stderr.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;
use serde::Serialize;

use crate::error::Error;

/// Writes text to stdout.
///
/// # Errors
///
/// Stdout cannot be written.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let done = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    done.context("cannot write to stdout")
}

/// Writes text to stderr; where that cannot be, there is nobody to tell.
pub(super) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Says on stderr why ringer could not do its job.
pub(super) fn complain(error: &anyhow::Error) {
    // An error of the library says itself what caused it; others say it one by one.
    match error.downcast_ref::<Error>() {
        Some(error) => say(&format!("ringer: {error}\n")),
        None => say(&format!("ringer: {error:#}\n")),
    }
}

/// JSON for people who use `jq` and those who do not.
///
/// # Errors
///
/// Something in it cannot be JSON: a path that is not UTF-8.
pub(super) fn pretty(value: &impl Serialize) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(value).context("cannot say this as JSON")?;
    text.push('\n');
    Ok(text)
}

/// JSON in one line.
///
/// # Errors
///
/// As [`pretty`].
pub(super) fn line(value: &impl Serialize) -> anyhow::Result<String> {
    let mut text = serde_json::to_string(value).context("cannot say this as JSON")?;
    text.push('\n');
    Ok(text)
}

/// Tells whether an error is that the reader of stdout is gone.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Says on a terminal how far something has come, in one line that the next one replaces. Where
/// stderr is no terminal, nothing is said.
pub(super) fn progress(done: usize, all: usize, what: &str) {
    if io::stderr().is_terminal() {
        let shown: String = what.chars().take(60).collect();
        say(&format!("\r\x1b[K{} of {all}: {shown}", done + 1));
    }
}

/// Takes the last progress away.
pub(super) fn progress_done() {
    if io::stderr().is_terminal() {
        say("\r\x1b[K");
    }
}
