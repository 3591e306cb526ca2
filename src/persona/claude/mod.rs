//! The `claude` persona.

pub mod arguments;
mod manners;
// Playing does not ask for the voice yet.
#[allow(dead_code)]
mod object;
#[allow(dead_code, unused_imports)]
pub(crate) mod perform;
pub mod probes;
pub mod render;

pub(crate) use manners::Claude;
