//! The Messages API, as far as `claude` needs it.

use serde_json::{Value, json};

use super::{Answer, COMMAND, Reply};

pub fn reply(answer: Answer, request: &Value) -> Reply {
    let block = match answer {
        Answer::Text(text) => json!({ "type": "text", "text": text }),
        Answer::Endless => json!({ "type": "text", "text": "On and on" }),
        Answer::Tool if has_tool(request) => json!({
            "type": "tool_use", "id": "toolu_01", "name": "Bash",
            "input": { "command": COMMAND, "description": "Speaks" },
        }),
        Answer::Tool => json!({ "type": "text", "text": "a title" }),
        Answer::Overloaded => return error("529 Overloaded", "overloaded_error", "Overloaded"),
        Answer::Refused => {
            return error("400 Bad Request", "invalid_request_error", "no such thing");
        }
    };
    let stop = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
    let usage = json!({ "input_tokens": 12, "output_tokens": 7 });
    let mut message = json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": request["model"],
        "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage,
    });
    if request["stream"] != true {
        return Reply::json("200 OK", &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut start = block.clone();
    let delta = if stop == "tool_use" {
        start["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    } else {
        start["text"] = "".into();
        json!({ "type": "text_delta", "text": block["text"] })
    };
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": start }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "usage": usage,
            "delta": { "stop_reason": stop, "stop_sequence": null },
        }),
        json!({ "type": "message_stop" }),
    ];
    Reply::events(events.to_vec(), answer)
}

fn has_tool(request: &Value) -> bool {
    let tools = request["tools"].as_array();
    tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "Bash"))
}

fn error(status: &'static str, kind: &str, message: &str) -> Reply {
    let error = json!({ "type": kind, "message": message });
    Reply::json(status, &json!({ "type": "error", "error": error }))
}
