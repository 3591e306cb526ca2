//! The claim of a live session, made by its first message.

use std::cell::RefCell;
use std::rc::Rc;

use super::chooser::{Chooser, Late};
use super::desk::Script;
use super::opened::Opened;
use crate::error::Error;
use crate::persona::message_text;
use crate::play::{Claimant, Claimed, Play, Spawn, Stop};

/// Claims for a session whose opening is being played.
#[derive(Debug)]
pub(super) struct FirstMessage {
    chooser: Rc<RefCell<Chooser>>,
    /// The recording whose opening that is, if there is one.
    opening: Option<String>,
    /// What was claimed in its place.
    pub other: Option<Result<Opened, Error>>,
}

impl FirstMessage {
    /// For a session that plays the opening of this recording.
    pub fn new(chooser: Rc<RefCell<Chooser>>, opening: Option<String>) -> FirstMessage {
        FirstMessage { chooser, opening, other: None }
    }
}

impl Claimant for FirstMessage {
    fn claim(&mut self, spawn: &mut Spawn, message: &[u8]) -> Play<Claimed> {
        let stdin_line = String::from_utf8_lossy(spawn.stdin.first_line()).into_owned();
        let late = Late { prompt: Some(message_text(message)), stdin_line: Some(stdin_line) };
        match self.chooser.borrow_mut().claim(spawn, &late)? {
            Script::Recording(pick) if self.opening.as_ref() == Some(&pick.recording) => {
                Ok(Claimed::Same)
            }
            Script::Recording(pick) => {
                self.other = Some(pick.item);
                Ok(Claimed::Other)
            }
            Script::Answer(answer) => Ok(Claimed::Nothing(answer)),
            Script::Refused(error) => Err(error.into()),
            // There is nothing that is not known by now.
            Script::AfterStdin | Script::Session(_) => Err(Stop::Natural),
        }
    }
}
