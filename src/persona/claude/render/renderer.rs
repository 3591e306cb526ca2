//! The renderer: a session's state, and the way from a turn to pieces. What each event holds is in
//! the modules beside this one.

use super::answers::Outcome;
use super::format::Format;
use super::ids::{Clock, Ids};
use super::layout::{Fields, Layout, SIGINT_DURING_TOOL_EXITS_0};
use super::models::Model;
use super::plan::{self, Act, Call, Ending, Pending};
use super::result::Spent;
use super::running::Running;
use super::spawn::{Carried, McpServer, Output, Spawn, UserLine};
use super::tools::Settled;
use crate::persona::Piece;
use crate::recording::turn::Turn;
use std::sync::Arc;

/// A signal that the CLI handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Int,
    /// The polite request to end.
    Term,
    /// The terminal is gone.
    Hup,
}

/// Renders the turns of one spawn.
///
/// [`turn`](Renderer::turn) gives the pieces of a turn up to its end or its first wait. After
/// [`Piece::Ask`] comes [`answered`](Renderer::answered); after [`Piece::AwaitInterrupt`], or
/// instead of an answer, comes [`interrupted`](Renderer::interrupted) or
/// [`signalled`](Renderer::signalled). [`end`](Renderer::end) closes the run.
#[derive(Debug)]
pub struct Renderer {
    pub(super) spawn: Spawn,
    pub(super) layout: Arc<Layout>,
    pub(super) ids: Ids,
    pub(super) clock: Clock,
    pub(super) api_ms: u64,
    pub(super) models: Vec<(String, Spent)>,
    pub(super) carried_models: Vec<String>,
    pub(super) results: u64,
    pub(super) last_is_error: bool,
    format: Format,
    pieces: Vec<Piece>,
    pub(super) running: Option<Running>,
    named: bool,
}

impl Renderer {
    /// A renderer for one spawn.
    pub fn new(spawn: Spawn) -> Renderer {
        let layout = Layout::of(&spawn.version);
        let earlier = match layout.rule("cost_survives_resume") {
            true => spawn.earlier.clone(),
            false => Carried::default(),
        };
        Renderer {
            ids: Ids::new(&format!("{} {}", spawn.seed, spawn.session_id)),
            clock: Clock::default(),
            api_ms: earlier.api_ms,
            carried_models: earlier.models.iter().map(|(id, _)| id.clone()).collect(),
            models: earlier.models,
            results: 0,
            last_is_error: false,
            format: Format::new(spawn.output, spawn.verbose, &spawn.version),
            pieces: Vec::new(),
            running: None,
            named: spawn.name.is_none(),
            layout: Arc::new(layout),
            spawn,
        }
    }

    /// The pieces of a turn, up to its end or its first wait. `user` is what the turn answers.
    pub fn turn(&mut self, turn: &Turn, user: Option<&UserLine>) -> Vec<Piece> {
        let layout = self.layout.clone();
        let acts = plan::plan(turn, &self.spawn, &layout, &mut self.ids);
        let model = Model::of(&layout, self.spawn.model.as_deref());
        let mut running = Running::new(turn, acts, user.cloned().unwrap_or_default(), model);
        running.began_ms = self.clock.ms;
        running.replayed = !self.spawn.replay;
        self.open(&mut running);
        running.sent_at = self.clock.since_epoch();
        self.advance(running);
        self.take()
    }

    /// What follows the client's answer to the last [`Piece::Ask`].
    pub fn answered(&mut self, outcome: &Outcome) -> Vec<Piece> {
        let Some(mut running) = self.running.take() else { return Vec::new() };
        match std::mem::take(&mut running.pending) {
            Pending::Asked(call, _) => {
                let allowed = matches!(outcome, Outcome::Allow { .. });
                if running.stays_running(allowed) {
                    self.advance(running);
                    return self.take();
                }
                let ends = matches!(outcome, Outcome::Deny { interrupt: true, .. });
                let settled = Settled::after_ask(&call, outcome, &self.layout);
                self.write_settled(&mut running, &call, settled);
                if ends {
                    self.write_interruption(&mut running, "interrupt.tool");
                    self.close(running, Ending::Interrupted { in_tool: true });
                } else {
                    self.advance(running);
                }
            }
            other => {
                running.pending = other;
                self.running = Some(running);
            }
        }
        self.take()
    }

    /// The notice that a question is withdrawn, where one is open. The CLI sends it before it
    /// answers the client's request to interrupt (s04_can_use_tool_interrupt).
    pub fn withdrawn(&self) -> Option<Vec<u8>> {
        match &self.running.as_ref()?.pending {
            Pending::Asked(_, id) => {
                let id = self.layout.json.string(id);
                let line = format!("{{\"type\":\"control_cancel_request\",\"request_id\":{id}}}\n");
                Some(line.into_bytes())
            }
            _ => None,
        }
    }

    /// What follows when the client's request interrupts the turn. Nothing where no turn waits.
    pub fn interrupted(&mut self) -> Vec<Piece> {
        if let Some(mut running) = self.running.take() {
            let in_tool = self.write_interrupted(&mut running);
            self.close(running, Ending::Interrupted { in_tool });
        }
        self.take()
    }

    /// What the CLI still prints on a signal, and the code it then exits with.
    pub fn signalled(&mut self, signal: Signal) -> (Vec<Piece>, u8) {
        let running = self.running.take();
        if signal != Signal::Int {
            if let (Some(mut running), true) = (running, self.layout.rule("killed_tool_is_shown"))
                && let Pending::Running(call) = std::mem::take(&mut running.pending)
                && call.name == "Bash"
            {
                let settled = Settled::killed(&call, &self.layout, &self.spawn);
                self.write_settled(&mut running, &call, settled);
            }
            return (self.take(), if signal == Signal::Term { 143 } else { 129 });
        }
        let code = running.map_or(0, |running| self.write_sigint(running));
        (self.take(), code)
    }

    /// What the run prints at its end: everything, in the formats that print nothing before it.
    pub fn end(&mut self) -> Vec<Piece> {
        let rest = self.format.end();
        if !rest.is_empty() {
            self.pieces.push(Piece::Out(rest));
        }
        self.take()
    }

    /// From now on keeps the events that the format does not show; false: it shows them all.
    pub fn keep_untold(&mut self) -> bool {
        self.format.keep_untold()
    }

    /// The events that were not shown since the last call, as lines.
    pub fn take_untold(&mut self) -> Vec<u8> {
        self.format.take_untold()
    }

    /// The code the run exits with: 1 if the last result is an error.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.last_is_error)
    }

    /// What the session has behind it now, for the spawn that resumes it.
    pub fn carried(&self) -> Carried {
        Carried { api_ms: self.api_ms, models: self.models.clone() }
    }

    /// Changes the model from the next turn on; none for the default.
    pub fn set_model(&mut self, model: Option<&str>) {
        self.spawn.model = model.map(str::to_owned);
    }

    /// Changes the permission mode from the next turn on.
    pub fn set_permission_mode(&mut self, mode: &str) {
        mode.clone_into(&mut self.spawn.permission_mode);
    }

    /// The MCP servers of the session.
    pub fn servers(&self) -> &[McpServer] {
        &self.spawn.mcp_servers
    }

    /// Adds an MCP server from the next turn on, or puts it in the place of one of the same name.
    pub fn add_server(&mut self, server: McpServer) {
        let servers = &mut self.spawn.mcp_servers;
        match servers.iter_mut().find(|known| known.name == server.name) {
            Some(known) => *known = server,
            None => servers.push(server),
        }
    }

    /// Takes an MCP server away from the next turn on.
    pub fn drop_server(&mut self, name: &str) {
        self.spawn.mcp_servers.retain(|server| server.name != name);
    }

    /// Does what the plan says, until it waits or is through.
    fn advance(&mut self, mut running: Running) {
        while let Some(act) = running.acts.pop_front() {
            match act {
                Act::Retry(message) => self.write_retry(&mut running, &message),
                Act::Message(message) => self.write_message(&mut running, &message),
                Act::Use(call) => self.use_tool(&mut running, call),
                Act::Nudge(text) => self.write_nudge(&mut running, text),
                Act::RefusalNotice => self.write_refusal_notice(&running),
                Act::Refuse => self.write_refusal(&mut running),
                Act::Fail(message) => self.write_failure(&mut running, &message),
                Act::Await(pending) => {
                    if matches!(pending, Pending::Request) {
                        self.write_status(&mut running);
                    }
                    running.pending = pending;
                    self.pieces.push(Piece::AwaitInterrupt);
                }
                Act::Close(ending) => return self.close(running, ending),
            }
            if !matches!(running.pending, Pending::Nothing) {
                break;
            }
        }
        self.running = Some(running);
    }

    /// Asks whether the tool may run, or runs it.
    fn use_tool(&mut self, running: &mut Running, call: Call) {
        let asks = call.ask && self.spawn.live && self.spawn.permission_prompts;
        if !asks || self.spawn.permission_mode == "bypassPermissions" {
            if running.stays_running(true) {
                return;
            }
            let settled = Settled::unasked(&call, &self.layout, &self.spawn);
            return self.write_settled(running, &call, settled);
        }
        let id = self.ids.uuid();
        let line = self.ask_line(&call, &id).into_bytes();
        self.pieces.push(Piece::Ask { id: self.layout.json.string(&id), line });
        running.pending = Pending::Asked(call, id);
    }

    /// Writes the result and forgets the turn.
    fn close(&mut self, mut running: Running, ending: Ending) {
        self.write_result(&mut running, ending);
        self.write_lifecycle(&running, &["completed"]);
    }

    /// Writes what SIGINT makes of the turn, and gives the exit code (claude.md, section 6).
    fn write_sigint(&mut self, mut running: Running) -> u8 {
        let in_tool = matches!(running.pending, Pending::Running(_) | Pending::Asked(..));
        let in_stream = matches!(running.pending, Pending::Stream { .. });
        let code = u8::from(in_tool && !self.layout.rule(SIGINT_DURING_TOOL_EXITS_0));
        if self.spawn.output != Output::StreamJson {
            return code;
        }
        if in_tool || self.layout.rule("sigint_is_shown") {
            self.write_interrupted(&mut running);
            if in_tool || in_stream || self.spawn.live {
                self.close(running, Ending::Interrupted { in_tool });
            }
        }
        code
    }

    /// Starts an event: the fields that most of them have.
    pub(super) fn event<'a>(&mut self, layout: &'a Layout) -> Fields<'a> {
        self.clock.pass(3);
        layout
            .fields()
            .text("session_id", &self.spawn.session_id)
            .text("uuid", &self.ids.uuid())
            .text("timestamp", &self.clock.stamp())
    }

    /// Writes an event in the spawn's format.
    pub(super) fn write(&mut self, line: &str) {
        let out = self.format.line(line.as_bytes());
        if !out.is_empty() {
            self.pieces.push(Piece::Out(out));
        }
    }

    /// Writes the notice that names the session, once.
    pub(super) fn write_name(&mut self) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        let layout = self.layout.clone();
        if let (Some(name), true) = (self.spawn.name.clone(), layout.has("session_title_changed")) {
            let fields = self.event(&layout).text("title", &name);
            self.write(&layout.object("session_title_changed", &fields));
        }
    }

    /// Passes a recorded line on; what it says of the run's end counts like a rendered one.
    pub(super) fn pass_on(&mut self, line: &[u8]) {
        let out = self.format.line(line);
        self.last_is_error = self.format.exit_code() != 0;
        if !out.is_empty() {
            self.pieces.push(Piece::Out(out));
        }
    }

    pub(super) fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }
}
