//! Rendered turns in live sessions.

use serde_json::json;

use super::driver::Session;
use super::{around, voice};
use crate::persona::Piece;
use crate::persona::performer::{Frame, SessionMark};

const HELLO: &str = r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"c"}}}"#;
const OLD: &str = "0199a000-0000-7000-8000-000000000001";

fn fresh(threads: Vec<SessionMark>) -> Session {
    Session::new(voice(&["app-server"], &around(threads)), "")
}

/// A session that has resumed the thread [`OLD`], which has used some tokens before.
fn resumed() -> Session {
    let carried = json!({"input": 100, "cached_input": 10, "output": 20, "reasoning": 1});
    let mut session = fresh(vec![SessionMark { id: OLD.to_owned(), carried }]);
    session.send(HELLO);
    session
        .send(&format!(r#"{{"id":2,"method":"thread/resume","params":{{"threadId":"{OLD}"}}}}"#));
    assert!(session.said().contains(&format!(r#"{{"id":2,"result":{{"thread":{{"id":"{OLD}""#)));
    session
}

fn start(id: &str) -> String {
    format!(r#"{{"id":"{id}","method":"turn/start","params":{{"threadId":"{OLD}","input":[]}}}}"#)
}

const ASKING: &str = r#"{"tools": [{"name": "Bash", "input": {"command": "rm x"}, "result": "gone",
    "ask": true}], "text": "end"}"#;

#[test]
fn usage_adds_up_over_a_thread_that_is_resumed_and_goes_on_into_its_mark() {
    let mut session = resumed();
    let turn = r#"{"text": "t", "usage": {"input": 10, "cached_input": 4, "output": 3}}"#;
    for id in ["a", "b"] {
        session.send(&start(id));
        session.turn(turn);
    }
    assert!(session.said().contains(r#""total":{"totalTokens":146,"inputTokens":120,"#));
    let carried = json!({"input": 120, "cached_input": 18, "output": 26, "reasoning": 1});
    assert_eq!(session.voice.session(), Some(SessionMark { id: OLD.to_owned(), carried }));
}

#[test]
fn a_thread_that_is_started_owes_nothing_to_earlier_ones() {
    let carried = json!({"input": 100});
    let mut session = fresh(vec![SessionMark { id: OLD.to_owned(), carried }]);
    session.send(HELLO);
    session.send(r#"{"id":2,"method":"thread/start","params":{}}"#);
    let id = session.voice.session().unwrap().id;
    assert_ne!(id, OLD);
    session.send(&start("t").replace(OLD, &id));
    session.turn(r#"{"text": "t", "usage": {"input": 10, "output": 3}}"#);
    assert!(session.said().contains(r#""total":{"totalTokens":13,"#));
    let fork = format!(r#"{{"id":3,"method":"thread/fork","params":{{"threadId":"{OLD}"}}}}"#);
    session.send(&fork);
    assert!(session.said().contains(&format!(r#""forkedFromId":"{OLD}""#)));
    assert_eq!(session.voice.session().unwrap().carried["input"], 100);
}

#[test]
fn every_decision_has_its_end() {
    for (decision, item, end) in [
        (r#""accept""#, "completed", "completed"),
        (r#""acceptForSession""#, "completed", "completed"),
        (r#"{"acceptWithExecpolicyAmendment":{}}"#, "completed", "completed"),
        (r#""decline""#, "declined", "completed"),
        (r#""cancel""#, "declined", "interrupted"),
    ] {
        let mut session = resumed();
        session.send(&start("t"));
        let Some(Piece::Ask { id, .. }) = session.turn(ASKING) else { panic!("{decision}") };
        let reply = format!(r#"{{"id":{id},"result":{{"decision":{decision}}}}}"#);
        assert_eq!(session.hear(&reply), Frame::Reply { id });
        session.reply(&reply);
        let said = session.said();
        assert!(said.contains(&format!(r#""status":"{item}","commandActions""#)), "{decision}");
        assert!(said.lines().last().unwrap().contains(&format!(r#""status":"{end}""#)), "{said}");
    }
}

#[test]
fn a_question_that_gets_no_answer_before_the_end_of_stdin_is_left_open() {
    let mut session = resumed();
    session.send(&start("t"));
    session.turn(ASKING);
    assert!(session.voice.answered(None).is_empty());
    assert_eq!(session.voice.exit_code(), 0);
}

#[test]
fn a_running_turn_is_steered_joined_and_interrupted() {
    let mut session = resumed();
    session.send(&start("t"));
    assert_eq!(
        session.turn(r#"{"text": "par", "stop": "interrupted"}"#),
        Some(Piece::AwaitInterrupt)
    );
    let begun = session.said().lines().next().unwrap().to_owned();
    session.send(&start("u"));
    assert_eq!(session.said().trim_end(), begun.replace("\"t\"", "\"u\""));
    let steer = r#"{"id":8,"method":"turn/steer","params":{"input":[]}}"#;
    session.send(steer);
    assert!(session.said().starts_with(r#"{"id":8,"result":{"turnId":""#));
    let interrupt = r#"{"id":9,"method":"turn/interrupt","params":{}}"#;
    assert_eq!(session.hear(interrupt), Frame::Interrupt);
    session.interrupt();
    let said = session.said();
    assert!(said.contains("rateLimits/updated") && said.contains(r#"{"id":9,"result":{}}"#));
    assert!(said.lines().last().unwrap().contains(r#""status":"interrupted""#));
    session.send(interrupt);
    assert!(session.said().contains("no active turn to interrupt"));
    session.send(steer);
    assert!(session.said().contains("no active turn to steer"));
}

#[test]
fn a_turn_for_which_none_is_left_is_refused_by_its_id() {
    let mut session = resumed();
    let pieces = session.voice.refuse_user(start("t").as_bytes());
    let [Piece::Out(line)] = &pieces[..] else { panic!("{pieces:?}") };
    let line = String::from_utf8_lossy(line);
    assert!(line.starts_with(r#"{"error":{"code":-32600,"#) && line.ends_with(",\"id\":\"t\"}\n"));
}

#[test]
fn a_turn_in_a_thread_that_nobody_opened_is_an_error_unless_a_step_opens_threads() {
    let mut session = fresh(Vec::new());
    session.send(HELLO);
    session.said();
    session.send(&start("t"));
    assert!(session.said().contains(&format!("thread not found: {OLD}")));
    session.voice.overheard(br#"{"id":2,"method":"thread/start","params":{}}"#);
    assert_eq!(session.send(&start("t")), Frame::User);
    session.turn(r#"{"text": "t"}"#);
    assert!(session.said().contains(&format!(r#""threadId":"{OLD}""#)));
}

#[test]
fn a_greeting_that_a_step_takes_is_a_greeting() {
    let mut session = fresh(Vec::new());
    session.send(r#"{"id":2,"method":"thread/start","params":{}}"#);
    assert!(session.said().contains("Not initialized"));
    session.voice.overheard(HELLO.as_bytes());
    session.send(r#"{"id":3,"method":"thread/start","params":{}}"#);
    assert!(session.said().starts_with(r#"{"id":3,"result":{"thread""#));
}

#[test]
fn lines_that_are_no_requests_are_taken_without_a_word() {
    let mut session = fresh(Vec::new());
    for line in
        ["", "nonsense", "[1]", "7", r#"{"method":"initialized"}"#, r#"{"id":null,"method":"x"}"#]
    {
        assert_eq!(session.send(line), Frame::Ignored, "{line}");
    }
    assert_eq!(session.voice.frame(b"\xff\xfe{}", true), Frame::Ignored);
    for id in ["7", "\"a b\""] {
        let line = format!(r#"{{"error":{{"code":1,"message":"no"}},"id":{id}}}"#);
        assert_eq!(session.send(&line), Frame::Reply { id: id.to_owned() });
    }
    assert_eq!(session.said(), "");
}
