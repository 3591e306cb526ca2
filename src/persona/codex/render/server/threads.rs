//! The requests that deal with threads as such: start, resume, fork, read, list, archive, name.

use super::super::json::{self, Object};
use super::AppServer;
use super::thread::{self, Thread};
use super::wire::{self, Frame};

impl AppServer {
    pub(super) fn start_thread(&mut self, frame: &Frame) -> Result<(), String> {
        if let Some(message) = thread::wrong_sandbox(frame) {
            return Err(message);
        }
        let first = self.threads.is_empty();
        let id = if first { self.spawn.thread_id.clone() } else { self.ids.uuid() };
        let thread = Thread::new(id, &self.spawn, frame, self.ids.now_ms() / 1000);
        self.pieces.push(wire::result(frame.id(), &thread.settings(&self.server(), false)));
        self.thread_started(thread);
        Ok(())
    }

    /// Keeps a new thread and tells of it, without the turns that a fork brings with it.
    fn thread_started(&mut self, thread: Thread) {
        let told = Thread { turns: Vec::new(), ..thread.clone() };
        let params = Object::new().raw("thread", &told.object(&self.server())).end();
        self.threads.push(thread);
        let index = self.threads.len() - 1;
        self.latest = Some(index);
        self.tokens(index);
        self.notify("thread/started", &params);
    }

    /// Opens a thread again: one of this session, or one that an earlier process left, of which
    /// nothing but the id and the usage is known.
    pub(super) fn resume_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let id = frame.text("threadId").ok_or("Invalid request: missing field `threadId`")?;
        if let Some(message) = thread::wrong_sandbox(frame) {
            return Err(message);
        }
        let index = self.adopted(id);
        self.latest = Some(index);
        self.threads[index].settle(frame);
        self.whole_history(frame, "use `excludeTurns: true`");
        let mut shown = self.threads[index].clone();
        if frame.flag("excludeTurns") {
            shown.turns.clear();
        }
        self.pieces.push(wire::result(frame.id(), &shown.settings(&self.server(), true)));
        self.tokens(index);
        let params = Object::new().str("threadId", &shown.id).end();
        self.notify("thread/goal/cleared", &params);
        Ok(())
    }

    /// Forks a thread: one of this session, or one that an earlier process left.
    pub(super) fn fork_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let id = frame.text("threadId").ok_or("Invalid request: missing field `threadId`")?;
        if let Some(message) = thread::wrong_sandbox(frame) {
            return Err(message);
        }
        let index = self.adopted(id);
        let mut fork = self.threads[index].clone();
        fork.forked_from = Some(std::mem::replace(&mut fork.id, self.ids.uuid()));
        fork.created_at = self.ids.now_ms() / 1000;
        fork.settle(frame);
        self.whole_history(frame, "use `excludeTurns: true`");
        self.pieces.push(wire::result(frame.id(), &fork.settings(&self.server(), false)));
        self.thread_started(fork);
        Ok(())
    }

    pub(super) fn read_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let mut shown = self.threads[index].clone();
        if frame.flag("includeTurns") {
            self.whole_history(frame, "omit `includeTurns` or set it to `false`");
        } else {
            shown.turns.clear();
        }
        let revision = self.ids.uuid();
        let result = Object::new()
            .raw("thread", &shown.object(&self.server()))
            .raw("readState", &shown.read_state(&revision));
        self.pieces.push(wire::result(frame.id(), &result.end()));
        Ok(())
    }

    /// Whole histories are on their way out, which the server says each time (`06-resume`).
    fn whole_history(&mut self, frame: &Frame, instead: &str) {
        if frame.flag("excludeTurns") {
            return;
        }
        let summary = format!(
            "Full-history hydration is deprecated for paginated threads; {instead}, then page \
             with `thread/turns/list` and `thread/items/list`."
        );
        let params = Object::new().str("summary", &summary).null("details").end();
        self.notify("deprecationNotice", &params);
    }

    pub(super) fn archive_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        self.threads[index].archived = true;
        let about = || Object::new().str("threadId", &self.threads[index].id);
        let unloaded = about().raw("status", r#"{"type":"notLoaded"}"#).end();
        let archived = about().end();
        self.notify("thread/status/changed", &unloaded);
        self.pieces.push(wire::result(frame.id(), "{}"));
        self.notify("thread/archived", &archived);
        Ok(())
    }

    pub(super) fn name_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let name = frame.text("name").ok_or("Invalid request: missing field `name`")?;
        self.threads[index].name = Some(name.to_owned());
        self.pieces.push(wire::result(frame.id(), "{}"));
        let params = Object::new().str("threadId", &self.threads[index].id);
        self.notify("thread/name/updated", &params.str("threadName", name).end());
        Ok(())
    }

    /// Takes a thread out of the archive. Not captured, as the lists below: the keys are those of
    /// the published types.
    pub(super) fn unarchive_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        self.threads[index].archived = false;
        self.show_thread(frame)?;
        let params = Object::new().str("threadId", &self.threads[index].id).end();
        self.notify("thread/unarchived", &params);
        Ok(())
    }

    /// Answers with a thread as it stands, without its turns.
    pub(super) fn show_thread(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let thread = self.threads[index].summary(&self.server());
        let answer = Object::new().raw("thread", &thread).end();
        self.pieces.push(wire::result(frame.id(), &answer));
        Ok(())
    }

    /// Lists the threads of the session and those that earlier processes left, the latest first
    /// (an empty list: `06-errors`).
    pub(super) fn list_threads(&mut self, frame: &Frame) {
        for (id, _) in self.left.clone() {
            self.adopted(&id);
        }
        let archived = frame.flag("archived");
        let listed = |thread: &&Thread| !thread.ephemeral && thread.archived == archived;
        let threads = self.threads.iter().rev().filter(listed);
        let threads: Vec<String> = threads.map(|it| it.summary(&self.server())).collect();
        let answer = Object::new()
            .raw("data", &json::array(&threads))
            .raw("readStates", "{}")
            .null("nextCursor")
            .null("backwardsCursor");
        self.pieces.push(wire::result(frame.id(), &answer.end()));
    }

    /// Lists the ids of the threads that are open.
    pub(super) fn list_loaded(&mut self, frame: &Frame) {
        let ids: Vec<&str> = self.threads.iter().map(|thread| &*thread.id).collect();
        let answer = Object::new().raw("data", &json::strings(&ids)).null("nextCursor");
        self.pieces.push(wire::result(frame.id(), &answer.end()));
    }

    /// Lists the finished turns of a thread, the latest first unless asked otherwise.
    pub(super) fn list_turns(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let mut turns = self.threads[index].turns.clone();
        if frame.text("sortDirection") != Some("asc") {
            turns.reverse();
        }
        let answer = Object::new().raw("data", &json::array(&turns));
        let answer = answer.null("nextCursor").null("backwardsCursor");
        self.pieces.push(wire::result(frame.id(), &answer.end()));
        Ok(())
    }
}
