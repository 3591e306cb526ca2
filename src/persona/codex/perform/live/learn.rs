//! Learns a raw recording of a session: says of each line what it waits for, and keeps the answers.
//!
//! Recorded answers are given when they are asked for, so they are passed over where they stand,
//! with the notifications that belong to them: what announces an answer, and what follows it by
//! kind ([`shape`]). Before the first turn every notification goes with the answer before it that
//! it can belong to, for there is nothing else to wait for. Between turns the others wait for
//! nothing. A turn is everything from the answer to its `turn/start` (or from its own first
//! notification, where that answer is missing) to its `turn/completed`.

use std::collections::HashMap;

use serde_json::Value;

use super::capture::{Capture, Due, Recorded, Slot};
use super::line::{About, Answer, Envelope, Said};
use super::shape;
use crate::persona::performer::Cue;

/// How far a turn's thread is looked for behind its first line.
const NEAR: usize = 8;

/// Learns a recording.
pub(super) fn learn(lines: &[&[u8]]) -> (Capture, Vec<Cue>) {
    let said: Vec<Said> = lines.iter().map(|line| Said::read(line)).collect();
    let mut learner = Learner {
        facts: facts(&said),
        lines,
        said: &said,
        zone: Zone::Opening,
        ahead: Vec::new(),
        holder: None,
        root: None,
        capture: Capture::default(),
        cues: Vec::with_capacity(lines.len()),
    };
    for at in 0..lines.len() {
        let cue = learner.cue(at);
        learner.cues.push(cue);
    }
    learner.close_turn();
    learner.let_go();
    (learner.capture, learner.cues)
}

/// Where a line stands.
#[derive(Debug)]
enum Zone {
    /// Before the first turn.
    Opening,
    /// Between two turns.
    Idle,
    /// In turns, of which these are not over; the last slot is theirs.
    Turn { open: Vec<String> },
    /// In a turn that no message started; it belongs to this answer, if any.
    Background { turn: String, holder: Option<usize> },
}

/// What the whole recording tells of a turn.
#[derive(Debug, Default)]
struct Facts {
    /// The line on which it ends, and whether it was interrupted.
    end: Option<(usize, bool)>,
    /// Whether a user's message began it.
    asked: bool,
}

#[derive(Debug)]
struct Learner<'a> {
    lines: &'a [&'a [u8]],
    said: &'a [Said<'a>],
    facts: HashMap<String, Facts>,
    zone: Zone,
    /// Lines that announce an answer which is yet to come.
    ahead: Vec<usize>,
    /// The answer that notifications may belong to.
    holder: Option<usize>,
    /// The last answer that greets the client or opens a thread.
    root: Option<usize>,
    capture: Capture,
    cues: Vec<Cue>,
}

impl Learner<'_> {
    fn cue(&mut self, at: usize) -> Cue {
        match &self.zone {
            Zone::Opening | Zone::Idle => self.between_turns(at),
            Zone::Turn { .. } => self.in_turn(at),
            Zone::Background { .. } => self.in_background(at),
        }
    }

    fn between_turns(&mut self, at: usize) -> Cue {
        match &self.said[at] {
            Said::Answer(answer) => self.answer_between_turns(at, answer),
            Said::Ask(id) => match self.holder.filter(|_| self.is_opening()) {
                Some(holder) => self.belongs(at, holder),
                None => Cue::Ask { id: (*id).to_owned(), opening: true },
            },
            Said::Note(note) => match self.begins(at) {
                Some(turn) => self.turn_without_answer(at, turn),
                None if shape::announces(&self.said[at]) => {
                    self.ahead.push(at);
                    Cue::Answer
                }
                None => self.follow(at, Some(&note.method)),
            },
            Said::Other => self.follow(at, None),
        }
    }

    fn answer_between_turns(&mut self, at: usize, answer: &Answer) -> Cue {
        if let Some(message) = &answer.error {
            return self.error(at, answer, message);
        }
        match self.method(at, answer) {
            Some("turn/start" | "review/start") => self.begin_turn(at, answer),
            Some(method) => self.keep(at, method, answer),
            None => Cue::Answer,
        }
    }

    /// An error is kept for the request that it tells of; one that tells of none is the answer to
    /// what the recording has no other answer to.
    fn error(&mut self, at: usize, answer: &Answer, message: &str) -> Cue {
        if shape::is_made_anew(message) {
            return Cue::Answer;
        }
        if let Some(method) = shape::method_of_error(message) {
            return self.keep(at, method, answer);
        }
        let answers = || self.said.iter().filter_map(Said::answered);
        if !answers().any(shape::opens_thread) {
            return self.keep(at, "thread/start", answer);
        }
        let last = !self.said[at + 1..].iter().any(|said| matches!(said, Said::Answer(_)));
        if last && self.facts.is_empty() {
            self.slot(Due::Turn, at, Some(answer), None);
            self.zone = Zone::Idle;
            return Cue::TurnEnd;
        }
        Cue::Answer
    }

    fn in_turn(&mut self, at: usize) -> Cue {
        let holder = self.holder.take();
        match &self.said[at] {
            Said::Answer(answer) => self.answer_in_turn(at, answer),
            Said::Ask(id) => Cue::Ask { id: (*id).to_owned(), opening: false },
            Said::Note(note) => {
                if let Some(holder) = holder.filter(|holder| self.is_kin(*holder, &note.method)) {
                    self.holder = Some(holder);
                    return self.belongs(at, holder);
                }
                if self.announces_interrupt(at) {
                    self.ahead.push(at);
                    return Cue::Answer;
                }
                match &note.about {
                    About::Completed { turn, .. } => self.complete(turn.as_deref()),
                    _ => Cue::Turn,
                }
            }
            Said::Other => Cue::Turn,
        }
    }

    fn answer_in_turn(&mut self, at: usize, answer: &Answer) -> Cue {
        if let Some(message) = &answer.error {
            let method = shape::method_of_error(message);
            return method.map_or(Cue::Answer, |method| self.keep(at, method, answer));
        }
        match self.method(at, answer) {
            Some("turn/steer") => {
                self.slot(Due::Steer, at, Some(answer), None);
                Cue::TakesUser
            }
            Some("turn/start" | "review/start") => self.further_turn(at, answer),
            Some(method) => self.keep(at, method, answer),
            None if self.interrupts(at) => {
                let recorded = self.recorded(at, "turn/interrupt", answer);
                let turn = self.capture.slots.iter_mut().rfind(|slot| slot.due == Due::Turn);
                if let Some(turn) = turn {
                    turn.interrupt = Some(recorded);
                }
                Cue::Interrupted
            }
            None => Cue::Answer,
        }
    }

    /// A `turn/start` was answered while a turn ran: it went into that turn, or into another one
    /// beside it; or the running turn never ended, and this is the next.
    fn further_turn(&mut self, at: usize, answer: &Answer) -> Cue {
        let turn = turn_id(answer).unwrap_or_default();
        let Zone::Turn { open } = &mut self.zone else {
            return Cue::Turn;
        };
        let ends = |turn: &String| self.facts.get(turn).is_some_and(|facts| facts.end.is_some());
        if !open.contains(&turn) && !open.iter().all(ends) {
            self.close_turn();
            return self.begin_turn(at, answer);
        }
        if !open.contains(&turn) {
            open.push(turn);
        }
        self.slot(Due::Start, at, Some(answer), None);
        Cue::TakesUser
    }

    fn in_background(&mut self, at: usize) -> Cue {
        let Zone::Background { turn, holder } = &self.zone else {
            return Cue::Free;
        };
        let holder = *holder;
        let is_end = |about: &About| match about {
            About::Completed { turn: Some(ended), .. } => ended == turn,
            About::Completed { turn: None, .. } => true,
            _ => false,
        };
        match &self.said[at] {
            Said::Answer(answer) => return self.answer_between_turns(at, answer),
            Said::Ask(id) if holder.is_none() => {
                return Cue::Ask { id: (*id).to_owned(), opening: true };
            }
            said if is_end(said.about()) => self.zone = Zone::Idle,
            _ => {}
        }
        holder.map_or(Cue::Free, |holder| self.belongs(at, holder))
    }

    /// The turn that begins on this line without having been answered for.
    fn begins(&self, at: usize) -> Option<String> {
        let turn = |at: usize| match self.said.get(at)?.about() {
            About::Started { turn, .. } => Some(turn.clone()),
            _ => None,
        };
        match self.said[at].about() {
            About::Active => turn(at + 1),
            _ => turn(at),
        }
    }

    /// A turn that has no answer: a message started it, or a request that has one of its own
    /// (`06-compact-exec`), or nobody.
    fn turn_without_answer(&mut self, at: usize, turn: String) -> Cue {
        if self.facts.get(&turn).is_some_and(|facts| facts.asked) {
            self.slot(Due::Turn, at, None, Some(&turn));
            self.zone = Zone::Turn { open: vec![turn] };
            return Cue::Turn;
        }
        let holder = self.holder.filter(|holder| self.is_kin(*holder, "turn/started"));
        self.zone = Zone::Background { turn, holder };
        holder.map_or(Cue::Free, |holder| self.belongs(at, holder))
    }

    fn begin_turn(&mut self, at: usize, answer: &Answer) -> Cue {
        self.let_go();
        self.slot(Due::Turn, at, Some(answer), None);
        self.zone = Zone::Turn { open: vec![turn_id(answer).unwrap_or_default()] };
        self.holder = None;
        Cue::Turn
    }

    /// A turn is over: the running one, or one beside it. An id that nothing else tells of is the
    /// running one's too.
    fn complete(&mut self, turn: Option<&str>) -> Cue {
        let elsewhere = turn.is_some_and(|turn| self.begun_elsewhere(turn));
        let Zone::Turn { open } = &mut self.zone else {
            return Cue::Turn;
        };
        match open.iter().position(|known| Some(known.as_str()) == turn) {
            Some(found) => drop(open.remove(found)),
            None if elsewhere => return Cue::Turn,
            None => open.clear(),
        }
        if !open.is_empty() {
            return Cue::Turn;
        }
        self.zone = Zone::Idle;
        Cue::TurnEnd
    }

    /// Whether some answer began a turn of this id.
    fn begun_elsewhere(&self, turn: &str) -> bool {
        let begins = |said: &Said| match said {
            Said::Answer(answer) => turn_id(answer).is_some_and(|id| id == turn),
            _ => false,
        };
        self.said.iter().any(begins)
    }

    /// A turn that the recording does not see the end of ends on its last line.
    fn close_turn(&mut self) {
        if matches!(self.zone, Zone::Turn { .. }) {
            self.let_go();
            if let Some(cue) = self.cues.iter_mut().rfind(|cue| **cue == Cue::Turn) {
                *cue = Cue::TurnEnd;
            }
            self.zone = Zone::Idle;
        }
    }

    /// Whether the answer on this line, an empty object, is that to the turn's interrupt: the last
    /// one of its kind in a turn that ended so, or did not end.
    fn interrupts(&self, at: usize) -> bool {
        let Zone::Turn { open } = &self.zone else {
            return false;
        };
        let facts = open.first().and_then(|turn| self.facts.get(turn));
        let end = facts.and_then(|facts| facts.end);
        let until = end.map_or(self.said.len(), |(line, _)| line);
        let rest = self.said.get(at + 1..until).unwrap_or_default();
        let is_empty = |said: &Said| matches!(said, Said::Answer(answer) if is_empty(answer));
        is_empty(&self.said[at])
            && end.is_none_or(|(_, interrupted)| interrupted)
            && !rest.iter().any(is_empty)
    }

    /// Whether these rate limits come with the answer to the interrupt that follows them, and not
    /// with the tokens of a call (`06-interrupt`).
    fn announces_interrupt(&self, at: usize) -> bool {
        let tokens = at.checked_sub(1).and_then(|before| self.said.get(before));
        self.said[at].is_note("account/rateLimits/updated")
            && !tokens.is_some_and(|said| said.is_note("thread/tokenUsage/updated"))
            && self.said.len() > at + 1
            && self.interrupts(at + 1)
    }

    /// A line between turns that begins nothing.
    fn follow(&mut self, at: usize, method: Option<&str>) -> Cue {
        let kin = |holder: &usize| method.is_some_and(|method| self.is_kin(*holder, method));
        let root = self.root.filter(|_| self.is_opening());
        match self.holder.filter(kin).or(root) {
            Some(holder) => self.belongs(at, holder),
            None if self.is_opening() => Cue::Opening,
            None => Cue::Free,
        }
    }

    fn is_opening(&self) -> bool {
        matches!(self.zone, Zone::Opening)
    }

    fn is_kin(&self, holder: usize, method: &str) -> bool {
        let answer = self.capture.answers.get(holder);
        answer.is_some_and(|answer| shape::keeps_company(answer.method, method))
    }

    /// A line that goes out with an answer.
    fn belongs(&mut self, at: usize, holder: usize) -> Cue {
        if let Some(answer) = self.capture.answers.get_mut(holder) {
            answer.after.push(self.lines[at].to_vec());
        }
        Cue::Answer
    }

    /// Keeps an answer until it is asked for.
    fn keep(&mut self, at: usize, method: &'static str, answer: &Answer) -> Cue {
        let recorded = self.recorded(at, method, answer);
        let index = self.capture.answers.len();
        self.capture.answers.push(recorded);
        self.holder = Some(index);
        if method == "initialize" || shape::opens_thread(method) {
            self.root = Some(index);
        }
        Cue::Answer
    }

    fn recorded(&mut self, at: usize, method: &'static str, answer: &Answer) -> Recorded {
        let ahead = std::mem::take(&mut self.ahead);
        Recorded {
            method,
            before: ahead.into_iter().map(|at| self.lines[at].to_vec()).collect(),
            line: self.lines[at].to_vec(),
            thread: source(answer.result.pointer("/thread/id")),
            parent: source(answer.result.pointer("/thread/forkedFromId")),
            ..Recorded::default()
        }
    }

    /// Lines that announced an answer which did not come wait for nothing.
    fn let_go(&mut self) {
        for at in std::mem::take(&mut self.ahead) {
            if let Some(cue) = self.cues.get_mut(at) {
                *cue = Cue::Free;
            }
        }
    }

    fn method(&self, at: usize, answer: &Answer) -> Option<&'static str> {
        if is_empty(answer) {
            return shape::method_by_company(&self.said[at + 1..]);
        }
        shape::method_of(&answer.result)
    }

    /// Adds a place where a message is due.
    fn slot(&mut self, due: Due, at: usize, answer: Option<&Answer>, turn: Option<&str>) {
        let near = self.lines[at..].iter().take(NEAR);
        let thread = near.filter_map(|line| Envelope::read(line)?.thread().map(str::to_owned));
        self.capture.slots.push(Slot {
            due,
            answer: answer.map(|answer| (answer.id.to_owned(), self.lines[at].to_vec())),
            turn: turn.map(str::to_owned).or_else(|| answer.and_then(turn_id)),
            thread: thread.into_iter().next(),
            opens: answer.is_none().then(|| self.lines[at].to_vec()),
            interrupt: None,
            taken: None,
        });
    }
}

/// Reads ahead what the recording tells of its turns.
fn facts(said: &[Said]) -> HashMap<String, Facts> {
    let mut facts: HashMap<String, Facts> = HashMap::new();
    for (at, said) in said.iter().enumerate() {
        match said.about() {
            About::Started { turn, .. } => drop(facts.entry(turn.clone()).or_default()),
            About::UserMessage { turn } => facts.entry(turn.clone()).or_default().asked = true,
            About::Completed { turn: Some(turn), interrupted } => {
                facts.entry(turn.clone()).or_default().end = Some((at, *interrupted));
            }
            _ => {}
        }
        if let Said::Answer(answer) = said
            && let Some(turn) = turn_id(answer)
        {
            facts.entry(turn).or_default();
        }
    }
    facts
}

fn is_empty(answer: &Answer) -> bool {
    answer.error.is_none() && answer.result.as_object().is_some_and(|object| object.is_empty())
}

/// The turn that an answer is about, as source text.
fn turn_id(answer: &Answer) -> Option<String> {
    source(answer.result.pointer("/turn/id"))
}

/// A string as source text without its quotes.
fn source(value: Option<&Value>) -> Option<String> {
    let text = value.filter(|value| value.is_string())?.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}
