//! Live sessions that were written by hand: where in a recording the first message claims it, in
//! what order a client is answered, what ends a loop and what ends a turn.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::running::{PATIENCE, Running};
use crate::scene::Scene;

const SESSION: &[&str] =
    &["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
const USER: &str = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
const MODELS: &str = "{\"type\":\"control_request\",\"request_id\":\"m1\",\"request\":{\"subtype\":\"mcp_status\"}}\n";
const INTERRUPT: &str = "{\"type\":\"control_request\",\"request_id\":\"i1\",\"request\":{\"subtype\":\"interrupt\"}}\n";
const INITIALIZE: &str = "{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\
                          \"test\",\"version\":\"1\"}}}\n{\"method\":\"initialized\"}\n";

fn session(scene: &Scene) -> Running {
    scene.claude(SESSION).talk()
}

/// Has an app server start a thread, and returns its id.
fn start_thread(running: &mut Running) -> Value {
    running.say(INITIALIZE);
    running.say("{\"id\":2,\"method\":\"thread/start\",\"params\":{}}\n");
    running.hear("thread/started");
    let started = running.read_so_far();
    let line = started.lines().find(|line| line.contains("\"id\":2")).unwrap().to_owned();
    let answer: Value = serde_json::from_str(&line).unwrap();
    answer["result"]["thread"]["id"].clone()
}

/// The frame that starts a turn.
fn turn_start(thread: &Value) -> String {
    format!(
        "{{\"id\":3,\"method\":\"turn/start\",\"params\":{{\"threadId\":{thread},\"input\":\
         [{{\"type\":\"text\",\"text\":\"hi\"}}]}}}}\n"
    )
}

/// Waits until a spawn's entry is as it should be.
#[track_caller]
fn until(scene: &Scene, spawn: u64, so: impl Fn(&crate::entry::Entry) -> bool) {
    let began = Instant::now();
    while !so(&scene.entry(spawn)) {
        assert!(began.elapsed() < PATIENCE, "{:?}", scene.entry(spawn));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_claim_repeats_nothing_of_a_step_that_has_others_inside() {
    for steps in [
        r#"{"repeat":{"times":1,"steps":[{"out":"one\n"},{"in":{"type":"user"}},{"out":"two\n"}]}}"#,
        r#"{"in":{"type":"note"},"timeout_ms":20,"on_timeout":[{"out":"one\n"},{"in":{"type":"user"}},{"out":"two\n"}]}"#,
        r#"{"repeat":{"times":1,"steps":[{"repeat":{"times":1,"steps":[{"out":"one\n"},{"in":"line"}]}},{"out":"two\n"}]}}"#,
    ] {
        let scene = Scene::of_steps(&[steps]);
        let mut running = session(&scene);
        running.hear("one\n");
        running.say(USER);
        running.end().is("one\ntwo\n", "", 0);
        assert_eq!(scene.entry(1).recording(), Some("01.jsonl"), "{steps}");
    }
}

#[test]
fn the_claim_waits_for_no_frame_a_second_time() {
    let scene = Scene::of_steps(&[
        r#"{"in":{"request":{"subtype":"mcp_status"}},"cases":[{"match":"line","steps":[{"out":"asked\n"},{"in":{"type":"user"}},{"out":"told\n"}]}]}"#,
    ]);
    let mut running = session(&scene);
    running.say(MODELS);
    running.hear("asked\n");
    running.say(USER);
    running.hear("told\n");
    running.end().is("asked\ntold\n", "", 0);
}

#[test]
fn a_recording_is_claimed_as_soon_as_the_message_is_there() {
    let scene = Scene::of_steps(&[
        r#"{"out":"open\n"}"#,
        r#"{"wait_ms":60000}"#,
        r#"{"in":{"type":"user"}}"#,
        r#"{"turn":{"text":"x"}}"#,
    ]);
    let mut running = session(&scene);
    running.hear("open\n");
    assert_eq!(scene.entry(1).recording(), None);
    running.say(USER);
    until(&scene, 1, |entry| entry.recording() == Some("01.jsonl"));
    assert_eq!(scene.entry(1)["turns_left"], 1);
    running.signal(rustix::process::Signal::KILL);
    running.end();
}

#[test]
fn a_message_that_another_recordings_step_asked_for_releases_a_turn_of_the_claimed_one() {
    let scene = Scene::new();
    scene.steps(
        "01.jsonl",
        "{\"ringer\":1}",
        &[r#"{"out":"open\n"}"#, r#"{"in":{"type":"user"}}"#],
    );
    scene.steps("02.jsonl", "{\"ringer\":1}", &[r#"{"turn":{"text":"the second"}}"#]);
    let mut first = session(&scene);
    first.hear("open\n");
    let mut second = session(&scene);
    second.hear("open\n");
    first.say(USER);
    until(&scene, 1, |entry| entry.recording().is_some());
    until(&scene, 2, |_| true);
    second.say(USER);
    let (one, two) = (first.end(), second.end());
    let said: Vec<String> =
        [one, two].iter().map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).collect();
    assert!(said.iter().any(|said| said.contains("the second")), "{said:?}");
    for entry in scene.entries() {
        assert!(entry.problems().is_empty(), "{entry:?}");
    }
}

#[test]
fn what_a_codex_client_sends_behind_a_turn_is_answered_behind_its_start() {
    for (steps, first) in [
        (&[r#"{"turn":{"text":"hello"}}"#][..], r#""id":3"#),
        (
            &[
                r#"{"wait_ms":50}"#,
                r#"{"in":{"method":"turn/start"}}"#,
                r#"{"reply":{"id":"$id","result":{"turn":{"id":"t"}}}}"#,
                r#"{"out":{"method":"turn/completed"}}"#,
            ],
            r#""id":3"#,
        ),
    ] {
        let scene = Scene::of_steps(steps);
        let mut running = scene.codex(&["app-server"]).talk();
        let thread = start_thread(&mut running);
        running.say(&format!(
            "{}{{\"id\":4,\"method\":\"thread/read\",\"params\":{{\"threadId\":{thread}}}}}\n",
            turn_start(&thread)
        ));
        running.hear("\"id\":4");
        running.hear("turn/completed");
        let done = String::from_utf8(running.end().stdout).unwrap();
        let place = |text: &str| done.find(text).unwrap_or_else(|| panic!("{text} in {done}"));
        assert!(place(first) < place(r#""id":4"#), "{done}");
    }
}

#[test]
fn a_loop_of_a_session_ends_with_its_frame_and_others_are_answered_meanwhile() {
    for pause in [r#"{"wait_ms":5}"#, r#"{"file":{"append":"rounds","text":"."}}"#] {
        let scene = Scene::of_steps(&[
            &format!(
                r#"{{"repeat":{{"times":"forever","until":{{"type":"user"}},"steps":[{pause}]}}}}"#
            ),
            r#"{"out":"told\n"}"#,
        ]);
        let mut running = session(&scene);
        running.say(MODELS);
        running.hear("\"request_id\":\"m1\"");
        running.say(USER);
        running.hear("told\n");
        assert_eq!(running.end().status, 0);
        let exchange = scene.state().join("journal/000001.exchange.jsonl");
        let exchange = std::fs::read_to_string(exchange).unwrap();
        assert_eq!(exchange.matches("\"dir\":\"in\"").count(), 2, "{exchange}");
    }
}

#[test]
fn a_loop_of_turns_until_the_end_of_stdin_answers_every_message_before_it() {
    let scene = Scene::of_steps(&[
        r#"{"repeat":{"times":"forever","until":"eof","steps":[{"turn":{"text":"again"}}]}}"#,
        r#"{"out":"the end\n"}"#,
    ]);
    let done = scene.claude(SESSION).input(USER.repeat(4)).run();
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(said.matches("\"result\":\"again\"").count(), 4, "{said}");
    assert!(said.ends_with("the end\n") && done.status == 0, "{said}");
}

#[test]
fn a_client_that_interrupts_a_recorded_question_gets_the_end_of_the_turn_and_then_the_next_one() {
    let turn = |text: &str| {
        format!(
            "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}}\n\
             {{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\
             \"{text}\"}}]}},\"session_id\":\"s-1\"}}\n"
        )
    };
    let result = "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false}\n";
    let question = "{\"type\":\"control_request\",\"request_id\":\"q-1\",\"request\":{\"subtype\":\
                    \"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{\"command\":\"ls\"},\
                    \"tool_use_id\":\"toolu_1\"}}\n";
    let recording = [
        &turn("one"),
        question,
        "{\"type\":\"assistant\",\"message\":\"never said\",\"session_id\":\"s-1\"}\n",
        result,
        &turn("two"),
        result,
    ]
    .concat();
    let scene = Scene::of_raw(recording);
    let mut running = session(&scene);
    running.say(USER);
    running.hear("can_use_tool");
    running.say(INTERRUPT);
    running.hear("error_during_execution");
    running.say(USER);
    running.hear("two");
    let done = running.end();
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(!said.contains("never said"), "{said}");
    let order = [
        r#"{"type":"control_cancel_request","request_id":"q-1"}"#,
        r#""request_id":"i1""#,
        "The user doesn't want to proceed",
        "[Request interrupted by user for tool use]",
        "error_during_execution",
        "two",
    ];
    let places: Vec<_> = order.iter().map(|text| said.find(text).ok_or(text)).collect();
    assert!(places.is_sorted() && places.iter().all(Result::is_ok), "{places:?} in {said}");
    assert!(!said.contains("\"session_id\":\"s-2\""), "{said}");
    assert_eq!(done.status, 0);
    assert!(scene.entry(1).problems().is_empty());
}

/// A frame that these clients do not send.
const AWAITED: &str = r#"{"in":{"type":"control_request","request":{"subtype":"initialize"}}}"#;

#[test]
fn a_message_that_nothing_took_before_the_client_went_is_a_problem() {
    for steps in [
        // Waits for something else.
        &[AWAITED, r#"{"out":"never\n"}"#][..],
        // The message is for a later step.
        &[AWAITED, r#"{"in":{"type":"user"}}"#, r#"{"out":"never\n"}"#],
        // A turn waits for a message, and a later step has asked for the one that came.
        &[r#"{"turn":{}}"#, r#"{"in":{"type":"user","message":{"content":"hi"}}}"#],
        // One message too many.
        &[r#"{"in":"line"}"#, AWAITED],
    ] {
        let scene = Scene::of_steps(steps);
        let input = if steps[0].contains("line") { USER.repeat(2) } else { USER.to_owned() };
        let done = scene.claude(SESSION).input(input).run();
        assert_eq!((done.out().as_str(), done.status), ("", 97), "{steps:?}");
        let problems = scene.entry(1);
        assert_eq!(problems.problems().first(), Some(&"unexpected_input"), "{steps:?}");
        assert!(done.err().contains(USER.trim_end()), "{}", done.err());
    }
}

#[test]
fn the_message_names_what_came_and_what_was_waited_for() {
    let scene = Scene::of_steps(&[AWAITED, r#"{"turn":{"text":"x"}}"#]);
    let long = USER.replace("hi", &"ab".repeat(100));
    let done = scene.claude(SESSION).input(&long).run();
    let text = scene.plain(&done.stderr);
    assert!(text.starts_with("ringer(claude): SCENE/recordings/01.jsonl: line 2: "), "{text}");
    assert!(text.contains(&format!(": {}...;", &long[..100])), "{text}");
    let pattern = r#"{"type":"control_request","request":{"subtype":"initialize"}"#;
    assert!(text.contains(&format!("waited for a line with {pattern}... there")), "{text}");
}

#[test]
fn a_codex_turn_that_nothing_took_is_a_problem() {
    let scene =
        Scene::of_steps(&[r#"{"in":{"method":"thread/never"}}"#, r#"{"turn":{"text":"x"}}"#]);
    let mut running = scene.codex(&["app-server"]).talk();
    let thread = start_thread(&mut running);
    running.say(&turn_start(&thread));
    let done = running.end();
    assert_eq!(done.status, 97, "{}", done.err());
    assert!(done.err().contains("turn/start"), "{}", done.err());
    assert_eq!(scene.entry(1).problems(), ["unexpected_input", "turns_left"]);
}

#[test]
fn a_client_that_only_goes_and_a_recording_that_ends_by_itself_are_no_problem() {
    for (steps, input) in [
        (&[AWAITED, r#"{"turn":{}}"#][..], MODELS.to_owned()),
        (&[r#"{"in":{"type":"user"}}"#, AWAITED], USER.to_owned()),
        (&[r#"{"in":{"type":"user"}}"#, r#"{"in":"eof"}"#], USER.to_owned()),
        (&[r#"{"in":{"type":"user"}}"#, r#"{"exit":0}"#], USER.repeat(2)),
        (&[r#"{"in":"eof"}"#, r#"{"in":{"type":"user"}}"#], USER.to_owned()),
        // A recording that is silent until the client goes.
        (&[r#"{"in":"eof"}"#, r#"{"exit":0}"#], USER.to_owned()),
    ] {
        let scene = Scene::of_steps(steps);
        let done = scene.claude(SESSION).input(input).run();
        assert_eq!((done.err().as_str(), done.status), ("", 0), "{steps:?}");
        assert!(scene.entry(1).problems().is_empty(), "{steps:?}");
    }
    let asked = r#"{"in":{"type":"control_request","request":{"subtype":"mcp_status"}}}"#;
    let scene = Scene::of_steps(&[asked, r#"{"out":"on\n"}"#, AWAITED]);
    scene.claude(SESSION).input(format!("{USER}{MODELS}")).run().is("on\n", "", 0);
    assert!(scene.entry(1).problems().is_empty(), "the message was passed by");
    let scene = Scene::of_steps(&[r#"{"in":"eof"}"#, r#"{"turn":{"text":"after the end"}}"#]);
    let done = scene.claude(SESSION).input(USER).run();
    assert!(done.out().contains("after the end") && done.status == 0, "{}", done.err());
}
