//! What a line of a recorded session is, as far as playing it asks.

use super::answers::Shape;
use super::hooks::Call;
use crate::persona::claude::object::Object;
use memchr::memmem;

/// A recorded line.
#[derive(Debug)]
pub(super) enum Line {
    /// An answer to a request of the client.
    Answer(Shape),
    /// A question to the client.
    Ask {
        /// Its id as JSON source text.
        id: String,
        /// What hook it calls, if it does.
        hook: Option<Call>,
        /// Whether only a turn has such a question.
        of_turn: bool,
    },
    /// A question is withdrawn: its id as JSON source text.
    Withdrawn(String),
    /// The end of a turn.
    Result {
        /// The turn was not asked for by the client.
        unasked: bool,
        /// The turn was cut off.
        cut: bool,
    },
    /// A user's message, written back.
    Replay(Option<String>),
    /// What a command of the CLI itself said; whether that was that the model is another one.
    Command {
        /// It is part of the answer to `set_model`.
        sets_model: bool,
    },
    /// A user's message with this uuid was read.
    Queued(String),
    /// The turn of the user's message with this uuid begins.
    Started(String),
    /// A user's message is done with; whether it was cut off.
    Settled {
        /// It was cut off.
        cancelled: bool,
    },
    /// The permission mode is now this one.
    Mode(String),
    /// The list of background tasks.
    Tasks,
    /// A background task has finished.
    Notified,
    /// A turn is going on.
    Speech {
        /// It is an `init`.
        init: bool,
        /// It is from the user's side.
        user: bool,
    },
    /// Anything else: it can stand in a turn and outside.
    Aside,
}

impl Line {
    /// Whether it says what there is in the session.
    pub fn is_init(&self) -> bool {
        matches!(self, Line::Speech { init: true, .. })
    }
}

/// Reads a line. What is no JSON object stands where it stands.
pub(super) fn read(line: &[u8]) -> Line {
    // The bulk of a session needs no look inside.
    let bulk = ["{\"type\":\"assistant\"", "{\"type\":\"stream_event\""];
    if bulk.iter().any(|start| line.starts_with(start.as_bytes())) {
        return Line::Speech { init: false, user: false };
    }
    let Some(event) = Object::parse(line) else { return Line::Aside };
    match event.string("type").unwrap_or_default().as_str() {
        "control_response" => Line::Answer(Shape::of(&event)),
        "control_request" => ask(&event),
        "control_cancel_request" => {
            Line::Withdrawn(event.get("request_id").unwrap_or_default().to_owned())
        }
        "result" => Line::Result {
            unasked: event
                .object("origin")
                .is_some_and(|origin| origin.has("kind") && !origin.is("kind", "user")),
            cut: event.is("subtype", "error_during_execution"),
        },
        "user" if event.get("isReplay") == Some("true") => replay(line, &event),
        "command_lifecycle" => lifecycle(&event),
        "system" => system(&event),
        "user" => Line::Speech { init: false, user: true },
        "assistant" | "stream_event" | "conversation_reset" | "tool_progress" => {
            Line::Speech { init: false, user: false }
        }
        _ => Line::Aside,
    }
}

fn ask(event: &Object) -> Line {
    let request = event.object("request").unwrap_or_default();
    let hook = request.is("subtype", "hook_callback").then(|| Call::of(&request));
    let prompt = hook.as_ref().is_some_and(|call| call.event == "UserPromptSubmit");
    Line::Ask {
        id: event.get("request_id").unwrap_or_default().to_owned(),
        hook,
        of_turn: prompt || request.is("subtype", "can_use_tool"),
    }
}

/// Commands of the CLI are written back like messages, though no client sent them (s11_compact).
fn replay(line: &[u8], event: &Object) -> Line {
    let has = |text: &str| memmem::find(line, text.as_bytes()).is_some();
    match has("\"content\":\"<local-command-") {
        true => Line::Command { sets_model: has("-stdout>Set model to ") },
        false => Line::Replay(event.string("uuid")),
    }
}

fn lifecycle(event: &Object) -> Line {
    let uuid = event.string("command_uuid").unwrap_or_default();
    match event.string("state").unwrap_or_default().as_str() {
        "queued" => Line::Queued(uuid),
        "started" => Line::Started(uuid),
        state => Line::Settled { cancelled: state == "cancelled" },
    }
}

fn system(event: &Object) -> Line {
    let speech = Line::Speech { init: false, user: false };
    match event.string("subtype").unwrap_or_default().as_str() {
        "init" => Line::Speech { init: true, user: false },
        "status" if event.has("status") => speech,
        "status" => event.string("permissionMode").map_or(Line::Aside, Line::Mode),
        "background_tasks_changed" => Line::Tasks,
        "task_notification" => Line::Notified,
        "hook_started" | "hook_response" if event.is("hook_event", "UserPromptSubmit") => speech,
        "session_state_changed" if event.is("state", "running") => speech,
        "informational"
        | "api_retry"
        | "compact_boundary"
        | "thinking_tokens"
        | "permission_denied"
        | "model_fallback"
        | "model_refusal_no_fallback" => speech,
        _ => Line::Aside,
    }
}
