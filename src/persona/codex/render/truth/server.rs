//! The captures of the app-server: the client's lines are given to ours, and the lines that come
//! back must be the same but for ids and times.

use std::sync::LazyLock;

use regex::Regex;

use super::super::{AppServer, Reply, Spawn};
use super::corpus::{Run, runs, settled};
use super::jsonl::same;
use crate::persona::Piece;
use crate::recording::turn::Turn;

/// Each captured session with the turn that it plays.
const SESSIONS: &[(&str, &str)] = &[
    ("06-init-eof", "{}"),
    (
        "06-turn",
        r#"{"thinking": "**Plan**\n\nx", "text": "Hello from app-server", "usage": USAGE1}"#,
    ),
    ("06-optout-stringid", r#"{"text": "Hello from fake.", "usage": USAGE1}"#),
    ("06-resume", r#"{"text": "Hello from fake.", "chunk": 8, "usage": USAGE1}"#),
    ("06-approve-decline", ASKED_COMMAND),
    ("06-approve-cancel", ASKED_COMMAND),
    ("06-approve-session", ASKED_COMMAND),
    ("06-patch-accept", ASKED_PATCH),
    ("06-patch-decline", ASKED_PATCH),
    ("06-interrupt", r#"{"text": "par", "stop": "interrupted"}"#),
    ("06-sigterm", r#"{"text": "par", "stop": "interrupted"}"#),
    (
        "06-turn-retry",
        r#"{"error":
        "RETRY",
        "text": "recovered", "chunk": 4, "usage": USAGE1}"#,
    ),
    (
        "06-mcp-fail-cmd",
        r#"{"tools": [{"name": "Bash", "input": {"command": "echo hi; exit 4", "exit_code":
        4}, "result": "hi\n", "is_error": true}, {"name": "mcp__lab__echo", "input":
        {"x":"y"}, "result": {"content": [{"type":"text","text":"echo:{\"x\": \"y\"}"}],
        "structuredContent": {"ok": true}}}], "text": "final.", "chunk": 3, "usage": USAGE3}"#,
    ),
    ("06-errors", "{}"),
    ("06-review", r#"{"text": "ok"}"#),
];

const ASKED_COMMAND: &str = r#"{"tools": [{"name": "exec_command", "input": {"cmd":
        "echo approved > f.txt; echo ok", "justification": "need it"}, "result": "ok\n",
        "ask": true}], "text": "final.", "chunk": 3, "usage": USAGE2}"#;

const ASKED_PATCH: &str = r#"{"tools": [{"name": "apply_patch", "input":
        "*** Begin Patch\n*** Add File: in.txt\n+x\n*** End Patch", "ask": true}], "text":
        "final.", "chunk": 3, "usage": USAGE2}"#;

/// The retry notice of `06-turn-retry`.
const RETRY: &str = "Reconnecting... 1/2 (stream disconnected before completion: stream closed \
     before response.completed)";

/// Sessions that are not compared, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    (
        "06-mixed",
        "a message before the tools, a turn has its text last; its lines are compared below",
    ),
    ("06-compact-exec", "compaction and command/exec are answered, but not carried out"),
    ("06-bad-flag", "a usage error"),
    ("06-mcp-server", "a usage error"),
];

#[test]
fn sessions_go_as_the_real_ones() {
    let runs: Vec<Run> = runs().into_iter().filter(|run| run.name.contains("/06-")).collect();
    let mut differences = Vec::new();
    for run in &runs {
        let name = run.name.rsplit('/').next().unwrap();
        let turn = SESSIONS.iter().find(|(session, _)| *session == name);
        let Some((_, turn)) = turn else {
            assert!(NOT_COMPARED.iter().any(|(other, _)| *other == name), "{name} is in no table");
            continue;
        };
        if let Err(difference) = compare(run, &turn_of(turn)) {
            differences.push(format!("{name}: {difference}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn a_mixed_turn_has_the_lines_of_the_real_one() {
    let turn = r#"{"tools": [
        {"name": "update_plan", "input": {"plan": [{"step": "a", "status": "in_progress"}]}},
        {"name": "Bash", "input": {"command": "echo out; sleep 0.4; echo more"},
            "result": "out\nmore\n"},
        {"name": "Write", "input": {"file_path": "in.txt", "content": "x\n"}},
        {"name": "WebSearch", "input": {"query": "q"}}], "text": "working", "chunk": 3}"#;
    for run in runs().iter().filter(|run| run.name.ends_with("/06-mixed")) {
        let (ours, real) = (session(run, &turn_of(turn)), alike(&run.stdout));
        let sorted = |lines: &str| {
            let mut lines: Vec<&str> = lines.lines().collect();
            lines.retain(|line| !line.contains("tokenUsage") && !line.contains("rateLimits"));
            lines.sort_unstable();
            lines.join("\n")
        };
        same("the lines", &sorted(&ours), &sorted(&real)).unwrap();
    }
}

/// Reads a turn of the table; `USAGEn` is that of n calls.
fn turn_of(text: &str) -> Turn {
    let mut text = text.replace("RETRY", RETRY);
    for calls in 1..=3 {
        let (input, cached, output, reasoning) = (120 * calls, 20 * calls, 30 * calls, 5 * calls);
        let usage = format!(
            r#"{{"input": {input}, "cached_input": {cached}, "output": {output}, "reasoning":
        {reasoning}}}"#
        );
        text = text.replace(&format!("USAGE{calls}"), &usage);
    }
    serde_json::from_str(&text).expect("the table holds turns")
}

fn compare(run: &Run, turn: &Turn) -> Result<(), String> {
    same("the session", &session(run, turn), &alike(&run.stdout))
}

/// Our side of the session, with the ids and times settled.
fn session(run: &Run, turn: &Turn) -> String {
    let id = Regex::new(r#""thread":\{"id":"([^"]+)""#).unwrap();
    let thread_id = id.captures(&run.stdout).map(|found| found[1].to_owned());
    let spawn = Spawn { thread_id: thread_id.unwrap_or_default(), ..run.spawn() };
    let mut server = AppServer::new(spawn);
    let mut pieces = Vec::new();
    for line in &run.sent {
        if line.contains(r#""decision""#) {
            pieces.extend(server.answered(line));
            continue;
        }
        match server.answer(line) {
            Reply::Done(done) | Reply::Refused(done) => pieces.extend(done),
            Reply::Turn => pieces.extend(server.turn(line, turn)),
        }
    }
    let ours: Vec<u8> = pieces
        .into_iter()
        .flat_map(|piece| match piece {
            Piece::Out(line) | Piece::Ask { line, .. } => line,
            Piece::Err(_) | Piece::AwaitInterrupt => Vec::new(),
        })
        .collect();
    alike(&String::from_utf8(ours).unwrap())
}

/// What is not compared: what comes of the machine or of timing, and answers that list the real
/// CLI's own models and settings.
const NOISE: [&str; 5] = [
    r#""method":"configWarning""#,
    r#""method":"mcpServer/startupStatus/updated""#,
    r#""method":"item/commandExecution/outputDelta""#,
    r#""result":{"data":[{"#,
    r#""result":{"config":"#,
];

/// A session's lines with the ids and times settled.
fn alike(lines: &str) -> String {
    static RULES: LazyLock<[(Regex, &str); 8]> = LazyLock::new(|| {
        [
            (r#""(\w+(?:At|AtMs|durationMs))":\d+"#, r#""$1":0"#),
            (r#""(durationMs)":\d+"#, r#""$1":0"#),
            (r#""processId":"\d+""#, r#""processId":"1""#),
            (r#""(call|msg|rs|ws)_\d+""#, r#""${1}_1""#),
            (r"sessions/[^/]+/[^/]+/[^/]+/rollout-[\dT-]+-UUID", "sessions/rollout-UUID"),
            ("msg_UUID", "msg_1"),
            // What the model is asked is the CLI's own prose.
            (r#""text":"Review[^"]*""#, r#""text":"Review""#),
            (r#""serverName":"[^"]*""#, r#""serverName":"""#),
        ]
        .map(|(pattern, stand_in)| (Regex::new(pattern).unwrap(), stand_in))
    });
    // The cursors of a resumed thread lead into a file that there is none of.
    let cursor = Regex::new(r#"(BackwardsCursor)":"(?:[^"\\]|\\.)*""#).unwrap();
    let mut text = settled(&cursor.replace_all(lines, "$1\":null"));
    for (pattern, stand_in) in RULES.iter() {
        text = pattern.replace_all(&text, *stand_in).into_owned();
    }
    let kept = text.lines().filter(|line| !NOISE.iter().any(|noise| line.contains(noise)));
    kept.map(|line| format!("{line}\n")).collect()
}
