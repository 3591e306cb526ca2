//! `ringer reset`: a state directory anew.

use std::path::PathBuf;

use clap::Args;

use super::{Outcome, output, state};
use crate::state::{Cleared, reset as clear};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The state directory [default: RINGER_STATE, else .ringer of RINGER_RECORDINGS]
    state: Option<PathBuf>,
    /// Even if doubles still run with it; what they write from then on may be lost
    #[arg(long)]
    force: bool,
}

/// Starts a state directory anew.
pub(super) fn reset(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let state = state::find(arguments.state.as_deref(), "reset")?;
    let path = state.display();
    let said = match clear(&state, arguments.force)? {
        Cleared::Nothing => {
            format!("ringer: nothing to reset: no double was started with {path}\n")
        }
        Cleared::Spawns(1) => format!("ringer: reset {path}: 1 spawn forgotten\n"),
        Cleared::Spawns(spawns) => format!("ringer: reset {path}: {spawns} spawns forgotten\n"),
    };
    output::print(&said)?;
    Ok(Outcome::Fine)
}
