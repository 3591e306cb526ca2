//! Stand-ins for the coding agents' command-line programs `claude` and `codex`, for tests of
//! programs that start them. The stand-ins, *doubles*, play recordings: what one spawn writes to
//! stdout and stderr, in which order, what it waits for, how it ends.
//!
//! A test makes a [`Stage`], gives its environment to the program under test, and asks for the
//! verdict:
//!
//! ```no_run
//! # /*
//! #[test]
//! # */
//! fn the_answer_is_passed_on() {
//!     let stage = ringer::Stage::claude(["It is 42."]);
//!     let out = std::process::Command::new("my-program").envs(stage.envs()).output().unwrap();
//!     assert!(String::from_utf8_lossy(&out.stdout).contains("42"));
//!     assert_eq!(stage.argv(1), ["claude", "-p", "What is it?"]);
//!     stage.verify();
//! }
//! ```
//!
//! * [`testing`]: stages, what was started on them, and where the doubles come from.
//! * [`author`]: recordings written in Rust: [`Recording`], [`Turn`], [`When`].
//! * [`recording`], [`journal`], [`stage`], [`verdict`]: what the doubles and the `ringer` command
//!   read and write, for tools of one's own.
//! * [`run`]: an executable of one's own that is a double.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "ringer's doubles use what Linux tells a process of itself; other systems are not supported yet"
);

pub mod author;
mod bind;
#[cfg(feature = "cli")]
pub mod cli;
mod confine;
mod directory;
mod double;
#[cfg(feature = "cli")]
mod drift;
mod error;
#[cfg(feature = "cli")]
mod import;
mod invocation;
pub mod journal;
pub mod persona;
mod play;
// The doubles need the shim of it; the rest is for the command.
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]
mod record;
pub mod recording;
pub mod sessions;
mod settings;
pub mod stage;
mod state;
mod sys;
pub mod testing;
pub mod verdict;

pub use author::{Recording, When};
pub use double::{program_of, run, started_as};
pub use error::{EXIT_RINGER, Error};
pub use recording::turn::Turn;
pub use serde_json::json;
pub use testing::{Invocation, Stage};
pub use verdict::Verdict;

/// The README's examples in Rust compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
