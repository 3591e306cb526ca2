//! The voices of `codex`: what it says in the course of one spawn, without descriptors and without
//! waiting. `exec` and its kind render turns and recorded streams ([`exec`]); `app-server` holds a
//! conversation ([`live`]).
//!
//! [`performer`] makes the voice of a spawn; [`takes_up`] tells beforehand which earlier threads it
//! has to know, and [`thread_id`] which thread it is about.

mod around;
mod exec;
mod live;
#[cfg(test)]
mod tests;
mod thread;

pub(crate) use around::{Circumstances, Terminals};
pub(crate) use thread::{TakesUp, takes_up, thread_id};

use super::arguments::{Request, RunKind};
use crate::persona::performer::Performer;

/// The voice of a spawn that runs, by its arguments and its circumstances.
pub(crate) fn performer(request: &Request, around: &Circumstances) -> Box<dyn Performer> {
    match request.kind {
        RunKind::AppServer => Box::new(live::Live::new(request, around)),
        _ => Box::new(exec::Exec::new(request, around)),
    }
}
