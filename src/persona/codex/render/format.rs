//! From a stream of `exec --json` event lines, rendered or recorded, to what the spawn asked for:
//! the lines themselves, or the human mode, whose transcript goes to stderr and whose final message
//! goes to stdout. It also follows the stream for what comes of it: the exit code, the `-o` file.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::human::{Aside, Human};
use super::spawn::{Reading, Spawn};
use super::traits::{self, Traits};
use super::usage;
use crate::persona::Piece;
use crate::recording::turn::Usage;

/// How a stream left off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No terminal event so far.
    Open,
    Completed,
    Failed,
    Interrupted,
}

/// Writes a stream of event lines in the spawn's output format.
///
/// Feed it the lines in order ([`line`](Format::line)), then call [`end`](Format::end).
#[derive(Debug)]
pub struct Format {
    spawn: Spawn,
    traits: &'static Traits,
    human: Option<Human>,
    end: End,
    /// Whether an `error` event came that was no retry notice.
    error: bool,
    /// The last `agent_message` so far.
    message: Option<String>,
    /// What `tokens used` will say, if anything.
    used: Option<Usage>,
    /// The events that were not shown as such, where somebody wants to know of them.
    untold: Option<Vec<u8>>,
}

/// What is read of every line, whatever the format: nothing below the first level, since lines can
/// be long.
#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// What is read of an item.
#[derive(Deserialize)]
struct ItemGlance<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    text: Option<String>,
}

impl Format {
    /// A format for a spawn's stream.
    pub fn new(spawn: &Spawn) -> Format {
        let traits = traits::of(&spawn.version);
        Format {
            traits,
            human: (!spawn.json).then(|| Human::new(spawn, traits)),
            spawn: spawn.clone(),
            end: End::Open,
            error: false,
            message: None,
            used: None,
            untold: None,
        }
    }

    /// What comes before any event: the line about stdin, in either format.
    pub fn start(&self) -> Vec<Piece> {
        let text = match self.spawn.reading {
            Reading::Prompt => "Reading prompt from stdin...\n",
            Reading::Additional if self.traits.reads_stdin => {
                "Reading additional input from stdin...\n"
            }
            _ => return Vec::new(),
        };
        vec![Piece::Err(text.into())]
    }

    /// Writes one line of the stream, given with its newline if it had one. With `--json` the
    /// bytes pass as they are; else what is no event shows nothing.
    pub fn line(&mut self, line: &[u8]) -> Vec<Piece> {
        self.line_with(line, &Aside::default())
    }

    /// Writes one line, with what the renderer knows and the line does not say.
    pub(super) fn line_with(&mut self, line: &[u8], aside: &Aside) -> Vec<Piece> {
        self.follow(line);
        let Some(human) = &mut self.human else {
            return vec![Piece::Out(line.to_vec())];
        };
        let Ok(event) = serde_json::from_slice::<Value>(line) else {
            return Vec::new();
        };
        if let Some(untold) = &mut self.untold {
            untold.extend_from_slice(line.trim_ascii_end());
            untold.push(b'\n');
        }
        let text = human.event(&event, aside);
        if text.is_empty() { Vec::new() } else { vec![Piece::Err(text.into_bytes())] }
    }

    /// From now on keeps the events that are not shown as such; false: they are.
    pub fn keep_untold(&mut self) -> bool {
        self.untold = self.human.is_some().then(Vec::new);
        self.untold.is_some()
    }

    /// The events since the last call that were not shown as such, as lines.
    pub fn take_untold(&mut self) -> Vec<u8> {
        self.untold.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Notes what a line means for the end.
    fn follow(&mut self, line: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Glance>(line) else {
            return;
        };
        match &*event.kind {
            "turn.completed" => {
                self.end = End::Completed;
                self.used = event.usage.and_then(usage_of).filter(|_| self.spawn.review.is_none());
            }
            "turn.failed" => self.end = End::Failed,
            "turn.started" => (self.end, self.message) = (End::Open, None),
            "error" => {
                let message: String = event.message.and_then(read).unwrap_or_default();
                self.error |= !is_retry(&message);
            }
            "item.completed" => {
                let item: Option<ItemGlance> = event.item.and_then(read);
                if let Some(item) = item.filter(|item| item.kind == "agent_message") {
                    self.message = item.text;
                }
            }
            _ => {}
        }
    }

    /// The turn was interrupted: no event tells, only the transcript does.
    pub fn interrupted(&mut self) -> Vec<Piece> {
        self.end = End::Interrupted;
        match &self.human {
            Some(human) => vec![Piece::Err(human.interrupted().into_bytes())],
            None => Vec::new(),
        }
    }

    /// Sets what `tokens used` says where no `turn.completed` does.
    pub(super) fn used(&mut self, usage: Usage) {
        self.used = Some(usage);
    }

    /// What comes after the last event: the warning about an empty message, the tokens, the final
    /// message.
    pub fn end(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if let Some(path) = self.spawn.last_message.as_ref().filter(|_| self.is_mute()) {
            let text = format!("Warning: no last agent message; wrote empty content to {path}\n");
            pieces.push(Piece::Err(text.into_bytes()));
        }
        let Some(human) = &self.human else {
            return pieces;
        };
        if let Some(used) = self.used {
            pieces.push(Piece::Err(human.tokens(usage::blended(used)).into_bytes()));
        }
        if let Some(message) = self.message.as_ref().filter(|_| self.end == End::Completed) {
            let seen = self.spawn.stdout_tty && (self.traits.classic || self.spawn.stderr_tty);
            if !seen {
                pieces.push(Piece::Out(self.final_message(message)));
            }
        }
        pieces
    }

    /// The final message as stdout has it: one newline more, which older versions spare if there
    /// is one already.
    fn final_message(&self, message: &str) -> Vec<u8> {
        if self.traits.classic && message.ends_with('\n') {
            message.into()
        } else {
            format!("{message}\n").into_bytes()
        }
    }

    /// Whether the turn was completed without a message.
    fn is_mute(&self) -> bool {
        self.end == End::Completed && self.message.is_none()
    }

    /// What the `-o` file holds after the run, without a newline of its own; `None` leaves it as it
    /// was, as a failed or interrupted turn does (`04-last-preexisting-fail-human`).
    pub fn last_message(&self) -> Option<&str> {
        (self.end == End::Completed).then(|| self.message.as_deref().unwrap_or_default())
    }

    /// The exit code after the stream: 1 after `turn.failed`, else 0; an interrupted turn as the
    /// version has it.
    pub fn exit_code(&self) -> u8 {
        match self.end {
            End::Failed => 1,
            End::Interrupted => self.traits.interrupted_code,
            End::Open | End::Completed => u8::from(self.error && self.traits.error_fails),
        }
    }
}

/// Whether the text of an `error` event is a retry notice.
pub(in crate::persona::codex) fn is_retry(message: &str) -> bool {
    message.starts_with("Reconnecting...") || message.starts_with("Re-connecting...")
}

/// Reads a part of a line.
fn read<'a, T: Deserialize<'a>>(part: &'a RawValue) -> Option<T> {
    serde_json::from_str(part.get()).ok()
}

/// The usage of a `turn.completed` event.
fn usage_of(usage: &RawValue) -> Option<Usage> {
    let usage: Value = read(usage)?;
    let number = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    usage.is_object().then(|| Usage {
        input: number("input_tokens"),
        cached_input: number("cached_input_tokens"),
        output: number("output_tokens"),
        reasoning: number("reasoning_output_tokens"),
    })
}
