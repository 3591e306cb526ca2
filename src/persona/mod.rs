//! What the programs that ringer stands in for are like: their arguments, their probes, how they
//! write a turn, how they end. How playing works is no business of these modules; a further CLI is
//! one more folder here.

pub mod claude;
pub mod codex;
mod manners;
mod meaning;
pub(crate) mod performer;
mod plain;

pub(crate) use manners::{
    Circumstances, Ending, Epipe, Manners, ModelRun, Request, Situation, StdinRule, StdinSeen,
    Version,
};

pub use meaning::Meaning;

/// The programs that have manners of their own.
pub(crate) const CLIS: [&str; 2] = ["claude", "codex"];

/// The manners of the program of this name; a name that nothing is known of has none.
pub(crate) fn named(program: &str) -> &'static dyn Manners {
    match program {
        "claude" => &claude::Claude,
        "codex" => &codex::Codex,
        // A process stands in for one program, so this is made once and lives as long.
        other => Box::leak(Box::new(plain::Plain { name: other.to_owned() })),
    }
}

/// The versions of a persona that are known, oldest first; none of a program that nothing is known
/// of.
pub(crate) fn known_versions(program: &str) -> Vec<&'static str> {
    match program {
        "claude" => claude::arguments::known_versions().collect(),
        "codex" => codex::arguments::known_versions().collect(),
        _ => Vec::new(),
    }
}

/// Whether a client's line is a message that releases a turn: a `claude` user line, or one of codex
/// that starts a turn.
pub(crate) fn releases_a_turn(line: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Line<'a> {
        #[serde(borrow, default)]
        r#type: Option<std::borrow::Cow<'a, str>>,
        #[serde(borrow, default)]
        method: Option<std::borrow::Cow<'a, str>>,
    }
    serde_json::from_slice::<Line>(line).is_ok_and(|line| {
        line.r#type.as_deref() == Some(crate::recording::USER_LINE)
            || line.method.is_some_and(|method| crate::recording::STARTS_A_TURN.contains(&&*method))
    })
}

/// The text of a client's message, as far as it is text: of a `claude` user line or of a codex
/// `turn/start`.
pub(crate) fn message_text(line: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
        return String::new();
    };
    let content = value.pointer("/message/content").or(value.pointer("/params/input"));
    match content {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A spawn that the real CLI would have ended by itself before any model run: a usage error, an
/// answer to a probe. Bytes and exit code are the real ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What goes to stdout, to the byte.
    pub stdout: String,
    /// What goes to stderr, to the byte; written before stdout.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Answer {
    /// The answer where its first words on stderr were written before.
    pub(crate) fn after(mut self, written: &str) -> Answer {
        if let Some(rest) = self.stderr.strip_prefix(written) {
            self.stderr = rest.to_owned();
        }
        self
    }
}

/// One piece of what a rendered turn does, in order.
///
/// A renderer turns a [`Turn`](crate::recording::turn::Turn) into pieces and knows nothing of
/// descriptors; the player writes them and does the waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Bytes for stdout, written by one call.
    Out(Vec<u8>),
    /// Bytes for stderr, written by one call.
    Err(Vec<u8>),
    /// A question to the client of a live session (a line for stdout). What follows in the turn
    /// depends on the answer: the player sends the line, waits for the reply to `id`, and hands it
    /// to the renderer's `answered`, whose pieces come next.
    Ask {
        /// The request id, as in the line.
        id: String,
        /// The whole line, with its newline.
        line: Vec<u8>,
    },
    /// The turn goes no further until it is interrupted, by the client's request or by SIGINT.
    /// The renderer's `interrupted` has the pieces that follow.
    AwaitInterrupt,
}
