//! Recordings written by a test, with the words of the format: a [`Recording`] is header keys and
//! steps, a [`Turn`] is what the model says, [`When`] is which spawns a recording is for.
//!
//! What is written here is a file like any other: nothing is scripted beyond the format, and a
//! recording that a double would refuse cannot be written.
//!
//! # Coming from an in-process double of a model
//!
//! What such doubles offer has its counterpart; each of these goes to [`Stage::claude`] or
//! [`Stage::codex`], or to [`Recording::write_to`].
//!
//! **Replies by order**: one recording a spawn, in order.
//!
//! ```
//! use ringer::Recording;
//!
//! let recordings = Recording::answering(["first", "second"]);
//! # for recording in recordings { recording.to_bytes().unwrap(); }
//! ```
//!
//! **Several replies in one conversation**: one turn a user message of a live session.
//!
//! ```
//! use ringer::Recording;
//!
//! let talk = Recording::new().turn("first").turn("second");
//! # talk.to_bytes().unwrap();
//! ```
//!
//! **Replies by rule**: the first recording, in order, whose conditions the spawn meets. A rule
//! that answers again and again needs [`plays_any`](Recording::plays_any).
//!
//! ```
//! use ringer::{Recording, When};
//!
//! let rules = [
//!     Recording::from("4").when(When::new().prompt_contains("2 + 2")).plays_any(),
//!     Recording::from("Hello!").when(When::new().prompt("(?i)^(hi|hello)\\b")).plays_any(),
//!     Recording::from("I do not know.").plays_any(),
//! ];
//! # for recording in rules { recording.to_bytes().unwrap(); }
//! ```
//!
//! **Fail the first two times, then succeed**:
//!
//! ```
//! use ringer::{Recording, Turn};
//!
//! let flaky = [
//!     Recording::from(Turn::new().fail("API Error: 529 Overloaded")).plays(2),
//!     Recording::from("Here you are."),
//! ];
//! # for recording in flaky { recording.to_bytes().unwrap(); }
//! ```
//!
//! **Delay**: a pause lasts as written at any speed but one above 0, which divides it.
//!
//! ```
//! use std::time::Duration;
//! use ringer::Recording;
//!
//! let late = Recording::new().wait(Duration::from_millis(300)).turn("Sorry for the delay.");
//! let never = Recording::new().hang();
//! # for recording in [late, never] { recording.to_bytes().unwrap(); }
//! ```
//!
//! **Cut off in mid-answer, then fail**: the turn fails after part of the answer; or the program
//! dies with half a line written.
//!
//! ```
//! use ringer::{Recording, Turn};
//!
//! let failed = Recording::from(Turn::new().text("The three steps are: 1.").fail("Connection reset"));
//! let died = Recording::new().out("{\"type\":\"assistant\",\"message\":{\"con").signal("KILL");
//! # for recording in [failed, died] { recording.to_bytes().unwrap(); }
//! ```
//!
//! **Output cut at the token limit**:
//!
//! ```
//! use ringer::{Recording, Turn};
//! use ringer::author::Stop;
//!
//! let cut = Recording::from(Turn::new().text("Once upon a ti").stop(Stop::MaxTokens));
//! # cut.to_bytes().unwrap();
//! ```
//!
//! **Token counts**: as given, or one for four characters, rounded up; the same every time.
//!
//! ```
//! use ringer::{Recording, Turn};
//! use ringer::author::Usage;
//!
//! let counted = Recording::from(Turn::new().text("hi").usage(Usage::new(1_000, 2).cached_input(900)));
//! # counted.to_bytes().unwrap();
//! ```
//!
//! **Running out**: the double exits with 97, says what was asked for and what there was, and writes
//! nothing to stdout. Whatever the program under test makes of that,
//! [`Stage::verify`](crate::Stage::verify) fails from then on: no catch-all handler can swallow it.
//!
//! [`Stage::claude`]: crate::Stage::claude
//! [`Stage::codex`]: crate::Stage::codex

mod input;
mod line;
mod recording;
mod repeat;
mod steps;
mod turn;
mod when;

#[cfg(test)]
mod tests;

pub use input::Input;
pub use recording::{Inner, Recording, Steps, Whole};
pub use repeat::Repeat;
pub use when::When;

pub use crate::invocation::StreamKind;
pub use crate::recording::turn::{Stop, Tool, Turn, Usage};
