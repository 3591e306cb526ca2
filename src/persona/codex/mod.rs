//! The `codex` persona.

mod manners;
pub mod render;

pub(crate) use manners::Codex;
