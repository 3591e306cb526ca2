//! How a turn that stops short fails, in the CLI's words.

use crate::recording::turn::{Stop, Turn};

/// The message of a turn that fails.
///
/// The output limit is captured (`04-incomplete`), and a refusal is the other reason for which a
/// response is left incomplete. Codex has no limits on turns or dollars; what comes nearest are
/// a full context (`codex-0.171.0/04-failed-*`, `codex-0.125.0/failed-ctx`) and a used-up quota.
pub(super) fn failure(turn: &Turn) -> Option<String> {
    if let Some(message) = &turn.fail {
        return Some(message.clone());
    }
    let message = match turn.stop {
        Stop::EndTurn | Stop::Interrupted => return None,
        Stop::MaxTokens => "Incomplete response returned, reason: max_output_tokens",
        Stop::Refusal => "Incomplete response returned, reason: content_filter",
        Stop::MaxTurns => {
            "Codex ran out of room in the model's context window. Start a new thread or clear \
             earlier history before retrying."
        }
        Stop::Budget => "Quota exceeded. Check your plan and billing details.",
    };
    Some(message.to_owned())
}
