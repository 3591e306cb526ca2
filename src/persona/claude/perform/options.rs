//! What a voice is made from: a spawn's arguments, already understood, and its circumstances.

use super::carried;
use crate::persona::claude::arguments::{self, Request};
use crate::persona::claude::render::{self, McpServer, Output, Spawn};
use serde_json::Value;

/// What a voice has to know beside what its renderer does.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveOptions {
    /// The session's id, where the client named it: it takes the place of the recorded one.
    pub named: Option<String>,
    /// Whether the session may be taken up by another spawn.
    pub persists: bool,
    /// Whether the mode that asks for no permission may be set later.
    pub bypass_allowed: bool,
    /// The prompt of a print run.
    pub prompt: Option<String>,
    /// The process's id, which the answer to `initialize` names.
    pub pid: u32,
    /// Values for the answer to `initialize` that are the test's own: keys and JSON.
    pub initialize: Vec<(String, String)>,
    /// The CLI version it answers as.
    pub version: String,
    /// Where the API key came from.
    pub api_key_source: String,
    /// The configuration directory.
    pub config_dir: String,
}

/// Where and after what a spawn runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circumstances {
    /// The CLI version it answers as, `2.1.332`.
    pub version: String,
    /// What ids are drawn from: the recording directory, say, and the arguments.
    pub seed: String,
    /// The spawn's number in its state directory.
    pub spawn: u64,
    /// The working directory, absolute.
    pub cwd: String,
    /// The configuration directory.
    pub config_dir: String,
    /// Whether the environment has an API key.
    pub api_key: bool,
    /// The process's id.
    pub pid: u32,
    /// The id of the session that `--continue` (or `--resume` without an id) goes on with; none
    /// where there is none.
    pub latest: Option<String>,
    /// What the session that is taken up has behind it; null where nothing is known of it.
    pub carried: Value,
    /// The prompt of a print run, as the model gets it.
    pub prompt: Option<String>,
    /// Values for the answer to `initialize` that are the test's own: keys and JSON.
    pub initialize: Vec<(String, String)>,
}

/// What a voice is made from, for a spawn with these arguments.
pub(crate) fn of(request: &Request, around: &Circumstances) -> (Spawn, LiveOptions) {
    let (session_id, named) = session_id(request, around);
    let api_key_source = if around.api_key { "ANTHROPIC_API_KEY" } else { "none" };
    let permission_mode = match request.permission_mode.as_deref() {
        None | Some("manual") => "default",
        Some(mode) => mode,
    };
    let takes_up = request.resume.is_some() || request.continues;
    let spawn = Spawn {
        version: around.version.clone(),
        seed: format!("{} {}", around.seed, around.spawn),
        session_id,
        cwd: around.cwd.clone(),
        config_dir: around.config_dir.clone(),
        model: request.model.clone(),
        permission_mode: permission_mode.to_owned(),
        api_key_source: api_key_source.to_owned(),
        output: output(request.output),
        verbose: request.verbose,
        partial: request.partial,
        replay: request.replay,
        live: request.input == arguments::Format::StreamJson,
        permission_prompts: request.permission_prompt_tool.as_deref() == Some("stdio"),
        json_schema: request.json_schema.is_some(),
        bare: request.has("--bare"),
        name: request.name.clone(),
        max_turns: request.max_turns.clone(),
        max_budget: request.max_budget.clone(),
        additional_directories: request.values("--add-dir").map(str::to_owned).collect(),
        mcp_servers: request.mcp_config.iter().flat_map(|config| named_by(config)).collect(),
        earlier: if takes_up { carried::read(&around.carried) } else { Default::default() },
    };
    let live = LiveOptions {
        named,
        persists: !request.no_session_persistence,
        bypass_allowed: permission_mode == "bypassPermissions"
            || request.has("--allow-dangerously-skip-permissions"),
        prompt: around.prompt.clone(),
        pid: around.pid,
        initialize: around.initialize.clone(),
        version: around.version.clone(),
        api_key_source: api_key_source.to_owned(),
        config_dir: around.config_dir.clone(),
    };
    (spawn, live)
}

/// The session's id, and the same where the client named it (claude.md, section 5).
pub(crate) fn session_id(request: &Request, around: &Circumstances) -> (String, Option<String>) {
    let minted = || (render::mint_session_id(&around.seed, around.spawn), None);
    let fresh = || match &request.session_id {
        Some(id) => (id.clone(), Some(id.clone())),
        None => minted(),
    };
    let latest = || match &around.latest {
        Some(id) => (id.clone(), None),
        None => fresh(),
    };
    match &request.resume {
        Some(_) if request.fork_session => fresh(),
        _ if request.continues && request.fork_session => fresh(),
        Some(Some(id)) if is_uuid(id) => (id.clone(), Some(id.clone())),
        // A session's title, or nothing: which session is meant is not known here.
        Some(_) => latest(),
        None if request.continues => latest(),
        None => fresh(),
    }
}

fn is_uuid(text: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, u8)| match dash(at) {
        true => byte == b'-',
        false => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

fn output(format: arguments::Format) -> Output {
    match format {
        arguments::Format::Text => Output::Text,
        arguments::Format::Json => Output::Json,
        arguments::Format::StreamJson => Output::StreamJson,
    }
}

/// The servers that an `--mcp-config` names by itself. Those in a file are not looked for.
fn named_by(config: &str) -> Vec<McpServer> {
    let config: Value = serde_json::from_str(config).unwrap_or_default();
    super::servers::configured(config.get("mcpServers"))
}
