//! Session transcripts of `codex`: `sessions/YYYY/MM/DD/rollout-*.jsonl` in its home (the
//! reference's section on sessions), lines `{timestamp, type, payload}`. Versions of the year 2025, up
//! to about 0.43, wrote the items themselves as lines, after one with the session's id.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::turns::{Builder, Imported, text_of};
use crate::recording::turn::Usage;

pub(super) fn import(lines: &[Value]) -> Option<Imported> {
    let lines = if is_bare(lines) {
        Cow::Owned(lines.iter().enumerate().map(wrapped).collect())
    } else {
        Cow::Borrowed(lines)
    };
    let kind = |line: &Value, kind: &str| line["type"] == kind;
    let meta = &lines.iter().find(|line| kind(line, "session_meta"))?["payload"];
    let text = |key: &str| meta[key].as_str().map(str::to_owned);
    // Where the CLI notes prompts as events, those are the prompts; what it sends to the model under
    // the user's name is more than that.
    let is_event =
        |line: &Value| kind(line, "event_msg") && line["payload"]["type"] == "user_message";
    let has_events = lines.iter().any(is_event);
    let mut builder = Builder::default();
    let mut total = &Value::Null;
    for line in lines.iter() {
        let payload = &line["payload"];
        if is_event(line) {
            builder.prompt(payload["message"].as_str().unwrap_or_default());
        } else if kind(line, "event_msg") && payload["type"] == "turn_aborted" {
            builder.interrupted();
        } else if kind(line, "event_msg") && payload["type"] == "token_count" {
            // It is told again when limits change, with nothing spent in between.
            let info = &payload["info"];
            let told = &info["total_token_usage"];
            if told.is_null() || told != total {
                tokens(&info["last_token_usage"], &mut builder);
            }
            total = told;
        } else if kind(line, "response_item") {
            item(payload, has_events, &mut builder);
        }
    }
    Some(Imported {
        program: "codex",
        version: text("cli_version"),
        cwd: text("cwd"),
        turns: builder.finish(),
        unreadable: Vec::new(),
    })
}

/// Whether these are lines of the older kind.
fn is_bare(lines: &[Value]) -> bool {
    let is_meta = |line: &Value| {
        let text = |key: &str| line[key].is_string();
        text("id") && text("timestamp") && line.get("type").is_none()
    };
    let is_item = |line: &Value| {
        line["type"] == "message" && line["role"].is_string() && line["content"].is_array()
    };
    lines.first().is_some_and(is_meta) && lines.iter().any(is_item)
}

/// A line of the older kind as one of today.
fn wrapped((index, line): (usize, &Value)) -> Value {
    let kind = if index == 0 { "session_meta" } else { "response_item" };
    json!({ "type": kind, "payload": line })
}

fn item(item: &Value, has_events: bool, builder: &mut Builder) {
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    match text("type") {
        "message" if text("role") == "assistant" => builder.text(&text_of(&item["content"])),
        "message" if text("role") == "user" && !has_events => {
            let prompt = text_of(&item["content"]);
            // The surroundings are told to the model in the user's name.
            if !prompt.trim_start().starts_with('<') {
                builder.prompt(&prompt);
            }
        }
        "reasoning" => builder.thinking(&text_of(&item["summary"])),
        "function_call" => {
            let input = serde_json::from_str(text("arguments")).unwrap_or(json!({}));
            builder.call(text("call_id"), text("name"), &input);
        }
        "custom_tool_call" => {
            builder.call(text("call_id"), text("name"), &json!({ "input": item["input"] }))
        }
        "local_shell_call" => {
            let input = json!({ "command": item["action"]["command"] });
            builder.call(text("call_id"), "local_shell", &input);
        }
        "function_call_output" | "custom_tool_call_output" => output(item, builder),
        _ => {}
    }
}

/// A result is text, or JSON in text with the text and an exit code in it.
fn output(item: &Value, builder: &mut Builder) {
    let output = &item["output"];
    let inner = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let inner = inner.filter(|inner| inner.get("output").is_some());
    let code = inner.as_ref().and_then(|inner| inner["metadata"]["exit_code"].as_i64());
    let text = match &inner {
        Some(inner) => inner["output"].clone(),
        None => text_of(output).into(),
    };
    let failed = code.unwrap_or(0) != 0 || output["success"] == false;
    builder.result(item["call_id"].as_str().unwrap_or_default(), &text, failed);
}

fn tokens(usage: &Value, builder: &mut Builder) {
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    if usage.is_object() {
        builder.spend(Usage {
            input: count("input_tokens"),
            cached_input: count("cached_input_tokens"),
            output: count("output_tokens"),
            reasoning: count("reasoning_output_tokens"),
        });
    }
}
