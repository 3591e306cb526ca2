//! A session that is over, and what must be so of it: its lines, its exit code, its entry, its
//! exchange.

use std::fs;

use serde_json::Value;

use crate::client::{Session, json, lines};
use crate::running::Done;
use crate::scene::Scene;

/// A session that is over.
pub struct Played {
    pub scene: Scene,
    pub done: Done,
    /// What the client sent.
    pub sent: Vec<String>,
}

/// The same lines have come, and if `in_turn` those of the turns in the same order.
pub fn same_in_another_order(
    session: &Session,
    played: &Played,
    in_turn: bool,
) -> Result<(), String> {
    let (mut got, mut wanted) = (lines(&played.done.stdout), lines(&session.stdout));
    let told = |lines: &[String]| -> Vec<String> {
        lines.iter().filter(|line| !answers(line)).cloned().collect()
    };
    if in_turn {
        same_lines(&told(&got), &told(&wanted))?;
    }
    let ends = |lines: &[String]| lines.iter().filter(|line| ends_turn(line)).count();
    check(ends(&got) == ends(&wanted), || "the number of turns differs".to_owned())?;
    got.sort();
    wanted.sort();
    same_lines(&got, &wanted)
}

/// Whether a line is an answer or goes with one: these may stand elsewhere for another client.
fn answers(line: &str) -> bool {
    let event = json(line);
    let command = event["message"]["content"].as_str().is_some_and(|it| it.starts_with("<local-"));
    event["type"] == "control_response"
        || event["subtype"] == "background_tasks_changed"
        || (event["subtype"] == "status" && event["status"].is_null())
        || (event["isReplay"] == true && command)
        || (event["type"].is_null() && event["method"].is_null())
}

/// Whether a line is the last one of a turn.
pub fn ends_turn(line: &str) -> bool {
    let event = json(line);
    event["type"] == "result" || event["method"] == "turn/completed"
}

/// The exit code is the captured one, and the journal tells of a session without problems.
pub fn ends_well(session: &Session, played: &Played) -> Result<(), String> {
    let (status, entry) = (played.done.status, played.scene.entry(1));
    check(status == session.status, || format!("exit {status}, captured {}", session.status))?;
    let problems = &entry["problems"];
    check(entry.problems().is_empty(), || format!("problems: {problems}"))?;
    let recording = format!("{}/01.jsonl", session.program);
    let claims = session.frames.iter().any(|it| releases_turn(&it.json()));
    let wanted = claims.then_some(recording.as_str());
    check(entry.recording() == wanted, || format!("recording: {:?}", entry.recording()))?;
    whole_exchange(played)
}

/// Whether a frame makes a session claim its recording.
pub fn releases_turn(frame: &Value) -> bool {
    let starts = ["turn/start", "review/start", "thread/compact/start"];
    frame["type"] == "user" || starts.iter().any(|method| frame["method"] == *method)
}

/// The exchange holds every line in and out, each direction in its order.
pub fn whole_exchange(played: &Played) -> Result<(), String> {
    let of = |dir| exchanged(played, dir);
    same_lines(&of("in"), &played.sent).map_err(|why| format!("exchange, in: {why}"))?;
    let out = lines(&played.done.stdout);
    same_lines(&of("out"), &out).map_err(|why| format!("exchange, out: {why}"))?;
    same_lines(&of("err"), &lines(&played.done.stderr)).map_err(|why| format!("exchange: {why}"))
}

/// What came before a frame stands before it in the exchange.
pub fn in_order(session: &Session, played: &Played) -> Result<(), String> {
    let (mut out, mut frames) = (0, session.frames.iter());
    for (dir, _) in exchange(played) {
        match dir.as_str() {
            "out" => out += 1,
            "in" => {
                let after = frames.next().map_or(0, |frame| frame.after);
                check(out >= after, || format!("a frame stands before line {after}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The lines of the exchange that went one way.
pub fn exchanged(played: &Played, dir: &str) -> Vec<String> {
    exchange(played).into_iter().filter(|(it, _)| it == dir).map(|(_, line)| line).collect()
}

/// The lines of the exchange: which way each went, and the line.
fn exchange(played: &Played) -> Vec<(String, String)> {
    let path = played.scene.state().join("journal/000001.exchange.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    let row = |row: Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        (text("dir"), text("line"))
    };
    text.lines().map(|line| row(json(line))).collect()
}

/// Fails with this reason, unless it holds.
pub fn check(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Compares line by line, so that a failure shows the first one that differs.
pub fn same_lines(got: &[String], wanted: &[String]) -> Result<(), String> {
    let none = String::new();
    for number in 0..got.len().max(wanted.len()) {
        let line = |lines: &[String]| {
            let line = lines.get(number).unwrap_or(&none);
            line.chars().take(500).collect::<String>()
        };
        if got.get(number) != wanted.get(number) {
            let (got, wanted) = (line(got), line(wanted));
            return Err(format!("line {}\n   got {got}\nwanted {wanted}", number + 1));
        }
    }
    Ok(())
}
