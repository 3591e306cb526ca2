//! Tests in Rust of programs that start the doubles: a [`Stage`] of its own for each test, and what
//! its spawns were, as [`Invocation`]s.
//!
//! Nothing here runs in a double, and nothing here starts one: that is for the program under test.

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
