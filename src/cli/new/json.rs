//! JSON on the command line of `ringer new`: turns, and the values of a turn.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::author::Turn;

/// Reads turns from JSON texts, one after the other, alone or in arrays; a string is a turn's text.
///
/// # Errors
///
/// Something is no turn, or there is none; the text says what.
pub(super) fn turns(source: &str) -> Result<Vec<Turn>, String> {
    let mut turns = Vec::new();
    for value in serde_json::Deserializer::from_str(source).into_iter::<Box<RawValue>>() {
        let value = value.map_err(plain)?;
        let several = match value.get().starts_with('[') {
            true => serde_json::from_str(value.get()).map_err(plain)?,
            false => vec![value],
        };
        for value in several {
            let number = turns.len() + 1;
            turns.push(turn(value.get()).map_err(|what| format!("turn {number}: {what}"))?);
        }
    }
    if turns.is_empty() { Err("there are none".to_owned()) } else { Ok(turns) }
}

fn turn(source: &str) -> Result<Turn, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Step {
        turn: Turn,
    }
    // Line ends between its parts would end the recording's line; in strings there are none.
    let line = source.replace(['\n', '\r'], " ");
    if line.starts_with('"') {
        return Ok(Turn::new().text(serde_json::from_str::<String>(&line).map_err(plain)?));
    }
    match serde_json::from_str::<Step>(&line) {
        Ok(step) => Ok(step.turn),
        Err(_) => serde_json::from_str(&line).map_err(plain),
    }
}

/// Reads any JSON value, as it is spelled.
///
/// # Errors
///
/// It is none.
pub(super) fn json(source: &str) -> Result<Box<RawValue>, String> {
    let line = source.replace(['\n', '\r'], " ");
    serde_json::from_str(&line).map_err(plain)
}

/// Reads an object, as it is spelled.
///
/// # Errors
///
/// It is none.
pub(super) fn object(source: &str) -> Result<Box<RawValue>, String> {
    let raw = json(source)?;
    if raw.get().starts_with('{') { Ok(raw) } else { Err(format!("{source} is no object")) }
}

/// Says what is wrong with JSON.
pub(super) fn plain(error: serde_json::Error) -> String {
    if error.is_data() { error.to_string() } else { format!("is not JSON: {error}") }
}
