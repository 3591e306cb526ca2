//! `review/start`: a turn inside the review's own, whose answer comes out whole (`06-review`).

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::super::item::Item;
use super::super::json::{self, Object};
use super::super::spawn::Review;
use super::AppServer;
use super::play::Run;
use super::script::Act;
use super::wire::{self, Frame};

/// What the review is of, in words, if the request starts one.
pub(super) fn hint(frame: &Frame) -> Option<String> {
    if frame.method.as_deref() != Some("review/start") {
        return None;
    }
    let target = frame.params.get("target").unwrap_or(&Value::Null);
    let text = |key: &str| target.get(key).and_then(Value::as_str).map(str::to_owned);
    let review = match text("type").as_deref() {
        Some("baseBranch") => Review::Base(text("branch").unwrap_or_default()),
        Some("commit") => Review::Commit(text("sha").unwrap_or_default(), text("title")),
        Some("custom") => Review::Custom(text("instructions").unwrap_or_default()),
        _ => Review::Uncommitted,
    };
    Some(review.hint())
}

/// The acts of a review: its message is the review, and no tokens are told.
pub(super) fn acts(acts: VecDeque<Act>) -> VecDeque<Act> {
    let reviewed = |act| match act {
        Act::Item(Item::Message(text)) => Act::Reviewed(text),
        act => act,
    };
    acts.into_iter().filter(|act| !matches!(act, Act::Called(_))).map(reviewed).collect()
}

impl AppServer {
    /// Answers the request and opens the review.
    pub(super) fn open_review(&mut self, frame: &Frame, run: &mut Run, hint: &str) {
        let part = json!({"type": "text", "text": hint, "text_elements": []});
        let asked = Object::new()
            .str("type", "userMessage")
            .str("id", &run.id)
            .null("clientId")
            .raw("content", &json::array(&[part.to_string()]))
            .null("startedAtMs")
            .null("completedAtMs");
        let turn = Object::new()
            .str("id", &run.id)
            .null("rootTurnId")
            .raw("items", &json::array(&[asked.end()]))
            .str("itemsView", "notLoaded")
            .str("status", "inProgress")
            .null("error")
            .null("startedAt")
            .null("completedAt")
            .null("durationMs");
        let result = Object::new()
            .raw("turn", &turn.end())
            .str("reviewThreadId", &self.threads[run.thread].id);
        self.pieces.push(wire::result(frame.id(), &result.end()));
        self.review_mode(run, "enteredReviewMode", hint);
        let inner = self.ids.uuid();
        self.turn_started(run, Some(&inner));
        let prompt = format!("Review: {hint}");
        self.user_message(run, &json!([{"type": "text", "text": prompt}]));
    }

    /// The review is done: its text ends the review mode, and is the turn's message.
    pub(super) fn reviewed(&mut self, run: &mut Run, text: &str) {
        let message = Item::Message(text.to_owned());
        self.begin(run, &message);
        self.review_mode(run, "exitedReviewMode", text);
        let id = format!("msg_{}", self.ids.uuid());
        self.whole_message(run, &message, &id);
    }

    fn review_mode(&mut self, run: &Run, kind: &str, review: &str) {
        let (id, started) = (self.ids.uuid(), self.ids.now_ms());
        let object = Object::new().str("type", kind).str("id", &id).str("review", review);
        let object = object.put("startedAtMs", started);
        self.item_event(run, "item/started", &object.clone().null("completedAtMs").end());
        self.item_event(run, "item/completed", &object.put("completedAtMs", started).end());
    }
}
