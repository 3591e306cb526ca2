//! Playing a recording: bytes go out, input is waited for, the end comes, and the journal knows
//! of each of them. What a persona is like is asked of [`crate::persona`]; nothing here knows a CLI.

mod child;
mod claiming;
mod effects;
mod emit;
mod exchange;
mod exit_watch;
mod input;
mod launcher;
mod live;
mod output;
mod player;
mod raw;
mod raw_session;
mod reply;
mod shape;
mod side_files;
mod spawn;
mod spread;
mod steps;
mod stop;
mod turns;
mod untaken;
mod waiting;

pub(crate) use claiming::{Claimant, Claimed};
pub(crate) use effects::open_beside;
pub(crate) use exit_watch::ExitWatch;
pub(crate) use player::{Plan, Player};
pub(crate) use shape::Shape;
pub(crate) use spawn::{Spawn, untouched};
pub(crate) use stop::{Play, Stop};
