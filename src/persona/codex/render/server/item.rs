//! Items as the app-server has them: camelCase types, the API's own ids, the times of their start
//! and end in each (`06-turn`, `06-mixed`, `06-mcp-fail-cmd`).

use super::super::item::{
    Agent, Change, ChangeKind, Command, Files, Item, Mcp, McpOutcome, Progress, Search, Step,
};
use super::super::json::{self, Object};
use super::super::patch;

/// How far an item is, as its object shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has begun.
    Begun,
    /// It is over, and ran.
    Done,
    /// The client did not permit it.
    Declined,
}

/// What an item's object needs beside the item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub id: &'a str,
    pub stage: Stage,
    pub started_ms: u64,
    pub completed_ms: Option<u64>,
    pub cwd: &'a str,
    pub thread: &'a str,
    /// The process of a command that runs; none before it was permitted.
    pub process: Option<&'a str>,
    /// The agent that a call deals with.
    pub agent: Option<&'a str>,
}

impl Frame<'_> {
    fn done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// The status of an item that ends like this.
    fn status(&self, end: super::super::item::Status) -> &'static str {
        match self.stage {
            Stage::Begun => "inProgress",
            Stage::Done => end.word(),
            Stage::Declined => "declined",
        }
    }

    /// Ends an object with the item's times.
    fn end(&self, object: Object) -> String {
        let object = object.put("startedAtMs", self.started_ms);
        match self.completed_ms {
            Some(ms) => object.put("completedAtMs", ms),
            None => object.null("completedAtMs"),
        }
        .end()
    }

    /// How long a finished item took.
    fn duration(&self, object: Object) -> Object {
        match self.completed_ms.filter(|_| self.done()) {
            Some(ms) => object.put("durationMs", ms.saturating_sub(self.started_ms)),
            None => object.null("durationMs"),
        }
    }
}

/// An item's object. Plans are no items here.
pub(super) fn object(item: &Item, frame: &Frame) -> String {
    let typed = |kind: &str| Object::new().str("type", kind).str("id", frame.id);
    let object = match item {
        Item::Reasoning(text) => {
            let summary = if frame.done() { json::strings(&[text]) } else { "[]".to_owned() };
            typed("reasoning").raw("summary", &summary).raw("content", "[]")
        }
        Item::Message(text) => message(if frame.done() { text } else { "" }, frame),
        Item::Command(command) => command_object(typed("commandExecution"), command, frame),
        Item::Files(files) => typed("fileChange")
            .raw("changes", &changes(files))
            .str("status", frame.status(files.status)),
        Item::Mcp(mcp) => mcp_object(typed("mcpToolCall"), mcp, frame),
        Item::Search(search) => search_object(typed("webSearch"), search, frame),
        Item::Agent(agent) => agent_object(typed("collabAgentToolCall"), agent, frame),
        Item::Plan(_) => Object::new(),
    };
    frame.end(object)
}

fn message(text: &str, frame: &Frame) -> Object {
    Object::new()
        .str("type", "agentMessage")
        .null("moderation")
        .str("id", frame.id)
        .str("text", text)
        .null("phase")
        .null("memoryCitation")
        .null("delivery")
        .null("questions")
}

/// The actions of a command, as far as anybody knows what it does.
pub(super) fn command_actions(command: &Command) -> String {
    let action = Object::new().str("type", "unknown").str("command", &command.script);
    json::array(&[action.end()])
}

fn command_object(object: Object, command: &Command, frame: &Frame) -> Object {
    let ran = frame.done();
    let source = if frame.process.is_some() { "unifiedExecStartup" } else { "agent" };
    let object = object
        .null("pluginId")
        .null("scriptPath")
        .str("command", &command.command)
        .str("cwd", frame.cwd)
        .maybe("processId", frame.process)
        .str("source", source)
        .str("status", frame.status(command.status))
        .raw("commandActions", &command_actions(command))
        .maybe("aggregatedOutput", ran.then_some(&*command.output));
    let object = match command.exit_code.filter(|_| ran) {
        Some(code) => object.put("exitCode", code),
        None => object.null("exitCode"),
    };
    frame.duration(object)
}

/// The changes of a patch with their diffs: an added or deleted file shows its contents.
fn changes(files: &Files) -> String {
    let change = |change: &Change| {
        let kind = Object::new().str("type", change.kind.word());
        let (kind, diff) = match change.kind {
            ChangeKind::Add => (kind, contents(&change.new)),
            ChangeKind::Delete => (kind, contents(&change.old)),
            ChangeKind::Update => {
                (kind.maybe("move_path", change.moved_to.as_deref()), patch::hunk(change))
            }
        };
        Object::new().str("path", &change.path).raw("kind", &kind.end()).str("diff", &diff).end()
    };
    json::array(&files.changes.iter().map(change).collect::<Vec<_>>())
}

fn contents(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn mcp_object(object: Object, mcp: &Mcp, frame: &Frame) -> Object {
    let object = object
        .str("server", &mcp.server)
        .null("environmentId")
        .str("tool", &mcp.tool)
        .str("status", frame.status(mcp.outcome.status()))
        .raw("arguments", &mcp.arguments)
        .null("appContext")
        .null("mcpAppUi")
        .null("pluginId")
        .put("readOnlyHint", true);
    let object = match &mcp.outcome {
        _ if !frame.done() => object.null("result").null("error"),
        McpOutcome::Result { content, structured, .. } => {
            let result = Object::new().raw("content", content).raw("structuredContent", structured);
            object.raw("result", &result.null("_meta").end()).null("error")
        }
        McpOutcome::Error(message) => {
            let error = Object::new().str("message", message).end();
            object.null("result").raw("error", &error)
        }
    };
    frame.duration(object)
}

fn search_object(object: Object, search: &Search, frame: &Frame) -> Object {
    if !frame.done() {
        return object.str("query", "").raw("action", r#"{"type":"other"}"#).null("results");
    }
    let typed = |kind: &str| Object::new().str("type", kind);
    let action = match search {
        Search::Query(query) => typed("search").str("query", query).null("queries"),
        Search::Queries(queries) => {
            typed("search").null("query").raw("queries", &json::strings(queries))
        }
        Search::Open(url) => typed("openPage").str("url", url),
        Search::Find { url, pattern } => {
            typed("findInPage").str("url", url).str("pattern", pattern)
        }
    };
    object.str("query", &search.query()).raw("action", &action.end()).null("results")
}

/// A call that deals with another agent. No capture has one; the fields follow the published types.
fn agent_object(object: Object, agent: &Agent, frame: &Frame) -> Object {
    let known = frame.agent.filter(|_| frame.done() || agent.tool != "spawn_agent");
    let states = match known.filter(|_| frame.done()) {
        Some(id) => {
            let state = Object::new()
                .str("status", &camel(agent.state))
                .maybe("message", agent.message.as_deref());
            Object::new().raw(id, &state.end())
        }
        None => Object::new(),
    };
    object
        .str("tool", &camel(agent.tool))
        .str("status", frame.status(agent.status))
        .str("senderThreadId", frame.thread)
        .raw("receiverThreadIds", &json::strings(known.as_slice()))
        .maybe("prompt", agent.prompt.as_deref())
        .null("model")
        .null("reasoningEffort")
        .raw("agentsStates", &states.end())
}

/// `pending_init` as `pendingInit`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut capital = false;
    for c in name.chars() {
        match c {
            '_' => capital = true,
            c if capital => {
                out.extend(c.to_uppercase());
                capital = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// The steps of a plan, for `turn/plan/updated`.
pub(super) fn plan_steps(steps: &[Step]) -> String {
    let step = |step: &Step| {
        let status = match step.progress {
            Progress::Pending => "pending",
            Progress::Current => "inProgress",
            Progress::Completed => "completed",
        };
        Object::new().str("step", &step.text).str("status", status).end()
    };
    json::array(&steps.iter().map(step).collect::<Vec<_>>())
}
