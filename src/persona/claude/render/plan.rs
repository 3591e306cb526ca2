//! What a turn makes the CLI do, in order: requests to the model, tools, notices, the end. A turn
//! says what comes out; the plan says which requests it takes. Nothing is written here.

use super::ids::Ids;
use super::layout::Layout;
use super::spawn::Spawn;
use crate::recording::turn::{Stop, Tool, Turn};
use serde_json::Value;
use std::collections::VecDeque;

/// How often the CLI lets an answer run into the output limit before it gives up.
const ATTEMPTS: usize = 4;

/// One thing that happens in a turn.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A request failed and is about to be sent again; the message tells how.
    Retry(String),
    /// A message of the model.
    Message(Message),
    /// A tool is asked for, run, and its result reported.
    Use(Call),
    /// The CLI puts words of its own into the conversation: a key of the texts.
    Nudge(&'static str),
    /// The CLI says that it tries once more after a refusal.
    RefusalNotice,
    /// The refusal is final.
    Refuse,
    /// The turn fails with this message.
    Fail(String),
    /// Nothing more happens until somebody interrupts.
    Await(Pending),
    /// The turn ends.
    Close(Ending),
}

/// A message of the model.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Its content.
    pub blocks: Vec<Block>,
    /// Why the model stopped; none where it never got that far.
    pub stop: Option<&'static str>,
}

/// One block of a message.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    ToolUse(Call),
}

/// A tool call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The input as it was written.
    pub source: String,
    /// The input as the tool gets it.
    pub input: Value,
    /// What comes back, if anything does.
    pub result: Option<Value>,
    /// Whether it failed.
    pub is_error: bool,
    /// Whether it needs permission.
    pub ask: bool,
}

/// What a turn is in the middle of.
#[derive(Clone, Debug, Default)]
pub(super) enum Pending {
    /// Nothing that could be interrupted.
    #[default]
    Nothing,
    /// A request that no answer has come to.
    Request,
    /// A message whose block `index` is still coming.
    Stream { index: usize, block: Block },
    /// A tool that runs.
    Running(Call),
    /// A tool that the client was asked about, by this request id.
    Asked(Call, String),
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With an answer, or with the failure that was reported.
    Done,
    /// At the limit on turns.
    MaxTurns,
    /// At the limit on dollars.
    Budget,
    /// Interrupted; while a tool ran, or not.
    Interrupted { in_tool: bool },
}

/// The plan of a turn.
pub(super) fn plan(turn: &Turn, spawn: &Spawn, layout: &Layout, ids: &mut Ids) -> VecDeque<Act> {
    let mut acts: Vec<Act> = turn.error.iter().cloned().map(Act::Retry).collect();
    let mut thinking: Vec<Block> = turn.thinking.iter().cloned().map(Block::Thinking).collect();
    if turn.empty {
        acts.push(message(thinking, Some("end_turn")));
        acts.push(Act::Nudge("empty.nudge"));
        acts.push(message(Vec::new(), Some("end_turn")));
    } else {
        let stuck = tools(turn, ids, &mut thinking, &mut acts);
        if !stuck {
            answer(turn, spawn, layout, ids, thinking, &mut acts);
        }
    }
    if let Some(failure) = &turn.fail {
        acts.push(Act::Fail(failure.clone()));
    }
    acts.push(Act::Close(match turn.stop {
        Stop::MaxTurns => Ending::MaxTurns,
        Stop::Budget => Ending::Budget,
        _ => Ending::Done,
    }));
    acts.into()
}

/// Plans the tool calls, each in a message of its own. Returns whether the turn gets no further:
/// it is interrupted while the last of them runs.
fn tools(turn: &Turn, ids: &mut Ids, thinking: &mut Vec<Block>, acts: &mut Vec<Act>) -> bool {
    for (index, tool) in turn.tools.iter().enumerate() {
        let is_last = index + 1 == turn.tools.len();
        let call = Call::of(tool, ids);
        let mut blocks = std::mem::take(thinking);
        blocks.push(Block::ToolUse(call.clone()));
        acts.push(message(blocks, Some("tool_use")));
        if is_last && turn.stop == Stop::Budget {
            // The money is counted when the message is complete, before its tool is run.
            return true;
        }
        if is_last && turn.stop == Stop::Interrupted && tool.result.is_none() {
            if tool.ask {
                acts.push(Act::Use(call.clone()));
            }
            acts.push(Act::Await(Pending::Running(call)));
            return true;
        }
        acts.push(Act::Use(call));
    }
    false
}

/// Plans what follows the tools.
fn answer(
    turn: &Turn,
    spawn: &Spawn,
    layout: &Layout,
    ids: &mut Ids,
    mut blocks: Vec<Block>,
    acts: &mut Vec<Act>,
) {
    let mut texts = turn.text.clone();
    let structured = turn.structured.as_deref().map(|value| value.get().to_owned());
    let (structured, spoken) =
        if spawn.json_schema { (structured, None) } else { (None, structured) };
    if texts.is_empty() {
        // Without a schema there is no tool for it: the model says it.
        texts.extend(spoken.map(|source| layout.json.again(&source)));
    }
    match turn.stop {
        Stop::MaxTokens => return too_long(texts, blocks, layout, spawn, acts),
        Stop::Refusal => return refusal(texts, blocks, layout, acts),
        Stop::Interrupted => return interrupted(texts, blocks, spawn, acts),
        Stop::EndTurn | Stop::MaxTurns | Stop::Budget => {}
    }
    blocks.extend(texts.into_iter().map(Block::Text));
    if let Some(source) = structured {
        let call = Call::structured(source, layout, ids);
        blocks.push(Block::ToolUse(call.clone()));
        acts.push(message(blocks, Some("tool_use")));
        acts.push(Act::Use(call));
    } else if !blocks.is_empty() {
        let said = message(blocks, Some("end_turn"));
        acts.push(said.clone());
        if spawn.json_schema && turn.stop == Stop::EndTurn && turn.fail.is_none() {
            acts.push(Act::Nudge("structured.enforce"));
            acts.push(said);
        }
    }
}

/// The answer runs into the output limit each time it is continued. One text a time; the last is
/// repeated.
fn too_long(
    texts: Vec<String>,
    mut blocks: Vec<Block>,
    layout: &Layout,
    spawn: &Spawn,
    acts: &mut Vec<Act>,
) {
    let last = texts.last().cloned().unwrap_or_default();
    let attempts = texts.len().max(ATTEMPTS);
    let texts = texts.into_iter().chain(std::iter::repeat(last)).take(attempts);
    for (index, text) in texts.enumerate() {
        if index > 0 {
            acts.push(Act::Nudge("max_tokens.continue"));
        }
        blocks.push(Block::Text(text));
        acts.push(message(std::mem::take(&mut blocks), Some("max_tokens")));
    }
    let limit = super::models::Model::of(layout, spawn.model.as_deref()).output_limit.to_string();
    acts.push(Act::Fail(layout.text("max_tokens.error", &[("limit", &limit)])));
}

/// The model refuses; newer versions try once more.
fn refusal(texts: Vec<String>, mut blocks: Vec<Block>, layout: &Layout, acts: &mut Vec<Act>) {
    blocks.extend(texts.into_iter().map(Block::Text));
    let said = message(blocks, Some("refusal"));
    if layout.has("refusal_notice") {
        acts.push(said.clone());
        acts.push(Act::RefusalNotice);
        acts.push(Act::Nudge("refusal.retry"));
    }
    acts.push(said);
    acts.push(Act::Refuse);
}

/// The turn writes what it has and waits. With partial messages the last block is still coming.
fn interrupted(texts: Vec<String>, mut blocks: Vec<Block>, spawn: &Spawn, acts: &mut Vec<Act>) {
    blocks.extend(texts.into_iter().map(Block::Text));
    let pending = match blocks.last() {
        Some(block) if spawn.partial => {
            Pending::Stream { index: blocks.len() - 1, block: block.clone() }
        }
        _ => Pending::Request,
    };
    if !blocks.is_empty() {
        acts.push(message(blocks, None));
    }
    acts.push(Act::Await(pending));
}

fn message(blocks: Vec<Block>, stop: Option<&'static str>) -> Act {
    Act::Message(Message { blocks, stop })
}

impl Call {
    fn of(tool: &Tool, ids: &mut Ids) -> Call {
        let source = tool.input.as_deref().map_or("{}", |input| input.get()).to_owned();
        let result = tool.result.as_deref().map(|result| result.get());
        Call {
            id: ids.tool(),
            name: tool.name.clone(),
            input: serde_json::from_str(&source).unwrap_or_default(),
            source,
            result: result.and_then(|source| serde_json::from_str(source).ok()),
            is_error: tool.is_error,
            ask: tool.ask,
        }
    }

    /// The call by which the model hands in its structured output.
    fn structured(source: String, layout: &Layout, ids: &mut Ids) -> Call {
        Call {
            id: ids.tool(),
            name: STRUCTURED_OUTPUT.to_owned(),
            input: serde_json::from_str(&source).unwrap_or_default(),
            source,
            result: Some(Value::String(layout.text("structured.accepted", &[]))),
            is_error: false,
            ask: false,
        }
    }
}

/// The tool by which the model hands in its structured output.
pub(super) const STRUCTURED_OUTPUT: &str = "StructuredOutput";

/// Characters of everything the model says in a plan, and of its thinking: what tokens are counted
/// from where the turn names none.
pub(super) fn characters(acts: &VecDeque<Act>) -> (usize, usize) {
    let (mut all, mut thought) = (0, 0);
    let messages = acts.iter().filter_map(|act| match act {
        Act::Message(message) => Some(message),
        _ => None,
    });
    for block in messages.flat_map(|message| &message.blocks) {
        match block {
            Block::Text(text) => all += text.chars().count(),
            Block::ToolUse(call) => all += call.source.chars().count(),
            Block::Thinking(text) => {
                all += text.chars().count();
                thought += text.chars().count();
            }
        }
    }
    (all, thought)
}
