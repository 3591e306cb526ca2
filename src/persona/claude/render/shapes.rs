//! The shapes of what single tools take and give: their results, and what the client is told when
//! it is asked about them. What the project knows of no tool has the general shape.

use super::layout::Layout;
use super::plan::Call;
use super::spawn::Spawn;
use super::tools::mcp_names;
use serde_json::{Map, Value, json};

/// Commands whose silence means that they worked.
const SILENT: &[&str] =
    &["cd", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "touch"];

/// What a result says, as text: what the author wrote, or what the tool says by itself.
pub(super) fn result_text(call: &Call) -> String {
    match &call.result {
        Some(Value::String(text)) if call.name == "Bash" && text.is_empty() => SILENCE.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(value) => value.to_string(),
        None => {
            let path = field(call, "file_path");
            match call.name.as_str() {
                "Bash" => SILENCE.to_owned(),
                "Write" => format!("File created successfully at: {path} {CURRENT}"),
                "Edit" => format!("The file {path} has been updated successfully."),
                _ => String::new(),
            }
        }
    }
}

/// The `tool_result` block of a call that worked.
pub(super) fn success(call: &Call, layout: &Layout) -> String {
    let content = match (&call.result, mcp_names(&call.name)) {
        (Some(blocks @ Value::Array(_)), _) => layout.json.value(blocks),
        (_, Some(_)) => layout.json.value(&text_blocks(call)),
        _ => layout.json.string(&result_text(call)),
    };
    let fields = layout.fields().text("tool_use_id", &call.id).raw("content", content);
    match call.name.as_str() {
        "AskUserQuestion" => layout.object("content.answered", &fields),
        "Bash" => layout.object("content.success", &fields.plain("is_error", false)),
        _ => layout.object("content.success", &fields),
    }
}

/// The `tool_result` block of a call that failed.
pub(super) fn failure(call: &Call, layout: &Layout, text: &str) -> String {
    let fields = layout.fields().text("tool_use_id", &call.id).text("content", text);
    layout.object("content.failure", &fields)
}

/// `tool_use_result` of a call that worked: what the tool says to the CLI, not to the model.
pub(super) fn tool_use_result(call: &Call, layout: &Layout) -> String {
    let value = match call.name.as_str() {
        "Bash" => bash(call),
        "Read" => read(call),
        "Write" => json!({
            "type": "create",
            "filePath": field(call, "file_path"),
            "content": field(call, "content"),
            "structuredPatch": [],
            "originalFile": null,
            "userModified": false,
        }),
        "Edit" => edit(call),
        "AskUserQuestion" => json!({
            "questions": call.input["questions"],
            "answers": match &call.input["answers"] {
                Value::Null => json!({}),
                answers => answers.clone(),
            },
        }),
        _ if mcp_names(&call.name).is_some() => match &call.result {
            Some(blocks @ Value::Array(_)) => blocks.clone(),
            _ => text_blocks(call),
        },
        _ => match &call.result {
            Some(value) => value.clone(),
            None => Value::String(String::new()),
        },
    };
    layout.json.value(&value)
}

/// The `can_use_tool` request for a call.
pub(super) fn permission_request(call: &Call, layout: &Layout, spawn: &Spawn) -> String {
    let mcp = mcp_names(&call.name);
    let display = mcp.as_ref().map_or(call.name.as_str(), |(_, _, display)| display);
    let suggestions = suggestions(call, spawn);
    let server = mcp.as_ref().map(|(server, _, _)| {
        let sdk = spawn.mcp_servers.iter().any(|known| known.name == *server && known.sdk);
        layout.json.value(&json!({"name": server, "source": if sdk { "sdk" } else { "dynamic" }}))
    });
    let fields = layout
        .fields()
        .text("tool_name", &call.name)
        .text("display_name", display)
        .raw("input", layout.json.value(&call.input))
        .maybe_text("description", description(call).as_deref())
        .maybe_raw("permission_suggestions", suggestions.map(|list| layout.json.value(&list)))
        .maybe_text("blocked_path", touched_path(call, spawn).as_deref())
        .text("tool_use_id", &call.id)
        .maybe_raw("mcp_server", server);
    let fields = match call.name.as_str() {
        "AskUserQuestion" | "ExitPlanMode" => fields.plain("requires_user_interaction", true),
        _ => fields,
    };
    layout.object("can_use_tool", &fields)
}

impl Call {
    /// The input as the CLI repeats it: an edit says whether it replaces all, even if the model
    /// did not (s03_edit_unread_error).
    pub(super) fn echoed(&self, layout: &Layout) -> String {
        match &self.input {
            Value::Object(input) if self.name == "Edit" && !input.contains_key("replace_all") => {
                let mut echoed = Map::new();
                echoed.insert("replace_all".to_owned(), Value::Bool(false));
                echoed.extend(input.clone());
                layout.json.value(&Value::Object(echoed))
            }
            input => layout.json.value(input),
        }
    }
}

/// What a command says that says nothing.
const SILENCE: &str = "(Bash completed with no output)";

/// What the CLI adds, so that the model does not read back what it wrote.
const CURRENT: &str = "(file state is current in your context — no need to Read it back)";

fn field<'a>(call: &'a Call, key: &str) -> &'a str {
    call.input[key].as_str().unwrap_or_default()
}

fn text_blocks(call: &Call) -> Value {
    json!([{"type": "text", "text": result_text(call)}])
}

fn bash(call: &Call) -> Value {
    let text = result_text(call);
    let silent = text == SILENCE;
    let expected = silent && SILENT.contains(&command_word(call));
    json!({
        "stdout": if silent { "" } else { &text },
        "stderr": "",
        "interrupted": false,
        "isImage": false,
        "noOutputExpected": expected,
    })
}

/// A result shows lines with numbers in front; the file has none.
fn read(call: &Call) -> Value {
    let shown = result_text(call);
    let lines: Vec<&str> = shown.split('\n').collect();
    let plain: Vec<&str> = lines.iter().map(|line| unnumbered(line)).collect();
    let start = call.input["offset"].as_u64().unwrap_or(1);
    json!({
        "type": "text",
        "file": {
            "filePath": field(call, "file_path"),
            "content": plain.join("\n"),
            "numLines": plain.len(),
            "startLine": start,
            "totalLines": plain.len(),
        },
    })
}

fn unnumbered(line: &str) -> &str {
    match line.split_once('\t') {
        Some((number, rest)) if number.trim_start().parse::<u64>().is_ok() => rest,
        _ => line,
    }
}

/// The file that was edited is not known; what was replaced stands for it.
fn edit(call: &Call) -> Value {
    let (old, new) = (field(call, "old_string"), field(call, "new_string"));
    let lines: Vec<String> = old
        .lines()
        .map(|line| format!("-{line}"))
        .chain(new.lines().map(|line| format!("+{line}")))
        .collect();
    json!({
        "filePath": field(call, "file_path"),
        "oldString": old,
        "newString": new,
        "originalFile": old,
        "structuredPatch": [{
            "oldStart": 1,
            "oldLines": old.lines().count(),
            "newStart": 1,
            "newLines": new.lines().count(),
            "lines": lines,
        }],
        "userModified": false,
        "replaceAll": call.input["replace_all"].as_bool().unwrap_or(false),
    })
}

/// What a person is told that the tool is about to do.
fn description(call: &Call) -> Option<String> {
    let text = match call.name.as_str() {
        "Write" | "Edit" => field(call, "file_path").rsplit('/').next().unwrap_or_default(),
        _ => field(call, "description"),
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// What the client is offered to allow from now on.
fn suggestions(call: &Call, spawn: &Spawn) -> Option<Value> {
    let accept_edits = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    match call.name.as_str() {
        "AskUserQuestion" | "ExitPlanMode" => None,
        "Write" | "Edit" | "NotebookEdit" => Some(json!([accept_edits])),
        "Bash" => {
            let rule = json!({
                "toolName": "Bash",
                "ruleContent": format!("{} *", field(call, "command")),
            });
            let rules = add_rules(&rule);
            match touched_path(call, spawn) {
                None => Some(json!([rules])),
                Some(_) => {
                    let directories = json!({
                        "type": "addDirectories",
                        "directories": [spawn.cwd],
                        "destination": "session",
                    });
                    Some(json!([rules, directories, accept_edits]))
                }
            }
        }
        name => Some(json!([add_rules(&json!({"toolName": name}))])),
    }
}

fn add_rules(rule: &Value) -> Value {
    json!({
        "type": "addRules",
        "rules": [rule],
        "behavior": "allow",
        "destination": "localSettings",
    })
}

/// The path that a command is about to change: the last word of one that changes files.
fn touched_path(call: &Call, spawn: &Spawn) -> Option<String> {
    if call.name != "Bash" || !SILENT.contains(&command_word(call)) {
        return None;
    }
    let path = field(call, "command").split_whitespace().skip(1).last()?;
    Some(if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", spawn.cwd) })
}

fn command_word(call: &Call) -> &str {
    field(call, "command").split_whitespace().next().unwrap_or_default()
}
