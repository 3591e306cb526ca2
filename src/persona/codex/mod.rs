//! The `codex` persona.

pub mod arguments;
mod manners;
// Nothing asks for a voice before the manners do.
#[cfg_attr(not(test), allow(dead_code, unused_imports))]
pub(crate) mod perform;
pub mod probes;
pub mod render;

pub(crate) use manners::Codex;
