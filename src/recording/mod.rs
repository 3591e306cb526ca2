//! Recordings: what one spawn does, whole.

pub mod turn;
