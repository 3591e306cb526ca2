//! The captures of the real CLI: what each run was given, what it printed, and the turns that it
//! played, read back from its own events.

use super::super::{Carried, McpServer, Output, Spawn, Spent};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The versions with captures.
pub const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// One run of the real CLI.
pub struct Capture {
    pub name: String,
    pub version: &'static str,
    pub argv: Vec<String>,
    pub exit_code: Option<i64>,
    pub stdin: Vec<Value>,
    pub stdout: String,
}

/// The folder that the captures are in, where there are any.
fn truth() -> Option<PathBuf> {
    let shared = std::env::var_os("RINGER_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    Some(shared.join("truth")).filter(|path| path.is_dir())
}

/// Every run of a version that printed something.
pub fn captures(version: &'static str) -> Vec<Capture> {
    let Some(folder) = truth().map(|truth| truth.join(format!("claude-{version}"))) else {
        return Vec::new();
    };
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    let read = |name: &str| Capture::read(&folder.join(name), name, version);
    names.iter().filter_map(|name| read(name.to_str().unwrap())).collect()
}

impl Capture {
    fn read(folder: &Path, name: &str, version: &'static str) -> Option<Capture> {
        let text = |file| std::fs::read(folder.join(file)).ok();
        let stdout = String::from_utf8(text("stdout")?).ok().filter(|stdout| !stdout.is_empty())?;
        let run: Value = serde_json::from_slice(&text("run.json")?).unwrap();
        let stdin = text("stdin").unwrap_or_default();
        let stdin = String::from_utf8_lossy(&stdin);
        let words = run["argv"].as_array().unwrap().iter();
        Some(Capture {
            name: name.to_owned(),
            version,
            argv: words.map(|word| word.as_str().unwrap().to_owned()).collect(),
            exit_code: run["exit_code"].as_i64(),
            stdin: stdin.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            stdout,
        })
    }

    /// The value of an option.
    fn option(&self, name: &str) -> Option<&str> {
        let at = self.argv.iter().rposition(|word| word == name)?;
        self.argv.get(at + 1).map(String::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.argv.iter().any(|word| word == name)
    }

    pub fn is_live(&self) -> bool {
        self.option("--input-format") == Some("stream-json")
    }

    pub fn output(&self) -> Output {
        let joined = self.argv.iter().find_map(|word| word.strip_prefix("--output-format="));
        match self.option("--output-format").or(joined) {
            Some("stream-json") => Output::StreamJson,
            Some("json") => Output::Json,
            _ => Output::Text,
        }
    }

    /// The events that were printed, however they were.
    pub fn events(&self) -> Vec<Value> {
        if self.output() == Output::Text { Vec::new() } else { events(&self.stdout) }
    }

    /// What the engine would have understood of the run.
    pub fn spawn(&self) -> Spawn {
        let events = self.events();
        let init = events.iter().find(|event| event["subtype"] == "init");
        let result = events.iter().find(|event| event["type"] == "result");
        let from = |key: &str| init.and_then(|init| init[key].as_str()).map(str::to_owned);
        let servers = init.and_then(|init| init["mcp_servers"].as_array()).cloned();
        let resumed = self.flag("--resume") || self.flag("--continue");
        // Settings may name a model, and before 2.1.332 a resumed session had that of its last
        // message: things that the engine tells the renderer.
        let used =
            result.and_then(|result| result["modelUsage"].as_object()?.keys().next().cloned());
        let elsewhere = resumed || self.flag("--settings") || self.output() == Output::Json;
        let model = self.option("--model").map(str::to_owned);
        let model = if elsewhere { from("model").or(used) } else { model };
        let session = result.or(init).and_then(|event| event["session_id"].as_str());
        Spawn {
            version: self.version.to_owned(),
            seed: self.name.clone(),
            session_id: session.unwrap_or_default().to_owned(),
            cwd: from("cwd").unwrap_or_else(|| "/home/dev/project".to_owned()),
            config_dir: "/home/dev/.claude".to_owned(),
            model,
            permission_mode: from("permissionMode").unwrap_or_else(|| "default".to_owned()),
            api_key_source: from("apiKeySource").unwrap_or_else(|| "none".to_owned()),
            output: self.output(),
            verbose: self.flag("--verbose"),
            partial: self.flag("--include-partial-messages"),
            replay: self.flag("--replay-user-messages"),
            live: self.is_live(),
            permission_prompts: self.option("--permission-prompt-tool") == Some("stdio"),
            json_schema: self.flag("--json-schema"),
            bare: self.flag("--bare"),
            name: self.option("--name").map(str::to_owned),
            max_turns: self.option("--max-turns").map(str::to_owned),
            max_budget: self.option("--max-budget-usd").map(str::to_owned),
            additional_directories: self
                .option("--add-dir")
                .map(str::to_owned)
                .into_iter()
                .collect(),
            mcp_servers: servers.unwrap_or_default().iter().map(server).collect(),
            earlier: result.filter(|_| resumed).map(earlier).unwrap_or_default(),
        }
    }
}

/// The events in an output, a line each or in one list.
pub fn events(stdout: &str) -> Vec<Value> {
    let mut events = Vec::new();
    for line in stdout.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Value::Array(list) => events.extend(list),
            event => events.push(event),
        }
    }
    events
}

fn server(server: &Value) -> McpServer {
    let name = server["name"].as_str().unwrap_or_default().to_owned();
    McpServer { name, sdk: server["source"] == "sdk" }
}

/// What a resumed session had behind it: what its first result says beyond its own turn.
fn earlier(result: &Value) -> Carried {
    let (usage, models) = (&result["usage"], result["modelUsage"].as_object());
    let n = |value: &Value| value.as_u64().unwrap_or(0);
    let spent = |model: &Value| {
        let input = n(&model["inputTokens"]) - n(&usage["input_tokens"]);
        let whole = n(&model["inputTokens"]) as f64;
        Spent {
            input,
            cached: 0,
            output: n(&model["outputTokens"]) - n(&usage["output_tokens"]),
            thinking: 0,
            cost: model["costUSD"].as_f64().unwrap_or(0.0) * input as f64 / whole.max(1.0),
        }
    };
    let models = models.into_iter().flatten().map(|(id, model)| (id.clone(), spent(model)));
    Carried { api_ms: 10, models: models.filter(|(_, spent)| spent.input > 0).collect() }
}

/// The events without what the model said before a tool call in the same message, which turns
/// cannot say; the blocks after it move up.
pub fn without_preambles(events: Vec<Value>) -> Vec<Value> {
    let calls: BTreeSet<String> = events
        .iter()
        .filter(|event| block(event)["type"] == "tool_use")
        .filter_map(message_id)
        .collect();
    let mut current = String::new();
    let mut kept = Vec::new();
    for mut event in events {
        if let Some(id) = event["event"]["message"]["id"].as_str() {
            id.clone_into(&mut current);
        }
        let said = block(&event)["type"] == "text"
            && message_id(&event).is_some_and(|id| calls.contains(&id));
        if let (Some(index), true) = (event["event"]["index"].as_u64(), calls.contains(&current)) {
            if index == 0 {
                continue;
            }
            event["event"]["index"] = json!(index - 1);
        }
        if !said {
            kept.push(event);
        }
    }
    kept
}

fn block(event: &Value) -> &Value {
    &event["message"]["content"][0]
}

fn message_id(event: &Value) -> Option<String> {
    event["message"]["id"].as_str().map(str::to_owned)
}

/// The turns that a stream of events shows, as an author would write them; or why turns cannot say
/// what happened.
pub fn turns(events: &[Value]) -> Result<Vec<Value>, String> {
    let mut turns = Vec::new();
    let mut seen: Option<Seen> = None;
    for event in events {
        if event["subtype"] == "init" {
            seen = Some(Seen::default());
        }
        // A run in the `json` format shows nothing but its result.
        let turn = seen.get_or_insert_with(Seen::default);
        turn.take(event)?;
        if event["type"] == "result" {
            turns.extend(seen.take().map(|turn| turn.written(event)));
        }
    }
    if let Some(turn) = seen.filter(|turn| turn.opened) {
        turns.push(turn.written(&json!({"subtype": "none"})));
    }
    Ok(turns)
}

/// What was seen of one turn.
#[derive(Default)]
struct Seen {
    opened: bool,
    turn: Map<String, Value>,
    texts: Vec<Value>,
    text_of: Value,
    tools: Vec<Value>,
    requests: BTreeSet<String>,
    /// Text whose block has not come whole.
    streamed: String,
    refused: bool,
    cut: bool,
}

impl Seen {
    fn take(&mut self, event: &Value) -> Result<(), String> {
        match event["type"].as_str().unwrap_or_default() {
            "system" => self.system(event),
            "assistant" => self.assistant(event),
            "user" => {
                self.user(event);
                Ok(())
            }
            "control_request" if event["request"]["subtype"] == "can_use_tool" => {
                self.tool(&event["request"]["tool_use_id"])["ask"] = json!(true);
                Ok(())
            }
            "control_request" => Err("asks the client for more than permission".to_owned()),
            "stream_event" => {
                let id = &event["event"]["message"]["id"];
                self.requests.extend(id.as_str().map(str::to_owned));
                self.streamed += event["event"]["delta"]["text"].as_str().unwrap_or_default();
                Ok(())
            }
            "result" | "control_response" | "control_cancel_request" | "command_lifecycle" => {
                Ok(())
            }
            other => Err(format!("has {other} events")),
        }
    }

    fn system(&mut self, event: &Value) -> Result<(), String> {
        match event["subtype"].as_str().unwrap_or_default() {
            "init" => self.opened = true,
            "api_retry" => {
                let status = &event["error_status"];
                self.turn.insert("error".into(), json!(format!("API Error: {status}")));
            }
            "permission_denied" => self.tool(&event["tool_use_id"])["ask"] = json!(true),
            "model_refusal_no_fallback" => self.refused = true,
            "status" | "thinking_tokens" | "session_title_changed" => {}
            "informational" if event["level"] == "notice" => {}
            other => return Err(format!("has {other} events")),
        }
        Ok(())
    }

    fn assistant(&mut self, event: &Value) -> Result<(), String> {
        let message = &event["message"];
        let block = &message["content"][0];
        if message["model"] == "<synthetic>" {
            let text = block["text"].as_str().unwrap_or_default();
            if event.get("local_command_source").is_some() || event.get("error").is_none() {
                return Err("runs a slash command".to_owned());
            }
            self.cut = text.contains("output token maximum");
            if !self.cut && !self.refused {
                self.turn.insert("fail".into(), json!(text));
            }
            return Ok(());
        }
        if message["stop_reason"] == "end_turn" {
            return Err("falls back to a request that does not stream".to_owned());
        }
        self.requests.extend(message["id"].as_str().map(str::to_owned));
        match block["type"].as_str().unwrap_or_default() {
            "thinking" => {
                self.turn.insert("thinking".into(), block["thinking"].clone());
            }
            "text" => {
                if self.text_of != message["id"] {
                    self.texts.clear();
                }
                self.text_of = message["id"].clone();
                self.texts.push(block["text"].clone());
                self.streamed.clear();
            }
            "tool_use" if !self.texts.is_empty() => {
                return Err("says something before a tool call".to_owned());
            }
            "tool_use" => {
                let same = self.tools.last().is_some_and(|tool| tool["message"] == message["id"]);
                if same {
                    return Err("calls tools in parallel".to_owned());
                }
                let (id, name) = (&block["id"], &block["name"]);
                self.tools.push(json!({
                    "id": id, "message": message["id"], "name": name, "input": block["input"],
                }));
            }
            other => return Err(format!("has {other} blocks")),
        }
        Ok(())
    }

    fn user(&mut self, event: &Value) {
        let block = &event["message"]["content"][0];
        if block["type"] == "tool_result" {
            let rejected = event["tool_use_result"] == "User rejected tool use";
            let killed = block["content"] == "Exit code 137";
            let tool = self.tool(&block["tool_use_id"]);
            tool["is_error"] = json!(block["is_error"] == true);
            if rejected || killed {
                tool["is_error"] = json!(false);
            } else if tool["ask"] != true || block["is_error"] != true {
                tool["result"] = block["content"].clone();
            } else {
                tool["denial"] = block["content"].clone();
            }
        }
    }

    fn tool(&mut self, id: &Value) -> &mut Value {
        if !self.tools.iter().any(|tool| tool["id"] == *id) {
            self.tools.push(json!({"id": id, "name": "?"}));
        }
        self.tools.iter_mut().find(|tool| tool["id"] == *id).unwrap()
    }

    /// The turn, given its result.
    fn written(mut self, result: &Value) -> Value {
        let stop = match result["subtype"].as_str().unwrap_or_default() {
            "error_max_turns" => Some("max_turns"),
            "error_max_budget_usd" => Some("budget"),
            "error_during_execution" | "none" => Some("interrupted"),
            _ if self.refused => Some("refusal"),
            _ if self.cut => Some("max_tokens"),
            _ => None,
        };
        let denials = result["permission_denials"].as_array().cloned().unwrap_or_default();
        let mut tools = std::mem::take(&mut self.tools);
        if !self.opened {
            // Nothing but the result was printed: the calls are known by their denial.
            tools.extend(denials.iter().map(|denial| {
                let (id, name, input) =
                    (&denial["tool_use_id"], &denial["tool_name"], &denial["tool_input"]);
                json!({"id": id, "name": name, "input": input, "is_error": true, "result": "no"})
            }));
        }
        if !self.streamed.is_empty() {
            self.texts.push(json!(self.streamed));
        }
        for tool in &mut tools {
            if denials.iter().any(|denial| denial["tool_use_id"] == tool["id"]) {
                tool["ask"] = json!(true);
            }
        }
        if let Some(output) = result.get("structured_output") {
            self.turn.insert("structured".into(), output.clone());
            tools.retain(|tool| tool["name"] != "StructuredOutput");
        }
        if self.texts.is_empty() && !self.opened && result.get("structured_output").is_none() {
            let key = if result["is_error"] == true { "fail" } else { "text" };
            self.turn.insert(key.into(), result["result"].clone());
        }
        // The scripted model counted a hundred tokens in and twenty out for each request.
        let requests = match self.opened {
            true => self.requests.len(),
            false => usize::try_from(result["usage"]["input_tokens"].as_u64().unwrap_or(0) / 100)
                .unwrap(),
        };
        self.turn.insert("usage".into(), json!({"input": 100 * requests, "output": 20 * requests}));
        if !self.texts.is_empty() {
            self.turn.insert("text".into(), Value::Array(self.texts));
        }
        if let Some(stop) = stop {
            self.turn.insert("stop".into(), json!(stop));
        }
        self.turn.insert("tools".into(), Value::Array(tools));
        Value::Object(self.turn)
    }
}
