//! Raw recordings made by hand, for what the captures do not hold.

use super::driver::Session;
use super::{around, voice};
use crate::persona::performer::{Cue, Frame};

const HELLO: &str = r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"c"}}}"#;
const TURN: &str = r#"{"id":"t","method":"turn/start","params":{"threadId":"T1","input":[]}}"#;
const INTERRUPT: &str =
    r#"{"id":"x","method":"turn/interrupt","params":{"threadId":"T1","turnId":"u1"}}"#;
const STEER: &str =
    r#"{"id":"s","method":"turn/steer","params":{"threadId":"T1","expectedTurnId":"u1"}}"#;

/// A recording of these lines, after a greeting and the start of a thread, `T1`.
fn recording(lines: &[&str]) -> String {
    let opening = [
        r#"{"id":10,"result":{"userAgent":"r/1"}}"#,
        r#"{"id":11,"result":{"thread":{"id":"T1"},"model":"m"}}"#,
    ];
    opening.iter().chain(lines).map(|line| format!("{line}\n")).collect()
}

/// A session after its greeting and the start of its thread.
fn session(lines: &[&str]) -> Session {
    let mut session = Session::new(voice(&["app-server"], &around(Vec::new())), &recording(lines));
    session.send(HELLO);
    session.send(r#"{"id":2,"method":"thread/start","params":{}}"#);
    assert_eq!(
        session.said(),
        "{\"id\":1,\"result\":{\"userAgent\":\"r/1\"}}\n\
         {\"id\":2,\"result\":{\"thread\":{\"id\":\"T1\"},\"model\":\"m\"}}\n"
    );
    session
}

const BEGUN: &str = r#"{"id":12,"result":{"turn":{"id":"u1"}}}"#;
const STARTED: &str = r#"{"method":"turn/started","params":{"threadId":"T1","turn":{"id":"u1"}}}"#;
const DONE: &str = r#"{"method":"turn/completed","params":{"threadId":"T1","turn":{"id":"u1","status":"completed"}}}"#;
const STOPPED: &str = r#"{"method":"turn/completed","params":{"threadId":"T1","turn":{"id":"u1","status":"interrupted"}}}"#;

#[test]
fn a_recorded_steer_is_waited_for_and_others_are_answered() {
    let mut session =
        session(&[BEGUN, STARTED, r#"{"id":13,"result":{"turnId":"u1"}}"#, r#"{"m":1}"#, DONE]);
    session.send(TURN);
    session.said();
    let wrong = STEER.replace("u1", "other");
    session.send(&wrong);
    assert!(session.said().contains("expected active turn id `other` but found `u1`"));
    session.send(STEER);
    assert!(session.said().starts_with(r#"{"id":"s","result":{"turnId":"u1"}}"#));
    assert!(session.is_over());
    session.send(STEER);
    assert!(session.said().contains("no active turn to steer"));
}

#[test]
fn a_further_turn_start_gets_the_running_turn_again_unless_the_recording_waits_for_it() {
    let ask = r#"{"method":"item/tool/requestUserInput","id":0,"params":{"threadId":"T1"}}"#;
    let mut busy = session(&[BEGUN, STARTED, ask, DONE]);
    busy.send(TURN);
    busy.said();
    busy.send(&TURN.replace("\"t\"", "7"));
    assert_eq!(busy.said(), format!("{}\n", BEGUN.replace("12", "7")));
    assert!(!busy.is_over());
    busy.send(r#"{"id":0,"result":{"answers":{}}}"#);
    assert!(busy.is_over());

    let again = BEGUN.replace("12", "13");
    let mut waits = session(&[BEGUN, STARTED, &again, DONE]);
    waits.send(TURN);
    assert!(!waits.is_over());
    assert_eq!(waits.send(&TURN.replace("\"t\"", "7")), Frame::User);
    assert!(waits.is_over() && waits.said().contains(r#"{"id":7,"result":{"turn":{"id":"u1"}}}"#));
}

#[test]
fn an_interrupt_that_the_recording_does_not_know_ends_the_turn_as_the_real_one_does() {
    let ask = r#"{"method":"item/tool/requestUserInput","id":0,"params":{}}"#;
    let mut session = session(&[BEGUN, STARTED, ask, DONE]);
    session.send(TURN);
    session.said();
    assert_eq!(session.hear(INTERRUPT), Frame::Interrupt);
    session.interrupt();
    let said = session.said();
    assert!(said.contains(r#"{"id":"x","result":{}}"#), "{said}");
    let end = said.lines().last().unwrap();
    assert!(end.contains(r#""threadId":"T1","turn":{"id":"u1""#), "{end}");
    assert!(end.contains(r#""status":"interrupted""#), "{end}");
}

#[test]
fn an_interrupt_of_another_thread_or_of_none_is_an_error() {
    let mut session = session(&[BEGUN, STARTED, r#"{"id":14,"result":{}}"#, STOPPED]);
    session.send(INTERRUPT);
    assert!(session.said().contains("no active turn to interrupt"));
    session.send(TURN);
    session.said();
    session.send(&INTERRUPT.replace("T1", "T2"));
    assert!(session.said().contains("no active turn to interrupt"));
    session.send(INTERRUPT);
    assert!(session.is_over());
    assert_eq!(session.said(), format!("{}\n{STOPPED}\n", r#"{"id":"x","result":{}}"#));
}

#[test]
fn a_turn_whose_answer_is_missing_is_answered_all_the_same() {
    let user = r#"{"method":"item/started","params":{"item":{"type":"userMessage"},"threadId":"T1","turnId":"u1"}}"#;
    let mut session = session(&[STARTED, user, DONE]);
    assert_eq!(session.cues[2..], [Cue::Turn, Cue::Turn, Cue::TurnEnd]);
    session.send(TURN);
    let said = session.said();
    assert!(said.starts_with(r#"{"id":"t","result":{"turn":{"id":"u1","#), "{said}");
    assert!(said.ends_with(&format!("\n{STARTED}\n{user}\n{DONE}\n")), "{said}");
}

#[test]
fn a_turn_that_nobody_asked_for_waits_for_nothing() {
    let background = [STARTED.replace("u1", "u2"), DONE.replace("u1", "u2")];
    let session = session(&[BEGUN, STARTED, DONE, &background[0], &background[1]]);
    let cues = [Cue::Turn, Cue::Turn, Cue::TurnEnd, Cue::Free, Cue::Free];
    assert_eq!(session.cues[2..], cues);
}

#[test]
fn an_error_is_given_for_what_the_recording_has_no_other_answer_to() {
    let error = r#"{"error":{"code":-32000,"message":"overloaded"},"id":12}"#;
    let mut session = session(&[error]);
    session.send(TURN);
    assert_eq!(session.said(), format!("{}\n", error.replace("12", "\"t\"")));
    let other = session_without_thread(error);
    assert_eq!(other, format!("{}\n", error.replace("12", "2")));
}

/// What a client that starts a thread gets of a recording with nothing but this line.
fn session_without_thread(line: &str) -> String {
    let mut session =
        Session::new(voice(&["app-server"], &around(Vec::new())), &format!("{line}\n"));
    session.send(HELLO);
    session.said();
    session.send(r#"{"id":2,"method":"thread/start","params":{}}"#);
    session.said()
}

#[test]
fn each_answer_is_given_once_and_then_the_stock_one() {
    let models = r#"{"id":5,"result":{"data":[{"id":"z","supportedReasoningEfforts":[]}]}}"#;
    let mut session = session(&[models, BEGUN, DONE]);
    let ask = r#"{"id":"m","method":"model/list","params":{}}"#;
    session.send(ask);
    assert_eq!(session.said(), format!("{}\n", models.replace("5", "\"m\"")));
    session.send(ask);
    assert!(session.said().contains("displayName"));
    session.send(r#"{"id":3,"method":"thread/start","params":{}}"#);
    let second = session.said();
    assert!(second.contains("thread/started") && !second.contains(r#""T1""#), "{second}");
}

#[test]
fn a_thread_that_is_told_by_its_id_alone_was_started_and_one_told_in_full_was_read() {
    let start = r#"{"id":2,"method":"thread/start","params":{}}"#;
    for (thread, is_start) in [(r#"{"id":"T1"}"#, true), (r#"{"id":"T1","preview":""}"#, false)] {
        let opening =
            format!("{{\"id\":11,\"result\":{{\"thread\":{thread}}}}}\n{BEGUN}\n{DONE}\n");
        let voice = voice(&["app-server"], &around(Vec::new()));
        let mut session = Session::new(voice, &opening);
        session.send(HELLO);
        session.said();
        session.send(start);
        let told = format!("{{\"id\":2,\"result\":{{\"thread\":{thread}}}}}\n");
        assert_eq!(session.said() == told, is_start, "{thread}");
    }
}

#[test]
fn two_threads_of_the_client_share_the_turns_of_a_recorded_one() {
    let second = |line: &str| line.replace("u1", "u2").replace("12", "15");
    let (begun, started, done) = (second(BEGUN), second(STARTED), second(DONE));
    let mut session = session(&[BEGUN, STARTED, DONE, &begun, &started, &done]);
    session
        .send(r#"{"id":3,"method":"thread/resume","params":{"threadId":"other \"thread\" id"}}"#);
    session.send(TURN);
    assert!(session.said().ends_with(&format!("{STARTED}\n{DONE}\n")));
    let turn =
        r#"{"id":4,"method":"turn/start","params":{"threadId":"other \"thread\" id","input":[]}}"#;
    session.send(turn);
    let said = session.said();
    assert!(said.contains(r#""threadId":"other \"thread\" id","turn":{"id":"u2""#), "{said}");
    assert!(!said.contains("T1"), "{said}");
    let line = br#"{"threadId":"other \"thread\" id"}"#;
    assert_eq!(&*session.voice.untranslated(line), br#"{"threadId":"T1"}"#);
}

#[test]
fn what_is_no_protocol_passes_where_it_stands() {
    let text = "Welcome!\n\n{\"broken\": \n";
    let lines = format!("{text}{BEGUN}\nnoise\n{DONE}\nbye");
    let mut session = Session::new(voice(&["app-server"], &around(Vec::new())), &lines);
    session.play();
    assert_eq!(session.said(), text);
    session.send(HELLO);
    session.said();
    session.voice.overheard(br#"{"id":2,"method":"thread/start"}"#);
    session.send(TURN);
    assert_eq!(session.said(), format!("{}\nnoise\n{DONE}\nbye", BEGUN.replace("12", "\"t\"")));
}

#[test]
fn cues_tell_the_whole_shape_of_a_recording() {
    let ask = r#"{"method":"item/tool/requestUserInput","id":"q","params":{}}"#;
    let limits = r#"{"method":"account/rateLimits/updated","params":{}}"#;
    let empty = r#"{"id":14,"result":{}}"#;
    let read = r#"{"id":15,"result":{"thread":{"id":"T1"}}}"#;
    let notice = r#"{"method":"deprecationNotice","params":{}}"#;
    let later = r#"{"method":"thread/name/updated","params":{"threadId":"T1"}}"#;
    let session =
        session(&[BEGUN, ask, limits, empty, STOPPED, notice, read, later, BEGUN, STARTED]);
    let asks = Cue::Ask { id: "\"q\"".to_owned(), opening: false };
    let cues = [
        Cue::Answer,
        Cue::Answer,
        Cue::Turn,
        asks,
        Cue::Answer,
        Cue::Interrupted,
        Cue::TurnEnd,
        Cue::Answer,
        Cue::Answer,
        Cue::Free,
        Cue::Turn,
        Cue::TurnEnd,
    ];
    assert_eq!(session.cues, cues);
}
