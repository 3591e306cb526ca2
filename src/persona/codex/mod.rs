//! The `codex` persona.

pub mod arguments;
mod probes;
