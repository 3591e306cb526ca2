//! The claim of a live session: its first message claims a recording, in the middle of whatever is
//! being played until then.

use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;

use super::player::Player;
use super::spawn::Spawn;
use super::stop::{Play, Stop};
use super::waiting::Listen;
use crate::persona::Answer;

/// Claims a recording for a live session.
pub(crate) trait Claimant: Debug {
    /// Claims one, now that the first message has come, and enters that in the journal.
    ///
    /// # Errors
    ///
    /// There is none, or the state directory cannot be read or written.
    fn claim(&mut self, spawn: &mut Spawn, message: &[u8]) -> Play<Claimed>;
}

/// What was claimed.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// The recording whose opening is being played: it goes on where it is.
    Same,
    /// Another one, which the claimant keeps until it is played.
    Other,
    /// None: the real CLI would not have started.
    Nothing(Answer),
}

impl Player {
    /// The session has no recording yet; its first message claims one.
    pub fn claims_by(&mut self, claimant: Rc<RefCell<dyn Claimant>>) {
        self.claimant = Some(claimant);
    }

    /// The session's messages are for the recording that it has.
    pub fn claimed(&mut self) {
        self.claimant = None;
        self.spawn.entry.turns_left = self.turns;
    }

    /// Claims a recording in place: nothing that is being played is stopped or begun anew by it.
    pub(super) fn claim(&mut self, message: &[u8]) -> Play<()> {
        let Some(claimant) = self.claimant.clone() else { return Ok(()) };
        // The claim is written down together with them.
        self.spawn.entry.turns_left = self.turns;
        let claimed = claimant.borrow_mut().claim(&mut self.spawn, message);
        match claimed {
            Ok(Claimed::Same) => self.claimed(),
            Ok(Claimed::Other) => {
                self.turns = None;
                self.claimed();
                self.inbox.claimed_another = true;
            }
            Ok(Claimed::Nothing(answer)) => {
                self.spawn.entry.turns_left = None;
                return self.answer(&answer);
            }
            Err(stop) => {
                self.spawn.entry.turns_left = None;
                return Err(stop);
            }
        }
        Ok(())
    }

    /// Stops what is being played if another recording was claimed. It is asked between two steps
    /// and where something is waited for, so that no line of the opening is cut off.
    pub(super) fn keep_to_the_claim(&self) -> Play<()> {
        if self.inbox.claimed_another { Err(Stop::Other) } else { Ok(()) }
    }

    /// From here on the recording is played that was claimed in the place of the one whose opening
    /// was played.
    pub fn change_over(&mut self) -> Play<()> {
        self.inbox.claimed_another = false;
        self.handlers.clear();
        self.flush()
    }

    /// Waits, with nothing to play, until the first message has claimed a recording, or for the end
    /// of stdin.
    pub fn wait_for_the_claim(&mut self) -> Play<()> {
        while self.claimant.is_some() {
            if self.has_heard_all() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear(Listen::UpToAUser, "the first user message")?;
        }
        self.keep_to_the_claim()
    }
}
