//! Turns as codex writes them: pure code, from a [`Turn`](crate::recording::turn::Turn) to the
//! pieces that a player writes.
//!
//! [`Renderer`] makes the events of `exec`, a line each; [`Format`] turns such lines, rendered or
//! recorded, into what the spawn asked for. Nothing here reads arguments, waits, or knows of
//! descriptors. What versions differ in is a table (`traits`); made-up ids and times come from a
//! seed and a counter (`ids`).

mod classic;
mod event;
mod exec;
mod format;
mod human;
mod ids;
mod item;
mod json;
mod modern;
mod patch;
mod server;
mod shell;
mod spawn;
mod stop;
mod style;
mod tool;
mod traits;
mod usage;

#[cfg(test)]
pub(in crate::persona::codex) mod truth;

pub use exec::Renderer;
pub use format::Format;
pub(super) use format::is_retry;
pub use ids::mint_thread_id;
pub use server::{AppServer, Reply};
pub use spawn::{Reading, Review, Sandbox, Spawn};
pub(super) use traits::{error_fails, interrupted_code};
