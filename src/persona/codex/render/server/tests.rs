use super::*;

/// A server that was introduced to a client and has a thread, `T`.
fn server(start: &str) -> AppServer {
    let spawn = Spawn {
        thread_id: "T".to_owned(),
        cwd: "/w".to_owned(),
        approval: "on-request".to_owned(),
        ..Spawn::default()
    };
    let mut server = AppServer::new(spawn);
    done(&mut server, r#"{"id":0,"method":"initialize","params":{"clientInfo":{"name":"c"}}}"#);
    done(&mut server, &format!(r#"{{"id":1,"method":"thread/start","params":{start}}}"#));
    server
}

const START: &str = r#"{"id":2,"method":"turn/start","params":{"threadId":"T","input":[]}}"#;

/// What a line is answered with.
fn done(server: &mut AppServer, line: &str) -> Vec<String> {
    match server.answer(line) {
        Reply::Done(pieces) | Reply::Refused(pieces) => shown(&pieces),
        Reply::Turn => panic!("{line} starts a turn"),
    }
}

/// What a turn shows, up to where it stops.
fn played(server: &mut AppServer, turn: &str) -> Vec<String> {
    assert_eq!(server.answer(START), Reply::Turn);
    shown(&server.turn(START, &serde_json::from_str(turn).unwrap()))
}

fn shown(pieces: &[Piece]) -> Vec<String> {
    let show = |piece: &Piece| match piece {
        Piece::Out(line) | Piece::Err(line) => String::from_utf8(line.clone()).unwrap(),
        Piece::Ask { id, .. } => format!("ask {id}"),
        Piece::AwaitInterrupt => "wait".to_owned(),
    };
    pieces.iter().map(show).collect()
}

/// Whether a line of these says so.
fn says(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

const ASKING: &str = r#"{"tools": [{"name": "Bash", "input": {"command": "rm x"}, "result": "gone",
    "ask": true}], "text": "end"}"#;

#[test]
fn a_command_permitted_for_the_session_is_not_asked_about_again() {
    let mut server = server("{}");
    assert_eq!(played(&mut server, ASKING).last().unwrap(), "ask 0");
    let after = shown(&server.answered(r#"{"id":0,"result":{"decision":"acceptForSession"}}"#));
    assert!(says(&after, r#""aggregatedOutput":"gone""#) && says(&after, "turn/completed"));
    let again = played(&mut server, ASKING);
    assert!(!says(&again, "ask ") && says(&again, r#""status":"completed""#));
}

#[test]
fn a_thread_that_never_asks_does_not_ask() {
    let mut server = server(r#"{"approvalPolicy": "never"}"#);
    let lines = played(&mut server, ASKING);
    assert!(!says(&lines, "ask ") && says(&lines, "turn/completed"));
}

#[test]
fn a_reply_without_a_decision_declines_and_one_to_another_question_is_passed_over() {
    let mut server = server("{}");
    played(&mut server, ASKING);
    assert!(server.answered(r#"{"id":7,"result":{"decision":"accept"}}"#).is_empty());
    let after = shown(&server.answered(r#"{"id":0,"error":{"code":1,"message":"no"}}"#));
    assert!(says(&after, r#""status":"declined""#) && says(&after, r#""text":"end""#));
    assert!(server.answered(r#"{"id":0,"result":{}}"#).is_empty());
}

#[test]
fn a_turn_that_is_interrupted_while_the_client_is_asked_ends_interrupted() {
    let mut server = server("{}");
    played(&mut server, ASKING);
    let lines = done(&mut server, r#"{"id":"i","method":"turn/interrupt","params":{}}"#);
    assert!(says(&lines, r#"{"id":"i","result":{}}"#), "{lines:?}");
    assert!(says(&lines, "serverRequest/resolved"));
    assert!(lines.last().unwrap().contains(r#""status":"interrupted""#));
    let again = done(&mut server, r#"{"id":3,"method":"turn/interrupt","params":{}}"#);
    assert!(again[0].contains("no active turn to interrupt"), "{again:?}");
}

#[test]
fn a_turn_start_while_a_turn_waits_is_that_turns_own_answer() {
    let mut server = server("{}");
    let begun = played(&mut server, r#"{"text": "t", "stop": "interrupted"}"#);
    assert_eq!(begun.last().unwrap(), "wait");
    assert!(!says(&begun, r#""text":"t","phase""#), "the message is still open");
    assert_eq!(done(&mut server, START), begun[..1]);
    let steer = r#"{"id":4,"method":"turn/steer","params":{"expectedTurnId":"x"}}"#;
    assert!(done(&mut server, steer)[0].contains("-32600"));
    assert!(says(&shown(&server.interrupted()), r#""status":"interrupted""#));
}

#[test]
fn a_failing_turn_tells_its_error_and_ends_failed() {
    let lines = played(&mut server("{}"), r#"{"text": "t", "fail": "no luck"}"#);
    let error = r#"{"message":"no luck","codexErrorInfo":"other","additionalDetails":null,"#;
    let told: Vec<&String> = lines.iter().filter(|line| line.contains(error)).collect();
    assert_eq!(told.len(), 2, "{lines:?}");
    assert!(told[0].contains(r#""willRetry":false"#));
    assert!(told[1].contains(r#""status":"failed""#));
}

#[test]
fn usage_adds_up_over_the_turns_of_a_thread() {
    let mut server = server("{}");
    let turn = r#"{"text": "t", "usage": {"input": 10, "cached_input": 4, "output": 3}}"#;
    played(&mut server, turn);
    let lines = played(&mut server, turn);
    assert!(says(&lines, r#""total":{"totalTokens":26,"inputTokens":20,"cachedInputTokens":8"#));
    assert!(says(&lines, r#""last":{"totalTokens":13,"#));
}

#[test]
fn known_methods_have_an_answer_and_others_an_error() {
    let mut server = server("{}");
    for method in ["model/list", "skills/list", "account/rateLimits/read", "plugin/list"] {
        let request = format!(r#"{{"id":5,"method":"{method}","params":{{}}}}"#);
        let lines = done(&mut server, &request);
        assert!(lines[0].starts_with(r#"{"id":5,"result":{"#), "{method}: {lines:?}");
    }
    let lines = done(&mut server, r#"{"id":6,"method":"no/such"}"#);
    let start = r#"{"error":{"code":-32600,"message":"Invalid request: unknown variant `no/such`"#;
    assert!(lines[0].starts_with(start) && lines[0].ends_with("\"},\"id\":6}\n"), "{lines:?}");
}

#[test]
fn what_is_no_request_is_passed_over() {
    let mut server = server("{}");
    for line in ["", "nonsense", "[1]", r#"{"method":"initialized"}"#, r#"{"id":9,"result":{}}"#] {
        assert!(done(&mut server, line).is_empty(), "{line}");
    }
}

#[test]
fn a_request_that_cannot_be_served_is_refused_by_its_id() {
    let refused = shown(&server("{}").refuse(START, "no turn left"));
    assert_eq!(refused, ["{\"error\":{\"code\":-32600,\"message\":\"no turn left\"},\"id\":2}\n"]);
}

#[test]
fn the_same_session_has_the_same_bytes() {
    let session = || {
        let mut server = server("{}");
        let asked = played(&mut server, ASKING);
        (asked, server.answered(r#"{"id":0,"result":{"decision":"cancel"}}"#))
    };
    assert_eq!(session(), session());
}

#[test]
fn a_compaction_is_a_turn_of_its_own() {
    let mut server = server("{}");
    let request = r#"{"id":8,"method":"thread/compact/start","params":{"threadId":"T"}}"#;
    let lines = done(&mut server, request);
    let shows = [
        r#"{"id":8,"result":{}}"#,
        r#""type":"active""#,
        "turn/started",
        r#"item/started","params":{"item":{"type":"contextCompaction""#,
        r#"item/completed","params":{"item":{"type":"contextCompaction""#,
        r#""type":"idle""#,
        r#""status":"completed""#,
    ];
    assert_eq!(lines.len(), shows.len());
    for (line, text) in lines.iter().zip(shows) {
        assert!(line.contains(text), "{text} in {line}");
    }
}
