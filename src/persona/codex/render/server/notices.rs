//! Notifications that tell of a thread or a turn as a whole: status, tokens, rate limits, the diff,
//! errors, and the envelope of those about an item.

use super::super::json::{self, Object};
use super::super::usage;
use super::AppServer;
use super::play::Run;
use crate::recording::turn::Usage;

/// The context window of a model, in tokens.
const CONTEXT_WINDOW: u64 = 258_400;

impl AppServer {
    /// The server's question is no longer open.
    pub(super) fn resolved(&mut self, thread: usize, request: u64) {
        let params = Object::new().str("threadId", &self.threads[thread].id);
        self.notify("serverRequest/resolved", &params.put("requestId", request).end());
    }

    /// The thread's status: idle without flags, else active with the flag that is named.
    pub(super) fn status(&mut self, thread: usize, flag: Option<&str>) {
        let status = match flag {
            None => Object::new().str("type", "idle"),
            Some(flag) => {
                let flags: &[&str] = if flag.is_empty() { &[] } else { &[flag] };
                Object::new().str("type", "active").raw("activeFlags", &json::strings(flags))
            }
        };
        let params = Object::new().str("threadId", &self.threads[thread].id);
        self.notify("thread/status/changed", &params.raw("status", &status.end()).end());
    }

    /// A model call is over: the tokens so far.
    pub(super) fn called(&mut self, run: &Run, used: Usage) {
        let thread = &mut self.threads[run.thread];
        thread.total = usage::sum(thread.total, used);
        thread.last = Some((run.id.clone(), used));
        self.tokens(run.thread);
        self.rate_limits();
    }

    /// The tokens of a thread, if there was a model call.
    pub(super) fn tokens(&mut self, thread: usize) {
        let thread = &self.threads[thread];
        let Some((turn, used)) = &thread.last else {
            return;
        };
        let usage = Object::new()
            .raw("total", &tokens(thread.total))
            .raw("last", &tokens(*used))
            .put("modelContextWindow", CONTEXT_WINDOW);
        let params = Object::new()
            .str("threadId", &thread.id)
            .str("turnId", turn)
            .raw("tokenUsage", &usage.end());
        self.notify("thread/tokenUsage/updated", &params.end());
    }

    /// The rate limits, of which nothing is known.
    pub(super) fn rate_limits(&mut self) {
        let params = Object::new().raw("rateLimits", &rate_limits()).end();
        self.notify("account/rateLimits/updated", &params);
    }

    pub(super) fn diff(&mut self, run: &Run) {
        let params = self.about_turn(run).str("diff", &run.diff).end();
        self.notify("turn/diff/updated", &params);
    }

    pub(super) fn error(&mut self, run: &Run, message: &str, will_retry: bool) {
        let thread_id = self.threads[run.thread].id.clone();
        let params = Object::new()
            .raw("error", &error_object(message))
            .put("willRetry", will_retry)
            .str("threadId", &thread_id)
            .str("turnId", &run.id);
        self.notify("error", &params.end());
    }

    /// A notification about an item that is JSON already.
    pub(super) fn item_event(&mut self, run: &Run, method: &str, object: &str) {
        let params = Object::new()
            .raw("item", object)
            .str("threadId", &self.threads[run.thread].id)
            .str("turnId", &run.id);
        let now = self.ids.now_ms();
        let params = match method {
            "item/started" => params.put("startedAtMs", now),
            _ => params.null("contentTokenCount").put("completedAtMs", now),
        };
        self.notify(method, &params.end());
    }
}

/// Rate limits of which nothing is known.
pub(super) fn rate_limits() -> String {
    let mut limits = Object::new().str("limitId", "codex");
    for key in [
        "limitName",
        "normalModelSlug",
        "primary",
        "secondary",
        "credits",
        "individualLimit",
        "spendControlReached",
        "planType",
        "rateLimitReachedType",
    ] {
        limits = limits.null(key);
    }
    limits.end()
}

/// Tokens as notifications have them.
fn tokens(usage: Usage) -> String {
    Object::new()
        .put("totalTokens", usage.input.saturating_add(usage.output))
        .put("inputTokens", usage.input)
        .put("cachedInputTokens", usage.cached_input)
        .put("cacheWriteInputTokens", 0)
        .put("outputTokens", usage.output)
        .put("reasoningOutputTokens", usage.reasoning)
        .end()
}

/// An error; of a retry notice the cause in brackets is a detail of its own (`06-turn-retry`).
pub(super) fn error_object(message: &str) -> String {
    let split = message.strip_suffix(')').and_then(|message| message.split_once(" ("));
    let split = split.filter(|_| super::super::format::is_retry(message));
    let (message, details) = split.map_or((message, None), |(head, cause)| (head, Some(cause)));
    let info = match details.unwrap_or(message) {
        cause if cause.starts_with("stream disconnected") => {
            r#"{"responseStreamDisconnected":{"httpStatusCode":null}}"#
        }
        _ => r#""other""#,
    };
    Object::new()
        .str("message", message)
        .raw("codexErrorInfo", info)
        .maybe("additionalDetails", details)
        .null("misalignment")
        .end()
}
