//! The `ringer` command, driven as users drive it: from a shell, with its whole output looked at.

/// A directory with recordings, and commands run in it.
mod scene;

/// Ten faults that harnesses have, and what `ringer run` says of each.
mod faults;
/// `ringer import`: cassettes of other tools, played.
mod imported;
/// `ringer run`: streams, exit codes, signals, what is left behind.
mod run;
/// `ringer stage`: the directory, the exports, where the doubles come from.
mod stage;
/// `ringer verify`, `status`, `reset`, `journal` on a state directory.
mod state;
