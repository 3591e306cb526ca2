//! What a voice has to know beside the arguments, and what both together mean for rendering.

use std::path::Path;

use serde_json::Value;

use crate::persona::codex::arguments::{
    self, Request, ReviewTarget, RunKind, StdinRule, Surroundings,
};
use crate::persona::codex::render::{Reading, Review, Sandbox, Spawn, mint_thread_id};
use crate::persona::performer::SessionMark;
use crate::recording::turn::Usage;

/// The circumstances of a spawn, as plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circumstances {
    /// The CLI version to speak as; `None`: the newest that is known.
    pub version: Option<String>,
    /// The working directory, absolute.
    pub cwd: String,
    /// `CODEX_HOME`, absolute.
    pub codex_home: String,
    /// What made-up values are made of: the directory and the arguments, hashed.
    pub seed: u64,
    /// The spawn's number in its state directory.
    pub number: u64,
    /// Which of its streams are terminals.
    pub terminals: Terminals,
    /// The prompt as the model gets it, stdin included.
    pub prompt: String,
    /// The thread's id: that of the resumed one, or one that was made; `None`: one is made here.
    pub thread: Option<String>,
    /// What has added up in the thread that is resumed or forked, as its mark had it.
    pub carried: Value,
    /// Earlier threads that the client of an `app-server` may resume or fork.
    pub threads: Vec<SessionMark>,
}

/// Which of the standard streams are terminals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terminals {
    /// Standard input.
    pub stdin: bool,
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
}

/// The spawn as the renderers take it.
pub(super) fn spawn(request: &Request, around: &Circumstances) -> Spawn {
    let plain = Spawn::default();
    let set = |key: &str| request.config_value(key).map(str::to_owned);
    let table = arguments::table(around.version.as_deref());
    let server = request.kind == RunKind::AppServer;
    let approval = request.approval.clone().filter(|_| server);
    let color = match request.color.as_deref() {
        Some("always") => true,
        Some("never") => false,
        _ => around.terminals.stderr,
    };
    Spawn {
        version: table.version().to_owned(),
        thread_id: thread_id(around),
        cwd: cwd(request, around),
        codex_home: around.codex_home.clone(),
        model: request.model.clone().unwrap_or(plain.model),
        provider: set("model_provider").unwrap_or(plain.provider),
        // `exec` never asks, whatever was given (01-ask-for-approval-after).
        approval: approval.unwrap_or(if server { "on-request".into() } else { "never".into() }),
        sandbox: sandbox(request),
        effort: set("model_reasoning_effort"),
        summaries: set("model_reasoning_summary"),
        hide_reasoning: request.config_value("hide_agent_reasoning") == Some("true"),
        json: request.json,
        color,
        stdout_tty: around.terminals.stdout,
        stderr_tty: around.terminals.stderr,
        prompt: prompt(request, around),
        reading: reading(request, around, &table),
        review: review(request, around),
        last_message: request.output_last_message.clone(),
        carried: carried(&around.carried),
        seed: around.seed,
        number: around.number,
    }
}

fn thread_id(around: &Circumstances) -> String {
    let minted = || mint_thread_id(around.seed, around.number);
    around.thread.clone().unwrap_or_else(minted)
}

/// The usage that a thread's mark carries; nothing where that is of another shape.
pub(super) fn carried(carried: &Value) -> Usage {
    let number = |key: &str| carried.get(key).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input: number("input"),
        cached_input: number("cached_input"),
        output: number("output"),
        reasoning: number("reasoning"),
    }
}

/// The mark of a thread with its usage, the other direction of [`carried`].
pub(super) fn mark(id: &str, usage: Usage) -> SessionMark {
    let carried = serde_json::json!({
        "input": usage.input,
        "cached_input": usage.cached_input,
        "output": usage.output,
        "reasoning": usage.reasoning,
    });
    SessionMark { id: id.to_owned(), carried }
}

/// The directory that the run works in: `--cd` counts from the spawn's own.
fn cwd(request: &Request, around: &Circumstances) -> String {
    match &request.cd {
        Some(cd) => Path::new(&around.cwd).join(cd).to_string_lossy().into_owned(),
        None => around.cwd.clone(),
    }
}

/// The prompt; a fork may have none, then it opens the thread and ends.
fn prompt(request: &Request, around: &Circumstances) -> Option<String> {
    let none = matches!(request.kind, RunKind::Fork(_)) && request.prompt.is_none();
    (!none).then(|| around.prompt.clone())
}

/// What commands may touch; read-only where nothing is said (`02-cmd-ro-write-slow`).
fn sandbox(request: &Request) -> Sandbox {
    if request.bypass {
        return Sandbox::FullAccess;
    }
    let named = request.sandbox.as_deref();
    // `--full-auto` of the older versions, `--approve-for-me` of the newer ones.
    let writes = ["full-auto", "approve-for-me"].iter().any(|option| request.has(option));
    match named {
        Some("danger-full-access") => Sandbox::FullAccess,
        Some("workspace-write") => workspace(request),
        None if writes => workspace(request),
        _ => Sandbox::ReadOnly,
    }
}

fn workspace(request: &Request) -> Sandbox {
    let network = request.config_value("sandbox_workspace_write.network_access") == Some("true");
    Sandbox::WorkspaceWrite { roots: request.add_dirs.clone(), network }
}

fn reading(request: &Request, around: &Circumstances, table: &arguments::Table) -> Reading {
    let terminals = around.terminals;
    let around = Surroundings { stdin_tty: terminals.stdin, stdout_tty: terminals.stdout };
    match arguments::stdin_rule(request, &around, table) {
        StdinRule::ToEnd(arguments::Reading::Prompt) => Reading::Prompt,
        StdinRule::ToEnd(arguments::Reading::Addition) => Reading::Additional,
        _ => Reading::Silent,
    }
}

fn review(request: &Request, around: &Circumstances) -> Option<Review> {
    let RunKind::Review(target) = &request.kind else {
        return None;
    };
    let title = || request.value("title").map(str::to_owned);
    Some(match target {
        ReviewTarget::Uncommitted => Review::Uncommitted,
        ReviewTarget::Base(branch) => Review::Base(branch.clone()),
        ReviewTarget::Commit(sha) => Review::Commit(sha.clone(), title()),
        ReviewTarget::Instructions => Review::Custom(around.prompt.clone()),
    })
}
