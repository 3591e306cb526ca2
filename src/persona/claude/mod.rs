//! The `claude` persona.

pub mod arguments;
mod manners;
mod object;
pub(crate) mod perform;
pub mod probes;
pub mod render;

pub(crate) use manners::Claude;
