//! Makes recordings of what others wrote down: captures of a run's streams, session transcripts
//! that the CLIs keep, terminal casts, cassettes of other tools.
//!
//! A transcript tells what was said and done, not what was printed; so it becomes turns, which a
//! double renders as the CLI would. What a format does not hold (times between bytes, the order of
//! two streams) is not made up: the steps say that it is unsure. Secrets are replaced as in a
//! recording.

mod capture;
mod cassette;
mod cast;
mod claude;
mod codex;
mod turns;

pub use capture::{Capture, capture};
pub use cassette::{Format, Wanted, cassette};
pub use cast::cast;
pub use turns::Imported;

use crate::error::Error;

/// Imports a session transcript of either CLI; which one it is, its lines tell. A line that a killed
/// CLI left half written is passed over, and counted.
///
/// # Errors
///
/// It is a transcript of neither.
pub fn transcript(text: &str, path: &std::path::Path) -> Result<Imported, Error> {
    let (mut parsed, mut unreadable) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        match serde_json::from_str::<serde_json::Value>(line) {
            Ok(value) => parsed.push(value),
            Err(_) => unreadable.push(number),
        }
    }
    let wrong = |what: &str| Error::Recording { path: path.to_owned(), what: what.to_owned() };
    if parsed.is_empty() && unreadable.is_empty() {
        return Err(wrong("is empty"));
    }
    let imported = claude::import(&parsed).or_else(|| codex::import(&parsed));
    let mut imported = imported.ok_or_else(|| {
        wrong(
            "is no session transcript of claude or codex: no line has a `sessionId` beside a \
             `message`, none is a `session_meta`",
        )
    })?;
    if imported.turns.is_empty() {
        return Err(wrong("is a session transcript in which nobody was asked anything"));
    }
    imported.unreadable = unreadable;
    Ok(imported)
}

#[cfg(test)]
mod tests;
