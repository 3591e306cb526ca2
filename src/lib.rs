//! Stand-ins for the coding agents' command-line programs `claude` and `codex`.

pub mod bind;
pub mod confine;
pub mod journal;
pub mod persona;
pub mod recording;
