//! Turns that are driven live: questions, interrupts, signals, and what a session hands on.

use super::{options, spawn, text, voice};
use crate::journal::Exit;
use crate::persona::claude::arguments::{self, Request, Surroundings};
use crate::persona::claude::perform::{Circumstances, ClaudeVoice, session_id};
use crate::persona::performer::{Frame, Performer as _};
use crate::persona::{Meaning, Piece};
use crate::recording::Signal;
use crate::recording::turn::Turn;
use serde_json::{Value, json};

const USER: &[u8] = br#"{"type":"user","message":{"role":"user","content":"hi"},"session_id":""}"#;
const ASKS: &str = r#"{"tools":[{"name":"Bash","input":{"command":"ls"},"result":"a.txt","ask":true}],"text":"done"}"#;

fn turn(source: &str) -> Turn {
    serde_json::from_str(source).unwrap()
}

fn events(pieces: &[Piece]) -> Vec<Value> {
    text(pieces).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Plays a turn that asks, with this answer, and gives what follows.
fn asked(response: &str) -> Vec<Value> {
    let mut voice = voice("2.1.332");
    let pieces = voice.turn(&turn(ASKS), Some(USER));
    let Some(Piece::Ask { id, .. }) = pieces.last() else { panic!("{pieces:?}") };
    let line = response.replace("\"ID\"", id);
    assert_eq!(voice.frame(line.as_bytes(), true), Frame::Reply { id: id.clone() });
    events(&voice.answered(Some(line.as_bytes())))
}

fn answer(answer: &str) -> Vec<Value> {
    asked(&format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"ID","response":{answer}}}}}"#
    ))
}

#[test]
fn every_answer_to_a_question_has_its_own_end() {
    let content = |events: &[Value]| events[0]["message"]["content"][0]["content"].clone();
    for allowed in [r#"{"behavior":"allow","updatedInput":{"command":"ls"}}"#, r#"{"allow":true}"#]
    {
        let events = answer(allowed);
        assert_eq!(content(&events), "a.txt", "{allowed}");
        assert_eq!(events.last().unwrap()["result"], "done");
    }
    for denied in [r#"{"behavior":"deny","message":"no"}"#, r#"{"allow":false,"reason":"no"}"#] {
        let events = answer(denied);
        assert_eq!(content(&events), "no", "{denied}");
        assert_eq!(events.last().unwrap()["permission_denials"].as_array().unwrap().len(), 1);
    }
    let events = answer(r#"{"behavior":"deny","message":"no","interrupt":true}"#);
    assert_eq!(events.last().unwrap()["subtype"], "error_during_execution");
    let events = answer(r#"{"nonsense":1}"#);
    assert!(content(&events).as_str().unwrap().contains("invalid permission result"));
    let events = asked(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"ID","error":"boom"}}"#,
    );
    assert_eq!(content(&events), "Tool permission request failed: Error: boom");
}

#[test]
fn a_question_that_nobody_answers_is_given_up_at_the_end_of_stdin() {
    let mut voice = voice("2.1.332");
    voice.turn(&turn(ASKS), Some(USER));
    let events = events(&voice.answered(None));
    let told = "Tool permission request failed: AbortError: Tool permission stream closed before \
                response received";
    assert_eq!(events[0]["message"]["content"][0]["content"], told);
    assert_eq!(events.last().unwrap()["is_error"], false);
}

#[test]
fn an_interrupt_withdraws_the_question_answers_and_ends_the_turn() {
    let line = br#"{"type":"control_request","request_id":"i","request":{"subtype":"interrupt"}}"#;
    for (version, answer) in [("2.1.332", json!({"still_queued": []})), ("2.1.197", Value::Null)] {
        let mut voice = voice(version);
        voice.turn(&turn(ASKS), Some(USER));
        assert_eq!(voice.frame(line, true), Frame::Interrupt);
        let said = events(&voice.interrupt_answer(line));
        assert_eq!(said[0]["type"], "control_cancel_request");
        assert_eq!(said[1]["response"]["request_id"], "i");
        assert_eq!(said[1]["response"]["response"], answer);
        let said = events(&voice.interrupted());
        assert_eq!(said.last().unwrap()["subtype"], "error_during_execution");
        assert_eq!(voice.exit_code(), 1);
        // The session goes on, and nothing is interrupted any more.
        assert!(matches!(voice.frame(line, false), Frame::Answered(pieces) if pieces.len() == 1));
        voice.turn(&turn(r#"{"text":"again"}"#), Some(USER));
        assert_eq!(voice.exit_code(), 0);
    }
}

#[test]
fn the_end_of_a_session_ends_its_turn_too() {
    let line =
        br#"{"type":"control_request","request_id":"e","request":{"subtype":"end_session"}}"#;
    let mut voice = voice("2.1.332");
    voice.turn(&turn(r#"{"stop":"interrupted"}"#), Some(USER));
    let Frame::Fatal { pieces, code } = voice.frame(line, true) else { panic!("it goes on") };
    let kinds: Vec<Value> = events(&pieces).iter().map(|event| event["type"].clone()).collect();
    assert_eq!((kinds, code), (vec!["control_response".into(), "user".into(), "result".into()], 1));
}

#[test]
fn a_signal_brings_out_last_events_only_where_a_turn_is_in_the_middle_of_something() {
    let signal = Signal::named("INT").unwrap();
    let mut voice = voice("2.1.332");
    assert!(voice.signalled(signal).is_none());
    voice.turn(&turn(r#"{"stop":"interrupted"}"#), Some(USER));
    let (pieces, exit) = voice.signalled(signal).unwrap();
    assert_eq!((events(&pieces).len(), exit), (2, Exit::Code(0)));
}

#[test]
fn recorded_lines_go_through_the_format_and_count_for_the_exit_code() {
    let mut spawn = spawn("2.1.332");
    spawn.output = crate::persona::claude::render::Output::Text;
    let mut voice = ClaudeVoice::new(spawn, options("2.1.332"));
    let line =
        b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"a\"}\n";
    assert!(voice.recorded(line).is_empty());
    assert_eq!((text(&voice.end()), voice.exit_code()), ("a\n".to_owned(), 1));
}

fn request(words: &[&str]) -> Request {
    let table = arguments::table(Some("2.1.332"));
    let words: Vec<&str> = ["-p", "hi"].iter().chain(words).copied().collect();
    match arguments::judge(&table, &words, true, true, &Surroundings::default()) {
        Meaning::Run(request) => *request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_has_the_id_that_the_arguments_name_or_one_of_its_own() {
    let (one, two) =
        ("0b5c7a51-0000-4000-8000-00000000000A", "0b5c7a51-0000-4000-8000-00000000000b");
    let around = Circumstances { latest: Some(two.to_owned()), ..Circumstances::default() };
    let id = |words: &[&str]| session_id(&request(words), &around);
    let named = |id: &str| (id.to_owned(), Some(id.to_owned()));
    assert_eq!(id(&["--session-id", one]), named(one));
    assert_eq!(id(&["--resume", one]), named(one));
    assert_eq!(id(&["--resume", one, "--fork-session", "--session-id", two]), named(two));
    assert_eq!(id(&["--continue"]), (two.to_owned(), None));
    let minted = id(&[]);
    assert_eq!(minted.1, None);
    assert_eq!(id(&["--resume", one, "--fork-session"]), minted);
    assert_eq!(id(&["--continue", "--fork-session"]), minted);
    assert_eq!(id(&["--fork-session"]), minted);
    let nothing = Circumstances::default();
    assert_eq!(session_id(&request(&["--continue"]), &nothing).1, None);
}

#[test]
fn a_session_hands_on_what_it_has_cost() {
    let around = Circumstances { version: "2.1.332".to_owned(), ..Circumstances::default() };
    let json = &["--output-format", "json"];
    let mut first = ClaudeVoice::of(&request(json), &around);
    let paid = turn(r#"{"text":"a","usage":{"input":100,"output":20}}"#);
    first.turn(&paid, None);
    let mark = first.session().unwrap();
    let around = Circumstances { carried: mark.carried, ..around };
    let words = ["--output-format", "json", "--resume", &mark.id];
    let mut second = ClaudeVoice::of(&request(&words), &around);
    second.turn(&paid, None);
    let result: Value = serde_json::from_str(&text(&second.end())).unwrap();
    assert_eq!(result["total_cost_usd"], 0.0016);
    assert_eq!(result["session_id"], mark.id.as_str());
    let alone = ClaudeVoice::of(&request(&["--no-session-persistence"]), &around);
    assert_eq!(alone.session(), None);
}
