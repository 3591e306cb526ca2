//! Whether a stage was played as recorded.

use ringer::{Recording, Stage, When};

use super::{finished, panic_of, sh};

#[test]
fn running_out_of_recordings_is_in_the_verdict_whatever_became_of_the_exit_code() {
    let stage = Stage::claude([Recording::new().out("once\n")]);
    sh(&stage, "claude -p first; claude -p second || true");
    let text = panic_of(|| stage.verify());
    assert!(text.starts_with("the doubles did not play as recorded\n"), "{text}");
    assert!(text.contains("problem in spawn 2 (`claude -p second`): exhausted"), "{text}");
    assert!(text.contains("[\"claude\", \"-p\", \"second\"]"), "{text}");
    let cwd = std::env::current_dir().unwrap();
    assert!(text.contains(&format!("spawn 2 in {}:", cwd.display())), "{text}");
    assert!(text.contains("the stage was in /"), "{text}");
}

#[test]
fn a_prompt_that_no_recording_accepts_is_in_the_verdict_with_the_closest_one() {
    let stage = Stage::claude([Recording::new().when(When::new().prompt("red"))]);
    finished(stage.command("claude").args(["-p", "blue"]));
    let text = stage.try_verify().unwrap_err().to_string();
    assert!(text.contains("unmatched"), "{text}");
    assert!(text.contains("claude/01.jsonl"), "{text}");
    assert!(text.contains("red"), "{text}");
}

#[test]
fn what_is_left_is_told_and_may_be_allowed() {
    let recordings = || [Recording::new().plays(3), Recording::new(), Recording::new().plays_any()];
    let stage = Stage::claude(recordings());
    finished(stage.command("claude").args(["-p", "x"]));
    let left: Vec<_> =
        stage.remaining().into_iter().map(|left| (left.recording, left.left, left.plays)).collect();
    let expected = [("claude/01.jsonl", 2, 3), ("claude/02.jsonl", 1, 1)];
    assert_eq!(left, expected.map(|(name, left, plays)| (name.to_owned(), left, plays)));
    let unverified = stage.try_verify().unwrap_err();
    assert_eq!(unverified.verdict.unwrap().left.len(), 2);

    let stage = Stage::builder().claude(recordings()).allow_unused().build();
    finished(stage.command("claude").args(["-p", "x"]));
    stage.verify();
}

#[test]
fn a_stage_that_nobody_came_to_is_not_fine_unless_it_has_nothing_to_play() {
    let stage = Stage::claude(["never asked"]);
    let text = stage.try_verify().unwrap_err().to_string();
    assert!(text.contains("no double was started at all"), "{text}");
    Stage::builder().build().verify();
}

#[test]
fn a_stage_without_recordings_refuses_and_tells() {
    let stage = Stage::builder().build();
    let out = finished(stage.command("claude").args(["-p", "x"]));
    assert_eq!(out.status.code(), Some(97));
    assert!(stage.try_verify().is_err());
}

#[test]
fn a_stage_that_is_dropped_without_a_verdict_makes_up_for_it() {
    let stage = Stage::claude(["never asked"]);
    let text = panic_of(|| drop(stage));
    assert!(text.contains("no double was started at all"), "{text}");
    assert!(text.ends_with("(found as the stage was dropped; call `verify()` to be told where)"));
}

#[test]
fn a_failing_test_is_not_made_worse_by_its_stage() {
    let text = panic_of(|| {
        let _stage = Stage::claude(["never asked"]);
        panic!("the test's own failure");
    });
    assert_eq!(text, "the test's own failure");
}

#[test]
fn a_stage_that_was_reset_plays_from_the_first_recording() {
    let said = |text: &str| Recording::new().out(text);
    let stage = Stage::claude([said("1"), said("2")]);
    sh(&stage, "claude -p x; claude -p x");
    stage.verify();
    stage.reset();
    assert!(stage.invocations().is_empty());
    assert_eq!(super::stdout(&sh(&stage, "claude -p x; claude -p x")), "12");
    stage.verify();
}

#[test]
fn a_reset_waits_for_no_double_that_still_runs() {
    let stage = Stage::claude([Recording::new().hang()]);
    let mut double = stage.command("claude").args(["-p", "x"]).spawn().unwrap();
    stage.wait_for(1, std::time::Duration::from_secs(20));
    let error = stage.try_reset().unwrap_err().to_string();
    assert!(error.contains("a double still runs with it: spawn 1"), "{error}");
    double.kill().unwrap();
    double.wait().unwrap();
    stage.verify();
}
