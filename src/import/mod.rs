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

/// Imports a session transcript of either CLI; which one it is, its lines tell.
///
/// # Errors
///
/// It is a transcript of neither.
pub fn transcript(text: &str, path: &std::path::Path) -> Result<Imported, Error> {
    let parsed: Vec<serde_json::Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let imported = claude::import(&parsed).or_else(|| codex::import(&parsed));
    imported.ok_or_else(|| Error::Recording {
        path: path.to_owned(),
        what: "is no session transcript of claude or codex: no line has a `sessionId` beside a \
               `message`, none is a `session_meta`"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests;
