//! Tests in Rust of programs that start the doubles: a [`Stage`] of its own for each test, and what
//! its spawns were, as [`Invocation`]s.
//!
//! Nothing here runs in a double, and nothing here starts one: that is for the program under test.
//!
//! # A test
//!
//! ```
//! use ringer::{Recording, Stage, json};
//!
//! // What `claude` does when it is started for the first, and for the second time.
//! let stage = Stage::claude([
//!     Recording::new().out(json!({"type": "result", "is_error": true})).exit(1),
//!     Recording::new().out(json!({"type": "result", "is_error": false})),
//! ]);
//!
//! // The program under test: here a shell that tries again.
//! let status = stage.command("sh").args(["-c", "claude -p hi || claude -p again"]).status()?;
//!
//! assert!(status.success());
//! assert_eq!(stage.invocation(1).exit_code(), Some(1));
//! assert_eq!(stage.argv(2), ["claude", "-p", "again"]);
//! stage.verify();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Stages share nothing, so that tests run at the same time. A stage takes texts, turns and
//! recordings ([`author`](crate::author)), or a directory of recordings ([`Stage::of`]); with
//! several programs or settings it is put together by [`Stage::builder`].
//!
//! # Bringing the program under test to the doubles
//!
//! * It looks at `PATH`: [`Stage::envs`], for `std::process::Command` and `assert_cmd::Command`
//!   alike, or [`Stage::command`]. That it empties the environment of its children does no harm,
//!   as long as it finds them.
//! * It takes the path of an executable: [`Stage::path`].
//! * It runs in the process of the test: give it the path, since a variable that is set there is
//!   set for all tests at once.
//!
//! # Where the doubles come from
//!
//! A stage takes the first of these that fit the version of this library:
//!
//! 1. what [`StageBuilder::doubles_from`] names, else what the variable `RINGER_BIN` names: a
//!    directory, or an executable;
//! 2. the target directory that the test was built in, and its `examples`;
//! 3. `ringer` on `PATH`.
//!
//! So `cargo install ringer` is all that is needed. Where nothing is to be installed, cargo builds
//! the doubles with the tests from an `examples/ringer.rs` of the crate, with these two lines in its
//! `main`:
//!
//! ```no_run
//! let program = ringer::started_as().expect("started under the name of a program");
//! ringer::run(&program)
//! ```
//!
//! ```toml
//! [dev-dependencies]
//! ringer = { version = "0.1", default-features = false }
//! ```
//!
//! `cargo test` builds examples, `cargo test --test NAME` does not: `cargo build --examples` does
//! it once.

mod builder;
mod invocation;
mod stage;
mod verify;
mod watch;

pub use builder::StageBuilder;
pub use invocation::{ExchangeLine, Invocation};
pub use stage::Stage;
pub use verify::Unverified;
pub use watch::Watch;

pub use crate::journal::{Exit, Kind, Life, Problem, ProblemKind};
pub use crate::verdict::{Left, Verdict};
