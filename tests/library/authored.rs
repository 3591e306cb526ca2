//! Recordings written in Rust are played as they say.

use std::time::{Duration, Instant};

use ringer::author::Repeat;
use ringer::recording::StdStream;
use ringer::{Recording, Stage, When, json};

use super::{finished, sh, stderr, stdout};

#[test]
fn both_streams_and_the_exit_code_are_those_of_the_recording() {
    let stage = Stage::claude([Recording::new()
        .out(json!({"type": "system", "a": 1}))
        .err("warning\n")
        .out_bytes(b"caf\xc3")
        .exit(3)]);
    let out = finished(stage.command("claude").args(["-p", "hi"]));
    assert_eq!(out.stdout, b"{\"type\":\"system\",\"a\":1}\ncaf\xc3");
    assert_eq!((stderr(&out), out.status.code()), ("warning\n", Some(3)));
    stage.verify();
}

#[test]
fn recordings_are_played_in_order_by_any_number_of_personas() {
    let said = |text: &str| Recording::new().out(text);
    let stage = Stage::builder()
        .claude([said("1"), said("2")])
        .codex([said("a"), said("b")])
        .persona("gemini", [said("x")])
        .build();
    let script = "claude -p x; codex exec x; gemini --any --thing; codex exec x; claude -p x";
    assert_eq!(stdout(&sh(&stage, script)), "1axb2");
    stage.verify();
}

#[test]
fn more_than_nine_recordings_are_played_in_order() {
    let stage = Stage::claude((0..120).map(|n| Recording::new().out(format!("{n} "))));
    let out = sh(&stage, "for i in $(seq 120); do claude -p x; done");
    let expected: String = (0..120).map(|n| format!("{n} ")).collect();
    assert_eq!(stdout(&out), expected);
    stage.verify();
}

#[test]
fn a_rule_on_the_prompt_chooses_the_recording() {
    let said = |text: &str| Recording::new().out(text).plays_any();
    let stage = Stage::claude([
        said("4").when(When::new().prompt_contains("2+2")),
        said("hello").when(When::new().prompt("(?i)^hi\\b")),
        said("?"),
    ]);
    let script = "claude -p 'Hi there'; claude -p 'What is 2+2'; claude -p 'a 22'; claude -p hi";
    assert_eq!(stdout(&sh(&stage, script)), "hello4?hello");
    stage.verify();
}

#[test]
fn a_recording_can_fail_a_number_of_times_before_one_succeeds() {
    let stage = Stage::claude([
        Recording::new().err("overloaded\n").exit(1).plays(2),
        Recording::new().out("done\n"),
    ]);
    let out = sh(&stage, "for i in 1 2 3; do claude -p x && break; done");
    assert_eq!((stdout(&out), stderr(&out)), ("done\n", "overloaded\noverloaded\n"));
    stage.verify();
}

#[test]
fn the_last_recording_answers_on_where_the_stage_says_so() {
    let said = |text: &str| Recording::new().out(text);
    let stage = Stage::builder().claude([said("1"), said("2")]).repeat_last().build();
    assert_eq!(stdout(&sh(&stage, "for i in 1 2 3 4; do claude -p x; done")), "1222");
    stage.verify();
}

#[test]
fn a_pause_lasts_as_written_and_the_speed_divides_it() {
    let slow = |pause| Recording::new().wait(Duration::from_millis(pause)).out("late\n");
    let took = |stage: &Stage| {
        let begun = Instant::now();
        finished(stage.command("claude").args(["-p", "x"]));
        begun.elapsed()
    };
    let as_written = Stage::claude([slow(600)]);
    assert!(took(&as_written) >= Duration::from_millis(600));
    as_written.verify();
    let faster = Stage::builder().claude([slow(20_000)]).speed(100.0).build();
    assert!(took(&faster) < Duration::from_millis(20_000));
    faster.verify();
}

#[test]
fn a_recording_can_die_by_a_signal_after_half_a_line() {
    use std::os::unix::process::ExitStatusExt as _;
    let stage = Stage::codex([Recording::new().out("{\"type\":\"item.").signal("KILL")]);
    let out = finished(stage.command("codex").args(["exec", "--json", "x"]));
    assert_eq!((stdout(&out), out.status.signal()), ("{\"type\":\"item.", Some(9)));
    assert_eq!(stage.invocation(1).exit_code(), None);
    stage.verify();
}

#[test]
fn loops_and_effects_on_disk_are_played() {
    let work = tempfile::tempdir().unwrap();
    let stage = Stage::claude([Recording::new()
        .repeat(Repeat::times(3), |round| round.out("tick "))
        .file_mkdir("src")
        .file_write("src/a.rs", "fn a() {}\n")
        .close(StdStream::Stdout)]);
    let out = finished(stage.command("claude").args(["-p", "x"]).current_dir(work.path()));
    assert_eq!(stdout(&out), "tick tick tick ");
    assert_eq!(std::fs::read_to_string(work.path().join("src/a.rs")).unwrap(), "fn a() {}\n");
    stage.verify();
}

#[test]
fn a_file_beside_the_recording_is_played() {
    let big = "x".repeat(1 << 20);
    let stage =
        Stage::claude([Recording::new().beside("big.txt", big.clone()).out_file("big.txt")]);
    assert_eq!(stdout(&finished(stage.command("claude").args(["-p", "x"]))), big);
    stage.verify();
}

#[test]
fn a_recording_directory_is_played_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    Recording::raw("captured\n").write_to(dir.path().join("claude/01.jsonl")).unwrap();
    let stage = Stage::of(dir.path());
    assert_eq!(stdout(&finished(stage.command("claude").args(["-p", "x"]))), "captured\n");
    stage.verify();
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(names, ["claude"], "nothing is written into it");
}
