//! A turn as a list of acts, so that it can stop at a question to the client and go on after it.

use std::collections::VecDeque;

use super::super::item::Item;
use super::super::stop;
use super::super::tool::{self, Call, Scene};
use super::super::{json, usage};
use crate::recording::turn::{Stop, Turn, Usage};

/// One thing that a turn does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// An item, whole.
    Item(Item),
    /// An item that the client is asked about first.
    Ask(Item),
    /// A message that is still being written when the turn is interrupted (`06-interrupt`).
    Open(String),
    /// The text of a review.
    Reviewed(String),
    /// An item as its author wrote it.
    Raw(String),
    /// A call of the model is over.
    Called(Usage),
    /// A retry notice, or another error that the turn survives.
    Retry(String),
    /// The turn fails.
    Fail(String),
    /// The turn waits to be interrupted.
    Wait,
}

/// The acts of a turn, the prompt not among them.
pub(super) fn acts(turn: &Turn, prompt: &str, scene: &Scene) -> VecDeque<Act> {
    let mut acts = VecDeque::new();
    if let Some(thinking) = turn.thinking.as_ref().filter(|text| !text.trim().is_empty()) {
        acts.push_back(Act::Item(Item::Reasoning(thinking.clone())));
    }
    let tools = if turn.empty { &[][..] } else { &turn.tools[..] };
    let mut calls = shares(usage::of_turn(turn, prompt), tools.len() as u64 + 1);
    for tool in tools {
        // A tool that there is not shows as nothing (its log line is not for the client).
        if let Call::Items(items) = tool::call(tool, scene) {
            for item in items {
                let can_be_asked = matches!(item, Item::Command(_) | Item::Files(_));
                let asks = tool.ask && scene.can_ask && can_be_asked;
                acts.push_back(if asks { Act::Ask(item) } else { Act::Item(item) });
            }
        }
        acts.extend(calls.pop_front().map(Act::Called));
    }
    acts.extend(turn.error.clone().map(Act::Retry));
    let texts = if turn.empty { &[][..] } else { &turn.text[..] };
    acts.extend(texts.iter().map(|text| Act::Item(Item::Message(text.clone()))));
    acts.extend(
        turn.structured
            .as_ref()
            .map(|structured| Act::Item(Item::Message(structured.get().to_owned()))),
    );
    acts.extend(turn.items.iter().map(|item| Act::Raw(json::one_line(item.get()))));
    if let Some(message) = stop::failure(turn) {
        acts.push_back(Act::Fail(message));
    } else if turn.stop == Stop::Interrupted {
        if let Some(Act::Item(Item::Message(text))) = acts.back() {
            let open = Act::Open(text.clone());
            acts.pop_back();
            acts.push_back(open);
        }
        acts.push_back(Act::Wait);
    } else {
        acts.extend(calls.pop_front().map(Act::Called));
    }
    acts
}

/// A turn's usage shared out over its model calls; the last one takes what is left.
fn shares(whole: Usage, calls: u64) -> VecDeque<Usage> {
    let part = |number: u64, last: bool| {
        let share = number / calls;
        if last { number - share * (calls - 1) } else { share }
    };
    let share = |last: bool| Usage {
        input: part(whole.input, last),
        cached_input: part(whole.cached_input, last),
        output: part(whole.output, last),
        reasoning: part(whole.reasoning, last),
    };
    (1..=calls).map(|call| share(call == calls)).collect()
}
