//! The voice of `codex app-server`: stock answers and turns by the [`AppServer`], recorded answers
//! and turns by what was learned of a raw recording ([`learn`]).
//!
//! The server is shown every request, also those that the recording answers, so that it always
//! knows the session's threads; a recorded answer then takes the place of its own. Its errors stand:
//! a request that makes no sense gets no recorded answer.
//!
//! Thread ids: what the recorded CLI made up stays (an answer to `thread/start` or `thread/fork`
//! brings its thread's id into the session); an id that the client names (`thread/resume`, and
//! `turn/start` in a thread that was opened otherwise) takes the recorded one's place everywhere.

mod capture;
mod learn;
mod line;
mod links;
mod shape;

use std::borrow::Cow;

use self::capture::{Capture, Due, Recorded, Slot, Taken};
use self::line::Envelope;
use self::links::Links;
use super::around::{self, Circumstances};
use crate::journal::Exit;
use crate::persona::Piece;
use crate::persona::codex::arguments::Request;
use crate::persona::codex::render::{AppServer, Reply};
use crate::persona::performer::{Cue, Frame, Performer, SessionMark};
use crate::recording::Signal;
use crate::recording::turn::Turn;

/// The error for a `turn/start` that no turn is left for.
const NO_TURN_LEFT: &str = "ringer: the recording has no turn left for this request";

/// The voice of one session.
#[derive(Debug)]
pub(super) struct Live {
    server: AppServer,
    capture: Capture,
    links: Links,
    /// The messages that the recording was asked to play, in order.
    taken: Vec<Taken>,
    /// Whether the recording itself answers requests that open threads, so that the client may
    /// know threads that the server does not.
    opens_elsewhere: bool,
    /// The last `turn/start` that a step took.
    overheard: Option<String>,
}

impl Live {
    /// A voice for a spawn.
    pub fn new(request: &Request, around: &Circumstances) -> Live {
        let mut server = AppServer::new(around::spawn(request, around));
        for mark in &around.threads {
            server.remember(&mark.id, around::carried(&mark.carried));
        }
        Live {
            server,
            capture: Capture::default(),
            links: Links::default(),
            taken: Vec::new(),
            opens_elsewhere: false,
            overheard: None,
        }
    }

    fn start_turn(&mut self, line: &str, envelope: &Envelope, id: &str, busy: bool) -> Frame {
        let thread = envelope.thread();
        if let Some(thread) = thread
            && (self.opens_elsewhere || self.capture.names(thread))
        {
            self.server.adopt(&line::decoded(thread));
        }
        if let Reply::Done(pieces) | Reply::Refused(pieces) = self.server.answer(line) {
            return Frame::Answered(pieces);
        }
        let mut due = Due::Turn;
        if let Some(slot) = self.capture.running().filter(|_| busy)
            && (thread.is_none() || self.live_thread(slot).as_deref() == thread)
        {
            if !self.capture.awaits(Due::Start) {
                return Frame::Answered(self.taken_again(line, id, slot));
            }
            due = Due::Start;
        }
        self.take(Taken { due, request: id.to_owned(), thread: thread.map(str::to_owned) })
    }

    /// The answer to a further `turn/start` in a recorded turn: that turn's own again.
    fn taken_again(&self, line: &str, id: &str, slot: &Slot) -> Vec<Piece> {
        match &slot.answer {
            Some((_, answer)) => vec![self.piece(&line::with_id(answer, id))],
            None => self.server.taken_elsewhere(line, &slot.turn_id()),
        }
    }

    fn steer(&mut self, line: &str, envelope: &Envelope, id: &str, busy: bool) -> Frame {
        let recorded = self.capture.running().filter(|_| busy);
        let Some(turn) = recorded.and_then(|slot| slot.turn.clone()) else {
            return self.request(line, envelope, "turn/steer", id);
        };
        let expected = envelope.expected_turn();
        if self.capture.awaits(Due::Steer) && expected.is_none_or(|expected| expected == turn) {
            let thread = envelope.thread().map(str::to_owned);
            return self.take(Taken { due: Due::Steer, request: id.to_owned(), thread });
        }
        Frame::Answered(self.server.taken_elsewhere(line, &line::decoded(&turn)))
    }

    /// A request to interrupt: of the running turn, or of one that does not run.
    fn interrupt(&mut self, line: &str, envelope: &Envelope, id: &str, busy: bool) -> Frame {
        let running = match self.server.waiting_thread() {
            Some(thread) => Some(thread.to_owned()),
            None => self.capture.running().and_then(|slot| self.live_thread(slot)),
        };
        let other = match (running, envelope.thread()) {
            (Some(running), Some(named)) => running != line::decoded(named),
            _ => false,
        };
        if busy && !other {
            return Frame::Interrupt;
        }
        match self.server.waiting_thread() {
            Some(_) => Frame::Answered(self.server.refuse(line, "no active turn to interrupt")),
            None => self.request(line, envelope, "turn/interrupt", id),
        }
    }

    /// A request that is answered at once: as recorded, else as the server does.
    fn request(&mut self, line: &str, envelope: &Envelope, method: &str, id: &str) -> Frame {
        match self.server.answer(line) {
            Reply::Refused(pieces) => Frame::Answered(pieces),
            Reply::Turn => Frame::Ignored,
            Reply::Done(stock) => {
                let recorded = self.recorded_answer(method, envelope.thread(), id);
                Frame::Answered(recorded.unwrap_or(stock))
            }
        }
    }

    fn recorded_answer(
        &mut self,
        method: &str,
        thread: Option<&str>,
        id: &str,
    ) -> Option<Vec<Piece>> {
        let index = self.find(method, thread)?;
        let answer = self.capture.answers.get_mut(index)?;
        answer.used = true;
        let own = answer.thread.clone();
        let parent = answer.parent.clone();
        if let Some(own) = &own {
            if makes_thread(method) {
                self.links.link(own, own);
                self.server.rename_latest(&line::decoded(own));
                if let (Some(parent), Some(named)) = (&parent, thread) {
                    self.links.link(parent, named);
                }
            } else if let Some(named) = thread {
                self.links.link(own, named);
            }
        }
        let answer = self.capture.answers.get(index)?;
        Some(self.with_company(answer, method, id))
    }

    /// The recorded answer for a request. One to `thread/start` serves the other requests that open
    /// a thread too, and the other way round, but never for a thread that the session has already.
    fn find(&self, method: &str, thread: Option<&str>) -> Option<usize> {
        let opens = shape::opens_thread(method);
        let fits = |answer: &Recorded| {
            let Some(own) = &answer.thread else {
                return true;
            };
            let known = self.server.knows(&line::decoded(own));
            if makes_thread(method) {
                return !known;
            }
            match (self.links.live(own), thread) {
                (_, None) => true,
                (Some(live), Some(named)) => live == named,
                (None, Some(named)) => !known || own == named,
            }
        };
        let find = |wanted: &dyn Fn(&str) -> bool| {
            let free = |it: &Recorded| !it.used && wanted(it.method) && fits(it);
            self.capture.answers.iter().position(free)
        };
        find(&|known| known == method)
            .or_else(|| find(&|known| opens && shape::opens_thread(known)))
    }

    /// An answer with what goes along, in this session's ids.
    fn with_company(&self, answer: &Recorded, method: &str, id: &str) -> Vec<Piece> {
        // Only a new thread is told of as one.
        let tells = |line: &&Vec<u8>| {
            makes_thread(method) || !line::Said::read(line).is_note("thread/started")
        };
        let before = answer.before.iter().map(|line| self.piece(line));
        let own = self.piece(&line::with_id(&answer.line, id));
        let after = answer.after.iter().filter(tells).map(|line| self.piece(line));
        before.chain([own]).chain(after).collect()
    }

    /// A recorded line, as a line for stdout.
    fn piece(&self, line: &[u8]) -> Piece {
        let mut line = self.links.to_live(line).into_owned();
        line.push(b'\n');
        Piece::Out(line)
    }

    /// Takes a message for the recording to play.
    fn take(&mut self, taken: Taken) -> Frame {
        self.place(&taken);
        self.taken.push(taken);
        Frame::User
    }

    /// Puts a message in its place in the recording, whose thread then is the message's.
    fn place(&mut self, taken: &Taken) {
        if let Some(recorded) = self.capture.take(taken)
            && let Some(thread) = &taken.thread
        {
            self.links.link(&recorded, thread);
        }
    }

    /// The live thread of a recorded turn.
    fn live_thread(&self, slot: &Slot) -> Option<String> {
        let named = slot.taken.as_ref().and_then(|taken| taken.thread.clone());
        let linked = slot.thread.as_deref().map(|own| self.links.live(own).unwrap_or(own));
        named.or_else(|| linked.map(str::to_owned))
    }
}

/// Whether a method makes a new thread.
fn makes_thread(method: &str) -> bool {
    shape::opens_thread(method) && method != "thread/resume"
}

impl Performer for Live {
    fn start(&mut self) -> Vec<Piece> {
        Vec::new()
    }

    fn turn(&mut self, turn: &Turn, user: Option<&[u8]>) -> Vec<Piece> {
        let user = user.and_then(|user| std::str::from_utf8(user).ok().map(str::to_owned));
        let user = user.or_else(|| self.overheard.take());
        user.map_or_else(Vec::new, |user| self.server.turn(&user, turn))
    }

    fn answered(&mut self, reply: Option<&[u8]>) -> Vec<Piece> {
        // At the end of stdin the server exits at once, whatever it was doing.
        let reply = reply.and_then(|reply| std::str::from_utf8(reply).ok());
        reply.map_or_else(Vec::new, |reply| self.server.answered(reply))
    }

    fn interrupted(&mut self) -> Vec<Piece> {
        if self.server.waiting_thread().is_some() {
            return self.server.interrupted();
        }
        let Some(slot) = self.capture.running() else {
            return Vec::new();
        };
        let (thread, turn) = (self.live_thread(slot).unwrap_or_default(), slot.turn_id());
        self.server.interrupted_elsewhere(&line::decoded(&thread), &turn)
    }

    /// SIGTERM ends the server in order and without a word (`06-sigterm`); that is the persona's
    /// manner at all times.
    fn signalled(&mut self, _: Signal) -> Option<(Vec<Piece>, Exit)> {
        None
    }

    fn end(&mut self) -> Vec<Piece> {
        Vec::new()
    }

    fn exit_code(&self) -> u8 {
        0
    }

    fn recorded(&mut self, line: &[u8]) -> Vec<Piece> {
        vec![Piece::Out(line.to_vec())]
    }

    fn session(&self) -> Option<SessionMark> {
        self.server.latest().map(|(id, usage)| around::mark(id, usage))
    }

    fn learn(&mut self, lines: &[&[u8]]) -> Vec<Cue> {
        let (capture, cues) = learn::learn(lines);
        self.capture = capture;
        self.links = Links::default();
        for taken in self.taken.clone() {
            self.place(&taken);
        }
        cues
    }

    fn translated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let (text, newline) = match line.strip_suffix(b"\n") {
            Some(text) => (text, "\n"),
            None => (line, ""),
        };
        if text.starts_with(br#"{"method""#) {
            return match self.capture.opened_by(text) {
                None => self.links.to_live(line),
                Some((slot, taken)) => {
                    let mut whole = self.server.begun(&taken.request, &slot.turn_id());
                    whole.extend_from_slice(&self.links.to_live(line));
                    Cow::Owned(whole)
                }
            };
        }
        let request = Envelope::read(text).filter(|envelope| envelope.method.is_none());
        let request = request.and_then(|envelope| self.capture.request(envelope.id()?));
        match request {
            Some(request) => {
                let mut own = line::with_id(&self.links.to_live(text), request);
                own.extend_from_slice(newline.as_bytes());
                Cow::Owned(own)
            }
            None => self.links.to_live(line),
        }
    }

    fn untranslated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        self.links.to_recorded(line)
    }

    fn overheard(&mut self, line: &[u8]) {
        let Some(method) = Envelope::read(line).and_then(|envelope| envelope.method) else {
            return;
        };
        match &*method {
            "initialize" => self.server.introduced(),
            "turn/start" | "review/start" => {
                self.overheard = Some(String::from_utf8_lossy(line).into_owned());
            }
            method if shape::opens_thread(method) => self.opens_elsewhere = true,
            _ => {}
        }
    }

    /// `turn/start` is a request like others, and its answer comes first of all that the turn says.
    fn answers_in_order(&self) -> bool {
        true
    }

    fn frame(&mut self, line: &[u8], busy: bool) -> Frame {
        let (Ok(text), Some(envelope)) = (std::str::from_utf8(line), Envelope::read(line)) else {
            return Frame::Ignored;
        };
        let Some(id) = envelope.id() else {
            return Frame::Ignored;
        };
        match envelope.method.as_deref() {
            None => Frame::Reply { id: id.to_owned() },
            Some("turn/start" | "review/start") => self.start_turn(text, &envelope, id, busy),
            Some("turn/steer") => self.steer(text, &envelope, id, busy),
            Some("turn/interrupt") => self.interrupt(text, &envelope, id, busy),
            Some(method) => self.request(text, &envelope, method, id),
        }
    }

    fn interrupt_answer(&mut self, request: &[u8]) -> Vec<Piece> {
        let text = String::from_utf8_lossy(request);
        let recorded = self.capture.running().and_then(|slot| slot.interrupt.as_ref());
        let id = Envelope::read(request).and_then(|envelope| envelope.id());
        match (recorded, id) {
            (Some(answer), Some(id)) if self.server.waiting_thread().is_none() => {
                self.with_company(answer, "turn/interrupt", id)
            }
            _ => self.server.interrupt_answer(&text),
        }
    }

    fn refuse_user(&mut self, line: &[u8]) -> Vec<Piece> {
        self.server.refuse(&String::from_utf8_lossy(line), NO_TURN_LEFT)
    }
}
