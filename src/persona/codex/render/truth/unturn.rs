//! From a captured stream of events back to the turn that it shows.

use serde_json::{Value, json};

use super::super::format::is_retry;
use crate::recording::turn::Turn;

/// A captured stream, taken apart.
pub struct Unturned {
    pub thread_id: String,
    pub turn: Turn,
    /// The lines that the turn can account for; the others are noise.
    pub lines: Vec<String>,
    /// What was left out, in words.
    pub noise: Vec<&'static str>,
}

/// Reads a stream back. Left out of the lines, because a turn has no words for it: warnings before
/// the turn, all retry notices but the last, a fallback's warning.
pub fn unturn(stdout: &str) -> Unturned {
    let mut builder = Builder::default();
    for line in stdout.lines() {
        let event: Value = serde_json::from_str(line).expect("captures are JSONL");
        builder.event(line, &event);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    thread_id: String,
    lines: Vec<String>,
    noise: Vec<&'static str>,
    thinking: Option<String>,
    text: Vec<String>,
    tools: Vec<Value>,
    pending: Vec<Value>,
    usage: Option<Value>,
    fail: Option<String>,
    errors: Vec<String>,
    ended: bool,
}

impl Builder {
    fn event(&mut self, line: &str, event: &Value) {
        let message = event["message"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "thread.started" => self.thread_id = event["thread_id"].as_str().unwrap().to_owned(),
            "error" if is_retry(message) => {
                if self.errors.last().is_some() {
                    self.noise.push("several retry notices");
                    self.lines.pop();
                }
                self.errors.push(message.to_owned());
            }
            "error" => self.fail = Some(message.to_owned()),
            "turn.failed" => self.ended = true,
            "turn.completed" => {
                let tokens = |key: &str| event["usage"][key].as_u64().unwrap_or(0);
                self.usage = Some(json!({
                    "input": tokens("input_tokens"),
                    "cached_input": tokens("cached_input_tokens"),
                    "output": tokens("output_tokens"),
                    "reasoning": tokens("reasoning_output_tokens"),
                }));
                self.ended = true;
            }
            "item.started" => self.started(&event["item"]),
            "item.updated" => self.tools.push(plan(&event["item"])),
            "item.completed" if event["item"]["type"] == "error" => {
                self.noise.push("a warning item");
                return;
            }
            "item.completed" => self.completed(&event["item"]),
            _ => {}
        }
        self.lines.push(line.to_owned());
    }

    fn started(&mut self, item: &Value) {
        match item["type"].as_str().unwrap() {
            "todo_list" => self.tools.push(plan(item)),
            _ => self.pending.push(item.clone()),
        }
    }

    fn completed(&mut self, item: &Value) {
        self.pending.retain(|pending| pending["id"] != item["id"] || item["type"] == "web_search");
        if item["type"] == "web_search" {
            self.pending.retain(|pending| pending["type"] != "web_search");
        }
        let text = || item["text"].as_str().unwrap().to_owned();
        match item["type"].as_str().unwrap() {
            "reasoning" => self.thinking = Some(text()),
            "agent_message" => self.text.push(text()),
            "todo_list" => {}
            _ => self.tools.push(tool(item)),
        }
    }

    fn finish(mut self) -> Unturned {
        // An item that never ended is one that the author writes out.
        for item in &mut self.pending {
            item.as_object_mut().unwrap().shift_remove("id");
        }
        let mut turn = json!({"text": self.text, "tools": self.tools, "items": self.pending});
        let keys = turn.as_object_mut().unwrap();
        keys.extend(self.thinking.map(|text| ("thinking".to_owned(), json!(text))));
        keys.extend(self.usage.map(|usage| ("usage".to_owned(), usage)));
        keys.extend(self.fail.map(|text| ("fail".to_owned(), json!(text))));
        keys.extend(self.errors.last().map(|text| ("error".to_owned(), json!(text))));
        if !self.ended {
            keys.insert("stop".to_owned(), json!("interrupted"));
        }
        Unturned {
            thread_id: self.thread_id,
            turn: serde_json::from_str(&turn.to_string()).expect("it is a turn"),
            lines: self.lines,
            noise: self.noise,
        }
    }
}

fn plan(item: &Value) -> Value {
    let step = |step: &Value| {
        let status = if step["completed"] == true { "completed" } else { "pending" };
        json!({"step": step["text"], "status": status})
    };
    let steps: Vec<Value> = item["items"].as_array().unwrap().iter().map(step).collect();
    json!({"name": "update_plan", "input": {"plan": steps}})
}

fn tool(item: &Value) -> Value {
    let failed = item["status"] == "failed";
    let text = |key: &str| item[key].as_str().unwrap();
    match item["type"].as_str().unwrap() {
        "command_execution" => json!({
            "name": "Bash",
            "input": {
                "command": script(item["command"].as_str().unwrap()),
                "exit_code": item["exit_code"],
            },
            "result": item["aggregated_output"], "is_error": failed,
        }),
        "file_change" => json!({
            "name": "apply_patch", "input": {"changes": item["changes"]}, "is_error": failed,
        }),
        "mcp_tool_call" => json!({
            "name": format!("mcp__{}__{}", text("server"), text("tool")),
            "input": item.get("arguments").unwrap_or(&json!({})),
            "result": if item["error"].is_null() {
                item.get("result").cloned().unwrap_or_default()
            } else {
                json!({"error": item["error"]})
            },
            "is_error": failed,
        }),
        "web_search" => match item.get("action") {
            Some(action) => json!({"name": "web_search", "input": action}),
            None => json!({"name": "web_search", "input": {"query": item["query"]}}),
        },
        "collab_tool_call" => {
            let states = item["agents_states"].as_object().unwrap();
            let message = states.values().next().and_then(|state| state.get("message"));
            let mut tool = json!({"name": item["tool"], "input": {"prompt": item["prompt"]}});
            if let Some(message) = message.filter(|message| message.is_string()) {
                tool["result"] = message.clone();
            }
            tool
        }
        other => panic!("no tool for {other}"),
    }
}

/// The script of `/bin/bash -lc 'script'`.
fn script(command: &str) -> String {
    let (_, word) = command.split_once(" -lc ").expect("a shell command");
    let inner = |quote: char| word.strip_prefix(quote).and_then(|word| word.strip_suffix(quote));
    if let Some(script) = inner('\'') {
        script.to_owned()
    } else if let Some(script) = inner('"') {
        script.replace("\\\"", "\"").replace("\\\\", "\\")
    } else {
        word.to_owned()
    }
}
