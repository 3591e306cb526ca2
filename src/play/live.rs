//! Live sessions: frames come by stdin at any time, are answered at once where the program would,
//! and release what the recording holds back. Nothing here counts lines: every gate waits for a
//! kind of frame.

use std::collections::VecDeque;
use std::time::Instant;

use super::exchange::Direction;
use super::input::Read;
use super::player::Player;
use super::stop::{Play, Stop};
use super::waiting::Wait;
use crate::error::Error;
use crate::journal::ProblemKind;
use crate::persona::performer::{Cue, Frame};
use crate::persona::releases_a_turn;
use crate::recording::{Awaited, Output, Pattern};
use crate::sessions::transcript::Prompt;

/// What came by stdin and was not used yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Messages that release a turn.
    pub(super) users: VecDeque<Vec<u8>>,
    /// Frames that a later `in` step asks for.
    backlog: Vec<Vec<u8>>,
    /// Answers to questions, by the question's id.
    replies: Vec<(String, Vec<u8>)>,
    /// Requests to interrupt the running turn.
    interrupts: VecDeque<Vec<u8>>,
    /// What `in` steps of the recording ask for that were not reached yet, or are in a loop.
    wanted: Vec<Awaited>,
    /// The first message, as long as the session has no recording: it stops what is being played,
    /// so that one can be claimed.
    first_user: Option<Vec<u8>>,
    claimed: bool,
    /// Whether anything has come.
    heard: bool,
    /// Whether the recording goes on with an interrupt.
    interrupts_wanted: bool,
    /// Whether the next message begins a turn.
    turn_is_next: bool,
}

impl Inbox {
    /// Interrupts wait for what is being played, or are answered as they come.
    pub(super) fn expect_interrupts(&mut self, wanted: bool) {
        self.interrupts_wanted = wanted;
    }

    /// Takes the client's request to interrupt, if there is one.
    pub(super) fn take_interrupt(&mut self) -> Option<Vec<u8>> {
        self.interrupts.pop_front()
    }

    /// Tells whether a message has come that begins a turn, and the turn has not begun.
    fn turn_is_due(&self) -> bool {
        self.turn_is_next && !self.users.is_empty()
    }

    fn take_reply(&mut self, id: &str) -> Option<Vec<u8>> {
        let found = self.replies.iter().position(|(known, _)| bare(known) == bare(id))?;
        Some(self.replies.remove(found).1)
    }
}

/// An id without the quotes of a string: the two sides of a question write it each in its own way.
fn bare(id: &str) -> &str {
    id.trim_matches('"')
}

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
    /// Tells whether frames are read and answered while this plays.
    pub fn is_live(&self) -> bool {
        self.plan.session && self.performer.is_some()
    }

    /// From now on the session's messages are for the recording that it has.
    pub fn claimed(&mut self) {
        self.inbox.claimed = true;
        self.spawn.entry.turns_left = self.turns;
    }

    /// Tells the session what the `in` steps of its recording ask for: such frames wait for them.
    pub fn wants(&mut self, wanted: Vec<Awaited>) {
        self.inbox.wanted = wanted;
        let came = std::mem::take(&mut self.inbox.users);
        let (kept, users): (VecDeque<_>, _) = came.into_iter().partition(|it| self.is_wanted(it));
        self.inbox.users = users;
        self.inbox.backlog.extend(kept);
    }

    /// The first message releases the whole recording, and no turn asks for it.
    pub fn use_first_user(&mut self) -> Play<()> {
        self.next_user().map(drop)
    }

    /// The recording has so many turns for the session's messages to release.
    pub fn expect_turns(&mut self, turns: u64) {
        self.turns = Some(turns);
        if self.inbox.claimed {
            self.spawn.entry.turns_left = self.turns;
        }
    }

    /// One turn fewer is left; this is written down at once, for sessions are killed at any time.
    pub(super) fn turn_begins(&mut self) -> Play<()> {
        self.in_turn = true;
        if let Some(left) = &mut self.spawn.entry.turns_left {
            *left = left.saturating_sub(1);
            self.spawn.save()?;
        }
        Ok(())
    }

    /// The first message of the session, as long as it is not used.
    pub fn first_user(&self) -> Option<&[u8]> {
        self.inbox.first_user.as_deref()
    }

    /// Stops a session that has its first message and no recording yet.
    pub(super) fn must_claim(&self) -> Play<()> {
        if self.is_live() && !self.inbox.claimed && self.inbox.first_user.is_some() {
            return Err(Stop::Claim);
        }
        Ok(())
    }

    /// Waits, without a recording, for the first message or the end of stdin.
    pub fn wait_for_first_user(&mut self) -> Play<()> {
        loop {
            self.must_claim()?;
            if self.spawn.stdin.ended() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear("the first user message")?;
        }
    }

    /// Waits until frames have come, or the end of stdin.
    fn wait_to_hear(&mut self, what: &str) -> Play<()> {
        self.wait(Wait { fd: None, listen: true, until: None, what }).map(drop)
    }

    /// Reads what has come by stdin and deals with its frames.
    pub(super) fn hear(&mut self) -> Play<()> {
        match self.spawn.read_stdin(usize::MAX, Some(Instant::now()), "stdin")? {
            Read::Some | Read::End | Read::Time => {}
            Read::Signal(signal) => self.signal(signal)?,
        }
        while let Some(line) = self.spawn.stdin.take_line() {
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            let t_ms = self.spawn.elapsed_ms();
            let ticket = self.spawn.ticket.as_ref();
            self.exchange.line(ticket, Direction::In, t_ms, line)?;
            self.frame(line)?;
        }
        Ok(())
    }

    fn frame(&mut self, line: &[u8]) -> Play<()> {
        self.inbox.heard = true;
        if let Some(file) = &mut self.transcript {
            file.prompt(Prompt::Line(line))?;
        }
        if !self.inbox.claimed && self.inbox.first_user.is_none() && releases_a_turn(line) {
            self.inbox.first_user = Some(line.to_vec());
        }
        if self.is_wanted(line) {
            self.inbox.backlog.push(line.to_vec());
            return Ok(());
        }
        let Some(performer) = &mut self.performer else { return Ok(()) };
        let due = self.inbox.turn_is_due() && performer.interrupts_what_is_due();
        match performer.frame(line, self.in_turn || due) {
            Frame::User => self.inbox.users.push_back(line.to_vec()),
            Frame::Answered(pieces) => self.pieces(pieces)?,
            Frame::Interrupt if self.inbox.interrupts_wanted || due => {
                self.inbox.interrupts.push_back(line.to_vec());
            }
            Frame::Interrupt => {
                let pieces = performer.interrupt_answer(line);
                self.pieces(pieces)?;
            }
            Frame::Reply { id } => self.inbox.replies.push((id, line.to_vec())),
            Frame::Ignored => {}
            Frame::Fatal { pieces, code } => {
                self.pieces(pieces)?;
                return Err(Stop::Exit(code));
            }
        }
        Ok(())
    }

    fn is_wanted(&self, line: &[u8]) -> bool {
        let Some(performer) = &self.performer else { return false };
        let as_recorded = performer.untranslated(line);
        self.inbox.wanted.iter().any(|it| it.pattern.matches_line(&as_recorded))
    }

    /// Takes a frame that an `in` step asks for out of those that have come.
    pub(super) fn take_wanted(&mut self, pattern: &Pattern) -> Option<Vec<u8>> {
        let performer = self.performer.as_ref()?;
        let fits = |line: &Vec<u8>| pattern.matches_line(&performer.untranslated(line));
        let line = match self.inbox.backlog.iter().position(fits) {
            Some(found) => self.inbox.backlog.remove(found),
            None => {
                let found = self.inbox.users.iter().position(fits)?;
                self.inbox.users.remove(found)?
            }
        };
        if let Some(performer) = &mut self.performer {
            performer.overheard(&line);
        }
        Some(line)
    }

    /// One `in` step that asked for this was reached: frames of its kind no longer wait for it.
    pub(super) fn no_longer_wanted(&mut self, pattern: &Pattern) {
        let text = pattern.to_string();
        if let Some(found) =
            self.inbox.wanted.iter().position(|it| !it.loops && it.pattern.to_string() == text)
        {
            self.inbox.wanted.remove(found);
        }
    }

    /// The next message, which begins a turn; the end of stdin is the end.
    pub(super) fn next_user_for_a_turn(&mut self) -> Play<Vec<u8>> {
        self.inbox.turn_is_next = true;
        let user = self.next_user();
        // A session that stops here to claim a recording knows only then what comes next.
        self.inbox.turn_is_next = matches!(user, Err(Stop::Claim));
        user
    }

    /// The next message that releases a turn; the end of stdin is the end.
    pub(super) fn next_user(&mut self) -> Play<Vec<u8>> {
        if let Some(line) = self.taken_user.take() {
            return Ok(line);
        }
        loop {
            self.must_claim()?;
            if let Some(line) = self.inbox.users.pop_front() {
                return Ok(line);
            }
            if self.spawn.stdin.ended() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear("a user message, for the next turn")?;
        }
    }

    /// The client's answer to a question; none at the end of stdin, or if it interrupts instead
    /// and the recording goes on with that.
    pub(super) fn next_reply(&mut self, id: &str) -> Play<Option<Vec<u8>>> {
        let what = format!("the answer to the request {id}");
        loop {
            if let Some(line) = self.inbox.take_reply(id) {
                return Ok(Some(line));
            }
            if self.spawn.stdin.ended() || !self.inbox.interrupts.is_empty() || !self.is_live() {
                return Ok(None);
            }
            self.wait_to_hear(&what)?;
        }
    }

    /// The client's interrupt; none at the end of stdin.
    pub(super) fn next_interrupt(&mut self) -> Play<Option<Vec<u8>>> {
        loop {
            if let Some(line) = self.inbox.take_interrupt() {
                return Ok(Some(line));
            }
            if self.spawn.stdin.ended() {
                return Ok(None);
            }
            self.wait_to_hear("the client's interrupt")?;
        }
    }

    /// After a turn, or where none comes: interrupts that came for one are answered as the idle
    /// program does.
    pub(super) fn turn_is_over(&mut self) -> Play<()> {
        while let Some(line) = self.inbox.take_interrupt() {
            let Some(performer) = &mut self.performer else { return Ok(()) };
            if let Frame::Answered(pieces) = performer.frame(&line, false) {
                self.pieces(pieces)?;
            }
        }
        Ok(())
    }

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

    /// Plays a raw recording of a session, from where it stands. [`Stop::Claim`] stops it before
    /// the line that needs the recording to be claimed; it can then go on.
    pub fn play_raw_session(&mut self, session: &mut RawSession) -> Play<()> {
        // The program says nothing before it has heard something.
        self.inbox.turn_is_next = true;
        while !self.inbox.heard && !self.spawn.stdin.ended() {
            self.wait_to_hear("the first line of the session")?;
        }
        if !self.inbox.heard {
            return Err(Stop::Natural);
        }
        while session.at < session.cues.len() {
            self.look_up()?;
            let ahead = session.cues[session.at..].iter();
            let mut turn = ahead.take_while(|cue| **cue != Cue::TurnEnd);
            self.inbox.interrupts_wanted = turn.any(|cue| *cue == Cue::Interrupted);
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

    /// Waits for the end of stdin, which ends a session; a further message is one too many.
    pub fn no_more_turns(&mut self, turns: usize) -> Play<()> {
        loop {
            self.must_claim()?;
            if let Some(line) = self.inbox.users.pop_front() {
                let pieces = self.voice(|it| it.refuse_user(&line));
                self.pieces(pieces)?;
                return Err(Stop::Refused(Error::Play {
                    kind: ProblemKind::TurnsExhausted,
                    what: format!(
                        "{}: a user message came when all of its turns ({turns}) were played; if the \
                         message belongs into a running turn, an `in` step there takes it: \
                         {{\"in\": {{\"type\": \"user\"}}}}",
                        self.plan.recording.display()
                    ),
                }));
            }
            if self.spawn.stdin.ended() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear("the end of stdin, which ends the session")?;
        }
    }
}
