//! Raw recordings of live sessions: each line waits for what its cue says.

use super::player::Player;
use super::stop::{Play, Stop};
use super::waiting::Listen;
use crate::persona::performer::Cue;
use crate::recording::Output;

/// A raw recording of a session, and how far it was played.
#[derive(Debug)]
pub(crate) struct RawSession {
    bytes: Vec<u8>,
    cues: Vec<Cue>,
    /// Where the lines end, newlines included.
    ends: Vec<usize>,
    at: usize,
}

/// What is played next.
#[derive(PartialEq, Eq)]
enum Next {
    /// The next line.
    Line,
    /// What follows the turn.
    Turn,
}

impl RawSession {
    /// The turns in it, for the message when there are no more.
    fn turns(&self) -> usize {
        self.cues.iter().filter(|cue| **cue == Cue::TurnEnd).count()
    }

    /// Passes over what is left of the turn that is being played, so that its last line is the next
    /// one.
    fn pass_over_turn(&mut self) {
        let end = self.cues[self.at..].iter().position(|cue| *cue == Cue::TurnEnd);
        self.at = end.map_or(self.cues.len(), |end| self.at + end);
    }

    /// Whether the running turn goes on with an interrupt.
    fn awaits_interrupt(&self) -> bool {
        let mut turn = self.cues[self.at..].iter().take_while(|cue| **cue != Cue::TurnEnd);
        turn.any(|cue| *cue == Cue::Interrupted)
    }

    fn line(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

impl Player {
    /// Prepares a raw recording for a live session.
    pub fn raw_session(&mut self, bytes: Vec<u8>) -> RawSession {
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1).collect();
        if ends.last().is_none_or(|end| *end < bytes.len()) && !bytes.is_empty() {
            ends.push(bytes.len());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let lines: Vec<&[u8]> = starts
            .zip(&ends)
            .map(|(start, end)| {
                bytes[start..*end].strip_suffix(b"\n").unwrap_or(&bytes[start..*end])
            })
            .collect();
        let mut cues = match &mut self.performer {
            Some(performer) => performer.learn(&lines),
            None => Vec::new(),
        };
        cues.resize(ends.len(), Cue::Turn);
        let session = RawSession { bytes, cues, ends, at: 0 };
        self.expect_turns(session.turns() as u64);
        session
    }

    /// Passes over what comes before the first message: another recording's opening was played.
    pub fn pass_over_opening(&self, session: &mut RawSession) {
        let opens =
            |cue: &Cue| matches!(cue, Cue::Opening | Cue::Answer | Cue::Ask { opening: true, .. });
        session.at = session.cues.iter().take_while(|cue| opens(cue)).count();
    }

    /// Plays a raw recording of a session, from where it stands.
    pub fn play_raw_session(&mut self, session: &mut RawSession) -> Play<()> {
        // The program says nothing before it has heard something.
        self.inbox.turn_is_next = true;
        while !self.inbox.heard && !self.has_heard_all() {
            self.wait_to_hear(Listen::UpToAUser, "the first line of the session")?;
        }
        if !self.inbox.heard {
            return Err(Stop::Natural);
        }
        while session.at < session.cues.len() {
            self.look_up()?;
            self.keep_to_the_claim()?;
            self.inbox.expect_interrupts(session.awaits_interrupt());
            if self.cue(session)? == Next::Turn {
                session.pass_over_turn();
            }
            session.at += 1;
        }
        self.in_turn = false;
        self.inbox.expect_interrupts(false);
        self.turn_is_over()?;
        self.no_more_turns(session.turns())
    }

    fn cue(&mut self, session: &RawSession) -> Play<Next> {
        let (line, cue) = (session.line(session.at), &session.cues[session.at]);
        match cue {
            Cue::Opening | Cue::Free => self.say(line)?,
            Cue::Turn => {
                self.begin_turn()?;
                self.say(line)?;
            }
            Cue::TurnEnd => {
                self.begin_turn()?;
                self.say(line)?;
                self.in_turn = false;
            }
            Cue::TakesUser => match self.next_user() {
                // The end of stdin: the turn goes on without.
                Ok(_) | Err(Stop::Natural) => self.say(line)?,
                Err(stop) => return Err(stop),
            },
            Cue::Ask { id, opening: true } => {
                self.say(line)?;
                self.next_reply(id)?;
            }
            Cue::Ask { id, opening: false } => {
                self.begin_turn()?;
                self.say(line)?;
                return self.recorded_question(session, line, id);
            }
            Cue::Interrupted => match self.next_interrupt()? {
                Some(request) => {
                    let pieces = self.voice(|it| it.interrupt_answer(&request));
                    self.pieces(pieces)?;
                }
                None => return Err(Stop::Natural),
            },
            Cue::Answer => {}
        }
        Ok(Next::Line)
    }

    /// Waits for the answer to a question within a turn. A client that interrupts instead ends the
    /// turn, in the recorded way where there is one.
    fn recorded_question(&mut self, session: &RawSession, question: &[u8], id: &str) -> Play<Next> {
        self.inbox.expect_interrupts(true);
        if self.next_reply(id)?.is_some() || session.awaits_interrupt() {
            return Ok(Next::Line);
        }
        let Some(request) = self.inbox.take_interrupt() else { return Ok(Next::Line) };
        let pieces = self.voice(|it| it.interrupted_in_question(&request, question));
        self.pieces(pieces)?;
        self.in_turn = false;
        self.inbox.expect_interrupts(false);
        self.turn_is_over()?;
        Ok(Next::Turn)
    }

    /// A turn of a raw recording waits for a message, unless it is under way.
    fn begin_turn(&mut self) -> Play<()> {
        if !self.in_turn {
            self.next_user_for_a_turn()?;
            self.turn_begins()?;
            if !self.inbox.interrupts_wanted {
                self.turn_is_over()?;
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &[u8]) -> Play<()> {
        let line = match &self.performer {
            Some(performer) => performer.translated(line).into_owned(),
            None => line.to_vec(),
        };
        self.send(Output::Stdout, &line)
    }
}
