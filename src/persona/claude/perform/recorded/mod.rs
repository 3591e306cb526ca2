//! A recorded session, learned before it is played: what its lines wait for, which of them are
//! answers that can be given when they are asked for, and which ids in them are the client's.

mod answers;
mod cues;
mod hooks;
mod line;

use super::frame::Asked;
use super::replace;
use crate::persona::claude::object::{Object, place};
use crate::persona::claude::render::Layout;
use crate::persona::performer::Cue;
use answers::{Answer, Shape};
use hooks::Call;
use line::Line;
use memchr::memmem;
use std::borrow::Cow;
use std::cell::RefCell;

pub(super) use hooks::Registered;

/// A recorded session.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The session's id.
    pub session: Option<String>,
    /// Uuids of the client's messages: which message, from 0.
    pub uuids: Vec<(String, usize)>,
    answers: Vec<Answer>,
    /// Hook calls by their request ids, each with its place among those of its kind.
    calls: Vec<(String, usize)>,
    late: Option<Late>,
}

/// The recorded answer to `initialize` where the CLI asked something before it gave it
/// (claude.md, section 4: the servers that the client plays are asked first). It goes out at its
/// place, not when it is asked for.
#[derive(Debug)]
struct Late {
    answer: Answer,
    state: RefCell<LateState>,
}

#[derive(Debug, Clone, PartialEq)]
enum LateState {
    /// Not asked for and not reached.
    Waiting,
    /// Asked for, with this id.
    Asked(Option<String>),
    /// Reached before it was asked for.
    Passed,
}

/// What a recording has for a request.
pub(super) struct Found {
    /// The lines that go out, with their newlines, in order.
    pub lines: Vec<Vec<u8>>,
    /// The question that the first of them withdraws, as JSON source text.
    pub withdraws: Option<String>,
    /// What follows them to the end of the turn that is cut off.
    pub rest: Vec<Vec<u8>>,
}

impl Recorded {
    /// Learns a session, and says of each line what it waits for.
    pub fn learn(lines: &[&[u8]]) -> (Recorded, Vec<Cue>) {
        let read: Vec<Line> = lines.iter().map(|line| line::read(line)).collect();
        let groups = groups(&read);
        let mut kept = vec![false; lines.len()];
        for (answer, before, after) in &groups {
            kept[*answer] = true;
            before.iter().chain(after).for_each(|at| kept[*at] = true);
        }
        let reading = cues::read(&read, &kept);
        let mut cues = reading.cues;
        let mut recorded = Recorded {
            session: session(lines, &read),
            uuids: reading.uuids,
            calls: calls(&read),
            ..Recorded::default()
        };
        let copy = |at: usize| lines[at].to_vec();
        for (at, before, after) in groups {
            let Line::Answer(shape) = &read[at] else { continue };
            let cut = reading.cuts.iter().find(|cut| cut.answer == at);
            let withdrawal = cut.and_then(|cut| cut.withdrawal);
            let answer = Answer {
                shape: shape.clone(),
                before: withdrawal.into_iter().chain(before).map(copy).collect(),
                line: copy(at),
                after: after.map(copy).into_iter().collect(),
                cuts: cut.map(|cut| (at + 1..=cut.end).map(copy).collect()),
                used: false,
            };
            let asked_before = || read[..at].iter().any(|line| matches!(line, Line::Ask { .. }));
            let opens = cues[..at].iter().all(|cue| {
                matches!(cue, Cue::Opening | Cue::Answer | Cue::Ask { opening: true, .. })
            });
            if answer.shape == Shape::Initialize
                && recorded.late.is_none()
                && opens
                && asked_before()
            {
                cues[at] = Cue::Opening;
                recorded.late = Some(Late { answer, state: RefCell::new(LateState::Waiting) });
            } else {
                recorded.answers.push(answer);
            }
        }
        (recorded, cues)
    }

    /// The recorded answer to a request, which is then used up. No lines: it comes at its place.
    pub fn answer(&mut self, asked: &Asked, layout: &Layout) -> Option<Found> {
        if let Some(late) = self.late.as_ref().filter(|_| asked.subtype == "initialize") {
            let mut state = late.state.borrow_mut();
            if *state == LateState::Waiting {
                *state = LateState::Asked(asked.id.map(str::to_owned));
                return Some(Found { lines: Vec::new(), withdraws: None, rest: Vec::new() });
            }
            if *state == LateState::Passed && !late.answer.used {
                let found = found(&late.answer, asked.id);
                drop(state);
                self.late.iter_mut().for_each(|late| late.answer.used = true);
                return Some(found);
            }
        }
        let answer = self.answers.iter_mut().find(|answer| answer.fits(asked, layout))?;
        answer.used = true;
        Some(found(answer, asked.id))
    }

    /// The recorded answer that cuts a turn off, which is then used up: to `interrupt`, or to
    /// `end_session`, which says no more than that it is done.
    pub fn cut(&mut self, asked: &Asked) -> Option<Found> {
        let ends = asked.subtype == "end_session";
        let mut cuts = self.answers.iter_mut().filter(|answer| answer.cuts.is_some());
        let answer = cuts.find(|answer| !answer.used && (!ends || answer.shape == Shape::Done))?;
        answer.used = true;
        Some(found(answer, asked.id))
    }

    /// A line with the ids of this run's client for its hook callbacks and its `initialize`.
    pub fn translated<'a>(&self, line: &'a [u8], registered: &Registered) -> Cow<'a, [u8]> {
        if let Some(late) = &self.late {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            if bare == late.answer.line {
                return late.reached(line.len() > bare.len());
            }
        }
        if memmem::find(line, b"\"hook_callback\"").is_none() {
            return Cow::Borrowed(line);
        }
        self.to_live_hook(line, registered).map_or(Cow::Borrowed(line), Cow::Owned)
    }

    fn to_live_hook(&self, line: &[u8], registered: &Registered) -> Option<Vec<u8>> {
        let event = Object::parse(line).filter(|event| event.is("type", "control_request"))?;
        let request = event.object("request").filter(|r| r.is("subtype", "hook_callback"))?;
        let call = Call::of(&request);
        let id = event.get("request_id").unwrap_or_default();
        let order = self.calls.iter().find(|(known, _)| known == id).map_or(0, |(_, at)| *at);
        let live = registered.at(&call, order)?;
        let range = place(line, request.get("callback_id")?)?;
        Some(replace::range(line, range, live.as_bytes()))
    }
}

impl Late {
    /// The answer as it goes out when its place is reached: nothing, if nobody asked.
    fn reached(&self, newline: bool) -> Cow<'static, [u8]> {
        let mut state = self.state.borrow_mut();
        let LateState::Asked(id) = &*state else {
            *state = LateState::Passed;
            return Cow::Borrowed(b"");
        };
        let mut line = self.answer.line_for(id.as_deref());
        line.extend(newline.then_some(b'\n'));
        Cow::Owned(line)
    }
}

/// What goes out for an answer.
fn found(answer: &Answer, id: Option<&str>) -> Found {
    let withdraws = answer.before.first().and_then(|line| match line::read(line) {
        Line::Withdrawn(id) => Some(id),
        _ => None,
    });
    let with_newline = |line: &Vec<u8>| [line.as_slice(), b"\n"].concat();
    let mut lines: Vec<Vec<u8>> = answer.before.iter().map(with_newline).collect();
    lines.push(with_newline(&answer.line_for(id)));
    lines.extend(answer.after.iter().map(with_newline));
    let rest = answer.cuts.iter().flatten().map(with_newline).collect();
    Found { lines, withdraws, rest }
}

/// The answers, each with what goes before it and what follows it at once: what `set_model` shows,
/// the notice of a new permission mode, the tasks that a further `initialize` lists.
fn groups(read: &[Line]) -> Vec<(usize, Option<usize>, Option<usize>)> {
    let mut groups: Vec<(usize, Option<usize>, Option<usize>)> = Vec::new();
    let mut initialized = false;
    for (at, line) in read.iter().enumerate() {
        match line {
            Line::Answer(shape) => {
                let before = at.checked_sub(1);
                let shows = |at: &usize| matches!(read[*at], Line::Command { sets_model: true });
                groups.push((at, before.filter(shows), None));
                initialized |= *shape == Shape::Initialize;
            }
            // The notice may come late, but before the next turn.
            Line::Mode(mode) => {
                let ours = |(answer, _, after): &(usize, Option<usize>, Option<usize>)| {
                    let same =
                        matches!(&read[*answer], Line::Answer(Shape::Mode(set)) if set == mode);
                    same && after.is_none() && uninterrupted(read, *answer, at)
                };
                if let Some(group) = groups.iter_mut().rev().find(|group| ours(group)) {
                    group.2 = Some(at);
                }
            }
            Line::Tasks if initialized => {
                let first = groups.iter().position(|(a, ..)| is_initialize(&read[*a]));
                let ours = groups.iter_mut().enumerate().rev().find(|(index, group)| {
                    Some(*index) != first
                        && is_initialize(&read[group.0])
                        && group.2.is_none()
                        && uninterrupted(read, group.0, at)
                });
                if let Some((_, group)) = ours {
                    group.2 = Some(at);
                }
            }
            _ => {}
        }
    }
    groups
}

fn is_initialize(line: &Line) -> bool {
    matches!(line, Line::Answer(Shape::Initialize))
}

/// Whether nothing of a turn stands between two lines.
fn uninterrupted(read: &[Line], from: usize, to: usize) -> bool {
    let speech = |line: &Line| matches!(line, Line::Speech { .. } | Line::Result { .. });
    !read[from..to].iter().any(speech)
}

/// The session's id: that of the first `init`, or of the first line that has one.
fn session(lines: &[&[u8]], read: &[Line]) -> Option<String> {
    let inits = lines.iter().zip(read).filter(|(_, read)| read.is_init()).map(|(line, _)| line);
    inits.chain(lines).find_map(|line| session_of(line))
}

/// The session's id that a line names.
pub(super) fn session_of(line: &[u8]) -> Option<String> {
    let key = b"\"session_id\":\"";
    let start = memmem::find(line, key)? + key.len();
    let end = start + memchr::memchr(b'"', line.get(start..)?)?;
    String::from_utf8(line[start..end].to_vec()).ok().filter(|id| !id.is_empty())
}

/// Where each hook call stands among those that were made together.
fn calls(read: &[Line]) -> Vec<(String, usize)> {
    let mut calls = Vec::new();
    let mut together: Vec<&Call> = Vec::new();
    for line in read {
        match line {
            Line::Ask { id, hook: Some(call), .. } => {
                let same = |other: &&Call| {
                    other.event == call.event
                        && other.tool_use == call.tool_use
                        && other.callback != call.callback
                };
                if !together.iter().all(same) {
                    together.clear();
                }
                calls.push((id.clone(), together.len()));
                together.push(call);
            }
            Line::Answer(_) | Line::Aside => {}
            _ => together.clear(),
        }
    }
    calls
}
