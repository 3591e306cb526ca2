//! Stand-ins for the coding agents' command-line programs `claude` and `codex`.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "ringer's doubles use what Linux tells a process of itself; other systems are not supported yet"
);

mod bind;
#[cfg(feature = "cli")]
pub mod cli;
mod confine;
mod directory;
mod double;
mod error;
mod invocation;
pub mod journal;
pub mod persona;
mod play;
mod record;
pub mod recording;
mod settings;
pub mod stage;
mod state;
mod sys;
pub mod verdict;

pub use double::{program_of, run};
pub use error::{EXIT_RINGER, Error};
