//! The `claude` persona.

pub mod render;
