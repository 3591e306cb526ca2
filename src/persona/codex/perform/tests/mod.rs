//! Sessions played against clients, by a loop that imitates the player: the captured ones in the
//! captured order and in others, small ones made by hand, and rendered turns.

mod captures;
mod driver;
mod exec;
mod raw;
mod turns;

use super::{Circumstances, performer};
use crate::persona::Meaning;
use crate::persona::codex::arguments::{Surroundings, judge, table};
use crate::persona::performer::{Performer, SessionMark};

/// The voice of a spawn with these arguments.
#[track_caller]
fn voice(args: &[&str], around: &Circumstances) -> Box<dyn Performer> {
    match judge(&table(None), args, true, true, &Surroundings::default()) {
        Meaning::Run(request) => performer(&request, around),
        meaning => panic!("{args:?} does not run: {meaning:?}"),
    }
}

/// Circumstances like those of the captures, after these threads.
fn around(threads: Vec<SessionMark>) -> Circumstances {
    Circumstances {
        cwd: "/home/dev/project".to_owned(),
        codex_home: "/home/dev/.codex".to_owned(),
        prompt: "hi".to_owned(),
        number: 1,
        threads,
        ..Circumstances::default()
    }
}
