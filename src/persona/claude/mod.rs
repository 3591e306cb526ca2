//! The `claude` persona.
