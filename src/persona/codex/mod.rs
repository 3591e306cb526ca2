//! The `codex` persona.

pub mod arguments;
mod manners;
pub(crate) mod perform;
pub mod probes;
pub mod render;

pub(crate) use manners::Codex;
