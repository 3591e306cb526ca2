//! What a server learns from outside: threads and turns that a recording told the client of, so
//! that the requests that follow are answered as if they were its own.

use super::AppServer;
use super::play::Run;
use super::thread::Thread;
use super::wire::{self, Frame};
use crate::persona::Piece;
use crate::recording::turn::Usage;

impl AppServer {
    /// Takes note of a thread that an earlier process left, and of its usage, in case the client
    /// resumes or forks it.
    pub fn remember(&mut self, id: &str, usage: Usage) {
        self.left.push((id.to_owned(), usage));
    }

    /// The client has introduced itself to somebody else.
    pub fn introduced(&mut self) {
        self.client.get_or_insert_default();
    }

    /// Whether the client has introduced itself.
    pub fn is_introduced(&self) -> bool {
        self.client.is_some()
    }

    /// Whether this is a thread of the session.
    pub fn knows(&self, thread: &str) -> bool {
        self.threads.iter().any(|known| known.id == thread)
    }

    /// Makes this a thread of the session, whoever opened it.
    pub fn adopt(&mut self, thread: &str) {
        self.adopted(thread);
    }

    /// The thread that was opened or had a turn last, with its usage so far; none if nothing is
    /// kept of it.
    pub fn latest(&self) -> Option<(&str, Usage)> {
        let thread = self.threads.get(self.latest?).filter(|thread| !thread.ephemeral)?;
        Some((&thread.id, thread.total))
    }

    /// The thread that was opened last goes by another id, a recording's.
    pub fn rename_latest(&mut self, id: &str) {
        if let Some(thread) = self.latest.and_then(|index| self.threads.get_mut(index)) {
            id.clone_into(&mut thread.id);
        }
    }

    /// The thread of the turn that waits.
    pub fn waiting_thread(&self) -> Option<&str> {
        let thread = self.threads.get(self.run.as_ref()?.thread)?;
        Some(&thread.id)
    }

    /// The answer to the request that interrupts a turn (`06-interrupt`), which is broken off
    /// after it.
    pub fn interrupt_answer(&mut self, line: &str) -> Vec<Piece> {
        if let Some(frame) = Frame::read(line) {
            self.answer_interrupt(&frame);
        }
        self.take()
    }

    /// The end of a turn that a recording was telling of when it was interrupted.
    pub fn interrupted_elsewhere(&mut self, thread: &str, turn: &str) -> Vec<Piece> {
        let thread = self.adopted(thread);
        self.run = Some(Run::new(thread, turn.to_owned(), self.ids.now_ms()));
        self.interrupted()
    }

    /// The answer to a `turn/start` or `turn/steer` that goes into a turn which a recording tells
    /// of.
    pub fn taken_elsewhere(&self, line: &str, turn: &str) -> Vec<Piece> {
        let Some(frame) = Frame::read(line) else {
            return Vec::new();
        };
        if frame.method.as_deref() == Some("turn/steer") {
            return match super::steered(&frame, turn) {
                Ok(result) => vec![wire::result(frame.id(), &result)],
                Err(message) => vec![wire::error(frame.id(), &message)],
            };
        }
        vec![wire::result(frame.id(), &super::begun_answer(turn))]
    }

    /// The answer to the request that started a turn of which a recording tells without it, as a
    /// line.
    pub fn begun(&self, request: &str, turn: &str) -> Vec<u8> {
        wire::line(wire::result_text(request, &super::begun_answer(turn)))
    }

    /// The place of a thread, which is made if there is none of that id.
    pub(super) fn adopted(&mut self, id: &str) -> usize {
        if let Some(index) = self.threads.iter().position(|thread| thread.id == id) {
            return index;
        }
        let now = self.ids.now_ms() / 1000;
        let mut thread = Thread::new(id.to_owned(), &self.spawn, &Frame::default(), now);
        let left = self.left.iter().rfind(|(known, _)| known == id);
        thread.total = left.map_or_else(Usage::default, |(_, usage)| *usage);
        self.threads.push(thread);
        self.threads.len() - 1
    }
}
