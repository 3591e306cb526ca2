//! `thread/compact/start`: a turn of its own, in which the history is made shorter
//! (`06-compact-exec`). What the real one tells of the tokens of its model calls is left out.

use super::super::json::Object;
use super::AppServer;
use super::play::{Outcome, Run};
use super::wire::{self, Frame};

impl AppServer {
    pub(super) fn compact_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let thread = self.thread(frame)?;
        self.pieces.push(wire::result(frame.id(), "{}"));
        let mut run = Run::new(thread, self.ids.uuid(), self.ids.now_ms());
        self.turn_started(&mut run, None);
        let (id, started) = (self.ids.uuid(), self.ids.now_ms());
        let item = Object::new().str("type", "contextCompaction").str("id", &id);
        let item = item.put("startedAtMs", started);
        self.item_event(&run, "item/started", &item.clone().null("completedAtMs").end());
        self.ids.took_ms();
        let done = item.put("completedAtMs", self.ids.now_ms()).end();
        self.item_event(&run, "item/completed", &done);
        run.items.push(done);
        self.finish(run, Outcome::Completed);
        Ok(())
    }
}
