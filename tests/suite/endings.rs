//! How a spawn ends: exit codes, deaths, the code that follows from the stream, a reader that left.

use serde_json::{Value, json};

use crate::scene::{Scene, Start};

#[test]
fn every_exit_code_is_the_recordings_own() {
    let scene = Scene::new();
    for code in 0..=255 {
        scene.steps(&format!("{code}.jsonl"), "{\"ringer\":1}", &[&format!("{{\"exit\":{code}}}")]);
    }
    for code in 0..=255 {
        let program = if code % 2 == 0 { Scene::claude } else { Scene::codex };
        program(&scene, if code % 2 == 0 { &["-p", "hi"] } else { &["exec", "hi"] })
            .run()
            .is("", "", code);
        assert_eq!(scene.entry(code as u64 + 1).exit(), code.to_string());
    }
}

#[test]
fn an_exit_code_of_97_by_the_recording_is_no_complaint() {
    let scene = Scene::of_steps(&[r#"{"exit":97}"#]);
    scene.play().is("", "", 97);
    assert_eq!(scene.entry(1).problems(), [""; 0]);
}

#[test]
fn a_recorded_death_is_a_real_one() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("HUP", 1), ("PIPE", 13)] {
        let scene =
            Scene::of_steps(&[r#"{"out":"last words"}"#, &format!("{{\"signal\":\"{name}\"}}")]);
        scene.play().is("last words", "", -number);
        let entry = scene.entry(1);
        assert_eq!((entry.exit().as_str(), entry.text("state")), (name, "ended"));
        assert_eq!(entry["terminated"], false, "nobody sent it");
    }
}

#[test]
fn an_error_event_fails_a_codex_run_of_a_version_that_has_it_so() {
    let stream = "{\"type\":\"turn.started\"}\n{\"type\":\"error\",\"message\":\"MCP client for \
                  `dead` failed to start\"}\n{\"type\":\"turn.completed\",\"usage\":{}}\n";
    for (version, code) in [("0.50.0", 1), ("0.99.0", 0), ("0.171.0", 0)] {
        let scene = Scene::of_raw(stream);
        scene.set(&format!("[codex]\nversion = \"{version}\"\n"));
        scene.codex(&["exec", "--json", "hi"]).run().is(stream, "", code);
    }
}

#[test]
fn a_document_that_somebody_has_laid_out_decides_as_on_one_line() {
    let result = |failed: bool| json!({"type": "result", "is_error": failed, "usage": {"a": [1]}});
    let laid_out = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    for (document, code) in [
        (laid_out(&result(true)), 1),
        (laid_out(&result(false)), 0),
        (laid_out(&result(true)) + "\n", 1),
        (laid_out(&json!([{"type": "system"}, result(true)])), 1),
        (laid_out(&json!([result(true), {"type": "system"}, result(false)])), 0),
        // What becomes of a stream.
        (format!("{}\n{}\n", laid_out(&json!({"type": "system"})), laid_out(&result(true))), 1),
        (laid_out(&json!({"type": "user", "text": "\"result\"", "is_error": true})), 0),
    ] {
        let scene = Scene::of_raw(&document);
        let start = scene.claude(&["-p", "hi", "--output-format", "json"]);
        start.run().is(&document, "", code);
        let steps = Scene::of_steps(&[&json!({"out": document}).to_string()]);
        let start = steps.claude(&["-p", "hi", "--output-format", "json"]);
        start.run().is(&document, "", code);
    }
    let failed = laid_out(&json!({"type": "turn.failed", "error": {"message": "x"}}));
    Scene::of_raw(&failed).codex(&["exec", "--json", "hi"]).run().is(&failed, "", 1);
}

#[test]
fn claude_exits_with_1_after_a_failed_result_and_with_0_otherwise() {
    let failed = r#"{"duration_ms":1,"is_error":true,"type":"result"}"#;
    let fine = r#"{"is_error":false,"type":"result"}"#;
    let talk = r#"{"type":"assistant","text":"{\"type\":\"result\",\"is_error\":true}"}"#;
    let cases = [
        (failed.to_owned(), 1),
        (format!("{failed}\n"), 1),
        (format!("{fine}\n{failed}\n"), 1),
        (format!("{failed}\n{fine}\n"), 0),
        (format!("{fine}\n{talk}\n"), 0),
        (format!("{failed}\nnot json\n"), 1),
        (format!("[{{\"type\":\"system\"}},{failed}]\n"), 1),
        ("{\"type\":\"system\"}\n".to_owned(), 0),
        ("{\"is_error\":true,\"type\":\"res".to_owned(), 0),
    ];
    for (stream, code) in cases {
        Scene::of_raw(&stream).play().is(&stream, "", code);
        let step = serde_json::json!({ "out": stream }).to_string();
        Scene::of_steps(&[&step]).play().is(&stream, "", code);
    }
}

#[test]
fn codex_exits_with_1_after_a_failed_turn_and_with_0_otherwise() {
    let failed = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"x\"}}\n";
    let fine = "{\"type\":\"turn.completed\",\"usage\":{}}\n";
    let error = "{\"type\":\"error\",\"message\":\"turn.failed\"}\n";
    for (stream, code) in [
        (failed.to_owned(), 1),
        (format!("{failed}{fine}"), 0),
        (format!("{fine}{failed}"), 1),
        (format!("{error}{fine}"), 0),
        (error.to_owned(), 0),
    ] {
        let scene = Scene::of_raw(&stream);
        scene.codex(&["exec", "--json", "hi"]).run().is(&stream, "", code);
    }
}

#[test]
fn the_last_result_decides_however_long_it_is_and_however_long_the_stream() {
    let result = |length: usize| {
        let text = "x".repeat(length);
        format!("{{\"type\":\"result\",\"result\":\"{text}\",\"is_error\":true}}\n")
    };
    let note = "{\"type\":\"note\"}\n";
    let scene = Scene::new();
    scene.raw("1.jsonl", note.repeat(400_000) + &result(10));
    scene.raw("2.jsonl", result(5 << 20));
    scene.raw("3.jsonl", note.repeat(100_000) + &result(5 << 20) + note);
    scene.raw("4.jsonl", note.repeat(400_000));
    for wanted in [1, 1, 1, 0] {
        let done = scene.claude(&["-p", "hi", "--output-format", "stream-json", "--verbose"]).run();
        assert_eq!(done.status, wanted);
    }
    scene.raw("5.jsonl", note.repeat(400_000) + &result(10));
    let mut unread = scene.claude(&["-p", "hi"]).go();
    unread.hear("note");
    unread.leave();
    assert_eq!(unread.end().status, 1, "what nobody read decides too");
}

#[test]
fn an_exit_step_wins_over_what_the_stream_says() {
    let scene = Scene::of_steps(&[r#"{"out":{"type":"result","is_error":true}}"#, r#"{"exit":0}"#]);
    assert_eq!(scene.play().status, 0);
}

/// Starts a spawn, takes its first bytes and leaves.
fn reader_leaves(start: Start, go_on: &str) -> (crate::running::Done, String) {
    let mut running = start.talk();
    running.hear("first");
    running.leave();
    running.say(go_on);
    let done = running.end();
    let err = done.err();
    (done, err)
}

const TWO_PARTS: [&str; 4] =
    [r#"{"out":"first\n"}"#, r#"{"in":"line"}"#, r#"{"out":"second\n"}"#, r#"{"err":"after"}"#];

#[test]
fn claude_goes_on_silently_when_its_reader_is_gone() {
    let scene = Scene::of_steps(&TWO_PARTS);
    let (done, err) = reader_leaves(scene.claude(&["-p", "hi"]), "on\n");
    assert_eq!((done.status, err.as_str()), (0, "after"));
    let entry = scene.entry(1);
    assert_eq!(entry["reader_gone"]["stdout"], 6);
    assert_eq!(entry.problems(), [""; 0], "a reader that left is a fact, not a problem");
}

#[test]
fn codex_panics_as_the_real_one_when_its_reader_is_gone() {
    let scene = Scene::of_steps(&TWO_PARTS);
    let (done, err) = reader_leaves(scene.codex(&["exec", "hi"]), "on\n");
    assert_eq!(done.status, 101);
    assert!(err.contains("failed printing to stdout: Broken pipe (os error 32)"), "{err}");
    assert!(!err.contains("after"), "{err}");
    assert_eq!(scene.entry(1).exit(), "101");
}

#[test]
fn a_recording_may_say_what_a_gone_reader_means() {
    for (on_epipe, status) in [("\"ignore\"", 0), ("\"sigpipe\"", -13), ("7", 7)] {
        let scene = Scene::new();
        let header = format!("{{\"ringer\":1,\"on_epipe\":{on_epipe}}}");
        scene.steps("01.jsonl", &header, &TWO_PARTS);
        let (done, _) = reader_leaves(scene.codex(&["exec", "hi"]), "on\n");
        assert_eq!(done.status, status, "{on_epipe}");
    }
}

#[test]
fn a_reader_of_stderr_that_left_ends_nothing() {
    let scene = Scene::of_steps(&[r#"{"err":"lost"}"#, r#"{"out":"still here"}"#]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    scene.codex(&["exec", "hi"]).stderr(writer).run().is("still here", "", 0);
}
