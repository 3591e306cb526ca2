//! What recorded answers are answers to. They name no method, so it is told by the shape of the
//! result, or by the notifications that came along.

use serde_json::Value;

use super::line::Said;

/// Methods with parts of the result by which an answer to them is known, as JSON pointers; a `!`
/// in front: the part is not `null`. The first row that fits counts.
static SHAPES: &[(&str, &[&str])] = &[
    ("initialize", &["/userAgent"]),
    ("review/start", &["/turn/id", "/reviewThreadId"]),
    ("turn/start", &["/turn/id"]),
    ("turn/steer", &["/turnId"]),
    ("thread/resume", &["/thread/id", "/model", "/initialTurnsPage"]),
    ("thread/fork", &["/thread/id", "/model", "!/thread/forkedFromId"]),
    ("thread/start", &["/thread/id", "/model"]),
    ("thread/read", &["/thread/id", "/thread/preview"]),
    // A thread that is told by little more than its id was written by hand.
    ("thread/start", &["/thread/id"]),
    ("thread/list", &["/data", "/readStates"]),
    ("thread/list", &["/data/0/preview"]),
    ("thread/turns/list", &["/data/0/items", "/data/0/status"]),
    ("thread/goal/get", &["/goal"]),
    ("thread/unsubscribe", &["/status"]),
    ("model/list", &["/data/0/supportedReasoningEfforts"]),
    ("skills/list", &["/data/0/skills"]),
    ("hooks/list", &["/data/0/hooks"]),
    ("mcpServerStatus/list", &["/data/0/authStatus"]),
    ("account/rateLimits/read", &["/rateLimits"]),
    ("account/read", &["/account", "/requiresOpenaiAuth"]),
    ("getAuthStatus", &["/authMethod"]),
    ("config/read", &["/config"]),
    ("configRequirements/read", &["/requirements"]),
    ("command/exec", &["/exitCode"]),
    ("fuzzyFileSearch", &["/files"]),
    ("gitDiffToRemote", &["/sha", "/diff"]),
    ("getConversationSummary", &["/summary"]),
];

/// Methods with the notifications that come with their answers (`06-turn`, `06-resume`,
/// `06-compact-exec`, `06-mcp-fail-cmd`). An answer that is an empty object is known by them.
static COMPANY: &[(&str, &[&str])] = &[
    ("initialize", &["configWarning", "remoteControl/status/changed"]),
    ("thread/start", OPENED),
    ("thread/resume", OPENED),
    ("thread/fork", OPENED),
    ("thread/archive", &["thread/archived"]),
    ("thread/delete", &["thread/deleted"]),
    ("thread/name/set", &["thread/name/updated"]),
    ("thread/goal/set", &["thread/goal/updated"]),
    ("thread/goal/clear", &["thread/goal/cleared"]),
    ("thread/settings/update", &["thread/settings/updated"]),
    ("thread/unsubscribe", &["thread/closed"]),
    ("thread/compact/start", &["turn/started"]),
    ("account/logout", &["account/updated"]),
];

/// What comes with a thread that was opened.
const OPENED: &[&str] = &[
    "thread/started",
    "thread/tokenUsage/updated",
    "thread/goal/updated",
    "thread/goal/cleared",
    "thread/settings/updated",
    "mcpServer/startupStatus/updated",
    "configWarning",
    "warning",
];

/// Errors by which the request is known, as parts of their messages. An error that is none of
/// these, nor made anew by the live server, is taken for what the recording lacks.
static ERRORS: &[(&str, &str)] = &[
    ("no rollout found", "thread/resume"),
    ("thread/resume", "thread/resume"),
    ("thread/fork", "thread/fork"),
    ("to read rate limits", "account/rateLimits/read"),
];

/// How errors begin that follow from the request alone, or from the state of the session: the live
/// server says them where they apply, with what the live request holds (`06-errors`).
static MADE_ANEW: &[&str] = &[
    "Not initialized",
    "Already initialized",
    "Invalid request",
    "thread not found",
    "no active turn",
    "expected active turn",
];

/// Methods that open a thread.
static OPENERS: &[&str] = &["thread/start", "thread/resume", "thread/fork"];

/// The method that a result answers, if its shape tells.
pub(super) fn method_of(result: &Value) -> Option<&'static str> {
    let has = |part: &&str| match part.strip_prefix('!') {
        Some(part) => result.pointer(part).is_some_and(|value| !value.is_null()),
        None => result.pointer(part).is_some(),
    };
    let row = SHAPES.iter().find(|(_, parts)| parts.iter().all(has));
    row.map(|(method, _)| *method)
}

/// The method that an empty object answers, by the lines that follow it.
pub(super) fn method_by_company(after: &[Said]) -> Option<&'static str> {
    let next = after.iter().find(|said| *said.about() != super::line::About::Active)?;
    let Said::Note(note) = next else {
        return None;
    };
    let keeps = |(method, notes): &&(&str, &[&str])| {
        notes.contains(&&*note.method) && method_of_empty(method)
    };
    COMPANY.iter().find(keeps).map(|(method, _)| *method)
}

/// Whether the method is answered by an empty object.
fn method_of_empty(method: &str) -> bool {
    SHAPES.iter().all(|(known, _)| *known != method)
}

/// Whether notifications of this kind come with the answer to a method.
pub(super) fn keeps_company(method: &str, note: &str) -> bool {
    COMPANY.iter().any(|(known, notes)| *known == method && notes.contains(&note))
}

/// Whether a notification announces an answer that follows it.
pub(super) fn announces(said: &Said) -> bool {
    said.is_note("deprecationNotice") || *said.about() == super::line::About::NotLoaded
}

/// The method that an error answers, if its message tells.
pub(super) fn method_of_error(message: &str) -> Option<&'static str> {
    ERRORS.iter().find(|(part, _)| message.contains(part)).map(|(_, method)| *method)
}

/// Whether the live server makes such an error itself.
pub(super) fn is_made_anew(message: &str) -> bool {
    MADE_ANEW.iter().any(|start| message.starts_with(start))
}

/// Whether a method opens a thread.
pub(super) fn opens_thread(method: &str) -> bool {
    OPENERS.contains(&method)
}
