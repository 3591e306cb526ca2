//! The journal: what each spawn was given and what became of it.

pub mod secrets;
