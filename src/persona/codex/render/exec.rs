//! Turns of `codex exec` (and `resume`, `fork`, `review`): the events in their real order, handed
//! to a [`Format`] for the spawn's output format.

use super::event::{self, Frame, Phase};
use super::format::Format;
use super::human::Aside;
use super::ids::Ids;
use super::item::{Agent, Item, Plan};
use super::spawn::Spawn;
use super::stop;
use super::tool::{self, Call, Scene};
use super::traits::{self, Traits};
use super::{json, patch, usage};
use crate::persona::Piece;
use crate::recording::turn::{Stop, Turn, Usage};

/// Renders the turns of one `exec` spawn.
///
/// [`start`](Renderer::start) once, [`turn`](Renderer::turn) for each turn, then
/// [`end`](Renderer::end); after a turn that ended in [`Piece::AwaitInterrupt`],
/// [`interrupted`](Renderer::interrupted) when that came.
#[derive(Debug)]
pub struct Renderer {
    spawn: Spawn,
    traits: &'static Traits,
    format: Format,
    ids: Ids,
    /// The number of the next item.
    items: u64,
    /// The number of the next web search.
    searches: u64,
    /// The usage of the thread.
    total: Usage,
    /// The plan of this turn with its item's id.
    plan: Option<(String, Plan)>,
    /// The agent that was spawned last.
    agent: Option<String>,
    pieces: Vec<Piece>,
}

impl Renderer {
    /// A renderer for a spawn.
    pub fn new(spawn: Spawn) -> Renderer {
        let traits = traits::of(&spawn.version);
        let ids = Ids::after_thread(spawn.seed, spawn.number);
        Renderer {
            format: Format::new(&spawn),
            total: if traits.usage_carries { spawn.carried } else { Usage::default() },
            traits,
            ids,
            items: 0,
            searches: 0,
            plan: None,
            agent: None,
            pieces: Vec::new(),
            spawn,
        }
    }

    /// What comes before any event, where the events are recorded ones.
    pub fn open(&self) -> Vec<Piece> {
        self.format.start()
    }

    /// A line of a recorded stream, with its newline, in the spawn's output format.
    pub fn recorded(&mut self, line: &[u8]) -> Vec<Piece> {
        self.format.line(line)
    }

    /// What comes before the first turn.
    pub fn start(&mut self) -> Vec<Piece> {
        self.pieces.extend(self.format.start());
        self.emit(&event::thread_started(&self.spawn.thread_id));
        self.take()
    }

    /// A turn, to its end or to where it waits for an interrupt.
    pub fn turn(&mut self, turn: &Turn) -> Vec<Piece> {
        self.plan = None;
        self.emit(&event::turn_started());
        self.body(turn);
        let used = usage::of_turn(turn, self.spawn.prompt.as_deref().unwrap_or_default());
        self.total = usage::sum(self.total, used);
        match stop::failure(turn) {
            Some(message) => {
                self.note_usage(turn);
                self.emit(&event::error(&message));
                self.close_plan();
                self.emit(&event::turn_failed(&message));
            }
            None if turn.stop == Stop::Interrupted => {
                self.note_usage(turn);
                self.pieces.push(Piece::AwaitInterrupt);
            }
            None => {
                self.close_plan();
                // A review reports nothing (`03-review-custom`).
                let reported =
                    if self.spawn.review.is_some() { Usage::default() } else { self.total };
                self.emit(&event::turn_completed(reported, self.traits));
            }
        }
        self.take()
    }

    /// What follows when the interrupt came: the events just stop.
    pub fn interrupted(&mut self) -> Vec<Piece> {
        let pieces = self.format.interrupted();
        self.pieces.extend(pieces);
        self.take()
    }

    /// What comes after the last turn.
    pub fn end(&mut self) -> Vec<Piece> {
        let pieces = self.format.end();
        self.pieces.extend(pieces);
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

    /// The exit code, by what was rendered so far.
    pub fn exit_code(&self) -> u8 {
        self.format.exit_code()
    }

    /// What the `-o` file holds after the run; `None` leaves it as it was.
    pub fn last_message(&self) -> Option<&str> {
        self.format.last_message()
    }

    /// The usage of the thread so far, for a later resume.
    pub fn usage(&self) -> Usage {
        self.total
    }

    /// Everything that a turn shows before its end.
    fn body(&mut self, turn: &Turn) {
        if let Some(thinking) = turn.thinking.as_ref().filter(|text| !text.trim().is_empty()) {
            self.item(&Item::Reasoning(thinking.clone()));
        }
        for tool in turn.tools.iter().filter(|_| !turn.empty) {
            let scene = Scene { shell: self.traits.shell, cwd: &self.spawn.cwd, can_ask: false };
            match tool::call(tool, &scene) {
                Call::Items(items) => items.iter().for_each(|item| self.item(item)),
                Call::Unsupported(message) => self.log(&message),
            }
        }
        // A retry is over before the answer comes (`04-500-then-ok`).
        if let Some(message) = &turn.error {
            self.emit(&event::error(message));
        }
        for text in turn.text.iter().filter(|_| !turn.empty) {
            self.item(&Item::Message(text.clone()));
        }
        if let Some(json) = &turn.structured {
            self.item(&Item::Message(json.get().to_owned()));
        }
        for raw in &turn.items {
            self.raw_item(raw.get());
        }
    }

    /// An item: announced if its kind is, then done. A plan is done when the turn is.
    fn item(&mut self, item: &Item) {
        if let Item::Plan(plan) = item {
            return self.set_plan(plan);
        }
        let id = self.next_id();
        let api_id = match item {
            Item::Search(_) => {
                self.searches += 1;
                format!("ws_{}", self.searches)
            }
            _ => String::new(),
        };
        if event::starts(item, self.traits) {
            self.item_event(Phase::Started, item, &id, &api_id, &Aside::default());
        }
        if let Item::Agent(Agent { tool: "spawn_agent", .. }) = item {
            self.agent = Some(self.ids.uuid());
        }
        let diff = match item {
            Item::Files(files) => Some(patch::git_diff(&files.changes, &self.spawn.cwd)),
            _ => None,
        };
        let aside = Aside {
            took_ms: self.ids.took_ms(),
            diff: diff.as_deref().filter(|diff| !diff.trim().is_empty()),
            plan: None,
        };
        self.item_event(Phase::Completed, item, &id, &api_id, &aside);
    }

    /// The first plan of a turn starts its item, a later one updates it.
    fn set_plan(&mut self, plan: &Plan) {
        let (phase, id) = match self.plan.take() {
            Some((id, _)) => (Phase::Updated, id),
            None => (Phase::Started, self.next_id()),
        };
        let aside = Aside { plan: Some(plan), ..Aside::default() };
        self.item_event(phase, &Item::Plan(plan.clone()), &id, "", &aside);
        self.plan = Some((id, plan.clone()));
    }

    /// The plan is done just before the turn ends, after the final message (`02-plan-enabled`).
    fn close_plan(&mut self) {
        if let Some((id, plan)) = self.plan.take() {
            self.item_event(Phase::Completed, &Item::Plan(plan), &id, "", &Aside::default());
        }
    }

    fn item_event(&mut self, phase: Phase, item: &Item, id: &str, api_id: &str, aside: &Aside) {
        let frame = Frame {
            traits: self.traits,
            id,
            api_id,
            thread: &self.spawn.thread_id,
            agent: self.agent.as_deref(),
        };
        let line = event::item(phase, item, &frame);
        self.emit_with(&line, aside);
    }

    /// An item as its author wrote it. One without an id gets the next; one that is still in
    /// progress only starts (`02-pending-cmd-at-end`).
    fn raw_item(&mut self, raw: &str) {
        let mut item = json::one_line(raw);
        let value: serde_json::Value = serde_json::from_str(&item).unwrap_or_default();
        if value.is_object() && value.get("id").is_none() {
            let id = json::string(&self.next_id());
            let comma =
                if value.as_object().is_some_and(|keys| keys.is_empty()) { "" } else { "," };
            item = format!("{{\"id\":{id}{comma}{}", item.trim_start_matches('{'));
        }
        let running = value.get("status").is_some_and(|status| status == "in_progress");
        let phase = if running { Phase::Started } else { Phase::Completed };
        self.emit(&event::about(phase, &item));
    }

    /// A line of the CLI's log, which goes to stderr in either format (`02-tool-unknown`).
    fn log(&mut self, message: &str) {
        let time = self.ids.timestamp();
        let line = format!("{time} ERROR codex_core::tools::router: error={message}\n");
        self.pieces.push(Piece::Err(line.into_bytes()));
    }

    /// Tokens are known, and told in the end, once a model call was done: before a tool ran, or
    /// where the turn says so.
    fn note_usage(&mut self, turn: &Turn) {
        let known = turn.usage.is_some() || !turn.tools.is_empty();
        if known && self.spawn.review.is_none() {
            self.format.used(self.total);
        }
    }

    fn next_id(&mut self) -> String {
        let id = format!("item_{}", self.items);
        self.items += 1;
        id
    }

    fn emit(&mut self, line: &str) {
        self.emit_with(line, &Aside::default());
    }

    fn emit_with(&mut self, line: &str, aside: &Aside) {
        let pieces = self.format.line_with(format!("{line}\n").as_bytes(), aside);
        self.pieces.extend(pieces);
    }

    fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }
}

#[cfg(test)]
#[path = "exec_tests.rs"]
mod tests;
