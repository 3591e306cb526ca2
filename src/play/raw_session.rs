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

impl RawSession {
    /// The turns in it, for the message when there are no more.
    fn turns(&self) -> usize {
        self.cues.iter().filter(|cue| **cue == Cue::TurnEnd).count()
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
        while !self.inbox.heard && !self.has_heard_all() {
            self.wait_to_hear(Listen::UpToAUser, "the first line of the session")?;
        }
        if !self.inbox.heard {
            return Err(Stop::Natural);
        }
        while session.at < session.cues.len() {
            self.look_up()?;
            self.keep_to_the_claim()?;
            self.inbox.interrupts_wanted = session.cues[session.at..].contains(&Cue::Interrupted);
            self.cue(session)?;
            session.at += 1;
        }
        self.in_turn = false;
        self.inbox.interrupts_wanted = false;
        self.turn_is_over()?;
        self.no_more_turns(session.turns())
    }

    fn cue(&mut self, session: &RawSession) -> Play<()> {
        let (line, cue) = (session.line(session.at), &session.cues[session.at]);
        match cue {
            Cue::Opening | Cue::Free => self.say(line),
            Cue::Turn => {
                self.begin_turn()?;
                self.say(line)
            }
            Cue::TurnEnd => {
                self.begin_turn()?;
                self.say(line)?;
                self.in_turn = false;
                Ok(())
            }
            Cue::TakesUser => match self.next_user() {
                // The end of stdin: the turn goes on without.
                Ok(_) | Err(Stop::Natural) => self.say(line),
                Err(stop) => Err(stop),
            },
            Cue::Ask { id, opening } => {
                if !opening {
                    self.begin_turn()?;
                }
                self.say(line)?;
                self.next_reply(id).map(drop)
            }
            Cue::Interrupted => match self.next_interrupt()? {
                Some(request) => {
                    let pieces = self.voice(|it| it.interrupt_answer(&request));
                    self.pieces(pieces)
                }
                None => Err(Stop::Natural),
            },
            Cue::Answer => Ok(()),
        }
    }

    /// A turn of a raw recording waits for a message, unless it is under way.
    fn begin_turn(&mut self) -> Play<()> {
        if !self.in_turn {
            self.next_user()?;
            self.turn_begins()?;
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
