//! What an accepted spawn asks for.

use super::parse::{Given, Parsed, looks_like_option};
use super::surroundings::Surroundings;
use super::table::{Arity, Table, Texts};
use super::validate::is_js_space;

/// A format of input or of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Plain text.
    #[default]
    Text,
    /// One JSON object at the end; only for output.
    Json,
    /// A line of JSON for each event.
    StreamJson,
}

impl Format {
    fn of(value: Option<&str>) -> Self {
        match value {
            Some("json") => Format::Json,
            Some("stream-json") => Format::StreamJson,
            _ => Format::Text,
        }
    }
}

/// What a spawn that runs a model asks for, of all that its arguments say.
#[derive(Clone, Debug)]
pub struct Request {
    /// Print mode: asked for, or implied because stdout is no terminal.
    pub print: bool,
    /// What stdin holds.
    pub input: Format,
    /// What is written to stdout.
    pub output: Format,
    /// `--verbose`.
    pub verbose: bool,
    /// `--include-partial-messages`.
    pub partial: bool,
    /// `--replay-user-messages`.
    pub replay: bool,
    /// `--include-hook-events`.
    pub hook_events: bool,
    /// The first operand. With stream-json input the real CLI ignores it.
    pub prompt: Option<String>,
    /// `--session-id`.
    pub session_id: Option<String>,
    /// `--resume`, with or without a value.
    pub resume: Option<Option<String>>,
    /// `--continue`.
    pub continues: bool,
    /// `--fork-session`.
    pub fork_session: bool,
    /// `--no-session-persistence`.
    pub no_session_persistence: bool,
    /// `--name`.
    pub name: Option<String>,
    /// `--model`.
    pub model: Option<String>,
    /// `--permission-mode`; `bypassPermissions` for `--dangerously-skip-permissions`.
    pub permission_mode: Option<String>,
    /// `--permission-prompt-tool`.
    pub permission_prompt_tool: Option<String>,
    /// `--max-turns`, as given.
    pub max_turns: Option<String>,
    /// `--max-budget-usd`, as given.
    pub max_budget: Option<String>,
    /// `--json-schema`.
    pub json_schema: Option<String>,
    /// `--mcp-config`, all values.
    pub mcp_config: Vec<String>,
    /// Options that no known version has, as typed, of a spawn without a pinned version.
    pub unknown: Vec<String>,
    /// What the real CLI writes to stderr about the arguments before it goes on.
    pub warnings: String,
    /// Whether the checks count that are made once stdin was read.
    pub(super) strict: bool,
    /// Whether root asks for what root may not do.
    pub(super) root_refused: bool,
    /// The value of a variadic option that was perhaps meant for the prompt, and that option.
    pub(super) swallowed: Option<(String, String)>,
    pub(super) texts: Texts,
    given: Vec<(&'static str, Option<String>)>,
}

impl Request {
    pub(super) fn new(
        table: &Table<'_>,
        parsed: Parsed<'_>,
        words: Words,
        around: &Surroundings,
    ) -> Self {
        let swallowed = swallowed(&parsed.given);
        let given = parsed.given.into_iter();
        let given: Vec<_> =
            given.map(|g| (g.option.name(), g.value.map(|value| value.into_owned()))).collect();
        let has = |name: &str| given.iter().any(|(n, _)| *n == name);
        let last = |name: &str| {
            let mut matching = given.iter().rev().filter(|(n, _)| *n == name);
            matching.next().map(|(_, value)| value.clone().filter(|value| !value.is_empty()))
        };
        let text = |name: &str| last(name).flatten();
        let remote = text("--sdk-url").is_some();
        let format = |name: &str| match last(name) {
            None if remote => Format::StreamJson,
            value => Format::of(value.flatten().as_deref()),
        };
        let bypass = has("--dangerously-skip-permissions");
        let mode = text("--permission-mode");
        let asks_bypass = bypass
            || has("--allow-dangerously-skip-permissions")
            || mode.as_deref() == Some("bypassPermissions");
        Request {
            print: has("--print") || has("--init-only") || remote || !around.stdout_tty,
            input: format("--input-format"),
            output: format("--output-format"),
            verbose: has("--verbose") || remote,
            partial: has("--include-partial-messages"),
            replay: has("--replay-user-messages"),
            hook_events: has("--include-hook-events"),
            prompt: words.prompt,
            session_id: text("--session-id"),
            resume: last("--resume"),
            continues: has("--continue"),
            fork_session: has("--fork-session"),
            no_session_persistence: has("--no-session-persistence"),
            name: text("--name"),
            model: text("--model"),
            permission_mode: if bypass { Some("bypassPermissions".to_owned()) } else { mode },
            permission_prompt_tool: text("--permission-prompt-tool"),
            max_turns: text("--max-turns"),
            max_budget: text("--max-budget-usd"),
            json_schema: text("--json-schema"),
            mcp_config: all(&given, "--mcp-config").map(str::to_owned).collect(),
            unknown: words.unknown,
            warnings: String::new(),
            strict: true,
            root_refused: asks_bypass && around.root && !around.sandbox,
            swallowed,
            texts: table.texts(),
            given,
        }
    }

    /// Whether an option was given, by its first long name in the table: `--allowedTools`.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The values of an option, in order. A value option's last one counts.
    pub fn values<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        all(&self.given, name)
    }

    /// The last value of an option.
    pub fn value<'r>(&'r self, name: &'r str) -> Option<&'r str> {
        self.values(name).last()
    }

    /// Whether a prompt is among the arguments that needs no more from stdin.
    pub fn has_prompt(&self) -> bool {
        self.prompt.as_deref().is_some_and(|prompt| !is_blank(prompt))
    }

    /// Whether the run does without a prompt.
    pub(super) fn needs_no_prompt(&self) -> bool {
        ["--init-only", "--sdk-url", "--rewind-files"].iter().any(|name| self.has(name))
    }
}

/// Whether JavaScript's `trim` would leave nothing of a text.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_js_space)
}

fn all<'r>(
    given: &'r [(&'static str, Option<String>)],
    name: &'r str,
) -> impl Iterator<Item = &'r str> {
    given.iter().filter(move |(given, _)| *given == name).filter_map(|(_, value)| value.as_deref())
}

/// The last value that a variadic option took from the words after it, when it looks as if it was
/// meant for a prompt: it was not its first, or it has a space outside of brackets.
fn swallowed(given: &[Given<'_>]) -> Option<(String, String)> {
    let last = given.iter().rev().find(|g| g.option.arity() == Arity::Variadic)?;
    let value = last.value.as_deref()?;
    let outside = value.split(['(', '{', '[']).next().unwrap_or_default();
    let meant = last.place? > 0 || outside.trim_end().contains(' ');
    meant.then(|| (value.to_owned(), last.typed.clone()))
}

/// The words of a spawn that are not values: what they make when unknown options are let through.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub prompt: Option<String>,
    pub unknown: Vec<String>,
}

impl Words {
    /// Sorts the operands and the rest. Whether an unknown option takes the word after it cannot be
    /// known: the word is the prompt only if there is no other.
    pub fn of(parsed: &Parsed<'_>) -> Self {
        let mut words = Words::default();
        let mut prompt = parsed.operands.first().map(|word| word.to_string());
        let mut value = None;
        let mut rest = parsed.rest.iter().peekable();
        while let Some(word) = rest.next() {
            if word == "--" {
                prompt = prompt.or_else(|| rest.next().map(|word| word.to_string()));
                break;
            }
            if looks_like_option(word) {
                words.unknown.push(word.to_string());
                if !word.contains('=') {
                    value = value.or(rest.next_if(|next| !looks_like_option(next)));
                }
            } else {
                prompt.get_or_insert_with(|| word.to_string());
            }
        }
        words.prompt = prompt.or_else(|| value.map(|word| word.to_string()));
        words
    }
}
