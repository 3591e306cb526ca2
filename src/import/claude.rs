//! Session transcripts of `claude`: `projects/<cwd>/<session>.jsonl` in its configuration directory
//! (the reference's section on sessions). Lines of other types than `user` and `assistant` keep the
//! CLI's own books; subagents' lines are theirs, and the turn shows what came of them. A summary that
//! the CLI goes on from when it has compacted a session is no prompt of anybody.

use std::collections::HashSet;

use serde_json::Value;

use super::turns::{Builder, Imported, text_of};
use crate::recording::turn::Usage;

pub(super) fn import(lines: &[Value]) -> Option<Imported> {
    let is_message =
        |line: &&Value| line.get("sessionId").is_some() && line.get("message").is_some();
    let first = lines.iter().find(is_message)?;
    let text = |key: &str| first.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut builder = Builder::default();
    let mut counted = String::new();
    // A session that was taken up again may have lines of the one before once more.
    let mut known = HashSet::new();
    for line in lines.iter().filter(is_message) {
        let flag = |key: &str| line.get(key).and_then(Value::as_bool) == Some(true);
        if ["isSidechain", "isMeta", "isCompactSummary"].iter().any(|key| flag(key)) {
            continue;
        }
        if line["uuid"].as_str().is_some_and(|uuid| !known.insert(uuid)) {
            continue;
        }
        let message = &line["message"];
        match line.get("type").and_then(Value::as_str) {
            Some("user") => user(message, &mut builder),
            Some("assistant") if flag("isApiErrorMessage") => {
                builder.fail(&text_of(&message["content"]));
            }
            Some("assistant") => assistant(message, &mut counted, &mut builder),
            _ => {}
        }
    }
    Some(Imported {
        program: "claude",
        version: text("version"),
        cwd: text("cwd"),
        turns: builder.finish(),
        unreadable: Vec::new(),
    })
}

fn user(message: &Value, builder: &mut Builder) {
    let results = message["content"].as_array().into_iter().flatten();
    let results = results.filter(|block| block["type"] == "tool_result");
    let mut any = false;
    for block in results {
        any = true;
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        builder.result(id, &block["content"], block["is_error"] == true);
    }
    if any {
        return;
    }
    let text = text_of(&message["content"]);
    // The CLI says it in the user's name, when a turn was interrupted.
    if text.starts_with("[Request interrupted by user") {
        builder.interrupted();
    } else {
        builder.prompt(&text);
    }
}

fn assistant(message: &Value, counted: &mut String, builder: &mut Builder) {
    for block in message["content"].as_array().into_iter().flatten() {
        let text = |key: &str| block[key].as_str().unwrap_or_default();
        match text("type") {
            "text" => builder.text(text("text")),
            "thinking" => builder.thinking(text("thinking")),
            "tool_use" => builder.call(text("id"), text("name"), &block["input"]),
            _ => {}
        }
    }
    // A message with several blocks has a line for each, all with the same usage.
    let id = message["id"].as_str().unwrap_or_default();
    if id.is_empty() || id == counted || !message["usage"].is_object() {
        return;
    }
    id.clone_into(counted);
    let tokens = |key: &str| message["usage"][key].as_u64().unwrap_or(0);
    let cached = tokens("cache_read_input_tokens");
    builder.spend(Usage {
        input: tokens("input_tokens") + cached + tokens("cache_creation_input_tokens"),
        cached_input: cached,
        output: tokens("output_tokens"),
        reasoning: 0,
    });
}
