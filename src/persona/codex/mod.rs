//! The `codex` persona.

mod manners;

pub(crate) use manners::Codex;
