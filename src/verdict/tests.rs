use super::*;
use crate::journal::Life;

/// A record of a spawn of claude that ran from one second to another and played a recording.
fn played(spawn: u64, recording: &str, seconds: (u8, u8), starter: i32) -> Record {
    let (from, to) = seconds;
    let entry = serde_json::json!({
        "ringer": 1, "spawn": spawn, "program": "claude", "kind": "run", "recording": recording,
        "play": 1, "recordings": "/nowhere", "argv": ["claude", "-p", format!("{spawn}")],
        "cwd": "/", "env": {}, "pid": 7, "ppid": starter, "pgid": 6, "sid": 6,
        "new_session": false,
        "stdin": {"kind": "null", "bytes": 0, "eof": false, "waited_ms": 0, "text": null},
        "waiting_for": null, "stdout": {"kind": "pipe", "bytes": 0, "lines": 0},
        "stderr": {"kind": "pipe", "bytes": 0, "lines": 0}, "lines_read": null,
        "reader_gone": null, "signals": [], "terminated": false, "exit": {"code": 0},
        "started_at": format!("2026-01-01T00:00:{from:02}Z"),
        "ended_at": format!("2026-01-01T00:00:{to:02}Z"), "wall_ms": 1, "state": "ended",
        "problems": []
    });
    Record { entry: serde_json::from_value(entry).unwrap(), life: Life::Ended }
}

fn mentioned(records: &[Record], problems: &[SpawnProblem]) -> Vec<MentionKind> {
    let mentions = mention::of_the_whole(&directories(records), problems, records);
    mentions.into_iter().map(|mention| mention.kind).collect()
}

#[test]
fn only_spawns_that_followed_one_another_were_in_an_order() {
    let one_by_one =
        [played(1, "claude/10.jsonl", (1, 2), 6), played(2, "claude/2.jsonl", (3, 4), 6)];
    assert_eq!(mentioned(&one_by_one, &[]), [MentionKind::Order]);
    let at_once = [played(1, "claude/10.jsonl", (1, 4), 6), played(2, "claude/2.jsonl", (3, 5), 6)];
    assert_eq!(mentioned(&at_once, &[]), []);
    let of_two_pools =
        [played(1, "codex/2.jsonl", (1, 2), 6), played(2, "claude/1.jsonl", (3, 4), 6)];
    assert_eq!(mentioned(&of_two_pools, &[]), []);
}

#[test]
fn several_starters_are_worth_a_word_only_where_recordings_ran_out() {
    let records = [played(1, "claude/1.jsonl", (1, 2), 6), played(2, "claude/2.jsonl", (3, 4), 8)];
    assert_eq!(mentioned(&records, &[]), []);
    let problem = SpawnProblem {
        spawn: 2,
        program: "claude".to_owned(),
        command: "claude".to_owned(),
        kind: "exhausted",
        message: String::new(),
    };
    assert_eq!(mentioned(&records, &[problem]), [MentionKind::SharedState]);
}

#[test]
fn a_long_command_is_cut_and_quoted_where_it_needs_it() {
    let mut record = played(1, "claude/1.jsonl", (1, 2), 6);
    let long = "x".repeat(1 << 20);
    record.entry.argv = ["claude", "", "two words", &long]
        .map(|arg| crate::journal::JournaledText::of(arg.as_ref()))
        .into();
    let shown = command(&record.entry);
    assert!(shown.starts_with("claude \"\" \"two words\" xxx"), "{shown}");
    assert!(shown.ends_with("...") && shown.len() == 72, "{shown}");
}
