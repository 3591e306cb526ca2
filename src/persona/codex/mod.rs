//! The `codex` persona.

pub mod render;
