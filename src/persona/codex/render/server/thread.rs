//! The threads of a server: what is known of each, and how they stand in answers (`06-turn`,
//! `06-resume`).

use serde_json::Value;

use super::super::json::{self, Object};
use super::super::spawn::{Sandbox, Spawn};
use super::goals::Goal;
use super::wire::Frame;
use crate::recording::turn::Usage;

/// One thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub id: String,
    pub forked_from: Option<String>,
    pub model: String,
    pub provider: String,
    pub effort: Option<String>,
    pub cwd: String,
    pub approval: String,
    pub sandbox: Sandbox,
    pub ephemeral: bool,
    pub name: Option<String>,
    pub archived: bool,
    pub goal: Option<Goal>,
    /// The first prompt.
    pub preview: String,
    /// When it began, in seconds since 1970.
    pub created_at: u64,
    /// The finished turns, as JSON.
    pub turns: Vec<String>,
    /// The usage of the thread.
    pub total: Usage,
    /// The first turn's id.
    pub first_turn: Option<String>,
    /// The last turn with a model call, and what that call used.
    pub last: Option<(String, Usage)>,
}

/// The sandbox modes, as a request names them.
const SANDBOXES: [&str; 3] = ["read-only", "workspace-write", "danger-full-access"];

impl Thread {
    /// A new thread with the spawn's settings, changed by a request's parameters.
    pub fn new(id: String, spawn: &Spawn, frame: &Frame, created_at: u64) -> Thread {
        let mut thread = Thread {
            id,
            forked_from: None,
            model: spawn.model.clone(),
            provider: spawn.provider.clone(),
            effort: spawn.effort.clone(),
            cwd: spawn.cwd.clone(),
            approval: spawn.approval.clone(),
            sandbox: spawn.sandbox.clone(),
            ephemeral: frame.flag("ephemeral"),
            name: None,
            archived: false,
            goal: None,
            preview: String::new(),
            created_at,
            turns: Vec::new(),
            total: Usage::default(),
            first_turn: None,
            last: None,
        };
        thread.settle(frame);
        thread
    }

    /// Takes over the settings that a request names, for this turn and later ones.
    pub fn settle(&mut self, frame: &Frame) {
        let set = |slot: &mut String, key: &str| {
            if let Some(text) = frame.text(key) {
                text.clone_into(slot);
            }
        };
        set(&mut self.model, "model");
        set(&mut self.provider, "modelProvider");
        set(&mut self.cwd, "cwd");
        set(&mut self.approval, "approvalPolicy");
        if let Some(effort) = frame.text("effort") {
            self.effort = Some(effort.to_owned());
        }
        let policy = frame.params.get("sandboxPolicy");
        let policy = policy.and_then(|policy| policy.get("type")).and_then(Value::as_str);
        match frame.text("sandbox").or(policy) {
            Some("read-only" | "readOnly") => self.sandbox = Sandbox::ReadOnly,
            Some("danger-full-access" | "dangerFullAccess") => self.sandbox = Sandbox::FullAccess,
            Some("workspace-write" | "workspaceWrite") => {
                self.sandbox = Sandbox::WorkspaceWrite { roots: Vec::new(), network: false };
            }
            _ => {}
        }
    }

    /// Whether the client is asked for permission.
    pub fn asks(&self) -> bool {
        self.approval != "never"
    }

    /// The `thread` of an answer or notification.
    pub fn object(&self, server: &Server) -> String {
        let time = |object: Object, key: &str| object.put(key, self.created_at);
        let object = Object::new()
            .str("id", &self.id)
            .raw("environments", &self.environments())
            .null("extra")
            .str("sessionId", &self.id)
            .maybe("forkedFromId", self.forked_from.as_deref())
            .null("attachedToThreadId")
            .null("parentThreadId")
            .str("preview", &self.preview)
            .put("ephemeral", self.ephemeral)
            .null("section")
            .null("sectionEnteredAt")
            .null("projectId")
            .str("historyMode", "paginated")
            .str("modelProvider", &self.provider)
            .str("model", &self.model)
            .maybe("reasoningEffort", self.effort.as_deref());
        let object = time(time(time(object, "createdAt"), "updatedAt"), "recencyAt");
        let path = (!self.ephemeral).then(|| self.rollout(server.codex_home));
        object
            .raw("status", r#"{"type":"idle"}"#)
            .maybe("path", path.as_deref())
            .str("cwd", &self.cwd)
            .str("cliVersion", server.version)
            .str("originator", server.client)
            .str("source", "vscode")
            .put("canAcceptDirectInput", true)
            .null("threadSource")
            .null("agentNickname")
            .null("agentRole")
            .null("gitInfo")
            .maybe("name", self.name.as_deref())
            .null("daybreakEnabled")
            .raw("turns", &json::array(&self.turns))
            .end()
    }

    /// The same, without its turns.
    pub fn summary(&self, server: &Server) -> String {
        Thread { turns: Vec::new(), ..self.clone() }.object(server)
    }

    /// What the client has yet to read: everything.
    pub fn read_state(&self, revision: &str) -> String {
        let unread = self
            .first_turn
            .as_ref()
            .map(|turn| Object::new().str("type", "turn").str("turnId", turn).end());
        Object::new()
            .raw("firstUnread", unread.as_deref().unwrap_or("null"))
            .str("revision", revision)
            .end()
    }

    fn environments(&self) -> String {
        let environment = Object::new()
            .str("environmentId", "local")
            .str("cwd", &self.cwd)
            .raw("runtimeWorkspaceRoots", &json::strings(&[&self.cwd]));
        json::array(&[environment.end()])
    }

    /// The file that the real CLI keeps the thread in.
    fn rollout(&self, codex_home: &str) -> String {
        let seconds = i64::try_from(self.created_at).unwrap_or(0);
        let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
        let time = time.to_zoned(jiff::tz::TimeZone::UTC);
        let (day, stamp) = (time.strftime("%Y/%m/%d"), time.strftime("%Y-%m-%dT%H-%M-%S"));
        format!("{codex_home}/sessions/{day}/rollout-{stamp}-{}.jsonl", self.id)
    }

    /// The answer to `thread/start`, `thread/fork` and `thread/resume`, of which the last says a
    /// little more.
    pub fn settings(&self, server: &Server, resumed: bool) -> String {
        let object = Object::new()
            .raw("thread", &self.object(server))
            .str("model", &self.model)
            .str("modelProvider", &self.provider)
            .null("serviceTier")
            .raw("disabledPluginIds", "[]")
            .str("cwd", &self.cwd)
            .raw("runtimeWorkspaceRoots", &json::strings(&[&self.cwd]))
            .raw("instructionSources", "[]")
            .str("approvalPolicy", &self.approval)
            .str("approvalsReviewer", "user")
            .raw("sandbox", &self.policy())
            .null("activePermissionProfile")
            .maybe("reasoningEffort", self.effort.as_deref());
        if !resumed {
            return object.str("multiAgentMode", "explicitRequestOnly").end();
        }
        let mode = Object::new()
            .str("model", &self.model)
            .maybe("reasoning_effort", self.effort.as_deref())
            .null("developer_instructions")
            .end();
        let mode = Object::new().str("mode", "default").raw("settings", &mode).end();
        object
            .raw("collaborationMode", &mode)
            .str("multiAgentMode", "explicitRequestOnly")
            .null("initialTurnsPage")
            .null("turnsBackwardsCursor")
            .null("itemsBackwardsCursor")
            .end()
    }

    fn policy(&self) -> String {
        match &self.sandbox {
            Sandbox::ReadOnly => {
                Object::new().str("type", "readOnly").put("networkAccess", false).end()
            }
            Sandbox::FullAccess => Object::new().str("type", "dangerFullAccess").end(),
            Sandbox::WorkspaceWrite { roots, network } => Object::new()
                .str("type", "workspaceWrite")
                .raw("writableRoots", &json::strings(roots))
                .put("networkAccess", network)
                .put("excludeTmpdirEnvVar", false)
                .put("excludeSlashTmp", false)
                .end(),
        }
    }
}

/// What a thread's object says of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Server<'a> {
    pub codex_home: &'a str,
    pub version: &'a str,
    /// The client's name.
    pub client: &'a str,
}

/// The error of a request for a thread with a sandbox that there is not (`06-errors`).
pub(super) fn wrong_sandbox(frame: &Frame) -> Option<String> {
    let sandbox = frame.text("sandbox").filter(|sandbox| !SANDBOXES.contains(sandbox))?;
    Some(format!(
        "Invalid request: unknown variant `{sandbox}`, expected one of `{}`",
        SANDBOXES.join("`, `")
    ))
}
