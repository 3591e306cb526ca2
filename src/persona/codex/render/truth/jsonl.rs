//! The captures with `--json`: rendered to the byte.

use std::sync::LazyLock;

use regex::Regex;

use super::super::Renderer;
use super::corpus::{Run, runs, settled};
use super::unturn::unturn;
use crate::persona::Piece;

/// Sessions whose events no turn brings out in that order, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("codex-0.125.0/cmd-ok", "a command that is still running when the answer comes"),
    ("codex-0.171.0/02-pending-cmd-at-end", "the same"),
];

#[test]
fn turns_render_as_the_real_stream_of_the_same_run() {
    let mut compared = 0;
    let mut noisy = Vec::new();
    let mut differences = Vec::new();
    for run in runs().iter().filter(|run| is_session(run)) {
        if NOT_COMPARED.iter().any(|(name, _)| *name == run.name) {
            continue;
        }
        if let Err(difference) = compare(run, &mut noisy) {
            differences.push(format!("{}: {difference}", run.name));
        }
        compared += 1;
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    println!("{compared} sessions compared, {} with events left out: {noisy:#?}", noisy.len());
    assert!(compared == 0 || compared > 150, "only {compared} sessions were compared");
}

/// A run whose stdout is a stream of exec events.
fn is_session(run: &Run) -> bool {
    run.stdout.starts_with(r#"{"type":"thread.started""#)
}

fn compare(run: &Run, noisy: &mut Vec<String>) -> Result<(), String> {
    let wanted = unturn(&run.stdout);
    let mut spawn = run.spawn();
    spawn.thread_id = wanted.thread_id.clone();
    let mut renderer = Renderer::new(spawn);
    let mut pieces = renderer.start();
    pieces.extend(renderer.turn(&wanted.turn));
    let waits = pieces.last() == Some(&Piece::AwaitInterrupt);
    if waits {
        pieces.extend(renderer.interrupted());
    }
    pieces.extend(renderer.end());
    let (stdout, stderr) = streams(&pieces);
    let lines = wanted.lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    same("stdout", &numbered(&stdout), &numbered(&lines))?;
    same("stderr", &settled(&stderr), &settled(&run.stderr))?;
    if let Some(code) = run.exit_code {
        same("exit code", &renderer.exit_code().to_string(), &code.to_string())?;
    }
    if !wanted.noise.is_empty() {
        noisy.push(format!("{}: {}", run.name, wanted.noise.join(", ")));
    }
    Ok(())
}

/// Says how two texts differ, if they do.
pub fn same(what: &str, ours: &str, real: &str) -> Result<(), String> {
    if ours == real {
        return Ok(());
    }
    let (mut our_lines, mut real_lines) = (ours.lines(), real.lines());
    for number in 1.. {
        let (our_line, real_line) = (our_lines.next(), real_lines.next());
        if our_line != real_line || our_line.is_none() {
            let end = "(the end)";
            let (our_line, real_line) = (our_line.unwrap_or(end), real_line.unwrap_or(end));
            return Err(format!("{what}, line {number}\n ours {our_line}\n real {real_line}"));
        }
    }
    Ok(())
}

/// What goes to stdout and to stderr.
pub fn streams(pieces: &[Piece]) -> (String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Out(bytes) => stdout.extend_from_slice(bytes),
            Piece::Err(bytes) => stderr.extend_from_slice(bytes),
            Piece::Ask { .. } | Piece::AwaitInterrupt => {}
        }
    }
    (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The lines with made-up ids settled and items numbered anew, in the order in which they appear,
/// since warnings that were left out had numbers too. The ids of web searches come from the API.
fn numbered(lines: &str) -> String {
    static API_ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""id":"ws_\d+""#).unwrap());
    static ITEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""id":"item_\d+""#).unwrap());
    let text = settled(&API_ID.replace_all(lines, r#""id":"ws""#));
    let mut seen: Vec<String> = Vec::new();
    let text = ITEM.replace_all(&text, |found: &regex::Captures| {
        let id = found[0].to_owned();
        let at = seen.iter().position(|known| *known == id).unwrap_or_else(|| {
            seen.push(id);
            seen.len() - 1
        });
        format!(r#""id":"item_{at}""#)
    });
    text.into_owned()
}
