//! Recording the real programs: a double that records has the real program do the work, passes
//! everything through untouched and at once, and writes what went by as a recording.
//!
//! ```text
//! client ── stdin ──► flow ──► real program ──► flow ── stdout, stderr ──► client
//!                      └──────► tape ◄───────────┘
//!                                └─ redactor ─► steps ─► partial file ─► recording
//! ```
//!
//! What is written can be played by a double with nothing done to it. Nothing secret is ever on the
//! disk: lines are redacted before they are written. It is no proxy of network traffic, and knows
//! nothing of models; what the program did on its streams and, if asked, to the files in its working
//! directory is all.

mod adding;
mod effects;
mod flow;
pub(crate) mod gates;
mod header;
mod leaks;
pub(crate) mod lines;
mod options;
mod partial;
mod pending;
pub(crate) mod real;
pub(crate) mod redact;
mod running;
mod session;
mod shim;
pub(crate) mod surroundings;
pub(crate) mod tape;
mod terminal;
pub(crate) mod version;

pub(crate) use adding::{New, add_all};
pub use leaks::{Looked, check_secrets};
pub use options::{Options, Policy};
pub use partial::{Leftover, leftovers, unfinished};
pub use session::{RecordPlan, RecordSession, Recorded};
pub(crate) use shim::{probe_name, shim};
pub use version::Pinned;
