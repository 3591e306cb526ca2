//! What a raw recording of a session holds, once it was learned: the answers, ready to be given
//! when they are asked for, and the turns with what the client took part in.

/// What was learned of a recording.
#[derive(Debug, Default)]
pub(super) struct Capture {
    /// The answers outside of turns.
    pub answers: Vec<Recorded>,
    /// The places where a message of the client is due, in order.
    pub slots: Vec<Slot>,
    /// The first slot that no message has taken.
    next: usize,
}

/// A recorded answer with the notifications that come along.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The method that it answers.
    pub method: &'static str,
    /// The lines that announce it.
    pub before: Vec<Vec<u8>>,
    /// The answer itself.
    pub line: Vec<u8>,
    /// The lines that belong to it.
    pub after: Vec<Vec<u8>>,
    /// The thread that it is about, as source text.
    pub thread: Option<String>,
    /// The thread that that one was forked from.
    pub parent: Option<String>,
    /// Whether it was given already.
    pub used: bool,
}

/// What a message does in the place where it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// It releases a turn.
    Turn,
    /// It is a further `turn/start` that goes into the running turn.
    Start,
    /// It is a `turn/steer`.
    Steer,
}

/// A place where a message of the client is due.
#[derive(Debug)]
pub(super) struct Slot {
    pub due: Due,
    /// The recorded answer to it, with the request's id as it was written.
    pub answer: Option<(String, Vec<u8>)>,
    /// The turn's id, as source text.
    pub turn: Option<String>,
    /// The turn's thread, as source text.
    pub thread: Option<String>,
    /// The turn's first line, if that is no answer.
    pub opens: Option<Vec<u8>>,
    /// The recorded answer to the request that interrupted the turn.
    pub interrupt: Option<Recorded>,
    /// The live message that took the place.
    pub taken: Option<Taken>,
}

impl Slot {
    /// The turn's id; empty if the recording has none.
    pub fn turn_id(&self) -> String {
        self.turn.as_deref().map(super::line::decoded).unwrap_or_default()
    }
}

/// A live message that was taken for the recording.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub due: Due,
    /// The request's id, as it was written.
    pub request: String,
    /// The thread that it names, as source text.
    pub thread: Option<String>,
}

impl Capture {
    /// Whether the recording tells of a thread of this id.
    pub fn names(&self, thread: &str) -> bool {
        let slots = self.slots.iter().map(|slot| &slot.thread);
        let mut threads = slots.chain(self.answers.iter().map(|answer| &answer.thread));
        threads.any(|known| known.as_deref() == Some(thread))
    }

    /// The turn that was released last.
    pub fn running(&self) -> Option<&Slot> {
        let before = self.slots.get(..self.next)?;
        before.iter().rfind(|slot| slot.due == Due::Turn && slot.taken.is_some())
    }

    /// Whether the running turn has a place for such a message.
    pub fn awaits(&self, due: Due) -> bool {
        self.slots.get(self.next).is_some_and(|slot| slot.due == due)
    }

    /// Puts a message in its place; gives the recorded thread that it then is about.
    pub fn take(&mut self, taken: &Taken) -> Option<String> {
        let fits = |slot: &Slot| slot.due == taken.due;
        let skipped = match taken.due {
            // A turn that was interrupted may have places left.
            Due::Turn => self.slots.get(self.next..)?.iter().position(fits)?,
            Due::Start | Due::Steer => 0,
        };
        let at = self.next + skipped;
        let slot = self.slots.get_mut(at).filter(|slot| fits(slot))?;
        slot.taken = Some(taken.clone());
        self.next = at + 1;
        slot.thread.clone()
    }

    /// The live request that a recorded answer in a turn belongs to, by the recorded id.
    pub fn request(&self, recorded: &str) -> Option<&str> {
        let answers = |slot: &&Slot| slot.answer.as_ref().is_some_and(|(id, _)| id == recorded);
        let taken = self.slots.iter().rfind(|slot| slot.taken.is_some() && answers(slot));
        taken.and_then(|slot| slot.taken.as_ref()).map(|taken| taken.request.as_str())
    }

    /// The released turn that begins with this line and has no answer.
    pub fn opened_by(&self, line: &[u8]) -> Option<(&Slot, &Taken)> {
        let opens = |slot: &&Slot| slot.opens.as_deref() == Some(line);
        let slot = self.slots.iter().find(opens)?;
        Some((slot, slot.taken.as_ref()?))
    }
}
