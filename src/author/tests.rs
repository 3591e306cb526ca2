use std::time::Duration;

use serde_json::json;

use super::*;
use crate::recording::{BindName, OnEpipe, StdStream, StdinMode};

fn text(recording: &Recording) -> String {
    String::from_utf8(recording.to_bytes().unwrap()).unwrap()
}

fn refused(recording: &Recording) -> String {
    recording.to_bytes().unwrap_err()
}

#[test]
fn every_verb_of_the_format_can_be_written() {
    let ms = Duration::from_millis;
    let all = Recording::new()
        .beside("a.txt", "x")
        .out("a\n")
        .split([1])
        .gap(ms(5))
        .more()
        .at(ms(7))
        .step_note("why")
        .out(json!({"b": 1, "a": [true, null]}))
        .out_bytes([0xff])
        .out_file("a.txt")
        .out_fill("x", 3)
        .err("e")
        .err_bytes("text")
        .err_file("a.txt")
        .err_fill("y", 2)
        .input(Input::line().named("call").timeout(ms(9)).on_timeout(|s| s.exit(1)))
        .input(json!({"type": "user"}))
        .input(Input::bytes(4))
        .reply(json!({"id": "$id:call"}))
        .turn("hi")
        .wait(Duration::from_micros(1500))
        .repeat(Repeat::until(json!({"stop": true})).at_most(3).every(ms(2)), |s| s.out("t"))
        .on_signal("TERM", |s| s.err("bye").exit(143))
        .ignore_signal("INT")
        .file_write("a", "text")
        .file_append("a", [0xff])
        .file_mkdir("d")
        .file_remove("${home}/a")
        .child([StdStream::Stdout], |s| s.wait(ms(1)))
        .close(StdStream::Stdin)
        .hang()
        .signal("KILL");
    assert_eq!(
        text(&all),
        r#"{"ringer": 1}
{"out": "a\n", "split": [1], "gap_ms": 5, "more": true, "at": 7, "note": "why"}
{"out": {"b":1,"a":[true,null]}}
{"out_base64": "/w=="}
{"out_file": "a.txt"}
{"out_fill": {"text":"x","times":3}}
{"err": "e"}
{"err": "text"}
{"err_file": "a.txt"}
{"err_fill": {"text":"y","times":2}}
{"in": "line", "as": "call", "timeout_ms": 9, "on_timeout": [{"exit": 1}]}
{"in": {"type":"user"}}
{"in": {"bytes":4}}
{"reply": {"id":"$id:call"}}
{"turn": {"text":["hi"]}}
{"wait_ms": 1.5}
{"repeat": {"until": {"stop":true}, "times": 3, "every_ms": 2, "steps": [{"out": "t"}]}}
{"on_signal": "TERM", "steps": [{"err": "bye"}, {"exit": 143}]}
{"on_signal": "INT"}
{"file": {"write": "a", "text": "text"}}
{"file": {"append": "a", "base64": "/w=="}}
{"file": {"mkdir": "d"}}
{"file": {"remove": "${home}/a"}}
{"child": {"hold": ["stdout"], "steps": [{"wait_ms": 1}]}}
{"close": "stdin"}
{"hang": true}
{"signal": "KILL"}
"#
    );
}

#[test]
fn every_key_of_the_header_can_be_written() {
    let header = Recording::new()
        .when(When::new().stdin_kind(StreamKind::Pipe).stdin("x").argv_regex("y"))
        .plays(2)
        .probe()
        .stdin(StdinMode::Eof)
        .bind(BindName::SessionId, "abcd")
        .bind(BindName::ThreadId, "efgh")
        .bind(BindName::Home, "/home/me")
        .on_epipe(OnEpipe::Exit(7))
        .launcher(["TERM"])
        .claim_at_start()
        .orphan()
        .speed(1.5)
        .render(true)
        .note("n")
        .header("cli_version", "2.1.332");
    assert_eq!(
        text(&header),
        concat!(
            r#"{"ringer": 1, "when": {"stdin_kind": "pipe", "stdin": "x", "argv_regex": "y"}, "#,
            r#""plays": 2, "probe": true, "stdin": "eof", "bind": {"session_id": "abcd", "#,
            r#""thread_id": "efgh", "home": "/home/me"}, "on_epipe": 7, "#,
            r#""launcher": {"forward":["TERM"]}, "claim": "start", "orphan": true, "speed": 1.5, "#,
            r#""render": true, "note": "n", "cli_version": "2.1.332"}"#,
            "\n"
        )
    );
    for word in [OnEpipe::Auto, OnEpipe::Ignore, OnEpipe::Sigpipe] {
        text(&Recording::new().on_epipe(word));
    }
    for mode in [StdinMode::Auto, StdinMode::Ignore, StdinMode::Lines] {
        text(&Recording::new().stdin(mode));
    }
}

#[test]
fn a_recording_that_would_be_refused_is_refused_with_its_line_and_the_reason() {
    assert_eq!(
        refused(&Recording::new().out("x").signal("SIGTERM")),
        "line 3: `signal`: unknown signal \"SIGTERM\"; did you mean \"TERM\"?\n  \
         {\"signal\": \"SIGTERM\"}"
    );
    assert_eq!(
        refused(&Recording::new().exit(1).out("x")),
        "line 3: this step is never played; the one before it is the end\n  {\"out\": \"x\"}"
    );
    let broken = refused(&Recording::new().when(When::new().prompt("(")));
    assert!(broken.starts_with("line 1: when.prompt"), "{broken}");
    let contradiction = refused(&Turn::new().text("x").empty().into());
    assert!(contradiction.contains("no text and no tool call"), "{contradiction}");
}

#[test]
fn a_word_about_the_last_step_needs_one() {
    let fault = "`more` says something about the last step: there is none";
    assert_eq!(refused(&Recording::new().more()), fault);
    assert_eq!(refused(&Recording::new().repeat(2, |round| round.more())), fault);
    assert_eq!(refused(&Recording::new().input(Input::eof().on_eof(|s| s.more()))), fault);
}

#[test]
fn a_raw_recording_takes_nothing_else_and_is_checked_if_it_holds_steps() {
    let bytes: &[u8] = b"\xff{\"ringer\"";
    assert_eq!(Recording::raw(bytes).to_bytes().unwrap(), bytes);
    assert!(refused(&Recording::raw("x").exit(1)).starts_with("a raw recording has no header"));
    assert!(refused(&Recording::raw("x").plays(2)).starts_with("a raw recording has no header"));
    assert!(refused(&Recording::raw("{\"ringer\": 2}\n")).contains("version"));
}

#[test]
fn a_refused_recording_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("claude/01.jsonl");
    let error = Recording::new().out_file("no.txt").write_to(&path).unwrap_err().to_string();
    assert!(error.contains("no such file in"), "{error}");
    assert!(!dir.path().join("claude").exists());
    Recording::new().beside("yes.txt", "y").out_file("yes.txt").write_to(&path).unwrap();
    assert_eq!(std::fs::read(dir.path().join("claude/yes.txt")).unwrap(), b"y");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "{\"ringer\": 1}\n{\"out_file\": \"yes.txt\"}\n"
    );
}
