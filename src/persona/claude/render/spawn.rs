//! What the renderer has to know of a spawn: its arguments, already understood, and where it runs.

use super::result::Spent;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a spawn prints on stdout (`--output-format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The last answer, at the end.
    #[default]
    Text,
    /// The result object, at the end; with `verbose` a list of all events.
    Json,
    /// One event a line, as it happens.
    StreamJson,
}

/// A spawn as the renderer sees it. `Spawn::default()` is a text run of the default version.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// The CLI version it answers as, `2.1.332`.
    pub version: String,
    /// What ids, uuids and the like are drawn from: the same seed gives the same bytes. It must
    /// differ between the spawns of a test, or their ids are the same.
    pub seed: String,
    /// The session's id, given or minted (see [`mint_session_id`](super::mint_session_id)).
    pub session_id: String,
    /// The working directory, absolute.
    pub cwd: String,
    /// The configuration directory, `$CLAUDE_CONFIG_DIR` or `$HOME/.claude`.
    pub config_dir: String,
    /// `--model`: an alias or a full name.
    pub model: Option<String>,
    /// `--permission-mode`, with `manual` given as `default`, its name in events.
    pub permission_mode: String,
    /// Where the API key came from: `ANTHROPIC_API_KEY` or `none`.
    pub api_key_source: String,
    /// `--output-format`.
    pub output: Output,
    /// `--verbose`.
    pub verbose: bool,
    /// `--include-partial-messages`.
    pub partial: bool,
    /// `--replay-user-messages`.
    pub replay: bool,
    /// `--input-format stream-json`: the client is there to be asked.
    pub live: bool,
    /// `--permission-prompt-tool stdio`.
    pub permission_prompts: bool,
    /// `--json-schema`.
    pub json_schema: bool,
    /// `--bare`.
    pub bare: bool,
    /// `--name`, where the session was given one.
    pub name: Option<String>,
    /// `--max-turns`, as it was written.
    pub max_turns: Option<String>,
    /// `--max-budget-usd`, as it was written.
    pub max_budget: Option<String>,
    /// `--add-dir`.
    pub additional_directories: Vec<String>,
    /// MCP servers, in order.
    pub mcp_servers: Vec<McpServer>,
    /// What a resumed or continued session has behind it.
    pub earlier: Carried,
}

impl Default for Spawn {
    fn default() -> Spawn {
        Spawn {
            version: "2.1.332".to_owned(),
            seed: String::new(),
            session_id: super::mint_session_id("", 0),
            cwd: "/".to_owned(),
            config_dir: "/.claude".to_owned(),
            model: None,
            permission_mode: "default".to_owned(),
            api_key_source: "none".to_owned(),
            output: Output::Text,
            verbose: false,
            partial: false,
            replay: false,
            live: false,
            permission_prompts: false,
            json_schema: false,
            bare: false,
            name: None,
            max_turns: None,
            max_budget: None,
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            earlier: Carried::default(),
        }
    }
}

/// An MCP server that the spawn was configured with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpServer {
    /// Its name in the configuration.
    pub name: String,
    /// Whether the client itself plays the server (`"type": "sdk"`).
    pub sdk: bool,
}

/// What a session has behind it: the renderer's [`carried`](super::Renderer::carried) at the end of
/// one spawn is `earlier` of the spawn that resumes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Milliseconds spent in the API.
    pub api_ms: u64,
    /// Tokens and dollars by model, in the order of first use.
    pub models: Vec<(String, Spent)>,
}

/// A user's message: a line of a live session, or the prompt of a print run.
#[derive(Clone, Debug, Default)]
pub struct UserLine {
    /// The `message` object as it was sent; replayed as it stands.
    pub message: Option<Box<RawValue>>,
    /// The text in it.
    pub text: String,
    /// The line's own `uuid`.
    pub uuid: Option<String>,
}

impl UserLine {
    /// A prompt that is plain text.
    pub fn prompt(text: &str) -> UserLine {
        UserLine { message: None, text: text.to_owned(), uuid: None }
    }

    /// A line of a live session; none where it is not a user's message.
    pub fn parse(line: &str) -> Option<UserLine> {
        #[derive(Deserialize)]
        struct Line {
            #[serde(rename = "type")]
            kind: String,
            message: Option<Box<RawValue>>,
            uuid: Option<String>,
        }
        let line: Line = serde_json::from_str(line).ok().filter(|l: &Line| l.kind == "user")?;
        let text = line.message.as_deref().map(message_text).unwrap_or_default();
        Some(UserLine { message: line.message, text, uuid: line.uuid })
    }
}

/// The text of a message's content: a string, or the text blocks of a list, a line each.
fn message_text(message: &RawValue) -> String {
    let value: serde_json::Value = serde_json::from_str(message.get()).unwrap_or_default();
    match &value["content"] {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
