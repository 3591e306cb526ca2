//! Turns: the program's own voice says them, the player writes and waits.

use super::player::Player;
use super::stop::{Play, Stop};
use super::waiting::{Listen, Wait};
use crate::persona::Piece;
use crate::persona::performer::Performer;
use crate::recording::Output;
use crate::recording::turn::Turn;

impl Player {
    /// Gives the player the voice of its program.
    pub fn lend_voice(&mut self, performer: Option<Box<dyn Performer>>) {
        self.performer = performer;
        if let (Some(_), Some(performer)) = (&self.transcript, &mut self.performer) {
            self.tells_aside = performer.keep_untold();
        }
    }

    /// Plays a turn. In a live session it waits for the message that releases it.
    pub(super) fn turn(&mut self, turn: &Turn, line: u64) -> Play<()> {
        if self.performer.is_none() {
            let what = format!(
                "{} has no event stream that turns could be rendered into; write its bytes with `out`",
                self.plan.manners.name()
            );
            return Err(self.unplayable(line, what));
        }
        self.flush()?;
        let user = if self.is_live() { Some(self.user_of_turn(line)?) } else { None };
        self.speak_up()?;
        self.turn_begins()?;
        self.inbox.expect_interrupts(true);
        self.said_last_words = false;
        let pieces = self.voice(|it| it.turn(turn, user.as_deref()));
        self.pieces(pieces)?;
        self.in_turn = false;
        self.inbox.expect_interrupts(false);
        self.turn_is_over()
    }

    /// The message that a turn of the recording is released by.
    fn user_of_turn(&mut self, line: u64) -> Play<Vec<u8>> {
        self.next_user_for_a_turn().map_err(|stop| match stop {
            Stop::Natural => self.gone_while_waiting("a user message, for a turn", line),
            stop => stop,
        })
    }

    /// Says what comes before the first turn.
    pub(super) fn speak_up(&mut self) -> Play<()> {
        if !self.spoke {
            self.spoke = true;
            let pieces = self.voice(|it| it.start());
            self.pieces(pieces)?;
        }
        Ok(())
    }

    /// Says the answer that some formats have only when nothing more can belong to it, as soon as
    /// that is so: what comes after the last turn comes after the answer.
    pub(super) fn say_the_answer(&mut self) -> Play<()> {
        let holds_back = self.held.iter().any(|held| !held.is_empty());
        if self.is_live() || holds_back || self.may_say_more {
            return Ok(());
        }
        self.render_the_rest()?;
        self.last_words()
    }

    /// Says what a run has left to say before a step that is its end or lasts for ever: in some
    /// formats that is all of it.
    pub(super) fn say_the_rest(&mut self) -> Play<()> {
        self.flush()?;
        self.render_the_rest()?;
        self.last_words()
    }

    /// Says the last words of a run with rendered turns, once.
    pub fn last_words(&mut self) -> Play<()> {
        if self.spoke && !std::mem::replace(&mut self.said_last_words, true) {
            let pieces = self.voice(|it| it.end());
            self.pieces(pieces)?;
        }
        Ok(())
    }

    /// Writes the pieces of a turn and waits where they say so.
    pub(super) fn pieces(&mut self, pieces: Vec<Piece>) -> Play<()> {
        self.tell_aside()?;
        for piece in pieces {
            match piece {
                Piece::Out(bytes) => self.send(Output::Stdout, &bytes)?,
                Piece::Err(bytes) => self.send(Output::Stderr, &bytes)?,
                Piece::Ask { id, line } => {
                    self.send(Output::Stdout, &line)?;
                    self.ask(&id)?;
                }
                Piece::AwaitInterrupt => self.await_interrupt()?,
            }
        }
        Ok(())
    }

    /// Waits for the answer to a question of a rendered turn, and goes on as it says.
    fn ask(&mut self, id: &str) -> Play<()> {
        let pieces = match self.next_reply(id)? {
            Some(reply) => self.voice(|it| it.answered(Some(&reply))),
            None => match self.inbox.take_interrupt() {
                Some(request) => {
                    self.voice(|it| [it.interrupt_answer(&request), it.interrupted()].concat())
                }
                None => self.voice(|it| it.answered(None)),
            },
        };
        self.pieces(pieces)
    }

    /// Waits until the turn is interrupted: by the client of a live session, else by a signal.
    fn await_interrupt(&mut self) -> Play<()> {
        if !self.is_live() {
            loop {
                let what = "an interrupt (SIGINT)";
                self.wait(Wait { fd: None, listen: Listen::No, until: None, what })?;
            }
        }
        let Some(request) = self.next_interrupt()? else { return Err(Stop::Natural) };
        let pieces = self.voice(|it| [it.interrupt_answer(&request), it.interrupted()].concat());
        self.pieces(pieces)
    }

    /// Asks the voice; without one there is nothing to say.
    pub(super) fn voice(
        &mut self,
        say: impl FnOnce(&mut dyn Performer) -> Vec<Piece>,
    ) -> Vec<Piece> {
        match &mut self.performer {
            Some(performer) => say(performer.as_mut()),
            None => Vec::new(),
        }
    }
}
