//! What single turns do: the waits, the sums, the partial messages, the odd cases.

use super::super::{Carried, McpServer, Outcome, Output, Renderer, Signal, Spawn, UserLine};
use super::corpus::events;
use super::shape::name;
use crate::persona::Piece;
use crate::recording::turn::Turn;
use serde_json::Value;

fn stream() -> Spawn {
    Spawn { output: Output::StreamJson, verbose: true, ..Spawn::default() }
}

/// A session whose client can be asked.
fn session() -> Spawn {
    Spawn { live: true, permission_prompts: true, ..stream() }
}

fn turn(source: &str) -> Turn {
    serde_json::from_str(source).unwrap()
}

/// What was written, and whether the last piece waits for something.
fn written(pieces: &[Piece]) -> Vec<Value> {
    let text = pieces.iter().map(|piece| match piece {
        Piece::Out(bytes) | Piece::Ask { line: bytes, .. } => str::from_utf8(bytes).unwrap(),
        _ => "",
    });
    events(&text.collect::<String>())
}

fn names(pieces: &[Piece]) -> Vec<String> {
    written(pieces).iter().map(|event| name(event).trim().to_owned()).collect()
}

fn play(spawn: Spawn, source: &str) -> Vec<Value> {
    written(&Renderer::new(spawn).turn(&turn(source), Some(&UserLine::prompt("hello"))))
}

#[test]
fn the_same_spawn_and_turns_give_the_same_bytes_and_another_seed_others() {
    let source = r#"{"thinking":"hm","text":"done",
        "tools":[{"name":"Bash","input":{"command":"ls"},"result":"a"}]}"#;
    let pieces = |seed: &str| {
        let spawn = Spawn { seed: seed.to_owned(), partial: true, ..stream() };
        Renderer::new(spawn).turn(&turn(source), None)
    };
    assert_eq!(pieces("1"), pieces("1"));
    assert_ne!(pieces("1"), pieces("2"));
}

#[test]
fn thinking_is_streamed_with_its_estimate_and_signature() {
    let spawn = Spawn { partial: true, ..stream() };
    let mut renderer = Renderer::new(spawn);
    let pieces = renderer.turn(&turn(r#"{"thinking":"abcdef","chunk":3}"#), None);
    let wanted = [
        "system init",
        "system status",
        "stream_event message_start",
        "stream_event content_block_start",
        "system thinking_tokens",
        "stream_event content_block_delta thinking_delta",
        "stream_event content_block_delta thinking_delta",
        "stream_event content_block_delta signature_delta",
        "assistant thinking",
        "stream_event content_block_stop",
        "stream_event message_delta",
        "stream_event message_stop",
        "result success",
    ];
    assert_eq!(names(&pieces), wanted);
    let events = written(&pieces);
    assert_eq!(events[3]["thinking_display"], "updates");
    let signature = &events[7]["event"]["delta"]["signature"];
    assert_eq!(&events[8]["message"]["content"][0]["signature"], signature);
}

#[test]
fn usage_is_shared_among_the_requests_and_adds_up() {
    let source = r#"{"tools":[{"name":"Bash","result":"a"}],"text":"b",
        "usage":{"input":101,"cached_input":40,"output":7,"reasoning":3}}"#;
    let events = play(stream(), source);
    let usage = &events.last().unwrap()["usage"];
    assert_eq!(usage["input_tokens"], 61);
    assert_eq!(usage["cache_read_input_tokens"], 40);
    assert_eq!(usage["output_tokens"], 7);
    assert_eq!(usage["output_tokens_details"]["thinking_tokens"], 3);
    let of = |index: usize| events[index]["message"]["usage"]["input_tokens"].as_u64().unwrap();
    assert_eq!((of(1), of(3)), (31, 30));
}

#[test]
fn without_usage_a_token_is_four_characters_rounded_up() {
    let events = play(stream(), r#"{"thinking":"abcde","text":"abcd"}"#);
    let usage = &events.last().unwrap()["usage"];
    assert_eq!(usage["input_tokens"], 2, "for \"hello\"");
    assert_eq!(usage["output_tokens"], 3);
    assert_eq!(usage["output_tokens_details"]["thinking_tokens"], 2);
}

#[test]
fn cost_adds_up_over_turns_and_in_the_newer_version_over_resumed_sessions() {
    let one = turn(r#"{"text":"a","usage":{"input":100,"output":20}}"#);
    let cost = |pieces: &[Piece]| written(pieces).last().unwrap()["total_cost_usd"].clone();
    for (version, first, resumed) in [("2.1.332", 0.0008, 0.0024), ("2.1.197", 0.001, 0.001)] {
        let spawn = |earlier| Spawn { version: version.to_owned(), earlier, ..stream() };
        let mut renderer = Renderer::new(spawn(Carried::default()));
        assert_eq!(cost(&renderer.turn(&one, None)), first);
        assert_eq!(cost(&renderer.turn(&one, None)), 2.0 * first);
        let mut next = Renderer::new(spawn(renderer.carried()));
        let again = cost(&next.turn(&one, None)).as_f64().unwrap();
        assert!((again - resumed).abs() < 1e-9, "{again}");
    }
}

#[test]
fn structured_output_is_a_tool_call_where_a_schema_is_given_and_text_where_none_is() {
    let schema = Spawn { json_schema: true, ..stream() };
    let source = r#"{"structured": { "a" : 1 } }"#;
    let events = play(schema, source);
    let result = events.last().unwrap();
    assert_eq!(result["structured_output"]["a"], 1);
    assert_eq!(
        (&result["result"], &result["stop_reason"]),
        (&"{\"a\":1}".into(), &"tool_use".into())
    );
    let events = play(stream(), source);
    assert_eq!(events.last().unwrap()["result"], "{\"a\":1}");
    assert!(events.last().unwrap().get("structured_output").is_none());
}

#[test]
fn a_question_waits_for_its_answer_and_a_denial_is_listed() {
    let source = r#"{"text":"done",
        "tools":[{"name":"Bash","input":{"command":"ls"},"result":"x","ask":true}]}"#;
    let mut renderer = Renderer::new(session());
    let pieces = renderer.turn(&turn(source), None);
    assert!(matches!(pieces.last(), Some(Piece::Ask { .. })));
    assert!(renderer.withdrawn().is_some());
    let deny = Outcome::Deny { message: "no".to_owned(), interrupt: false };
    let events = written(&renderer.answered(&deny));
    assert_eq!(events[0]["message"]["content"][0]["content"], "no");
    let result = events.last().unwrap();
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert_eq!(result["is_error"], false);
    assert!(renderer.withdrawn().is_none());
    assert!(renderer.answered(&deny).is_empty(), "nothing was asked");
}

#[test]
fn a_denial_that_interrupts_ends_the_turn_as_an_error() {
    let source = r#"{"tools":[{"name":"Bash","result":"x","ask":true}],"text":"never said"}"#;
    let mut renderer = Renderer::new(session());
    renderer.turn(&turn(source), None);
    let deny = Outcome::Deny { message: "no".to_owned(), interrupt: true };
    let pieces = renderer.answered(&deny);
    assert_eq!(names(&pieces), ["user tool_result", "user text", "result error_during_execution"]);
    assert_eq!(renderer.exit_code(), 1);
}

#[test]
fn an_older_version_wants_the_input_back() {
    let source = r#"{"tools":[{"name":"Bash","result":"x","ask":true}]}"#;
    let mut renderer = Renderer::new(Spawn { version: "2.1.197".to_owned(), ..session() });
    renderer.turn(&turn(source), None);
    let events = written(&renderer.answered(&Outcome::Allow { input: None }));
    let content = events[0]["message"]["content"][0]["content"].as_str().unwrap();
    assert!(content.starts_with("Tool permission request failed: ZodError"), "{content}");
}

#[test]
fn nobody_is_asked_who_cannot_be_or_who_gave_leave() {
    let source = r#"{"tools":[{"name":"Bash","result":"x","ask":true}],"text":"done"}"#;
    let bypass = Spawn { permission_mode: "bypassPermissions".to_owned(), ..session() };
    for spawn in [stream(), bypass] {
        let events = play(spawn, source);
        assert_eq!(events.last().unwrap()["result"], "done");
        assert_eq!(events[2]["message"]["content"][0]["content"], "x");
    }
}

#[test]
fn an_interrupted_tool_is_rejected_whether_it_was_asked_about_or_not() {
    for ask in [false, true] {
        let source = format!(
            r#"{{"stop":"interrupted",
            "tools":[{{"name":"Bash","input":{{"command":"sleep 9"}},"ask":{ask}}}]}}"#
        );
        let mut renderer = Renderer::new(session());
        let mut pieces = renderer.turn(&turn(&source), None);
        if ask {
            assert!(matches!(pieces.last(), Some(Piece::Ask { .. })));
            pieces = renderer.answered(&Outcome::Allow { input: None });
        }
        assert_eq!(pieces.last(), Some(&Piece::AwaitInterrupt));
        let events = written(&renderer.interrupted());
        assert_eq!(events[0]["tool_use_result"], "User rejected tool use");
        assert_eq!(events.last().unwrap()["terminal_reason"], "aborted_tools");
        assert!(renderer.interrupted().is_empty());
    }
}

#[test]
fn a_denied_tool_is_not_waited_for() {
    let source = r#"{"tools":[{"name":"Bash","ask":true}],"stop":"interrupted"}"#;
    let mut renderer = Renderer::new(session());
    renderer.turn(&turn(source), None);
    let pieces = renderer.answered(&Outcome::Garbage);
    assert_eq!(names(&pieces), ["user tool_result", "result success"]);
}

#[test]
fn signals_print_and_exit_as_the_real_cli_does() {
    let running = r#"{"tools":[{"name":"Bash"}],"stop":"interrupted"}"#;
    let signalled = |version: &str, output, signal, source: &str| {
        let spawn = Spawn { version: version.to_owned(), output, ..stream() };
        let mut renderer = Renderer::new(spawn);
        renderer.turn(&turn(source), None);
        let (pieces, code) = renderer.signalled(signal);
        (pieces.len(), code)
    };
    let waiting = r#"{"stop":"interrupted"}"#;
    let json = Output::StreamJson;
    assert_eq!(signalled("2.1.332", json, Signal::Int, running), (3, 0));
    assert_eq!(signalled("2.1.197", json, Signal::Int, running), (3, 1));
    assert_eq!(signalled("2.1.332", json, Signal::Int, waiting), (1, 0));
    assert_eq!(signalled("2.1.197", json, Signal::Int, waiting), (0, 0));
    assert_eq!(signalled("2.1.332", json, Signal::Term, running), (1, 143));
    assert_eq!(signalled("2.1.197", json, Signal::Hup, running), (0, 129));
    assert_eq!(signalled("2.1.332", Output::Json, Signal::Int, running), (0, 0));
}

#[test]
fn an_mcp_tool_has_its_names_beside_it_and_gives_blocks() {
    let servers = vec![McpServer { name: "calc".to_owned(), sdk: true }];
    let source = r#"{"tools":[{"name":"mcp__calc__add","input":{"a":1},"result":"3"}]}"#;
    let events = play(Spawn { mcp_servers: servers, ..stream() }, source);
    assert_eq!(events[0]["mcp_servers"][0]["source"], "sdk");
    let meta = &events[1]["tool_use_meta"][0];
    assert_eq!(
        (&meta["display_name"], &meta["server_display_name"]),
        (&"Add".into(), &"calc".into())
    );
    assert_eq!(events[2]["tool_use_result"][0]["text"], "3");
    assert_eq!(events[2]["message"]["content"][0]["content"][0]["text"], "3");
}

#[test]
fn what_a_file_holds_is_told_from_what_the_model_sees_of_it() {
    let source =
        r#"{"tools":[{"name":"Read","input":{"file_path":"/a"},"result":"1\talpha\n2\t"}]}"#;
    let events = play(stream(), source);
    let file = &events[2]["tool_use_result"]["file"];
    assert_eq!((&file["content"], &file["numLines"]), (&"alpha\n".into(), &2.into()));
}

#[test]
fn an_empty_turn_answers_nothing_and_is_told_so_where_it_says_it_is_empty() {
    let pieces = Renderer::new(stream()).turn(&turn("{}"), None);
    assert_eq!(names(&pieces), ["system init", "result success"]);
    let pieces = Renderer::new(stream()).turn(&turn(r#"{"empty":true}"#), None);
    assert_eq!(names(&pieces), ["system init", "user text", "result success"]);
    assert_eq!(written(&pieces).last().unwrap()["result"], "");
}

#[test]
fn a_failure_is_a_success_that_is_an_error() {
    let mut renderer = Renderer::new(Spawn::default());
    assert!(renderer.turn(&turn(r#"{"fail":"API Error: 400 no"}"#), None).is_empty());
    assert_eq!(renderer.end(), [Piece::Out(b"API Error: 400 no\n".to_vec())]);
    assert_eq!(renderer.exit_code(), 1);
}

#[test]
fn the_limits_print_their_errors_without_a_newline() {
    let mut renderer = Renderer::new(Spawn { max_turns: Some("3".to_owned()), ..Spawn::default() });
    renderer.turn(&turn(r#"{"tools":[{"name":"Bash"}],"stop":"max_turns"}"#), None);
    assert_eq!(renderer.end(), [Piece::Out(b"Error: Reached max turns (3)".to_vec())]);
}

#[test]
fn no_number_is_too_large() {
    let source = r#"{"tools":[{"name":"Bash","input":7}],"text":"a","chunk":0,
        "duration_ms":18446744073709551615,
        "usage":{"input":18446744073709551615,"cached_input":18446744073709551615,
        "output":18446744073709551615,"reasoning":18446744073709551615}}"#;
    let mut renderer = Renderer::new(Spawn { partial: true, ..stream() });
    for _ in 0..3 {
        assert!(!renderer.turn(&turn(source), None).is_empty());
    }
}
