//! The voices of `codex`: what it says in the course of one spawn, without descriptors and without
//! waiting. `exec` and its kind render turns and recorded streams ([`exec`]); `app-server` holds a
//! conversation ([`live`]).

mod around;
mod exec;
mod live;
#[cfg(test)]
mod tests;

pub(crate) use around::{Circumstances, Terminals};

use super::arguments::{Request, RunKind};
use crate::persona::performer::Performer;

/// The voice of a spawn that runs, by its arguments and its circumstances.
pub(crate) fn performer(request: &Request, around: &Circumstances) -> Box<dyn Performer> {
    match request.kind {
        RunKind::AppServer => Box::new(live::Live::new(request, around)),
        _ => Box::new(exec::Exec::new(request, around)),
    }
}
