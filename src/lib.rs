//! Stand-ins for the coding agents' command-line programs `claude` and `codex`.

pub mod persona;
pub mod recording;
