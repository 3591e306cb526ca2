//! The `claude` persona.

pub mod arguments;
pub mod probes;
