//! The events of `codex exec --json`, one line each: types, fields and key order as captured
//! (`codex-0.171.0/02-*`, and the older versions by their [`Traits`]).

use super::item::{Agent, Item, Plan, Search};
use super::json::{self, Object};
use super::traits::Traits;
use crate::recording::turn::Usage;

/// Where an item is in its life, as far as its event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Started,
    Updated,
    Completed,
}

impl Phase {
    fn event(self) -> &'static str {
        match self {
            Phase::Started => "item.started",
            Phase::Updated => "item.updated",
            Phase::Completed => "item.completed",
        }
    }
}

/// What an item's event needs beside the item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub traits: &'a Traits,
    /// `item_0`.
    pub id: &'a str,
    /// The API's own id, for a web search.
    pub api_id: &'a str,
    /// This thread.
    pub thread: &'a str,
    /// The agent that a call deals with, if there is one yet.
    pub agent: Option<&'a str>,
}

pub(super) fn thread_started(thread_id: &str) -> String {
    Object::new().str("type", "thread.started").str("thread_id", thread_id).end()
}

pub(super) fn turn_started() -> String {
    Object::new().str("type", "turn.started").end()
}

pub(super) fn turn_completed(usage: Usage, traits: &Traits) -> String {
    let usage = Object::new()
        .put("input_tokens", usage.input)
        .put("cached_input_tokens", usage.cached_input)
        .when(traits.usage_cache_write, |object| object.put("cache_write_input_tokens", 0))
        .put("output_tokens", usage.output)
        .when(traits.usage_reasoning, |object| {
            object.put("reasoning_output_tokens", usage.reasoning)
        });
    Object::new().str("type", "turn.completed").raw("usage", &usage.end()).end()
}

pub(super) fn turn_failed(message: &str) -> String {
    let error = Object::new().str("message", message).end();
    Object::new().str("type", "turn.failed").raw("error", &error).end()
}

pub(super) fn error(message: &str) -> String {
    Object::new().str("type", "error").str("message", message).end()
}

/// An event about an item that is JSON text already.
pub(super) fn about(phase: Phase, item: &str) -> String {
    Object::new().str("type", phase.event()).raw("item", item).end()
}

/// Whether an item is announced before it is done.
pub(super) fn starts(item: &Item, traits: &Traits) -> bool {
    match item {
        Item::Reasoning(_) | Item::Message(_) => false,
        Item::Files(_) => traits.file_change_starts,
        Item::Search(_) => traits.search_details,
        Item::Command(_) | Item::Mcp(_) | Item::Plan(_) | Item::Agent(_) => true,
    }
}

/// An event about an item.
pub(super) fn item(phase: Phase, item: &Item, frame: &Frame) -> String {
    about(phase, &item_object(phase, item, frame))
}

fn item_object(phase: Phase, item: &Item, frame: &Frame) -> String {
    let done = phase == Phase::Completed;
    let traits = frame.traits;
    let object = |kind: &str| Object::new().str("id", frame.id).str("type", kind);
    match item {
        Item::Reasoning(text) => object("reasoning").str("text", text).end(),
        Item::Message(text) => object("agent_message").str("text", text).end(),
        Item::Command(command) => {
            let code = command.exit_code.filter(|_| done);
            object("command_execution")
                .str("command", &command.command)
                .str("aggregated_output", if done { &command.output } else { "" })
                .when(code.is_some() || traits.null_exit_code, |object| match code {
                    Some(code) => object.put("exit_code", code),
                    None => object.null("exit_code"),
                })
                .str("status", if done { command.status.word() } else { "in_progress" })
                .end()
        }
        Item::Files(files) => {
            let change = |change: &super::item::Change| {
                Object::new().str("path", &change.path).str("kind", change.kind.word()).end()
            };
            let changes: Vec<String> = files.changes.iter().map(change).collect();
            object("file_change")
                .raw("changes", &json::array(&changes))
                .str("status", if done { files.status.word() } else { "in_progress" })
                .end()
        }
        Item::Mcp(mcp) => mcp_object(object("mcp_tool_call"), mcp, done, traits),
        Item::Search(search) => search_object(object("web_search"), search, done, frame),
        Item::Plan(plan) => plan_object(object("todo_list"), plan),
        Item::Agent(agent) => agent_object(object("collab_tool_call"), agent, done, frame),
    }
}

fn mcp_object(object: Object, mcp: &super::item::Mcp, done: bool, traits: &Traits) -> String {
    use super::item::McpOutcome;
    let status = if done { mcp.outcome.status().word() } else { "in_progress" };
    let object = object.str("server", &mcp.server).str("tool", &mcp.tool);
    if !traits.mcp_details {
        return object.str("status", status).end();
    }
    let object = object.raw("arguments", &mcp.arguments);
    let object = match &mcp.outcome {
        _ if !done => object.null("result").null("error"),
        McpOutcome::Result { content, structured, .. } => {
            let result =
                Object::new().raw("content", content).raw("structured_content", structured);
            object.raw("result", &result.end()).null("error")
        }
        McpOutcome::Error(message) => {
            let error = Object::new().str("message", message).end();
            object.null("result").raw("error", &error)
        }
    };
    object.str("status", status).end()
}

fn search_object(object: Object, search: &Search, done: bool, frame: &Frame) -> String {
    if !frame.traits.search_details {
        return object.str("query", &search.query()).end();
    }
    let (query, action) = if done {
        (search.query(), search_action(search))
    } else {
        (String::new(), Object::new().str("type", "other").end())
    };
    // The second `id` is the API's (`02-websearch`): most readers see only that one.
    object.str("id", frame.api_id).str("query", &query).raw("action", &action).end()
}

fn search_action(search: &Search) -> String {
    let object = Object::new();
    match search {
        Search::Query(query) => object.str("type", "search").str("query", query),
        Search::Queries(queries) => {
            object.str("type", "search").raw("queries", &json::strings(queries))
        }
        Search::Open(url) => object.str("type", "open_page").str("url", url),
        Search::Find { url, pattern } => {
            object.str("type", "find_in_page").str("url", url).str("pattern", pattern)
        }
    }
    .end()
}

fn plan_object(object: Object, plan: &Plan) -> String {
    let step = |step: &super::item::Step| {
        let completed = step.progress == super::item::Progress::Completed;
        Object::new().str("text", &step.text).put("completed", completed).end()
    };
    let steps: Vec<String> = plan.steps.iter().map(step).collect();
    object.raw("items", &json::array(&steps)).end()
}

fn agent_object(object: Object, agent: &Agent, done: bool, frame: &Frame) -> String {
    // A spawned agent has no id before it is there; the others name theirs from the start.
    let known = frame.agent.filter(|_| done || agent.tool != "spawn_agent");
    let states = match (known, done) {
        (Some(id), true) => {
            let state =
                Object::new().str("status", agent.state).maybe("message", agent.message.as_deref());
            Object::new().raw(id, &state.end())
        }
        _ => Object::new(),
    };
    object
        .str("tool", agent.tool)
        .str("sender_thread_id", frame.thread)
        .raw("receiver_thread_ids", &json::strings(known.as_slice()))
        .maybe("prompt", agent.prompt.as_deref())
        .raw("agents_states", &states.end())
        .str("status", if done { agent.status.word() } else { "in_progress" })
        .end()
}
