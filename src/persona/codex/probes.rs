//! Stock answers to what clients ask before or beside a run: `--version`, `login status`,
//! `mcp list` and the like, as the real CLI gives them in a fresh home. They never claim a
//! recording. The texts are in the versions' tables; a command that is not there has no answer.

use super::arguments::{Level, Table};
use crate::persona::Answer;

/// The answer to `--version` of the program (`05-version`) or of one of its commands
/// (`05-exec-version`).
pub(super) fn version(name: &str, command: &str, version: &str) -> Answer {
    let dash = if command.is_empty() { "" } else { "-" };
    let stdout = format!("{name}{dash}{} {version}\n", command.replace(' ', "-"));
    Answer { stdout, ..Answer::default() }
}

/// The answer to a side command, if one is known.
pub(super) fn answer(table: &Table, levels: &[Level]) -> Option<Answer> {
    let level = levels.last()?;
    let command = level.path();
    if command == "features list" {
        return features(table, levels);
    }
    let as_json = level.values("json").and_then(|_| table.answer(&format!("{command} --json")));
    let mut answer = Answer::default();
    let lines: Vec<_> = match as_json {
        Some(lines) => lines.collect(),
        None => table.answer(command)?.collect(),
    };
    for (word, text) in lines {
        let text = match level.value("NAME") {
            Some(name) => text.replace("{NAME}", name),
            None => text.to_owned(),
        };
        match word {
            "out" => answer.stdout.push_str(&format!("{text}\n")),
            "err" => answer.stderr.push_str(&format!("{text}\n")),
            _ => answer.code = text.parse().unwrap_or(1),
        }
    }
    Some(answer)
}

/// `features list` (`05-features-list`), with what the arguments switch on and off.
fn features(table: &Table, levels: &[Level]) -> Option<Answer> {
    let rows: Vec<_> = table.features().collect();
    let wide = |column: fn(&(&'static str, &'static str, bool)) -> usize| {
        rows.iter().map(column).max().unwrap_or(0)
    };
    let (names, stages) = (wide(|row| row.0.len()), wide(|row| row.1.len()));
    let switched = |option: &str, name: &str| {
        let values = levels.iter().filter_map(|level| level.values(option)).flatten();
        values.into_iter().any(|value| value == name)
    };
    let mut answer = Answer::default();
    for (name, stage, on) in &rows {
        let on = (*on || switched("enable", name)) && !switched("disable", name);
        answer.stdout.push_str(&format!("{name:names$}  {stage:stages$}  {on}\n"));
    }
    (!rows.is_empty()).then_some(answer)
}
