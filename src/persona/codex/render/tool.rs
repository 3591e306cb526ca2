//! From a turn's tool call to the items that codex shows for it. The names and inputs of either
//! CLI serve: `Bash` and `exec_command`, `Write` and `apply_patch`, `TodoWrite` and `update_plan`.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::item::{
    Agent, Command, Files, Item, Mcp, McpOutcome, Plan, Progress, Search, Status, Step,
};
use super::{json, patch, shell};
use crate::recording::turn::Tool;

/// What a tool call comes to.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// It shows as these items.
    Items(Vec<Item>),
    /// Codex has no such tool: no item, only a log line with this text (`02-tool-unknown`).
    Unsupported(String),
}

/// The circumstances of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    /// The shell in front of commands.
    pub shell: &'a str,
    /// The working directory, which relative paths count from.
    pub cwd: &'a str,
    /// Whether a client can be asked. If not, a tool that asks and fails was declined.
    pub can_ask: bool,
}

/// The items of a tool call.
pub(super) fn call(tool: &Tool, scene: &Scene) -> Call {
    let input = Input::of(tool);
    let name = tool.name.as_str();
    if let Some((server, tool_name)) = mcp_name(name) {
        return one(Item::Mcp(mcp(tool, server, tool_name)));
    }
    match name {
        "Bash" | "shell" | "exec_command" | "local_shell" | "shell_command" | "container.exec" => {
            one(shell_item(tool, &input, scene))
        }
        "Read" | "Glob" | "Grep" | "LS" => one(looking(tool, name, &input, scene)),
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "apply_patch" => {
            let changes = patch::changes(name, &input.value, scene.cwd);
            one(Item::Files(Files { changes, status: status(tool, &input, scene) }))
        }
        "WebSearch" | "web_search" | "WebFetch" => one(Item::Search(search(&input))),
        "TodoWrite" | "update_plan" => one(Item::Plan(plan(&input))),
        "Task" | "Agent" => Call::Items(whole_agent(tool, &input)),
        "spawn_agent" => one(Item::Agent(agent("spawn_agent", "pending_init", tool, &input))),
        "send_input" => one(Item::Agent(agent("send_input", "running", tool, &input))),
        "wait" => one(Item::Agent(agent("wait", "completed", tool, &input))),
        "close_agent" => one(Item::Agent(agent("close_agent", "completed", tool, &input))),
        _ => Call::Unsupported(format!("unsupported call: {name}")),
    }
}

fn one(item: Item) -> Call {
    Call::Items(vec![item])
}

/// The characters of a call that the model wrote, for counting tokens.
pub(super) fn written(tool: &Tool) -> &str {
    tool.input.as_deref().map_or("", |input| input.get())
}

/// What the call gave back, as text: a string itself, the texts of content blocks, else the JSON.
pub(super) fn result_text(tool: &Tool) -> String {
    let Some(raw) = tool.result.as_deref() else {
        return String::new();
    };
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(Value::String(text)) => text,
        Ok(Value::Array(blocks)) if !blocks.is_empty() => {
            block_texts(&blocks).unwrap_or_else(|| raw.get().to_owned())
        }
        Ok(Value::Null) => String::new(),
        _ => raw.get().to_owned(),
    }
}

/// The texts of content blocks, if they are all texts.
fn block_texts(blocks: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> =
        blocks.iter().map(|block| block.get("text").and_then(Value::as_str)).collect();
    Some(texts?.join("\n"))
}

/// A tool's input, to be asked for its keys.
struct Input {
    value: Value,
}

impl Input {
    fn of(tool: &Tool) -> Input {
        let value = tool.input.as_deref().and_then(|raw| serde_json::from_str(raw.get()).ok());
        Input { value: value.unwrap_or(Value::Null) }
    }

    /// The first of these keys that holds a string.
    fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.value.get(key)?.as_str())
    }

    fn texts(&self, key: &str) -> Option<Vec<String>> {
        let values = self.value.get(key)?.as_array()?;
        Some(values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect())
    }

    fn flag(&self, key: &str) -> bool {
        self.value.get(key).and_then(Value::as_bool).unwrap_or(false)
    }
}

/// How a call ended. Where nobody can be asked, asking and failing is being declined; an input
/// with `"declined": true` says so anywhere.
fn status(tool: &Tool, input: &Input, scene: &Scene) -> Status {
    if input.flag("declined") || (tool.ask && tool.is_error && !scene.can_ask) {
        Status::Declined
    } else if tool.is_error {
        Status::Failed
    } else {
        Status::Completed
    }
}

/// A shell command, or the patch that it applies (`02-patch-shell`).
fn shell_item(tool: &Tool, input: &Input, scene: &Scene) -> Item {
    let words = input.texts("command").or_else(|| input.texts("cmd"));
    let script = match &words {
        // `["bash", "-lc", "echo hi"]`: the script is the last word.
        Some(words) => match words.as_slice() {
            [_, flag, script] if flag == "-lc" || flag == "-c" => script.clone(),
            words => shell::join(words),
        },
        None => match input.text(&["command", "cmd", "script"]) {
            Some(script) => script.to_owned(),
            None => input.value.as_str().unwrap_or_default().to_owned(),
        },
    };
    if script.trim_start().starts_with("apply_patch") && script.contains(patch::BEGIN) {
        let changes = patch::of_text(&script, scene.cwd);
        return Item::Files(Files { changes, status: status(tool, input, scene) });
    }
    let command = shell::shell_command(scene.shell, &script);
    Item::Command(command_of(tool, input, scene, script, command))
}

/// The tools that only look, which codex does by shell commands.
fn looking(tool: &Tool, name: &str, input: &Input, scene: &Scene) -> Item {
    let path = input.text(&["file_path", "path", "notebook_path"]);
    let pattern = input.text(&["pattern"]).unwrap_or_default();
    let mut words = match name {
        "Read" => vec!["cat"],
        "Glob" => vec!["rg", "--files", "-g", pattern],
        "Grep" => vec!["rg", "-n", pattern],
        _ => vec!["ls"],
    };
    words.extend(path);
    let script = shell::join(&words);
    let command = shell::shell_command(scene.shell, &script);
    Item::Command(command_of(tool, input, scene, script, command))
}

fn command_of(
    tool: &Tool,
    input: &Input,
    scene: &Scene,
    script: String,
    command: String,
) -> Command {
    let declined = status(tool, input, scene) == Status::Declined;
    let given = input.value.get("exit_code").and_then(Value::as_i64);
    let code = given.unwrap_or(i64::from(tool.is_error));
    let status = match declined {
        true => Status::Declined,
        false if code != 0 || tool.is_error => Status::Failed,
        false => Status::Completed,
    };
    Command {
        script,
        command,
        output: if declined { String::new() } else { result_text(tool) },
        exit_code: (!declined).then_some(code),
        status,
        reason: input.text(&["justification", "description", "reason"]).map(str::to_owned),
    }
}

/// The server and tool of `mcp__server__tool`.
fn mcp_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

fn mcp(tool: &Tool, server: &str, tool_name: &str) -> Mcp {
    let arguments = tool.input.as_deref().map_or("{}", |raw| raw.get());
    Mcp {
        server: server.to_owned(),
        tool: tool_name.to_owned(),
        arguments: json::compact(arguments),
        outcome: mcp_outcome(tool),
    }
}

/// A result as an MCP server gives it, or `{"error": ...}`. Its parts are kept as written.
#[derive(Default, Deserialize)]
struct McpResult<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, alias = "structuredContent")]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    error: Value,
}

/// What an MCP call gave: a result as the server's own (`content`), content blocks, a plain text,
/// or `{"error": ...}` for a call that failed as such (`02-mcp-rpcerr`).
fn mcp_outcome(tool: &Tool) -> McpOutcome {
    let raw = tool.result.as_deref().map_or("null", RawValue::get).trim();
    let given: McpResult = match raw.starts_with('{') {
        true => serde_json::from_str(raw).unwrap_or_default(),
        false => McpResult::default(),
    };
    if !given.error.is_null() {
        let message = given.error.get("message").unwrap_or(&given.error);
        return McpOutcome::Error(match message.as_str() {
            Some(message) => message.to_owned(),
            None => message.to_string(),
        });
    }
    if raw == "null" && tool.is_error {
        return McpOutcome::Error("tool call error".to_owned());
    }
    let content = match given.content {
        Some(content) => json::compact(content.get()),
        None if raw == "null" => "[]".to_owned(),
        None if is_blocks(raw) => json::compact(raw),
        None => {
            let text = json::Object::new().str("type", "text").str("text", &result_text(tool));
            json::array(&[text.end()])
        }
    };
    let structured =
        given.structured_content.map_or("null".to_owned(), |value| json::compact(value.get()));
    McpOutcome::Result { content, structured, failed: tool.is_error }
}

/// Whether JSON is a list of content blocks.
fn is_blocks(raw: &str) -> bool {
    let blocks: Option<Vec<Value>> = serde_json::from_str(raw).ok();
    blocks.is_some_and(|blocks| blocks.iter().all(|block| block.get("type").is_some()))
}

fn search(input: &Input) -> Search {
    // The action may stand in the input itself or, as in the API, below `action`.
    let inner = input.value.get("action").cloned().map(|value| Input { value });
    let input = inner.as_ref().unwrap_or(input);
    if let Some(url) = input.text(&["url"]) {
        return match input.text(&["pattern"]) {
            Some(pattern) => Search::Find { url: url.to_owned(), pattern: pattern.to_owned() },
            None => Search::Open(url.to_owned()),
        };
    }
    match input.texts("queries") {
        Some(queries) => Search::Queries(queries),
        None => Search::Query(input.text(&["query"]).unwrap_or_default().to_owned()),
    }
}

fn plan(input: &Input) -> Plan {
    let steps = input.value.get("plan").or_else(|| input.value.get("todos"));
    let steps = steps.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    Plan {
        explanation: input.text(&["explanation"]).map(str::to_owned),
        steps: steps.iter().map(step).collect(),
    }
}

fn step(value: &Value) -> Step {
    let text = ["step", "content", "text"].iter().find_map(|key| value.get(key)?.as_str());
    let progress = match value.get("status").and_then(Value::as_str) {
        Some("completed") => Progress::Completed,
        Some("in_progress" | "inProgress") => Progress::Current,
        _ => Progress::Pending,
    };
    Step { text: text.or(value.as_str()).unwrap_or_default().to_owned(), progress }
}

/// A `Task` of the other CLI is an agent spawned, and waited for if its result is known.
fn whole_agent(tool: &Tool, input: &Input) -> Vec<Item> {
    let mut items = vec![Item::Agent(agent("spawn_agent", "pending_init", tool, input))];
    if tool.result.is_some() {
        items.push(Item::Agent(agent("wait", "completed", tool, input)));
    }
    items
}

fn agent(name: &'static str, state: &'static str, tool: &Tool, input: &Input) -> Agent {
    let takes_prompt = matches!(name, "spawn_agent" | "send_input");
    let prompt = input.text(&["prompt", "message", "input", "description"]);
    let message = (name == "wait" && tool.result.is_some()).then(|| result_text(tool));
    Agent {
        tool: name,
        prompt: prompt.filter(|_| takes_prompt).map(str::to_owned),
        state: if tool.is_error && name == "wait" { "errored" } else { state },
        message,
        status: if tool.is_error { Status::Failed } else { Status::Completed },
    }
}
