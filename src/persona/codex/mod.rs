//! The `codex` persona.
