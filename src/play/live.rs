//! Live sessions: frames come by stdin at any time, are answered at once where the program would,
//! and release what the recording holds back. Nothing here counts lines: every gate waits for a
//! kind of frame.

use std::collections::VecDeque;
use std::time::Instant;

use super::exchange::Direction;
use super::input::Read;
use super::player::Player;
use super::stop::{Play, Stop};
use super::untaken::first_message;
use super::waiting::{Listen, Wait};
use crate::error::Error;
use crate::journal::ProblemKind;
use crate::persona::performer::Frame;
use crate::persona::releases_a_turn;
use crate::recording::{Awaited, Pattern};
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
    /// Whether the first message has claimed another recording than the one that is being played.
    pub(super) claimed_another: bool,
    /// Whether anything has come.
    pub(super) heard: bool,
    /// Whether the recording goes on with an interrupt.
    pub(super) interrupts_wanted: bool,
    /// Whether the next message begins a turn.
    pub(super) turn_is_next: bool,
    /// Whether no step has written anything since the last frame that was kept.
    pub(super) owes_an_answer: bool,
}

impl Inbox {
    /// Interrupts wait for what is being played, or are answered as they come.
    pub(super) fn expect_interrupts(&mut self, wanted: bool) {
        self.interrupts_wanted = wanted;
    }

    /// Tells whether messages wait for turns.
    pub(super) fn has_users(&self) -> bool {
        !self.users.is_empty()
    }

    /// The first message that neither a turn nor a step has taken, where nothing was written since.
    pub(super) fn untaken(&self) -> Option<&[u8]> {
        if !self.owes_an_answer {
            return None;
        }
        self.users.front().map(Vec::as_slice).or_else(|| first_message(&self.backlog))
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

impl Player {
    /// Tells whether frames are read and answered while this plays.
    pub fn is_live(&self) -> bool {
        self.plan.session && self.performer.is_some()
    }

    /// Tells the session what the `in` steps of its recording ask for: such frames wait for them.
    /// What another recording's steps had asked for, and these do not, is dealt with now.
    pub fn wants(&mut self, wanted: Vec<Awaited>) -> Play<()> {
        self.inbox.wanted = wanted;
        let came = std::mem::take(&mut self.inbox.users);
        let (kept, users): (VecDeque<_>, _) = came.into_iter().partition(|it| self.is_wanted(it));
        self.inbox.users = users;
        let (kept_before, released): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.inbox.backlog).into_iter().partition(|it| self.is_wanted(it));
        self.inbox.backlog = kept_before;
        self.inbox.backlog.extend(kept);
        released.iter().try_for_each(|line| self.deal_with(line))
    }

    /// The first message releases the whole recording, and no turn asks for it.
    pub fn use_first_user(&mut self) -> Play<()> {
        self.next_user().map(drop)
    }

    /// The recording has so many turns for the session's messages to release.
    pub fn expect_turns(&mut self, turns: u64) {
        self.turns = Some(turns);
        if self.claimant.is_none() {
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

    /// Waits until frames have come, or the end of stdin.
    pub(super) fn wait_to_hear(&mut self, listen: Listen, what: &str) -> Play<()> {
        self.wait(Wait { fd: None, listen, until: None, what }).map(drop)
    }

    /// Reads what has come by stdin and deals with its frames, as far as `listen` goes.
    pub(super) fn hear(&mut self, listen: Listen) -> Play<Read> {
        let read = self.spawn.read_stdin(usize::MAX, Some(Instant::now()), "stdin")?;
        if let Read::Signal(signal) = read {
            self.signal(signal)?;
        }
        self.deal_with_lines(listen)?;
        Ok(read)
    }

    /// Deals with the lines that were read and not dealt with; tells whether there were any.
    pub(super) fn deal_with_lines(&mut self, listen: Listen) -> Play<bool> {
        let mut any = false;
        while !self.has_enough(listen)
            && let Some(line) = self.spawn.stdin.take_line()
        {
            any = true;
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            let t_ms = self.spawn.elapsed_ms();
            let ticket = self.spawn.ticket.as_ref();
            self.exchange.line(ticket, Direction::In, t_ms, line)?;
            self.frame(line)?;
        }
        Ok(any)
    }

    /// Tells whether something has come that must be answered before what came behind it.
    pub(super) fn has_enough(&self, listen: Listen) -> bool {
        let Some(performer) = self.performer.as_ref().filter(|it| it.answers_in_order()) else {
            return false;
        };
        let Inbox { users, backlog, claimed_another, .. } = &self.inbox;
        match listen {
            Listen::No | Listen::All => false,
            Listen::UpToAUser => !users.is_empty(),
            Listen::UpToATurn => {
                !users.is_empty() || backlog.iter().any(|line| releases_a_turn(line))
            }
            Listen::UpTo(pattern) => {
                let mut came = backlog.iter().chain(users);
                *claimed_another
                    || came.any(|line| pattern.matches_line(&performer.untranslated(line)))
            }
        }
    }

    /// Tells whether stdin has ended and everything that came was dealt with.
    pub(super) fn has_heard_all(&self) -> bool {
        self.spawn.stdin.ended() && self.spawn.stdin.pending() == 0
    }

    fn frame(&mut self, line: &[u8]) -> Play<()> {
        self.inbox.heard = true;
        if let Some(file) = &mut self.transcript {
            file.prompt(Prompt::Line(line))?;
        }
        if self.claimant.is_some() && releases_a_turn(line) {
            self.claim(line)?;
        }
        self.deal_with(line)
    }

    /// Gives a frame to a step of the recording that asks for it, else to the persona.
    fn deal_with(&mut self, line: &[u8]) -> Play<()> {
        if self.is_wanted(line) {
            self.inbox.backlog.push(line.to_vec());
            self.inbox.owes_an_answer = true;
            return Ok(());
        }
        let Some(performer) = &mut self.performer else { return Ok(()) };
        let due = self.inbox.turn_is_due() && performer.interrupts_what_is_due();
        match performer.frame(line, self.in_turn || due) {
            Frame::User => {
                self.inbox.users.push_back(line.to_vec());
                self.inbox.owes_an_answer = true;
            }
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
        self.inbox.turn_is_next = false;
        user
    }

    /// The next message that releases a turn; the end of stdin is the end.
    pub(super) fn next_user(&mut self) -> Play<Vec<u8>> {
        if let Some(line) = self.taken_user.take() {
            return Ok(line);
        }
        loop {
            self.keep_to_the_claim()?;
            if let Some(line) = self.inbox.users.pop_front() {
                return Ok(line);
            }
            if self.has_heard_all() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear(Listen::UpToAUser, "a user message, for the next turn")?;
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
            if self.has_heard_all() || !self.inbox.interrupts.is_empty() || !self.is_live() {
                return Ok(None);
            }
            self.wait_to_hear(Listen::All, &what)?;
        }
    }

    /// The client's interrupt; none at the end of stdin.
    pub(super) fn next_interrupt(&mut self) -> Play<Option<Vec<u8>>> {
        loop {
            if let Some(line) = self.inbox.take_interrupt() {
                return Ok(Some(line));
            }
            if self.has_heard_all() {
                return Ok(None);
            }
            self.wait_to_hear(Listen::All, "the client's interrupt")?;
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

    /// Waits for the end of stdin, which ends a session; a further message is one too many.
    pub fn no_more_turns(&mut self, turns: usize) -> Play<()> {
        loop {
            self.keep_to_the_claim()?;
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
            if self.has_heard_all() {
                return Err(Stop::Natural);
            }
            self.wait_to_hear(Listen::UpToAUser, "the end of stdin, which ends the session")?;
        }
    }
}
