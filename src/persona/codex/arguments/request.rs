//! What an accepted invocation asks for.

use super::matches::{Arg, Level};
use super::parser::Parsed;

/// The kinds of run. Each of them claims a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// `codex exec`.
    Exec,
    /// `codex exec resume` or `codex resume`.
    Resume(Session),
    /// `codex exec fork` or `codex fork`.
    Fork(Session),
    /// `codex exec review` or `codex review`.
    Review(ReviewTarget),
    /// `codex app-server`.
    AppServer,
    /// `codex mcp-server`, in the versions that have it.
    McpServer,
    /// `codex` by itself.
    Tui,
}

/// Which session is taken up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The id or name, if one was given.
    pub id: Option<String>,
    /// `--last`.
    pub last: bool,
    /// `--all`: of any working directory.
    pub all: bool,
}

/// What is reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewTarget {
    /// `--uncommitted`.
    Uncommitted,
    /// `--base BRANCH`.
    Base(String),
    /// `--commit SHA`.
    Commit(String),
    /// Instructions, in the prompt.
    Instructions,
}

/// An invocation that runs, with what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is run.
    pub kind: RunKind,
    /// Whether a terminal interface is asked for: all but `exec`, `review` and the servers.
    pub interactive: bool,
    /// `--json`: events on stdout.
    pub json: bool,
    /// The prompt argument; `-` stands for stdin.
    pub prompt: Option<String>,
    /// `--model`, else the `model` of `-c`.
    pub model: Option<String>,
    /// `--sandbox`, else the `sandbox_mode` of `-c`.
    pub sandbox: Option<String>,
    /// `--ask-for-approval`, else the `approval_policy` of `-c`. `exec` never asks all the same.
    pub approval: Option<String>,
    /// `--cd`.
    pub cd: Option<String>,
    /// `--add-dir`, all of them.
    pub add_dirs: Vec<String>,
    /// `--output-last-message`: where the last message goes.
    pub output_last_message: Option<String>,
    /// `--output-schema`.
    pub output_schema: Option<String>,
    /// `--color`.
    pub color: Option<String>,
    /// `--image`, all of them.
    pub images: Vec<String>,
    /// `--skip-git-repo-check`.
    pub skip_git_repo_check: bool,
    /// `--ephemeral`: no session file.
    pub ephemeral: bool,
    /// `--dangerously-bypass-approvals-and-sandbox`.
    pub bypass: bool,
    /// `-c key=value` in order, then `--enable` and `--disable` as `features.NAME`.
    pub config: Vec<(String, String)>,
    /// Options that no known version has, as they were spelt, and unknown feature flags.
    pub unknown: Vec<String>,
    given: Vec<(&'static str, Vec<String>)>,
}

impl Request {
    /// The values of any option, by its long name without dashes; an empty slice for a flag, `None`
    /// for an option that was not given. An option of an outer command (`codex -m X exec`) counts
    /// unless the inner one has its own.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        let (_, values) = self.given.iter().find(|(given, _)| *given == name)?;
        Some(values)
    }

    /// Whether the option was given.
    pub fn has(&self, name: &str) -> bool {
        self.values(name).is_some()
    }

    /// The last value of the option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name)?.last().map(String::as_str)
    }

    /// The value of a configuration key given by `-c`, without the quotes of a TOML string.
    pub fn config_value(&self, key: &str) -> Option<&str> {
        let (_, value) = self.config.iter().rev().find(|(given, _)| given == key)?;
        Some(unquoted(value))
    }
}

fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// A key and value of `-c`, trimmed; `Err` holds what the real CLI says of it.
pub(super) fn config_pair(text: &str) -> Result<(String, String), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!("Invalid override (missing '='): {text}"));
    };
    if key.trim().is_empty() {
        return Err(format!("Empty key in override: {text}"));
    }
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Reads the request out of the levels. The last level's command says what is run.
pub(super) fn request(parsed: Parsed) -> Request {
    let given = merged(&parsed.levels);
    let path = parsed.levels.last().map_or("", |level| level.command.path.as_str()).to_owned();
    let (kind, prompt) = kind(&path, &parsed.levels);
    let mut request = Request {
        interactive: matches!(path.as_str(), "" | "resume" | "fork"),
        kind,
        json: false,
        prompt,
        model: None,
        sandbox: None,
        approval: None,
        cd: None,
        add_dirs: Vec::new(),
        output_last_message: None,
        output_schema: None,
        color: None,
        images: Vec::new(),
        skip_git_repo_check: false,
        ephemeral: false,
        bypass: false,
        config: Vec::new(),
        unknown: parsed.unknown,
        given,
    };
    fill(&mut request);
    request
}

/// Fills in the fields that stand for options.
fn fill(request: &mut Request) {
    let all = |name: &str| request.values(name).unwrap_or_default();
    let mut config: Vec<(String, String)> =
        all("config").iter().filter_map(|text| config_pair(text).ok()).collect();
    for (option, state) in [("enable", "true"), ("disable", "false")] {
        let features = all(option).iter();
        config.extend(features.map(|name| (format!("features.{name}"), state.to_owned())));
    }
    request.config = config;
    let one = |name: &str| request.value(name).map(str::to_owned);
    let or_config =
        |name: &str, key: &str| one(name).or_else(|| request.config_value(key).map(str::to_owned));
    let model = or_config("model", "model");
    let sandbox = or_config("sandbox", "sandbox_mode");
    let approval = or_config("ask-for-approval", "approval_policy");
    request.cd = one("cd");
    request.output_last_message = request.value("output-last-message").map(str::to_owned);
    request.output_schema = request.value("output-schema").map(str::to_owned);
    request.color = request.value("color").map(str::to_owned);
    (request.model, request.sandbox, request.approval) = (model, sandbox, approval);
    request.add_dirs = request.values("add-dir").unwrap_or_default().to_vec();
    request.images = request.values("image").unwrap_or_default().to_vec();
    request.json = request.has("json");
    request.skip_git_repo_check = request.has("skip-git-repo-check");
    request.ephemeral = request.has("ephemeral");
    request.bypass = request.has("dangerously-bypass-approvals-and-sandbox");
}

/// What was given on all levels. The innermost value of an option holds; options that may be
/// repeated add up from the outside in, but for the ones that every command shares: there the
/// parser itself keeps the innermost occurrences only.
fn merged(levels: &[Level]) -> Vec<(&'static str, Vec<String>)> {
    let mut merged: Vec<(&'static str, Vec<String>)> = Vec::new();
    for level in levels {
        let options = level.given.iter().filter(|given| matches!(given.arg, Arg::Option(_)));
        for given in options {
            let name = level.name(given.arg);
            let adds_up =
                level.traits(given.arg).is_some_and(|t| t.has("many") && !t.has("global"));
            match merged.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) if adds_up => values.extend(given.values.iter().cloned()),
                Some((_, values)) => values.clone_from(&given.values),
                None => merged.push((name, given.values.clone())),
            }
        }
    }
    merged
}

/// What is run, and the prompt argument that counts.
fn kind(path: &str, levels: &[Level]) -> (RunKind, Option<String>) {
    let Some(level) = levels.last() else { return (RunKind::Tui, None) };
    let own = |name: &str| level.value(name).map(str::to_owned);
    let outer = || {
        let exec = levels.iter().rev().nth(1).filter(|outer| outer.command.path == "exec");
        exec.and_then(|exec| exec.value("PROMPT")).map(str::to_owned)
    };
    match path {
        "exec" => (RunKind::Exec, own("PROMPT")),
        "exec resume" | "resume" | "exec fork" | "fork" => {
            let (session, prompt) = session(level);
            let kind = if path.ends_with("fork") { RunKind::Fork } else { RunKind::Resume };
            (kind(session), prompt.or_else(outer))
        }
        "exec review" | "review" => (RunKind::Review(review_target(level)), own("PROMPT")),
        "app-server" => (RunKind::AppServer, None),
        "mcp-server" => (RunKind::McpServer, None),
        _ => (RunKind::Tui, own("PROMPT")),
    }
}

/// The session and the prompt: with `--last` and one word, the word is the prompt.
fn session(level: &Level) -> (Session, Option<String>) {
    let (last, all) = (level.values("last").is_some(), level.values("all").is_some());
    let id = level.value("SESSION_ID").map(str::to_owned);
    let prompt = level.value("PROMPT").map(str::to_owned);
    match prompt {
        None if last => (Session { id: None, last, all }, id),
        prompt => (Session { id, last, all }, prompt),
    }
}

fn review_target(level: &Level) -> ReviewTarget {
    let value = |name: &str| level.value(name).map(str::to_owned);
    if level.values("uncommitted").is_some() {
        ReviewTarget::Uncommitted
    } else if let Some(branch) = value("base") {
        ReviewTarget::Base(branch)
    } else if let Some(commit) = value("commit") {
        ReviewTarget::Commit(commit)
    } else {
        ReviewTarget::Instructions
    }
}
