//! Which session a spawn's arguments mean: a new one, one that an earlier spawn has made, a fork of
//! it; or what the real CLI says of one that is not there.
//!
//! Pure but for reading the [`Sessions`]. By default any id that is named is taken as known, so that
//! recordings from elsewhere play on; `sessions = "strict"` in `ringer.toml` asks for the real
//! refusals.

mod claude;
mod codex;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

use super::{Session, Sessions};

pub use claude::claude;
pub use codex::{codex, codex_cwd};

/// What taking a session up depends on beside the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The sessions of the state directory.
    pub sessions: &'a Sessions,
    /// The CLI version that is answered as; none: the newest known.
    pub version: Option<&'a str>,
    /// The working directory, absolute.
    pub cwd: &'a Path,
    /// Whether unknown sessions are refused.
    pub strict: bool,
    /// What made-up ids of a refusal are drawn from.
    pub seed: &'a str,
    /// The spawn's number.
    pub spawn: u64,
}

/// The session of a spawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// Its id; none: a new one, which the persona makes up.
    pub id: Option<String>,
    /// Whether it goes on in the session of that id, and so in its file.
    pub resumes: bool,
    /// The id of the session that it is a fork of.
    pub forked_from: Option<String>,
    /// What has added up so far, in the session or in the one that it is a fork of.
    pub carried: Option<Value>,
    /// Its title, given or kept.
    pub title: Option<String>,
    /// The directory that it was made in, where it resumes one that is known.
    pub cwd: Option<String>,
    /// Whether the real CLI would keep nothing of it.
    pub ephemeral: bool,
}

impl Resolved {
    /// A new session, its id given or made up.
    fn fresh(id: Option<String>) -> Resolved {
        Resolved { id, ..Resolved::default() }
    }

    /// A session that goes on under an id that was named, whatever is known of it.
    fn resumed(id: String, known: Option<Session>) -> Resolved {
        let mut resolved = Resolved { id: Some(id), resumes: true, ..Resolved::default() };
        if let Some(known) = known {
            resolved.carried = Some(known.carried);
            resolved.title = known.title;
            resolved.cwd = Some(known.cwd);
        }
        resolved
    }

    /// This session as a fork of itself, under an id that was given or is to be made up.
    fn forked(self, id: Option<String>) -> Resolved {
        Resolved { id, resumes: false, forked_from: self.id, cwd: None, ..self }
    }

    /// The session as it is written down once its id is known: at the start of the run, and again
    /// at its end with what has added up by then.
    #[must_use]
    pub fn session(&self, program: &str, id: &str, around: &Around, carried: Value) -> Session {
        Session {
            ringer: 1,
            program: program.to_owned(),
            id: id.to_owned(),
            // A session belongs to the directory that it was made in, wherever it is taken up.
            cwd: self.cwd.clone().unwrap_or_else(|| around.cwd.to_string_lossy().into_owned()),
            spawn: around.spawn,
            title: self.title.clone(),
            carried,
            ephemeral: self.ephemeral,
        }
    }
}

/// Whether a text has the form of a UUID, in either case.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
