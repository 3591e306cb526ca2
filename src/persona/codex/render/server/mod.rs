//! `codex app-server`: the answers that need no recording, and turns as notifications
//! (`codex-0.171.0/06-*`). The other versions' servers were not captured; all answer like 0.171.0.

mod account;
mod compact;
mod goals;
mod item;
mod notices;
mod outside;
mod play;
mod review;
mod script;
mod stock;
mod thread;
mod threads;
mod wire;

use serde_json::Value;

use self::play::{Asked, Outcome, Run};
use self::thread::{Server, Thread};
use self::wire::Frame;
use super::ids::Ids;
use super::item::Item;
use super::json::{self, Object};
use super::spawn::Spawn;
use super::tool::Scene;
use super::traits;
use crate::persona::Piece;
use crate::recording::turn::{Turn, Usage};

/// What a client's line comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is dealt with: these pieces, perhaps none, are the answer.
    Done(Vec<Piece>),
    /// It is a request that the server does not serve: the pieces are the error.
    Refused(Vec<Piece>),
    /// It starts a turn, which the caller is to give to [`AppServer::turn`].
    Turn,
}

/// The server's side of a session.
///
/// Every line of the client goes to [`answer`](AppServer::answer), but the reply to a
/// [`Piece::Ask`] goes to [`answered`](AppServer::answered).
#[derive(Debug)]
pub struct AppServer {
    spawn: Spawn,
    ids: Ids,
    /// The client's name, once it has introduced itself.
    client: Option<String>,
    /// Notifications that the client does not want.
    muted: Vec<String>,
    threads: Vec<Thread>,
    /// Threads that earlier processes left, with their usage.
    left: Vec<(String, Usage)>,
    /// The thread that was opened or had a turn last.
    latest: Option<usize>,
    /// The turn that waits for an answer or an interrupt.
    run: Option<Run>,
    /// The next id of a request of the server's own.
    requests: u64,
    /// Items so far, for their ids.
    items: u64,
    /// Commands that are permitted for the rest of the session.
    permitted: Vec<String>,
    /// The agent that was spawned last.
    agent: Option<String>,
    pieces: Vec<Piece>,
}

impl AppServer {
    /// A server for a spawn; its `thread_id` is that of the first thread that is started, its
    /// approval policy that of threads that name none. What it carries counts for no thread: see
    /// [`remember`](AppServer::remember).
    pub fn new(spawn: Spawn) -> AppServer {
        AppServer {
            ids: Ids::after_thread(spawn.seed, spawn.number),
            spawn,
            client: None,
            muted: Vec::new(),
            threads: Vec::new(),
            left: Vec::new(),
            latest: None,
            run: None,
            requests: 0,
            items: 0,
            permitted: Vec::new(),
            agent: None,
            pieces: Vec::new(),
        }
    }

    /// Answers a line of the client: a request, a notification, or something that is neither,
    /// which the server passes over.
    pub fn answer(&mut self, line: &str) -> Reply {
        let Some(frame) = Frame::read(line) else {
            return Reply::Done(Vec::new());
        };
        let (Some(method), Some(_)) = (frame.method.as_deref(), &frame.id) else {
            return Reply::Done(Vec::new());
        };
        match self.request(method, &frame) {
            Ok(true) => return Reply::Turn,
            Ok(false) => {}
            Err(message) => {
                self.pieces.clear();
                return Reply::Refused(vec![wire::error(frame.id(), &message)]);
            }
        }
        Reply::Done(self.take())
    }

    /// Plays the turn that `line` starts, a `turn/start` or `review/start` for which
    /// [`answer`](AppServer::answer) said [`Reply::Turn`]: to its end, to a question, or to where
    /// it waits to be interrupted. A thread that the server does not know is one that somebody
    /// else told the client of.
    pub fn turn(&mut self, line: &str, turn: &Turn) -> Vec<Piece> {
        let Some(frame) = Frame::read(line) else {
            return Vec::new();
        };
        let thread = self.adopted(frame.text("threadId").unwrap_or_default());
        self.latest = Some(thread);
        let id = self.ids.uuid();
        self.threads[thread].settle(&frame);
        self.threads[thread].first_turn.get_or_insert_with(|| id.clone());
        let review = review::hint(&frame);
        let input = frame.params.get("input").cloned().unwrap_or_default();
        let prompt = review.clone().unwrap_or_else(|| prompt_of(&input));
        if self.threads[thread].preview.is_empty() {
            self.threads[thread].preview.clone_from(&prompt);
        }
        let scene = Scene {
            shell: traits::of(&self.spawn.version).shell,
            cwd: &self.threads[thread].cwd,
            can_ask: self.threads[thread].asks(),
        };
        let acts = script::acts(turn, &prompt, &scene);
        let mut run = Run {
            acts: if review.is_some() { review::acts(acts) } else { acts },
            chunk: turn.chunk,
            duration_ms: turn.duration_ms,
            ..Run::new(thread, id, self.ids.now_ms())
        };
        match review {
            Some(hint) => self.open_review(&frame, &mut run, &hint),
            None => {
                self.pieces.push(wire::result(frame.id(), &begun_answer(&run.id)));
                self.turn_started(&mut run, None);
                self.user_message(&mut run, &input);
            }
        }
        self.play(run);
        self.take()
    }

    /// Goes on after the client's reply to a [`Piece::Ask`]. A reply without a decision declines;
    /// one to a question that is not open is passed over.
    pub fn answered(&mut self, line: &str) -> Vec<Piece> {
        let (Some(frame), Some(mut run)) = (Frame::read(line), self.run.take()) else {
            return Vec::new();
        };
        match run.asked.take() {
            Some(asked) if frame.id() == asked.request.to_string() => {
                let decision = decision_of(&frame.result);
                self.go_on(run, asked, &decision);
            }
            asked => {
                run.asked = asked;
                self.run = Some(run);
            }
        }
        self.take()
    }

    /// What follows when the turn that waits is interrupted, but for the answer to the request
    /// that does it ([`answer`](AppServer::answer) gives that too).
    pub fn interrupted(&mut self) -> Vec<Piece> {
        self.break_off();
        self.take()
    }

    /// Refuses a request that cannot be served, a `turn/start` when there is no turn left.
    pub fn refuse(&self, line: &str, message: &str) -> Vec<Piece> {
        let frame = Frame::read(line).filter(|frame| frame.id.is_some());
        frame.map(|frame| wire::error(frame.id(), message)).into_iter().collect()
    }

    /// Deals with a request. `true`: it starts a turn.
    fn request(&mut self, method: &str, frame: &Frame) -> Result<bool, String> {
        if method == "initialize" {
            return self.initialize(frame).map(|()| false);
        }
        if self.client.is_none() {
            return Err("Not initialized".to_owned());
        }
        match method {
            "thread/start" => self.start_thread(frame)?,
            "thread/resume" => self.resume_thread(frame)?,
            "thread/fork" => self.fork_thread(frame)?,
            "thread/read" => self.read_thread(frame)?,
            "thread/archive" => self.archive_thread(frame)?,
            "thread/unarchive" => self.unarchive_thread(frame)?,
            "thread/name/set" => self.name_thread(frame)?,
            "thread/list" => self.list_threads(frame),
            "thread/loaded/list" => self.list_loaded(frame),
            "thread/turns/list" => self.list_turns(frame)?,
            "thread/metadata/update" | "thread/revert" => self.show_thread(frame)?,
            "thread/goal/set" => self.set_goal(frame)?,
            "thread/goal/get" => self.get_goal(frame)?,
            "thread/goal/clear" => self.clear_goal(frame)?,
            "account/login/start" => self.log_in(frame),
            "turn/start" | "review/start" => return self.may_start(frame),
            "thread/compact/start" => self.compact_thread(frame)?,
            "turn/steer" => self.steer(frame)?,
            "turn/interrupt" => self.interrupt(frame)?,
            _ => {
                let answer = stock::answer(method, &frame.params, &self.spawn)?;
                self.pieces.push(wire::result(frame.id(), &answer));
            }
        }
        Ok(false)
    }

    fn initialize(&mut self, frame: &Frame) -> Result<(), String> {
        if self.client.is_some() {
            return Err("Already initialized".to_owned());
        }
        let info =
            frame.params.get("clientInfo").ok_or("Invalid request: missing field `clientInfo`")?;
        let text = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, version) = (text("name"), text("version"));
        let muted =
            frame.params.get("capabilities").and_then(|c| c.get("optOutNotificationMethods"));
        let muted = muted.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        self.muted = muted.iter().filter_map(|m| m.as_str().map(str::to_owned)).collect();
        let agent = format!(
            "{name}/{} (Debian 12.0.0; x86_64) unknown ({name}; {version})",
            self.spawn.version
        );
        let result = Object::new()
            .str("userAgent", &agent)
            .str("codexHome", &self.spawn.codex_home)
            .str("platformFamily", "unix")
            .str("platformOs", "linux");
        self.pieces.push(wire::result(frame.id(), &result.end()));
        self.client = Some(name.to_owned());
        let params = Object::new()
            .str("status", "disabled")
            .str("serverName", "localhost")
            .str("installationId", &self.ids.uuid())
            .null("environmentId");
        self.notify("remoteControl/status/changed", &params.end());
        Ok(())
    }

    /// Whether a `turn/start` starts a turn. While one runs, it is that turn's own answer again.
    fn may_start(&mut self, frame: &Frame) -> Result<bool, String> {
        let is_review = frame.method.as_deref() == Some("review/start");
        for key in ["threadId", if is_review { "target" } else { "input" }] {
            if frame.params.get(key).is_none() {
                return Err(format!("Invalid request: missing field `{key}`"));
            }
        }
        let thread = self.thread(frame)?;
        let Some(run) = self.run.as_ref().filter(|run| run.thread == thread) else {
            return Ok(true);
        };
        let result = begun_answer(&run.id);
        self.pieces.push(wire::result(frame.id(), &result));
        Ok(false)
    }

    fn steer(&mut self, frame: &Frame) -> Result<(), String> {
        let run = self.run.as_ref().ok_or("no active turn to steer")?;
        let result = steered(frame, &run.id)?;
        self.pieces.push(wire::result(frame.id(), &result));
        Ok(())
    }

    fn interrupt(&mut self, frame: &Frame) -> Result<(), String> {
        if self.run.is_none() {
            return Err("no active turn to interrupt".to_owned());
        }
        self.answer_interrupt(frame);
        self.break_off();
        Ok(())
    }

    fn answer_interrupt(&mut self, frame: &Frame) {
        self.rate_limits();
        self.pieces.push(wire::result(frame.id(), "{}"));
    }

    /// Ends the turn that waits as interrupted.
    fn break_off(&mut self) {
        if let Some(mut run) = self.run.take() {
            if let Some(Asked { request, .. }) = run.asked.take() {
                self.resolved(run.thread, request);
            }
            self.finish(run, Outcome::Interrupted);
        }
    }

    /// Tells that the turn began; a review's own turn has an id of its own below it.
    fn turn_started(&mut self, run: &mut Run, inner: Option<&str>) {
        self.status(run.thread, Some(""));
        run.started_ms = self.ids.now_ms();
        let id = inner.unwrap_or(&run.id);
        let turn = begun_turn(id, &run.id, Some(run.started_ms / 1000));
        let params = Object::new().str("threadId", &self.threads[run.thread].id);
        self.notify("turn/started", &params.raw("turn", &turn).end());
    }

    /// The prompt as an item of the turn.
    fn user_message(&mut self, run: &mut Run, input: &Value) {
        let parts = input.as_array().map_or(&[][..], Vec::as_slice);
        let parts: Vec<String> = parts.iter().map(input_part).collect();
        let (id, started) = (self.ids.uuid(), self.ids.now_ms());
        let object = |completed: Option<u64>| {
            let object = Object::new()
                .str("type", "userMessage")
                .str("id", &id)
                .null("clientId")
                .raw("content", &json::array(&parts))
                .put("startedAtMs", started);
            match completed {
                Some(ms) => object.put("completedAtMs", ms),
                None => object.null("completedAtMs"),
            }
            .end()
        };
        self.item_event(run, "item/started", &object(None));
        self.item_event(run, "item/completed", &object(Some(started)));
        run.items.push(object(Some(started)));
    }

    /// The thread that a request names.
    fn thread(&self, frame: &Frame) -> Result<usize, String> {
        let id = frame.text("threadId").ok_or("Invalid request: missing field `threadId`")?;
        let index = self.threads.iter().position(|thread| thread.id == id);
        index.ok_or_else(|| format!("thread not found: {id}"))
    }

    /// The same, of the threads that earlier processes left too.
    fn kept_thread(&mut self, frame: &Frame) -> Result<usize, String> {
        if let Some(id) = frame.text("threadId")
            && self.left.iter().any(|(left, _)| left == id)
        {
            return Ok(self.adopted(id));
        }
        self.thread(frame)
    }

    fn server(&self) -> Server<'_> {
        Server {
            codex_home: &self.spawn.codex_home,
            version: &self.spawn.version,
            client: self.client.as_deref().unwrap_or_default(),
        }
    }

    /// Whether the client permitted this for the rest of the session.
    fn is_permitted(&self, item: &Item) -> bool {
        matches!(item, Item::Command(command) if self.permitted.contains(&command.command))
    }

    /// Notes that this is permitted for the rest of the session.
    fn permit(&mut self, item: &Item) {
        if let Item::Command(command) = item {
            self.permitted.push(command.command.clone());
        }
    }

    fn notify(&mut self, method: &str, params: &str) {
        self.ids.pass(1);
        if !self.muted.iter().any(|muted| muted == method) {
            self.pieces.push(wire::notification(method, params, self.ids.now_ms()));
        }
    }

    fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }
}

/// What a `turn/steer` is answered while this turn runs.
fn steered(frame: &Frame, turn: &str) -> Result<String, String> {
    match frame.text("expectedTurnId") {
        Some(expected) if expected != turn => {
            Err(format!("expected active turn id `{expected}` but found `{turn}`"))
        }
        _ => Ok(Object::new().str("turnId", turn).end()),
    }
}

/// What a `turn/start` is answered.
fn begun_answer(turn: &str) -> String {
    Object::new().raw("turn", &begun_turn(turn, turn, None)).end()
}

/// A turn that has begun, as it stands in the answer and, with its time, in the notification.
fn begun_turn(id: &str, root: &str, started_at: Option<u64>) -> String {
    let object = Object::new()
        .str("id", id)
        .str("rootTurnId", root)
        .raw("items", "[]")
        .str("itemsView", "notLoaded")
        .str("status", "inProgress")
        .null("error");
    let object = match started_at {
        Some(seconds) => object.put("startedAt", seconds),
        None => object.null("startedAt"),
    };
    object.null("completedAt").null("durationMs").end()
}

/// The texts of an input.
fn prompt_of(input: &Value) -> String {
    let parts = input.as_array().map_or(&[][..], Vec::as_slice);
    let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
    texts.collect::<Vec<_>>().join("\n")
}

/// A part of an input, as the user's message shows it.
fn input_part(part: &Value) -> String {
    match part.get("text").and_then(Value::as_str) {
        Some(text) => {
            let elements = part.get("text_elements").map_or("[]".to_owned(), Value::to_string);
            Object::new()
                .str("type", "text")
                .str("text", text)
                .raw("text_elements", &elements)
                .end()
        }
        None => part.to_string(),
    }
}

/// The decision in a reply: a word, or an object whose key is the word.
fn decision_of(result: &Value) -> String {
    let decision = result.get("decision").unwrap_or(&Value::Null);
    let word = decision.as_str().or_else(|| Some(decision.as_object()?.keys().next()?.as_str()));
    word.unwrap_or("decline").to_owned()
}

#[cfg(test)]
mod tests;
