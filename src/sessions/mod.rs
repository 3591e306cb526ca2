//! What outlives a spawn: the sessions that later spawns take up, and the files that the real CLIs
//! leave behind beside their output.
//!
//! * [`Sessions`] keeps what the spawns of one state directory have made; [`take_up`] reads which
//!   of them a spawn's arguments name, or what the real CLI says of one that is not there.
//! * [`transcript`] builds the session files that the real CLIs keep, from what goes to stdout.
//! * [`LastMessage`] is the file of `codex exec -o`.
//!
//! Nothing here plays or claims anything, and nothing waits.

mod last_message;
mod store;
pub mod take_up;
pub mod transcript;

pub use last_message::{LastMessage, Told};
pub use store::{Session, Sessions};
pub use take_up::{Around, Resolved};
pub use transcript::Transcript;
