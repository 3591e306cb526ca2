//! Plays a turn: its notifications in the real order, up to a question to the client, to where it
//! waits to be interrupted, or to its end.

use std::collections::VecDeque;

use super::super::item::{Command, Item, Status};
use super::super::json::{self, Object};
use super::super::patch;
use super::AppServer;
use super::item::{self, Frame, Stage};
use super::notices::error_object;
use super::script::Act;
use super::wire;
use crate::persona::Piece;

/// Characters in a delta, where the turn does not say.
const CHUNK: usize = 10;

/// A turn that is being played.
#[derive(Debug)]
pub(super) struct Run {
    /// The thread's index.
    pub thread: usize,
    /// The turn's id.
    pub id: String,
    pub started_ms: u64,
    pub acts: VecDeque<Act>,
    pub chunk: Option<usize>,
    pub duration_ms: Option<u64>,
    /// The items that are done.
    pub items: Vec<String>,
    /// The last message, which the turn is told by in the end.
    pub message: Option<String>,
    /// What the turn changed so far.
    pub diff: String,
    /// What the client was asked about.
    pub asked: Option<Asked>,
}

impl Run {
    /// A turn that has nothing to do yet.
    pub fn new(thread: usize, id: String, started_ms: u64) -> Run {
        Run {
            thread,
            id,
            started_ms,
            acts: VecDeque::new(),
            chunk: None,
            duration_ms: None,
            items: Vec::new(),
            message: None,
            diff: String::new(),
            asked: None,
        }
    }
}

/// A question that is open.
#[derive(Debug)]
pub(super) struct Asked {
    /// The request's id.
    pub request: u64,
    pub item: Item,
    pub id: String,
    pub started_ms: u64,
}

/// How a turn ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome<'a> {
    Completed,
    Interrupted,
    Failed(&'a str),
}

impl AppServer {
    /// Plays on until the turn stops or is over.
    pub(super) fn play(&mut self, mut run: Run) {
        while let Some(act) = run.acts.pop_front() {
            match act {
                Act::Item(item) => self.whole(&mut run, &item),
                Act::Open(text) => {
                    let (id, _) = self.begin(&run, &Item::Message(text.clone()));
                    self.deltas(&run, &id, &text);
                }
                Act::Ask(item) if self.is_permitted(&item) => self.whole(&mut run, &item),
                Act::Ask(item) => {
                    self.ask(&mut run, item);
                    self.run = Some(run);
                    return;
                }
                Act::Reviewed(text) => self.reviewed(&mut run, &text),
                Act::Raw(raw) => self.item_event(&run, "item/completed", &raw),
                Act::Called(used) => self.called(&run, used),
                Act::Retry(message) => {
                    self.rate_limits();
                    self.error(&run, &message, true);
                }
                Act::Fail(message) => {
                    self.error(&run, &message, false);
                    return self.finish(run, Outcome::Failed(&message));
                }
                Act::Wait => {
                    self.run = Some(run);
                    return self.pieces.push(Piece::AwaitInterrupt);
                }
            }
        }
        self.finish(run, Outcome::Completed);
    }

    /// The turn's end: the thread is idle before the turn is over.
    pub(super) fn finish(&mut self, run: Run, outcome: Outcome) {
        let thread_id = self.threads[run.thread].id.clone();
        if !run.diff.is_empty() && matches!(outcome, Outcome::Completed) {
            self.diff(&run);
        }
        self.status(run.thread, None);
        let now = self.ids.now_ms();
        let shown = run.message.as_ref().filter(|_| matches!(outcome, Outcome::Completed));
        let (status, error) = match outcome {
            Outcome::Completed => ("completed", "null".to_owned()),
            Outcome::Interrupted => ("interrupted", "null".to_owned()),
            Outcome::Failed(message) => ("failed", error_object(message)),
        };
        let turn = |items: &[String], view: &str| {
            Object::new()
                .str("id", &run.id)
                .str("rootTurnId", &run.id)
                .raw("items", &json::array(items))
                .str("itemsView", view)
                .str("status", status)
                .raw("error", &error)
                .put("startedAt", run.started_ms / 1000)
                .put("completedAt", now / 1000)
                .put("durationMs", run.duration_ms.unwrap_or(now.saturating_sub(run.started_ms)))
                .end()
        };
        let told = match shown {
            Some(message) => turn(std::slice::from_ref(message), "summary"),
            None => turn(&[], "notLoaded"),
        };
        let params = Object::new().str("threadId", &thread_id).raw("turn", &told).end();
        self.threads[run.thread].turns.push(turn(&run.items, "full"));
        self.notify("turn/completed", &params);
    }

    /// An item from its start to its end.
    fn whole(&mut self, run: &mut Run, item: &Item) {
        if let Item::Plan(plan) = item {
            let params = self
                .about_turn(run)
                .maybe("explanation", plan.explanation.as_deref())
                .raw("plan", &item::plan_steps(&plan.steps));
            return self.notify("turn/plan/updated", &params.end());
        }
        let (id, started_ms) = self.begin(run, item);
        let process = process_of(item, &id);
        self.progress(run, item, &id);
        self.complete(run, item, &id, started_ms, Stage::Done, process.as_deref());
    }

    /// A message that is there at once, under an id of its own.
    pub(super) fn whole_message(&mut self, run: &mut Run, message: &Item, id: &str) {
        let started_ms = self.ids.now_ms();
        let object = self.object(run, message, id, Stage::Done, (started_ms, None), None);
        self.item_event(run, "item/started", &object);
        self.complete(run, message, id, started_ms, Stage::Done, None);
    }

    /// An item's start. Gives its id and time.
    pub(super) fn begin(&mut self, run: &Run, item: &Item) -> (String, u64) {
        let id = self.item_id(item);
        let started_ms = self.ids.now_ms();
        let process = process_of(item, &id);
        let object =
            self.object(run, item, &id, Stage::Begun, (started_ms, None), process.as_deref());
        self.item_event(run, "item/started", &object);
        (id, started_ms)
    }

    /// What comes between an item's start and its end.
    fn progress(&mut self, run: &Run, item: &Item, id: &str) {
        match item {
            Item::Message(text) => self.deltas(run, id, text),
            Item::Reasoning(text) => {
                let part = self.about_item(run, id).put("summaryIndex", 0).end();
                self.notify("item/reasoning/summaryPartAdded", &part);
                for delta in chunks(text, run.chunk.unwrap_or(usize::MAX)) {
                    let object = self.about_item(run, id).str("delta", delta);
                    let delta = object.put("summaryIndex", 0).end();
                    self.notify("item/reasoning/summaryTextDelta", &delta);
                }
            }
            Item::Command(Command { output, .. }) if !output.is_empty() => {
                let delta = self.about_item(run, id).str("delta", output).end();
                self.notify("item/commandExecution/outputDelta", &delta);
            }
            _ => {}
        }
    }

    fn deltas(&mut self, run: &Run, id: &str, text: &str) {
        for delta in chunks(text, run.chunk.unwrap_or(CHUNK)) {
            let params = self.about_item(run, id).str("delta", delta).end();
            self.notify("item/agentMessage/delta", &params);
        }
    }

    /// An item's end.
    fn complete(
        &mut self,
        run: &mut Run,
        item: &Item,
        id: &str,
        started_ms: u64,
        stage: Stage,
        process: Option<&str>,
    ) {
        if matches!(item, Item::Agent(agent) if agent.tool == "spawn_agent") {
            self.agent = Some(self.ids.uuid());
        }
        self.ids.took_ms();
        let times = (started_ms, Some(self.ids.now_ms()));
        let object = self.object(run, item, id, stage, times, process);
        self.item_event(run, "item/completed", &object);
        if let Item::Message(_) = item {
            run.message = Some(object.clone());
        }
        run.items.push(object);
        if let Item::Files(files) = item
            && stage == Stage::Done
            && files.status == Status::Completed
        {
            let cwd = &self.threads[run.thread].cwd;
            run.diff.push_str(&patch::git_diff(&files.changes, cwd));
            self.diff(run);
        }
    }

    fn object(
        &self,
        run: &Run,
        item: &Item,
        id: &str,
        stage: Stage,
        (started_ms, completed_ms): (u64, Option<u64>),
        process: Option<&str>,
    ) -> String {
        let thread = &self.threads[run.thread];
        let frame = Frame {
            id,
            stage,
            started_ms,
            completed_ms,
            cwd: &thread.cwd,
            thread: &thread.id,
            process,
            agent: self.agent.as_deref(),
        };
        item::object(item, &frame)
    }

    /// Asks the client. A command is announced after the thread waits, a patch before
    /// (`06-approve-decline`, `06-patch-decline`).
    fn ask(&mut self, run: &mut Run, item: Item) {
        let id = self.item_id(&item);
        let started_ms = self.ids.now_ms();
        let object = self.object(run, &item, &id, Stage::Begun, (started_ms, None), None);
        let waits = Some("waitingOnApproval");
        let request = self.requests;
        self.requests += 1;
        let piece = if let Item::Command(command) = &item {
            self.status(run.thread, waits);
            self.item_event(run, "item/started", &object);
            let params = Object::new().str("kind", "command");
            let params = self.question(params, run, &id, started_ms);
            let params = command_question(command, &self.threads[run.thread].cwd, params);
            wire::request(request, "item/commandExecution/requestApproval", &params)
        } else {
            self.item_event(run, "item/started", &object);
            self.status(run.thread, waits);
            let params = self.question(Object::new(), run, &id, started_ms);
            let params = params.null("reason").null("grantRoot").end();
            wire::request(request, "item/fileChange/requestApproval", &params)
        };
        self.pieces.push(piece);
        run.asked = Some(Asked { request, item, id, started_ms });
    }

    /// The parameters that questions have in common.
    fn question(&self, params: Object, run: &Run, id: &str, started_ms: u64) -> Object {
        params
            .str("threadId", &self.threads[run.thread].id)
            .str("turnId", &run.id)
            .str("itemId", id)
            .put("startedAtMs", started_ms)
    }

    /// Goes on after an answer: `accept` and its kind run it, `decline` passes it over, `cancel`
    /// ends the turn too.
    pub(super) fn go_on(&mut self, mut run: Run, asked: Asked, decision: &str) {
        self.resolved(run.thread, asked.request);
        let Asked { item, id, started_ms, .. } = asked;
        if decision.starts_with("accept") {
            if decision == "acceptForSession" {
                self.permit(&item);
            }
            self.status(run.thread, Some(""));
            self.progress(&run, &item, &id);
            let process = process_of(&item, &id);
            self.complete(&mut run, &item, &id, started_ms, Stage::Done, process.as_deref());
            return self.play(run);
        }
        // The thread stops waiting before a patch is done with, and after a command is.
        let is_command = matches!(item, Item::Command(_));
        if !is_command {
            self.status(run.thread, Some(""));
        }
        self.complete(&mut run, &item, &id, started_ms, Stage::Declined, None);
        if is_command {
            self.status(run.thread, Some(""));
        }
        if decision != "cancel" {
            return self.play(run);
        }
        if let Some(Act::Called(used)) = run.acts.pop_front() {
            self.called(&run, used);
        }
        self.finish(run, Outcome::Interrupted);
    }

    /// Parameters that begin with the thread and the turn.
    pub(super) fn about_turn(&self, run: &Run) -> Object {
        Object::new().str("threadId", &self.threads[run.thread].id).str("turnId", &run.id)
    }

    /// Parameters that begin with the thread, the turn and an item.
    fn about_item(&self, run: &Run, id: &str) -> Object {
        self.about_turn(run).str("itemId", id)
    }

    /// The next id of an item's kind, as the API numbers its own.
    fn item_id(&mut self, item: &Item) -> String {
        let prefix = match item {
            Item::Reasoning(_) => "rs",
            Item::Message(_) => "msg",
            Item::Search(_) => "ws",
            _ => "call",
        };
        self.items += 1;
        format!("{prefix}_{}", self.items)
    }
}

/// The rest of the parameters of a question about a command.
fn command_question(command: &Command, cwd: &str, params: Object) -> String {
    let shell = command.command.split_once(" -lc ").map_or("/bin/bash", |(shell, _)| shell);
    let words = json::strings(&[shell, "-lc", &command.script]);
    let amendment = Object::new().raw("execpolicy_amendment", &words).end();
    let amendment = Object::new().raw("acceptWithExecpolicyAmendment", &amendment).end();
    let decisions = json::array(&[json::string("accept"), amendment, json::string("cancel")]);
    params
        .str("environmentId", "local")
        .maybe("reason", command.reason.as_deref())
        .str("command", &command.command)
        .str("cwd", cwd)
        .raw("commandActions", &item::command_actions(command))
        .raw("proposedExecpolicyAmendment", &words)
        .raw("availableDecisions", &decisions)
        .end()
}

/// The process of a command that runs, made up of its item's id.
fn process_of(item: &Item, id: &str) -> Option<String> {
    let number = id.bytes().fold(7, |sum: u64, byte| (sum * 31 + u64::from(byte)) % 90_000);
    matches!(item, Item::Command(command) if command.status != Status::Declined)
        .then(|| (10_000 + number).to_string())
}

/// Text in pieces of so many characters.
fn chunks(text: &str, size: usize) -> Vec<&str> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let cut = rest.char_indices().nth(size.max(1)).map_or(rest.len(), |(at, _)| at);
        let (chunk, after) = rest.split_at(cut);
        chunks.push(chunk);
        rest = after;
    }
    chunks
}
