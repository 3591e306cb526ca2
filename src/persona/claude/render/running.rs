//! The turn that is being rendered: what is left of it, and what has been counted so far.

use super::failure::Failure;
use super::layout::{Fields, Layout};
use super::models::Model;
use super::plan::{self, Act, Pending};
use super::result::Spent;
use super::spawn::UserLine;
use crate::recording::turn::{Turn, Usage};
use std::collections::VecDeque;

/// The turn that is being rendered.
#[derive(Debug)]
pub(super) struct Running {
    /// What the turn has still to do.
    pub acts: VecDeque<Act>,
    /// What it is in the middle of.
    pub pending: Pending,
    /// What it answers.
    pub user: UserLine,
    /// The model that answers.
    pub model: Model,
    /// Tokens of the whole turn.
    pub usage: Usage,
    /// Requests that the turn takes if nothing stops it.
    pub planned_requests: u64,
    /// Characters of a partial delta.
    pub chunk: usize,
    /// What the turn reports as its duration, where it says so.
    pub duration_ms: Option<u64>,
    /// When it began, on the session's clock.
    pub began_ms: u64,
    /// When its first request was sent, in milliseconds since 1970.
    pub sent_at: i64,
    /// Requests whose answer has begun.
    pub requests: u64,
    /// Tokens of all requests.
    pub spent: Spent,
    /// Tokens of the requests that were answered in full.
    pub billed: Option<Spent>,
    /// Tokens of the first request.
    pub first: Spent,
    /// Message ids, where they were shown as they began.
    pub begun: Vec<String>,
    /// The message at hand.
    pub message_id: String,
    /// The request at hand.
    pub request_id: String,
    /// As the result counts: one, and one for each message of the user's side.
    pub num_turns: u64,
    /// Tool results.
    pub tool_results: u64,
    /// Calls that were denied, as JSON.
    pub denials: Vec<String>,
    /// Why the model stopped last.
    pub stop_reason: Option<&'static str>,
    /// What the result says.
    pub result_text: String,
    /// The structured output, as JSON.
    pub structured: Option<String>,
    /// What went wrong.
    pub failure: Option<Failure>,
    /// Whether the status of the request at hand was shown.
    pub status_shown: bool,
    /// Whether the user's line was written back, or need not be.
    pub replayed: bool,
    /// Whether the first answer, which names the user's line, was written.
    pub answered: bool,
    /// Retries that were told of.
    pub retries: u64,
}

impl Running {
    /// A turn before its first event.
    pub fn new(turn: &Turn, acts: VecDeque<Act>, user: UserLine, model: Model) -> Running {
        let requests = acts.iter().filter(|act| matches!(act, Act::Message(_))).count();
        Running {
            usage: turn.usage.unwrap_or_else(|| counted(&user.text, &acts)),
            acts,
            pending: Pending::Nothing,
            user,
            model,
            planned_requests: u64::try_from(requests).unwrap_or(u64::MAX),
            chunk: turn.chunk.unwrap_or(DEFAULT_CHUNK).max(1),
            duration_ms: turn.duration_ms,
            began_ms: 0,
            sent_at: 0,
            requests: 0,
            spent: Spent::default(),
            billed: None,
            first: Spent::default(),
            begun: Vec::new(),
            message_id: String::new(),
            request_id: String::new(),
            num_turns: 1,
            tool_results: 0,
            denials: Vec::new(),
            stop_reason: None,
            result_text: String::new(),
            structured: None,
            failure: None,
            status_shown: false,
            replayed: false,
            answered: false,
            retries: 0,
        }
    }

    /// The uuid that the client gave its line.
    pub fn uuid(&self) -> Option<&str> {
        self.user.uuid.as_deref()
    }

    /// Whether the tool at hand runs until somebody interrupts. One that may not run does not, and
    /// the turn goes on without the wait.
    pub fn stays_running(&mut self, allowed: bool) -> bool {
        let waits = matches!(self.acts.front(), Some(Act::Await(Pending::Running(_))));
        if waits && !allowed {
            self.acts.pop_front();
        }
        waits && allowed
    }

    /// Adds the fields that name the user's line.
    pub fn marked<'a>(&self, layout: &Layout, fields: Fields<'a>) -> Fields<'a> {
        let list = self.uuid().map(|uuid| layout.json.strings([uuid]));
        fields.maybe_text("user_message_uuid", self.uuid()).maybe_raw("user_message_uuids", list)
    }
}

/// Characters in a partial delta where the turn does not say.
const DEFAULT_CHUNK: usize = 24;

/// Tokens of a turn that names none: one for four characters, rounded up.
fn counted(prompt: &str, acts: &VecDeque<Act>) -> Usage {
    let (said, thought) = plan::characters(acts);
    Usage {
        input: tokens(prompt.chars().count()),
        cached_input: 0,
        output: tokens(said),
        reasoning: tokens(thought),
    }
}

/// One token for four characters, rounded up.
pub(super) fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(4)).unwrap_or(u64::MAX)
}
