//! The `codex` persona.

pub mod arguments;
mod manners;
pub mod probes;
pub mod render;

pub(crate) use manners::Codex;
