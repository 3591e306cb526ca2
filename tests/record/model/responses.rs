//! The Responses API, as far as `codex` needs it.

use serde_json::{Value, json};

use super::{Answer, COMMAND, Reply};

pub fn reply(answer: Answer, request: &Value) -> Reply {
    let said = if let Answer::Text(text) = answer { text } else { "On and on" };
    let item = match answer {
        Answer::Text(_) | Answer::Endless => json!({
            "type": "message", "role": "assistant", "id": "msg_01",
            "content": [{ "type": "output_text", "text": said }],
        }),
        Answer::Tool => call(request),
        Answer::Overloaded => return error("500 Internal Server Error", "server_error", "busy"),
        Answer::Refused => {
            return error("400 Bad Request", "invalid_request_error", "no such thing");
        }
    };
    let mut added = item.clone();
    let mut events = vec![json!({ "type": "response.created", "response": { "id": "resp_01" } })];
    if item["type"] == "message" {
        added["content"] = json!([]);
        let delta = &item["content"][0]["text"];
        events.push(
            json!({ "type": "response.output_item.added", "output_index": 0, "item": added }),
        );
        events.push(json!({
            "type": "response.output_text.delta", "item_id": "msg_01", "output_index": 0,
            "content_index": 0, "delta": delta,
        }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    let usage = json!({
        "input_tokens": 12, "input_tokens_details": { "cached_tokens": 3 },
        "output_tokens": 7, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": 19,
    });
    events.push(json!({
        "type": "response.completed", "response": { "id": "resp_01", "usage": usage },
    }));
    Reply::events(events, answer)
}

/// A call of whichever shell tool is offered.
fn call(request: &Value) -> Value {
    let tools = request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let known = [
        ("exec_command", json!({ "cmd": COMMAND })),
        ("shell_command", json!({ "command": COMMAND })),
        ("shell", json!({ "command": ["bash", "-c", COMMAND] })),
    ];
    let offered = known.iter().find(|(name, _)| tools.iter().any(|tool| tool["name"] == *name));
    let (name, arguments) = offered.unwrap_or(&known[0]);
    json!({
        "type": "function_call", "id": "fc_01", "call_id": "call_01", "name": name,
        "arguments": arguments.to_string(),
    })
}

fn error(status: &'static str, kind: &str, message: &str) -> Reply {
    Reply::json(status, &json!({ "error": { "type": kind, "message": message } }))
}
