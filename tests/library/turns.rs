//! Turns are rendered as the spawn asks for them.

use ringer::author::{Stop, Usage};
use ringer::{Recording, Stage, Turn};

use super::{sh, stdout};

#[test]
fn a_text_is_the_answer_in_whatever_format_the_spawn_asks_for() {
    let stage = Stage::builder().claude(["It is 42."; 2]).codex(["It is 42."; 2]).build();
    let text = sh(&stage, "claude -p x; codex exec x 2>/dev/null");
    assert_eq!(stdout(&text), "It is 42.\nIt is 42.\n");
    let json = sh(&stage, "claude -p --output-format json x; codex exec --json x");
    assert!(stdout(&json).contains(r#""result":"It is 42.""#), "{}", stdout(&json));
    assert!(stdout(&json).contains(r#""text":"It is 42.""#), "{}", stdout(&json));
    stage.verify();
}

#[test]
fn a_turn_can_fail_a_number_of_times_before_one_succeeds() {
    let stage = Stage::claude([
        Recording::from(Turn::new().text("I was about").fail("API Error: 529")).plays(2),
        Recording::from("done"),
    ]);
    let out = sh(&stage, "for i in 1 2 3; do claude -p x && break; done");
    assert!(stdout(&out).ends_with("done\n"), "{}", stdout(&out));
    let codes: Vec<_> = stage.invocations().iter().map(|spawn| spawn.exit_code()).collect();
    assert_eq!(codes, [Some(1), Some(1), Some(0)]);
    stage.verify();
}

#[test]
fn token_counts_are_those_of_the_turn_or_one_for_four_characters() {
    let stage = Stage::codex([
        Turn::new().text("hi").usage(Usage::new(1_000, 7).cached_input(900).reasoning(3)),
        Turn::new().text("123456789"),
    ]);
    let first = sh(&stage, "codex exec --json x");
    let counts = [r#""input_tokens":1000"#, r#""cached_input_tokens":900"#, r#""output_tokens":7"#];
    for count in counts {
        assert!(stdout(&first).contains(count), "{count}: {}", stdout(&first));
    }
    let second = sh(&stage, "codex exec --json x");
    assert!(stdout(&second).contains(r#""output_tokens":3"#), "{}", stdout(&second));
    stage.verify();
}

#[test]
fn an_answer_can_be_cut_at_the_token_limit() {
    // The real CLI asks for more three times, and then gives up.
    let stage = Stage::claude([Turn::new().text("Once upon a ti").stop(Stop::MaxTokens)]);
    let out = sh(&stage, "claude -p --output-format stream-json --verbose x");
    assert_eq!(stdout(&out).matches("Once upon a ti").count(), 4, "{}", stdout(&out));
    let result = stdout(&out).lines().last().unwrap_or_default();
    assert!(result.contains(r#""api_error":"max_output_tokens""#), "{result}");
    assert_eq!(out.status.code(), Some(1));
    stage.verify();
}

#[test]
fn a_live_session_gets_one_turn_a_message_and_its_lines_are_journaled() {
    let stage = Stage::claude([Recording::new().turn("first").turn("second")]);
    let say = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
    let session = "claude -p --input-format stream-json --output-format stream-json --verbose";
    let out = sh(&stage, &format!("printf '%s\\n' '{say}' '{say}' | {session}"));
    let results = stdout(&out).lines().filter(|line| line.contains(r#""type":"result""#));
    assert_eq!(results.count(), 2, "{}", stdout(&out));
    let exchange = stage.invocation(1).exchange();
    let heard: Vec<_> = exchange.iter().filter(|line| line.dir == "in").collect();
    assert_eq!(heard.iter().map(|line| line.line.as_str()).collect::<Vec<_>>(), [say, say]);
    assert!(exchange.iter().any(|line| line.dir == "out" && line.line.contains("second")));
    stage.verify();
}
