//! Parses `turn`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::error::{Mistake, quoted};
use super::super::turn::{Stop, Turn};
use super::super::value::{Field, reason};

/// The parts of a turn that are objects, which reading by field order would take as lists too.
#[derive(Deserialize)]
struct Objects<'a> {
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    items: Vec<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

pub(super) fn turn(field: Field) -> Result<Turn, Mistake> {
    if !field.is_object() {
        return Err(field.refuse("an object such as {\"text\": \"hello\"}"));
    }
    let parts = field.pairs("an object")?;
    not_null(&parts)?;
    let read = |error: serde_json::Error| Mistake::new(format!("`turn`: {}", cut(&reason(&error))));
    let turn: Turn = serde_json::from_str(field.source()).map_err(read)?;
    let objects: Objects = serde_json::from_str(field.source()).map_err(read)?;
    for (key, parts) in [("tools", &objects.tools), ("items", &objects.items)] {
        if let Some(raw) = parts.iter().find(|raw| !raw.get().starts_with('{')) {
            return Err(Field { key, raw }.refuse("a list of objects"));
        }
    }
    for raw in objects.tools {
        tool(Field { key: "tools", raw })?;
    }
    if let Some(raw) = objects.usage
        && !raw.get().starts_with('{')
    {
        return Err(Field { key: "usage", raw }.refuse("an object"));
    }
    contradiction(&turn).map_or(Ok(turn), |what| Err(Mistake::new(format!("`turn`: {what}"))))
}

/// Looks at what a tool says that is kept as it was written.
fn tool(field: Field) -> Result<(), Mistake> {
    let parts = field.pairs("a list of objects")?;
    not_null(&parts)?;
    match parts.into_iter().find(|(key, _)| key == "input") {
        Some((_, raw)) if !raw.get().starts_with('{') => {
            Err(Field { key: "input", raw }.refuse("an object, as every tool takes one"))
        }
        _ => Ok(()),
    }
}

/// A key that says nothing would pass for one that is absent.
fn not_null(parts: &[(String, &RawValue)]) -> Result<(), Mistake> {
    match parts.iter().find(|(_, raw)| raw.get() == "null") {
        Some((key, _)) => {
            Err(Mistake::new(format!("`turn`: {} is null", quoted(key))).hint("leave the key out"))
        }
        None => Ok(()),
    }
}

/// Serde's messages repeat whole values.
fn cut(text: &str) -> String {
    text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What one key says and another one denies.
fn contradiction(turn: &Turn) -> Option<&'static str> {
    let ends_by_itself = matches!(turn.stop, Stop::MaxTurns | Stop::Budget | Stop::Interrupted);
    if turn.fail.is_some() && ends_by_itself {
        Some("`fail` and this `stop` are two ways to go wrong, a turn has one")
    } else if turn.empty && !(turn.text.is_empty() && turn.tools.is_empty()) {
        Some("`empty` says that there is no text and no tool call")
    } else if turn.empty && turn.structured.is_some() {
        Some("`empty` says that nothing comes out, not even what is `structured`")
    } else if turn.tools.iter().any(|tool| tool.name.is_empty()) {
        Some("a tool needs a name")
    } else if turn.chunk == Some(0) {
        Some("`chunk` wants at least 1 character")
    } else if turn.usage.is_some_and(|usage| usage.cached_input > usage.input) {
        Some("`usage.input` includes `cached_input` and cannot be less")
    } else {
        None
    }
}
