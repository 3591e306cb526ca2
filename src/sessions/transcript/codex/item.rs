//! The items of `exec --json` as the rollout has them: what the model said and asked for, and what
//! it was answered.

use serde_json::{Value, json};

/// An item's type.
pub(super) fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or_default()
}

/// A message of one text.
pub(super) fn message(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

/// The response items for an item that is complete. Plans, warnings and what happens between
/// agents leave none.
pub(super) fn response_items(item: &Value, turn: &str) -> Vec<Value> {
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    let call = format!("call_{turn}_{}", text("id"));
    match kind(item) {
        "agent_message" => vec![message("assistant", "output_text", text("text"))],
        "reasoning" => vec![json!({
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": text("text")}],
            "content": null,
            "encrypted_content": null,
        })],
        "command_execution" => {
            let arguments = json!({"cmd": text("command")});
            answered(&call, "exec_command", &arguments, text("aggregated_output"))
        }
        "mcp_tool_call" => {
            let name = format!("mcp__{}__{}", text("server"), text("tool"));
            answered(&call, &name, &item["arguments"], &mcp_output(item))
        }
        "file_change" => file_change(item, &call),
        "web_search" => vec![json!({
            "type": "web_search_call",
            "status": "completed",
            "action": item["action"],
        })],
        _ => Vec::new(),
    }
}

/// A call and its output. The arguments are JSON inside a string, as the API has them.
fn answered(call: &str, name: &str, arguments: &Value, output: &str) -> Vec<Value> {
    vec![
        json!({
            "type": "function_call",
            "name": name,
            "arguments": arguments.to_string(),
            "call_id": call,
        }),
        json!({"type": "function_call_output", "call_id": call, "output": output}),
    ]
}

/// What a tool of a server answered: its content, else its error.
fn mcp_output(item: &Value) -> String {
    match (&item["result"]["content"], item["error"]["message"].as_str()) {
        (Value::Null, Some(error)) => error.to_owned(),
        (Value::Null, None) => String::new(),
        (content, _) => content.to_string(),
    }
}

/// A patch. The stream names the files and what became of them, not the lines.
fn file_change(item: &Value, call: &str) -> Vec<Value> {
    let changes = item["changes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut patch = String::from("*** Begin Patch\n");
    for change in changes {
        let verb = match change["kind"].as_str() {
            Some("add") => "Add",
            Some("delete") => "Delete",
            _ => "Update",
        };
        let path = change["path"].as_str().unwrap_or_default();
        patch.push_str(&format!("*** {verb} File: {path}\n"));
    }
    patch.push_str("*** End Patch");
    vec![
        json!({
            "type": "custom_tool_call",
            "status": item["status"],
            "call_id": call,
            "name": "apply_patch",
            "input": patch,
        }),
        json!({"type": "custom_tool_call_output", "call_id": call, "output": item["status"]}),
    ]
}
