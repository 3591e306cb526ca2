//! Compares two events: the keys, their order, the types of the values, and those values that are
//! no accident of the run.

use serde_json::Value;

/// Keys whose values must agree too, not only in type.
const TELLING: &[&str] = &[
    "api_error",
    "api_error_status",
    "api_error_type",
    "behavior",
    "canonicalModel",
    "claude_code_version",
    "contextWindow",
    "costUSD",
    "cwd",
    "decision",
    "decision_reason_type",
    "destination",
    "display_name",
    "error",
    "error_status",
    "errors",
    "estimated_tokens",
    "file_path",
    "inputTokens",
    "input_tokens",
    "is_error",
    "isSynthetic",
    "level",
    "maxOutputTokens",
    "model",
    "name",
    "non_execution_kind",
    "noOutputExpected",
    "num_turns",
    "original_model",
    "outputTokens",
    "output_tokens",
    "permissionMode",
    "reason_type",
    "refusal_retry",
    "result_index",
    "role",
    "ruleContent",
    "session_id",
    "source",
    "state",
    "status",
    "stdout",
    "stop_reason",
    "structured_output",
    "subtype",
    "terminal_reason",
    "text",
    "thinking",
    "thinking_display",
    "title",
    "tool_name",
    "total_cost_usd",
    "type",
];

/// Where `ours` differs from `real`, each difference with its path.
pub fn differences(real: &Value, ours: &Value, path: &str) -> Vec<String> {
    match (real, ours) {
        (Value::Object(real), Value::Object(ours)) => {
            let (real_keys, our_keys): (Vec<_>, Vec<_>) =
                (real.keys().collect(), ours.keys().collect());
            if real_keys != our_keys {
                return vec![format!("{path}: keys {real_keys:?}, ours {our_keys:?}")];
            }
            let pairs = real.iter().map(|(key, value)| (key, value, &ours[key]));
            pairs
                .flat_map(|(key, real, ours)| value(real, ours, &format!("{path}.{key}"), key))
                .collect()
        }
        (Value::Array(real), Value::Array(ours)) => {
            // Lists of the CLI's own (tools, commands) are made up; what they are lists of is not.
            let made_up = path.starts_with("init.");
            if !made_up && real.len() != ours.len() {
                return vec![format!("{path}: {} entries, ours {}", real.len(), ours.len())];
            }
            let key = path.rsplit('.').next().unwrap_or_default();
            let pairs = real.iter().zip(ours);
            pairs
                .flat_map(|(real, ours)| match made_up {
                    true => differences(real, ours, &format!("{path}[]")),
                    false => value(real, ours, &format!("{path}[]"), key),
                })
                .collect()
        }
        _ if kind(real) != kind(ours) => vec![format!("{path}: {real}, ours {ours}")],
        _ => Vec::new(),
    }
}

fn value(real: &Value, ours: &Value, path: &str, key: &str) -> Vec<String> {
    let found = differences(real, ours, path);
    if !found.is_empty() || !TELLING.contains(&key) || path.starts_with("init.plugins") {
        return found;
    }
    let same = match (real.as_f64(), ours.as_f64()) {
        (Some(real), Some(ours)) => (real - ours).abs() < 1e-9,
        _ => without_ids(real) == without_ids(ours),
    };
    if same || real.is_object() { found } else { vec![format!("{path}: {real}, ours {ours}")] }
}

/// Texts that name a request or a message name another one each time.
fn without_ids(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let words = text.split_inclusive([' ', '\n']);
    let is_id = |word: &str| word.starts_with("req_") || word.starts_with("msg_");
    let kept = words.map(|word| if is_id(word) { "<id>" } else { word.trim_end() });
    Value::String(kept.collect::<Vec<_>>().join(" "))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What an event is called in a sequence.
pub fn name(event: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let detail = match event["type"].as_str().unwrap_or_default() {
        "stream_event" => {
            let delta = text(&event["event"]["delta"]["type"]);
            format!("{} {delta}", text(&event["event"]["type"]))
        }
        "assistant" | "user" => text(&event["message"]["content"][0]["type"]),
        "control_request" => text(&event["request"]["subtype"]),
        _ => text(&event["subtype"]),
    };
    format!("{} {detail}", text(&event["type"]))
}

/// Events without what turns leave open: how many pieces a text comes in, how many retries there
/// are, and what the control channel answers, which is not rendered.
pub fn essence(events: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for mut event in events {
        if event["type"] == "control_response" {
            continue;
        }
        let repeats =
            event["event"]["type"] == "content_block_delta" || event["subtype"] == "api_retry";
        if repeats && kept.last().is_some_and(|last| name(last) == name(&event)) {
            continue;
        }
        if event["event"]["type"] == "content_block_delta" {
            for key in ["text", "thinking", "partial_json"] {
                if let Some(delta) = event["event"]["delta"].get_mut(key) {
                    *delta = Value::String(String::new());
                }
            }
        }
        kept.push(event);
    }
    kept
}
