use std::path::Path;

use super::*;
use crate::journal::Exit;
use crate::recording::{Regexes, Surroundings, check};

fn checked(recording: &str) -> crate::recording::Summary {
    let file = |_: &str| Ok(());
    let mut around = Surroundings { file: &file, regexes: &mut Regexes::default() };
    check(recording.as_bytes(), &mut around).unwrap()
}

#[test]
fn a_capture_becomes_steps_that_say_what_is_unsure() {
    let run = Capture {
        stdout: b"{\"a\":1}\nx".to_vec(),
        stderr: b"oops\n".to_vec(),
        exit: Some(Exit::Code(3)),
        ..Capture::default()
    };
    let text = capture(&run);
    checked(&text);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            r#"{"order":"unsure","out":{"a":1}}"#,
            r#"{"order":"unsure","out":"x"}"#,
            r#"{"order":"unsure","err":"oops\n"}"#,
            r#"{"exit":3}"#
        ]
    );
}

#[test]
fn a_transcript_of_claude_becomes_turns() {
    let text = concat!(
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s"}"#,
        "\n",
        r#"{"type":"user","sessionId":"s","version":"2.1.332","cwd":"/srv/x","message":{"role":"user","content":"list"}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5}}}"#,
        "\n",
        r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a.rs","is_error":true}]}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","isSidechain":true,"message":{"id":"m9","content":[{"type":"text","text":"no"}]}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m2","content":[{"type":"text","text":"One file."}]}}"#,
        "\n",
        "not json\n",
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"text","text":"again"}]}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m3","content":[{"type":"text","text":"Done."}]}}"#,
        "\n",
    );
    let imported = transcript(text, Path::new("x")).unwrap();
    assert_eq!((imported.program, imported.version.as_deref()), ("claude", Some("2.1.332")));
    let summary = checked(&imported.session());
    assert_eq!(summary.turns, 2);
    assert_eq!(imported.split().len(), 2);
    let first = imported.session().lines().nth(1).unwrap().to_owned();
    assert_eq!(
        first,
        concat!(
            r#"{"turn":{"text":["One file."],"tools":[{"name":"Bash","input":{"command":"ls"},"#,
            r#""result":"a.rs","is_error":true}],"usage":{"input":7,"cached_input":4,"output":5,"#,
            r#""reasoning":0}},"note":"list"}"#
        )
    );
}

#[test]
fn a_transcript_of_codex_becomes_turns() {
    let text = concat!(
        r#"{"type":"session_meta","payload":{"id":"t","cwd":"/srv/x","cli_version":"0.171.0"}}"#,
        "\n",
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context/>"}]}}"#,
        "\n",
        r#"{"type":"event_msg","payload":{"type":"user_message","message":"list"}}"#,
        "\n",
        r#"{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}}"#,
        "\n",
        r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}}"#,
        "\n",
        r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"{\"output\":\"a.rs\",\"metadata\":{\"exit_code\":1}}"}}"#,
        "\n",
        r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"One."}]}}"#,
        "\n",
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9,"cached_input_tokens":2,"output_tokens":3}}}}"#,
        "\n",
    );
    let imported = transcript(text, Path::new("x")).unwrap();
    assert_eq!(imported.program, "codex");
    let session = imported.session();
    assert_eq!(checked(&session).turns, 1);
    assert_eq!(
        session.lines().nth(1).unwrap(),
        concat!(
            r#"{"turn":{"text":["One."],"thinking":"hm","tools":[{"name":"shell","#,
            r#""input":{"command":["ls"]},"result":"a.rs","is_error":true}],"#,
            r#""usage":{"input":9,"cached_input":2,"output":3,"reasoning":0}},"note":"list"}"#
        )
    );
    assert!(transcript("{}\n", Path::new("x")).is_err());
}

#[test]
fn casts_of_both_versions_become_output_with_times() {
    let two = "{\"version\":2}\n[0.5,\"o\",\"a\\r\\n\"]\n[1.25,\"i\",\"k\"]\n[1.5,\"o\",\"b\"]\n";
    let three =
        "{\"version\":3}\n# c\n[0.5,\"o\",\"a\\r\\n\"]\n[1.0,\"o\",\"b\"]\n[0.1,\"x\",\"2\"]\n";
    let text = cast(two, Path::new("x")).unwrap();
    assert_eq!(text.lines().nth(2), Some(r#"{"at":1500,"out":"b"}"#));
    let text = cast(three, Path::new("x")).unwrap();
    checked(&text);
    assert_eq!(text.lines().nth(2), Some(r#"{"at":1500,"out":"b"}"#));
    assert_eq!(text.lines().nth(3), Some(r#"{"at":1600,"exit":2}"#));
    assert!(cast("{}\n", Path::new("x")).is_err());
}

/// The turns of a transcript, as their JSON.
fn turns(lines: &[&str]) -> Vec<String> {
    let imported = transcript(&lines.join("\r\n"), Path::new("x")).unwrap();
    checked(&imported.session());
    imported.session().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn what_is_no_prompt_in_a_transcript_of_claude_begins_no_turn() {
    let user = |content: &str, more: &str| {
        format!(r#"{{"type":"user","sessionId":"s"{more},"message":{{"content":"{content}"}}}}"#)
    };
    let answer = |text: &str, more: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"s"{more},"message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        user("list", r#","uuid":"u1""#),
        answer("One.", r#","uuid":"u2""#),
        user("a summary", r#","isCompactSummary":true"#),
        answer("Two.", ""),
        user("list", r#","uuid":"u1""#),
        user("<command-name>/compact</command-name>", ""),
        user("<local-command-stdout>Compacted</local-command-stdout>", ""),
        user("again", ""),
        user("[Request interrupted by user]", ""),
        user("more", ""),
        answer("API Error: 529", r#","isApiErrorMessage":true"#),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        turns(&lines),
        [
            r#"{"turn":{"text":["One.","Two."]},"note":"list"}"#,
            r#"{"turn":{"stop":"interrupted","empty":true},"note":"again"}"#,
            r#"{"turn":{"fail":"API Error: 529"},"note":"more"}"#
        ]
    );
}

#[test]
fn an_older_transcript_of_codex_becomes_turns() {
    let lines = [
        r#"{"id":"t","timestamp":"2025-08-01T00:00:00Z","instructions":null}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"list"}]}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"One."}]}"#,
    ];
    assert_eq!(turns(&lines), [r#"{"turn":{"text":["One."]},"note":"list"}"#]);
}

#[test]
fn tokens_of_codex_that_are_told_twice_count_once() {
    let count = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9},"last_token_usage":{"input_tokens":9}}}}"#;
    let lines = [
        r#"{"type":"session_meta","payload":{"id":"t"}}"#,
        r#"{"type":"event_msg","payload":{"type":"user_message","message":"list"}}"#,
        count,
        count,
        r#"{"type":"event_msg","payload":{"type":"turn_aborted"}}"#,
    ];
    let turns = turns(&lines);
    assert!(turns[0].contains(r#""input":9,"#) && turns[0].contains("interrupted"), "{turns:?}");
}

#[test]
fn a_line_that_is_half_written_is_passed_over_and_told() {
    let text = concat!(
        r#"{"type":"user","sessionId":"s","message":{"content":"list"}}"#,
        "\n\n{\"type\":\"assist"
    );
    assert_eq!(transcript(text, Path::new("x")).unwrap().unreadable, [3]);
    assert!(transcript(" \n", Path::new("x")).unwrap_err().to_string().contains("is empty"));
}
