//! From turns to the bytes that `claude` would write: one module an aspect, and for each version a
//! layout file that says how it orders and spells things.
//!
//! Two layers. The [`Renderer`] turns a [`Turn`](crate::recording::turn::Turn) into events; the
//! [`Format`] turns events, rendered or recorded, into what `--output-format` asks for. Nothing
//! here reads, writes, waits or looks at a clock: the same spawn and turns give the same bytes.

mod answers;
mod asides;
mod events;
mod failure;
mod format;
mod ids;
mod json;
mod layout;
mod message;
mod models;
mod outside;
mod plan;
mod renderer;
mod result;
mod running;
mod shapes;
mod spawn;
mod synthetic;
#[cfg(test)]
mod tests;
mod tools;

pub use answers::Outcome;
pub use format::{Format, exit_after};
pub use ids::mint_session_id;
pub(in crate::persona::claude) use layout::{Layout, SIGINT_DURING_TOOL_EXITS_0, has_rule};
pub(in crate::persona::claude) use models::Model;
pub use renderer::{Renderer, Signal};
pub use result::Spent;
pub use spawn::{Carried, McpServer, Output, Spawn, UserLine};
