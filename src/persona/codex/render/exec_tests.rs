use super::super::{Format, Review, Spawn};
use super::*;

/// The streams of a spawn that plays one turn, and its exit code.
fn played(spawn: Spawn, turn: &str) -> (String, String, u8) {
    let mut renderer = Renderer::new(spawn);
    let mut pieces = renderer.start();
    pieces.extend(renderer.turn(&serde_json::from_str(turn).unwrap()));
    if pieces.last() == Some(&Piece::AwaitInterrupt) {
        pieces.extend(renderer.interrupted());
    }
    pieces.extend(renderer.end());
    let text = |wanted: fn(&Piece) -> Option<&Vec<u8>>| {
        let bytes: Vec<u8> = pieces.iter().filter_map(wanted).flatten().copied().collect();
        String::from_utf8(bytes).unwrap()
    };
    let out = text(|piece| if let Piece::Out(bytes) = piece { Some(bytes) } else { None });
    let err = text(|piece| if let Piece::Err(bytes) = piece { Some(bytes) } else { None });
    (out, err, renderer.exit_code())
}

fn json() -> Spawn {
    Spawn { json: true, cwd: "/w".to_owned(), ..Spawn::default() }
}

/// The lines of a turn between `turn.started` and its end.
fn body(turn: &str) -> Vec<String> {
    let (out, _, _) = played(json(), turn);
    let lines: Vec<String> = out.lines().map(str::to_owned).collect();
    lines[2..lines.len() - 1].to_vec()
}

#[test]
fn a_command_that_asked_and_failed_was_declined_where_nobody_can_be_asked() {
    let turn = r#"{"tools": [{"name": "Bash", "input": {"command": "rm x"}, "result": "no",
        "ask": true, "is_error": true}]}"#;
    assert_eq!(
        body(turn)[1],
        concat!(
            r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","#,
            r#""command":"/bin/bash -lc 'rm x'","aggregated_output":"","exit_code":null,"#,
            r#""status":"declined"}}"#
        )
    );
    let human = Spawn { json: false, ..json() };
    let (_, err, code) = played(human, turn);
    assert!(err.contains("exec\n/bin/bash -lc 'rm x' in /w\n declined:\n"), "{err}");
    assert_eq!(code, 0);
}

#[test]
fn the_tools_of_the_other_cli_are_known() {
    let turn = r#"{"tools": [
        {"name": "Read", "input": {"file_path": "a b.txt"}, "result": "x"},
        {"name": "Write", "input": {"file_path": "n.txt", "content": "x"}},
        {"name": "WebFetch", "input": {"url": "http://x"}},
        {"name": "Task", "input": {"description": "d", "prompt": "p"},
            "result": [{"type": "text", "text": "done"}]},
        {"name": "TodoWrite", "input":
            {"todos": [{"content": "one", "status": "in_progress", "activeForm": "o"}]}}]}"#;
    let lines = body(turn);
    let kinds: Vec<String> = lines
        .iter()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            format!(
                "{} {}",
                event["type"].as_str().unwrap(),
                event["item"]["type"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    assert!(lines[0].contains(r#""command":"/bin/bash -lc \"cat 'a b.txt'\"""#), "{}", lines[0]);
    assert!(lines[3].contains(r#"[{"path":"/w/n.txt","kind":"add"}]"#), "{}", lines[3]);
    assert!(lines[9].contains(r#""status":"completed","message":"done""#), "{}", lines[9]);
    assert_eq!(kinds[10..], ["item.started todo_list", "item.completed todo_list"]);
}

#[test]
fn mcp_results_may_be_texts_blocks_or_errors() {
    let call = |result: &str, is_error: bool| {
        body(&format!(
            r#"{{"tools": [{{"name": "mcp__lab__my__tool", "result": {result},
                "is_error": {is_error}}}]}}"#
        ))
        .remove(1)
    };
    let text = call(r#""hi""#, false);
    assert!(text.contains(r#""server":"lab","tool":"my__tool","arguments":{},"#), "{text}");
    let result = r#""result":{"content":[{"type":"text","text":"hi"}],"structured_content":null}"#;
    assert!(text.contains(&format!(r#"{result},"error":null,"status":"completed""#)), "{text}");
    let failed = call(r#"[{"type": "text", "text": "hi"}]"#, true);
    assert!(failed.contains(&format!(r#"{result},"error":null,"status":"failed""#)), "{failed}");
    let error = call(r#"{"error": "boom"}"#, true);
    assert!(
        error.contains(r#""result":null,"error":{"message":"boom"},"status":"failed""#),
        "{error}"
    );
}

#[test]
fn raw_items_are_kept_to_the_byte_and_get_an_id_if_they_have_none() {
    let lines = body(
        r#"{"text": "t", "items": [{ "type":"x", "n": 1.0, "a":"\u00e9" }, {"id": "mine"}, {}]}"#,
    );
    let items = [
        r#"{"id":"item_1", "type":"x", "n": 1.0, "a":"\u00e9" }"#,
        r#"{"id": "mine"}"#,
        r#"{"id":"item_2"}"#,
    ];
    let wanted = items.map(|item| format!(r#"{{"type":"item.completed","item":{item}}}"#));
    assert_eq!(lines[1..], wanted);
}

#[test]
fn a_tool_that_codex_does_not_have_is_a_log_line_and_no_item() {
    let (out, err, code) = played(json(), r#"{"tools": [{"name": "Nope"}], "text": "ok"}"#);
    assert_eq!(out.lines().count(), 4);
    assert!(err.ends_with("Z ERROR codex_core::tools::router: error=unsupported call: Nope\n"));
    assert_eq!(code, 0);
}

#[test]
fn limits_and_refusals_fail_the_turn_after_what_it_has() {
    for stop in ["max_tokens", "refusal", "max_turns", "budget"] {
        let (out, _, code) = played(json(), &format!(r#"{{"text": "t", "stop": "{stop}"}}"#));
        let kinds: Vec<&str> = out.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
        let wanted = ["thread.started", "turn.started", "item.completed", "error", "turn.failed"];
        assert_eq!((kinds, code), (wanted.to_vec(), 1), "{stop}");
    }
}

#[test]
fn an_interrupted_turn_has_no_terminal_event_and_exits_as_its_version_does() {
    for (version, wanted) in [("0.171.0", 1), ("0.125.0", 1), ("0.99.0", 0), ("0.50.0", 0)] {
        let spawn = Spawn { version: version.to_owned(), ..json() };
        let (out, err, code) = played(spawn, r#"{"text": "t", "stop": "interrupted"}"#);
        assert_eq!((out.lines().count(), err.as_str(), code), (3, "", wanted), "{version}");
    }
}

#[test]
fn usage_adds_up_over_the_thread_and_a_review_reports_none() {
    let turn = r#"{"text": "12345", "usage": {"input": 10, "cached_input": 4, "output": 3}}"#;
    let carried = Usage { input: 5, cached_input: 1, output: 2, reasoning: 1 };
    let (out, _, _) = played(Spawn { carried, ..json() }, turn);
    let usage = concat!(
        r#"{"input_tokens":15,"cached_input_tokens":5,"cache_write_input_tokens":0,"#,
        r#""output_tokens":5,"reasoning_output_tokens":1}"#
    );
    assert!(out.contains(usage), "{out}");
    let old = Spawn { carried, version: "0.50.0".to_owned(), ..json() };
    assert!(
        played(old, turn)
            .0
            .contains(r#"{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3}"#)
    );
    let review = Spawn { carried, review: Some(Review::Uncommitted), ..json() };
    assert!(played(review, turn).0.contains(r#""input_tokens":0"#));
}

#[test]
fn the_same_spawn_renders_the_same_bytes() {
    let turn = r#"{"tools": [{"name": "Task", "input": {"prompt": "p"}}, {"name": "Nope"}]}"#;
    assert_eq!(played(json(), turn), played(json(), turn));
    assert_ne!(played(json(), turn), played(Spawn { number: 2, ..json() }, turn));
}

#[test]
fn a_fork_without_a_prompt_only_opens_its_thread() {
    let mut renderer = Renderer::new(Spawn { prompt: None, ..json() });
    let started = renderer.start().len();
    assert_eq!((started, renderer.end(), renderer.exit_code()), (1, Vec::new(), 0));
}

#[test]
fn a_recorded_stream_passes_untouched_with_json_and_reads_as_a_transcript_without() {
    let lines = [
        r#"{"type":"thread.started","thread_id":"T-1"}"#,
        "not json at all",
        r#"{ "type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":2000,"output_tokens":7}}"#,
    ];
    let mut format = Format::new(&json());
    for line in lines {
        assert_eq!(format.line(line.as_bytes()), [Piece::Out(line.into())]);
    }
    let mut format = Format::new(&Spawn { prompt: Some("hi".to_owned()), ..Spawn::default() });
    let mut pieces: Vec<Piece> =
        lines.iter().flat_map(|line| format.line(line.as_bytes())).collect();
    pieces.extend(format.end());
    let Piece::Err(banner) = &pieces[0] else { panic!("the banner is on stderr") };
    assert!(String::from_utf8_lossy(banner).ends_with("session id: T-1\n--------\nuser\nhi\n"));
    assert_eq!(pieces[1], Piece::Err(b"codex\ndone\n".to_vec()));
    assert_eq!(pieces[2], Piece::Err(b"tokens used\n2,007\n".to_vec()));
    assert_eq!(pieces[3], Piece::Out(b"done\n".to_vec()));
    assert_eq!((format.last_message(), format.exit_code()), (Some("done"), 0));
}

#[test]
fn an_error_that_is_no_retry_fails_the_oldest_version_alone() {
    for (version, wanted) in [("0.50.0", 1), ("0.171.0", 0)] {
        let mut format = Format::new(&Spawn { version: version.to_owned(), ..json() });
        format.line(br#"{"type":"error","message":"Re-connecting... 1/2"}"#);
        assert_eq!(format.exit_code(), 0);
        format.line(br#"{"type":"error","message":"MCP client failed"}"#);
        format.line(br#"{"type":"turn.completed","usage":{}}"#);
        assert_eq!(format.exit_code(), wanted, "{version}");
    }
}

#[test]
fn structured_output_is_the_last_message_as_it_was_written() {
    let (out, _, _) =
        played(Spawn { json: false, ..json() }, r#"{"structured": {"b": 1.0,"a":2}}"#);
    assert_eq!(out, "{\"b\": 1.0,\"a\":2}\n");
}

#[test]
fn no_input_of_a_tool_is_too_odd_to_render() {
    let names = ["Bash", "Read", "Edit", "apply_patch", "mcp__a__b", "mcp__", "web_search", "wait"];
    let names = names.into_iter().chain(["TodoWrite", "Task", "spawn_agent", "", "é"]);
    let inputs = ["null", "7", "[]", "\"*** Begin Patch\"", r#"{"command": [7, null]}"#, "{}"];
    let more =
        [r#"{"plan": [null, 3, {"step": 1}]}"#, r#"{"file_path": ""}"#, r#"{"queries": []}"#];
    let inputs: Vec<&str> = inputs.into_iter().chain(more).collect();
    for name in names {
        for input in &inputs {
            let turn = format!(
                r#"{{"tools": [{{"name": "{name}", "input": {input}, "result": {input}}}]}}"#
            );
            for version in ["0.50.0", "0.99.0", "0.171.0", "new"] {
                let spawn = Spawn { version: version.to_owned(), ..json() };
                let (out, _, code) = played(spawn.clone(), &turn);
                for line in out.lines() {
                    serde_json::from_str::<serde_json::Value>(line).expect("events are JSON");
                }
                assert_eq!(code, 0);
                played(Spawn { json: false, color: true, ..spawn }, &turn);
            }
        }
    }
}
