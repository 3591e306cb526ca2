//! Recordings: what one spawn does, whole. This is the format as it is read; nothing is played,
//! claimed or looked for here.
//!
//! A *raw* recording is any file; its bytes are the stdout. A *steps* recording is a header line
//! and then one step a line, each a JSON object; [`Kind::of`] tells the two apart.
//!
//! Goals: a capture is a recording as it stands; what was recorded is kept to the byte; a slip of
//! the author's is an error with its line, never a silent difference; a recording of any length is
//! read in the memory of its longest line; no input whatever makes a reader panic or exhaust its
//! stack. It is no goal to script arbitrary behaviour: there are no variables and no expressions.
//!
//! The version stands in the header. A reader refuses a version or a key that it does not know; a
//! key is added without a new version, since an older reader says which one it is. A version is
//! for a change of what an old key means.
//!
//! A recording is read twice: [`check`] goes over all of it and says what a player wants to know
//! beforehand, then [`Steps`] hands it out step by step.

pub use check::{Awaited, End, Summary, Surroundings, check};
pub(crate) use check::{STARTS_A_TURN, USER_LINE, releases_a_turn};
pub use error::FormatError;
pub use header::{
    BindName, Header, Launcher, LauncherExit, OnEpipe, Origin, Plays, STDIN_MODES, StdinMode,
    VERSION,
};
pub use kind::Kind;
pub use path::{Base, EffectPath};
pub use pattern::{Pattern, Shape};
pub use read::{Steps, read_header};
pub use regexes::Regexes;
pub use signal::Signal;
pub use step::{Case, Effect, In, Output, Repeat, Source, StdStream, Step, Times, Verb, Write};
pub use when::{Facts, Late, Miss, Verdict, When};

mod check;
mod error;
mod header;
mod kind;
mod object;
mod parse;
mod path;
mod pattern;
mod read;
mod regexes;
mod signal;
mod step;
pub mod turn;
mod value;
mod when;
