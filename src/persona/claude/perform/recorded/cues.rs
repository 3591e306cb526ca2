//! What each line of a recorded session waits for. A capture shows what the CLI said and not what
//! it was told, so that is inferred: which line opens a turn, which ends it, where a further
//! message was taken in, where an interrupt cut it off. Where a capture cannot show it, the reading
//! is the one that makes nobody wait.

use super::answers::Shape;
use super::line::Line;
use crate::persona::performer::Cue;

/// The reading of a whole session.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// A cue for each line.
    pub cues: Vec<Cue>,
    /// The lines of answers that cut a turn off, each with the line of the notice before it that
    /// withdraws a question, and the line that ends the turn.
    pub cuts: Vec<Cut>,
    /// Uuids by which messages of the client are named, and which message it is, from 0.
    pub uuids: Vec<(String, usize)>,
}

/// An answer that cuts a turn off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The answer's line.
    pub answer: usize,
    /// The line that withdraws a question.
    pub withdrawal: Option<usize>,
    /// The turn's last line.
    pub end: usize,
}

/// Reads a session. `kept` says of each line whether it belongs to an answer, and so to no turn.
pub(super) fn read(lines: &[Line], kept: &[bool]) -> Reading {
    let mut reader = Reader {
        lines,
        kept,
        turn: None,
        begun: false,
        notified: false,
        users: 0,
        taken: Vec::new(),
        reading: Reading::default(),
    };
    for at in 0..lines.len() {
        let cue = reader.cue(at);
        reader.reading.cues.push(cue);
    }
    // The notice is known to belong to an interrupt only once the answer after it is reached.
    let Reading { cues, cuts, .. } = &mut reader.reading;
    for cut in cuts {
        if let Some(withdrawal) = cut.withdrawal {
            cues[withdrawal] = Cue::Interrupted;
            cues[cut.answer] = Cue::Answer;
        }
    }
    reader.reading
}

struct Reader<'l> {
    lines: &'l [Line],
    kept: &'l [bool],
    turn: Option<Turn>,
    /// Whether there was a turn.
    begun: bool,
    /// Whether a background task has finished since the last turn.
    notified: bool,
    /// Messages of the client so far.
    users: usize,
    /// Uuids of messages that were taken into a turn.
    taken: Vec<String>,
    reading: Reading,
}

/// The turn that is being read.
#[derive(Default)]
struct Turn {
    /// Nobody asked for it.
    unasked: bool,
    /// The message that released it was written back.
    replayed: bool,
    /// `init` lines in it.
    inits: usize,
    /// Its next result is that of a message that gives way to another one.
    gives_way: bool,
}

impl Reader<'_> {
    fn cue(&mut self, at: usize) -> Cue {
        if self.kept[at] {
            return self.answer(at);
        }
        match &self.lines[at] {
            Line::Answer(_) => self.answer(at),
            Line::Ask { id, of_turn, .. } => {
                if *of_turn {
                    self.begin(at);
                }
                // One that nobody asked for, or between turns, waits for no message either.
                let opening = self.turn.as_ref().is_none_or(|turn| turn.unasked);
                Cue::Ask { id: id.clone(), opening }
            }
            Line::Result { unasked, .. } => self.result(at, *unasked),
            Line::Replay(uuid) => self.replay(at, uuid.as_deref()),
            Line::Queued(uuid) => self.queued(at, uuid),
            Line::Started(uuid) => {
                self.begin(at);
                self.name(uuid, self.users.saturating_sub(1));
                self.within()
            }
            Line::Speech { init, .. } => {
                self.begin(at);
                if let Some(turn) = self.turn.as_mut() {
                    turn.inits += usize::from(*init);
                }
                self.within()
            }
            Line::Command { .. } => {
                self.begin(at);
                self.within()
            }
            Line::Notified => {
                self.notified = true;
                self.within()
            }
            Line::Settled { .. }
            | Line::Mode(_)
            | Line::Tasks
            | Line::Withdrawn(_)
            | Line::Aside => self.within(),
        }
    }

    /// The cue of a line that opens and ends nothing.
    fn within(&self) -> Cue {
        match &self.turn {
            Some(turn) if turn.unasked => Cue::Free,
            Some(_) => Cue::Turn,
            None if self.begun => Cue::Free,
            None => Cue::Opening,
        }
    }

    /// Opens a turn, where none is open.
    fn begin(&mut self, at: usize) {
        if self.turn.is_some() {
            return;
        }
        let unasked = match self.result_after(at) {
            // With two `init` lines it may be the result of a task that began and ended in here.
            Some(end) => {
                let inits = self.lines[at..end].iter().filter(|line| line.is_init()).count();
                let marked = matches!(self.lines[end], Line::Result { unasked: true, .. });
                marked && (self.notified || inits < 2)
            }
            // The capture was cut short.
            None => self.notified,
        };
        self.turn = Some(Turn { unasked, ..Turn::default() });
        self.users += usize::from(!unasked);
        (self.begun, self.notified) = (true, false);
    }

    /// The next result, from this line on.
    fn result_after(&self, at: usize) -> Option<usize> {
        (at..self.lines.len()).find(|at| matches!(self.lines[*at], Line::Result { .. }))
    }

    fn result(&mut self, at: usize, unasked: bool) -> Cue {
        self.begin(at);
        let Some(turn) = self.turn.as_mut() else { return Cue::Free };
        if turn.gives_way {
            *turn = Turn::default();
            return Cue::Turn;
        }
        if unasked && !turn.unasked && turn.inits > 1 {
            // A background task's result came before that of the turn in which it was started.
            turn.inits -= 1;
            return Cue::Turn;
        }
        let cue = if turn.unasked { Cue::Free } else { Cue::TurnEnd };
        self.turn = None;
        cue
    }

    /// A message is written back: the one that released the turn, or a further one.
    fn replay(&mut self, at: usize, uuid: Option<&str>) -> Cue {
        self.begin(at);
        let further = self.turn.as_ref().is_some_and(|turn| turn.unasked || turn.replayed);
        let known = uuid.is_some_and(|uuid| self.taken.iter().any(|taken| taken == uuid));
        if further && !known {
            self.users += 1;
        } else if let Some(turn) = self.turn.as_mut().filter(|_| !known) {
            turn.replayed = true;
        }
        if let Some(uuid) = uuid {
            self.name(uuid, self.users.saturating_sub(1));
        }
        if further && !known { Cue::TakesUser } else { self.within() }
    }

    /// A message was read. Within a turn that may mean three things.
    fn queued(&mut self, at: usize, uuid: &str) -> Cue {
        if self.turn.is_none() {
            self.begin(at);
            self.name(uuid, self.users.saturating_sub(1));
            return self.within();
        }
        let end = self.result_after(at).unwrap_or(self.lines.len());
        let mine = |line: &Line| match line {
            Line::Started(id) => id == uuid,
            Line::Replay(id) => id.as_deref() == Some(uuid),
            _ => false,
        };
        let folded = self.lines[at..end].iter().any(mine);
        let cut = matches!(self.lines.get(end), Some(Line::Result { cut: true, .. }));
        let cancelled = matches!(self.lines.get(end + 1), Some(Line::Settled { cancelled: true }));
        let gives_way = cut && cancelled;
        if !folded && !gives_way {
            // It waits for its turn, and the turn waits for it.
            self.name(uuid, self.users);
            return self.within();
        }
        if let Some(turn) = self.turn.as_mut() {
            // s10_user_priority_now: the turn ends for it, and the next one is its own.
            turn.gives_way = gives_way;
        }
        if !gives_way {
            self.taken.push(uuid.to_owned());
        }
        self.name(uuid, self.users);
        self.users += 1;
        Cue::TakesUser
    }

    /// Notes which message a uuid names, the first time it is seen.
    fn name(&mut self, uuid: &str, user: usize) {
        if self.reading.uuids.iter().all(|(known, _)| known != uuid) {
            self.reading.uuids.push((uuid.to_owned(), user));
        }
    }

    /// An answer waits for nothing of its own, but for one that cuts the turn off.
    fn answer(&mut self, at: usize) -> Cue {
        let Some(end) = self.cut(at) else { return Cue::Answer };
        let before = at.checked_sub(1);
        let withdrawal = before.filter(|at| matches!(self.lines[*at], Line::Withdrawn(_)));
        self.reading.cuts.push(Cut { answer: at, withdrawal, end });
        Cue::Interrupted
    }

    /// The end of the turn that an answer cuts off, if it does.
    fn cut(&self, at: usize) -> Option<usize> {
        let Line::Answer(shape) = &self.lines[at] else { return None };
        self.turn.as_ref()?;
        let end = self.result_after(at)?;
        if !matches!(self.lines[end], Line::Result { cut: true, .. }) {
            return None;
        }
        let rest = self.lines.get(at + 1..end)?;
        match shape {
            Shape::Interrupt => {
                let again = |line: &Line| matches!(line, Line::Answer(Shape::Interrupt));
                (!rest.iter().any(again)).then_some(end)
            }
            // An older version says no more than that it is done (s04_interrupt_api), and so does
            // the answer to `end_session` (s09_end_session_busy).
            Shape::Done => {
                let users = |line: &Line| matches!(line, Line::Speech { user: true, .. });
                (rest.iter().all(users)).then_some(end)
            }
            _ => None,
        }
    }
}
