//! How `claude` takes its arguments: from the words of a spawn to what they mean.
//!
//! Everything here is a pure function of the arguments, of a [`Table`] (what one version of the
//! CLI knows, a data file) and of the [`Surroundings`]. The order is the real one: two checks that
//! come before the parser, the parser, what must be known before stdin is read, stdin, the rest.
//! No session, file or repository is looked for, so nothing is refused for the want of one.

mod checks;
mod judge;
mod parse;
mod request;
mod stdin;
mod suggest;
mod surroundings;
mod table;
#[cfg(test)]
mod tests;
mod validate;

pub use judge::judge;
pub use request::{Format, Request};
pub use stdin::{FIRST_BYTE_WAIT, STDIN_LIMIT, StdinRule, StdinSeen, check_input, stdin_rule};
pub(in crate::persona::claude) use suggest::did_you_mean;
pub use surroundings::{Login, Surroundings};
#[cfg(feature = "cli")]
pub(crate) use table::data;
pub(in crate::persona::claude) use table::{Command, fill};
pub use table::{OptionSpec, Table, Texts, known_versions, table};
