//! What a recording waits for, and what it answers.

use crate::scene::Scene;

#[test]
fn an_in_line_waits_for_any_line() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"in":"line"}"#, r#"{"out":"2"}"#]);
    let mut running = scene.claude(&["-p"]).talk();
    running.hear("1");
    assert!(running.runs());
    running.say("half a line");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(running.runs());
    running.say(", the other half\n");
    running.end().is("12", "", 0);
}

#[test]
fn a_last_line_needs_no_newline() {
    let scene = Scene::of_steps(&[r#"{"in":"line"}"#, r#"{"out":"got it"}"#]);
    scene.claude(&["-p"]).input("no newline").run().is("got it", "", 0);
}

#[test]
fn an_object_waits_for_a_line_that_contains_it_and_lets_others_pass_by() {
    let scene = Scene::of_steps(&[
        r#"{"in":{"type":"user","message":{"content":["a",1]}}}"#,
        r#"{"out":"got it"}"#,
    ]);
    let mut running = scene.claude(&["-p"]).talk();
    running.say("not json\n\n{\"type\":\"user\"}\n[1]\n");
    running.say("{\"type\":\"user\",\"message\":{\"content\":[\"a\",1,2]}}\n");
    std::thread::sleep(std::time::Duration::from_millis(150));
    assert!(running.runs());
    running.say(
        "{\"n\":0,\"message\":{\"role\":\"user\",\"content\":[\"a\",1.0]},\"type\":\"user\"}\n",
    );
    running.end().is("got it", "", 0);
}

#[test]
fn an_in_eof_waits_for_the_end_whatever_comes_before() {
    let scene = Scene::of_steps(&[r#"{"in":"eof"}"#, r#"{"out":"after"}"#]);
    let mut running = scene.claude(&["-p"]).talk();
    running.say("a\nb\n");
    std::thread::sleep(std::time::Duration::from_millis(150));
    assert!(running.runs());
    running.end().is("after", "", 0);
    assert_eq!(scene.entry(1)["stdin"]["eof"], true);
}

#[test]
fn bytes_are_counted_exactly_and_the_rest_stays_in_the_pipe() {
    let scene = Scene::of_steps(&[r#"{"in":{"bytes":5}}"#, r#"{"out":"five"}"#]);
    // What the double does not take, another reader of the same pipe gets.
    let script = format!("{} -p; cat", crate::scene::double("claude").display());
    let shell = scene.start("/bin/sh".as_ref(), &["-c", &script]);
    shell.input("12345the rest").run().is("fivethe rest", "", 0);
    assert_eq!(scene.entry(1)["stdin"]["bytes"], 5);
}

#[test]
fn bytes_that_come_in_pieces_are_waited_for() {
    let scene = Scene::of_steps(&[r#"{"in":{"bytes":4}}"#, r#"{"out":"four"}"#]);
    let mut running = scene.claude(&["-p"]).talk();
    running.say("12");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(running.runs());
    running.say("34");
    running.hear("four");
    running.end().is("four", "", 0);
}

#[test]
fn the_end_of_stdin_is_the_end_where_nothing_else_is_said() {
    let failed = r#"{"out":{"type":"result","is_error":true}}"#;
    for (before, status) in [(r#"{"out":""}"#, 0), (failed, 1)] {
        let scene = Scene::of_steps(&[before, r#"{"in":"line"}"#, r#"{"out":"never"}"#]);
        let done = scene.claude(&["-p"]).input("").run();
        assert!(!done.out().contains("never"), "{done:?}");
        assert_eq!(done.status, status);
    }
}

#[test]
fn on_eof_goes_on_after_its_steps() {
    let scene = Scene::of_steps(&[
        r#"{"in":"line","on_eof":[{"out":"no line, "}]}"#,
        r#"{"out":"going on"}"#,
    ]);
    scene.claude(&["-p"]).input("").run().is("no line, going on", "", 0);
}

#[test]
fn on_timeout_goes_on_after_its_steps() {
    let scene = Scene::of_steps(&[
        r#"{"in":"line","timeout_ms":100,"on_timeout":[{"err":"late"}]}"#,
        r#"{"out":"going on"}"#,
    ]);
    scene.claude(&["-p"]).talk().end_talking().is("going on", "late", 0);
}

#[test]
fn a_timeout_without_steps_is_97_and_a_problem() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"in":"line","timeout_ms":150}"#]);
    let done = scene.claude(&["-p"]).talk().end_talking();
    assert_eq!((done.out().as_str(), done.status), ("1", 97));
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): SCENE/recordings/01.jsonl: line 3: a line did not come within 150 ms; \
         `on_timeout` says what to do then\n"
    );
    assert_eq!(scene.entry(1).problems(), ["timed_out"]);
}

const BRANCHES: &str = r#"{"in":"line","cases":[
    {"match":{"answer":"yes"},"steps":[{"out":"yes, "}]},
    {"match":{"answer":"no"},"steps":[{"out":"no"},{"exit":3}]},
    {"match":"eof","steps":[{"out":"nobody, "}]}]}"#;

#[test]
fn cases_branch_on_what_came_and_no_case_goes_on() {
    let scene = Scene::new();
    for number in 1..=4 {
        let branches = BRANCHES.replace('\n', " ");
        scene.steps(&format!("{number}.jsonl"), "{\"ringer\":1}", &[&branches, r#"{"out":"on"}"#]);
    }
    for (input, out, status) in [
        ("{\"answer\":\"yes\"}\n", "yes, on", 0),
        ("{\"answer\":\"no\"}\n", "no", 3),
        ("{\"answer\":\"perhaps\"}\n", "on", 0),
        ("", "nobody, on", 0),
    ] {
        scene.claude(&["-p"]).input(input).run().is(out, "", status);
    }
}

#[test]
fn a_reply_has_the_id_that_came_a_number_as_a_number() {
    let scene = Scene::of_steps(&[
        r#"{"in":{"method":"first"},"as":"call"}"#,
        r#"{"in":{"type":"control_request"}}"#,
        r#"{"reply":{"response":{"request_id":"$id"},"text":"$idle $id"}}"#,
        r#"{"reply":{"id":"$id:call","result":{}}}"#,
        r#"{"reply":"plain \"$id:call\"\n"}"#,
    ]);
    let input = "{\"id\":7,\"method\":\"first\"}\n{\"type\":\"control_request\",\"request_id\":\"a\\\"b\"}\n";
    let wanted = "{\"response\":{\"request_id\":\"a\\\"b\"},\"text\":\"$idle $id\"}\n\
                  {\"id\":7,\"result\":{}}\nplain 7\n";
    scene.claude(&["-p"]).input(input).run().is(wanted, "", 0);
}

#[test]
fn a_loop_ends_by_its_count_or_by_what_comes() {
    let scene = Scene::new();
    let count = r#"{"repeat":{"times":3,"steps":[{"out":"tick "}]}}"#;
    let forever = r#"{"repeat":{"times":"forever","every_ms":20,"until":{"stop":true},"steps":[{"out":"."}]}}"#;
    scene.steps("1.jsonl", "{\"ringer\":1}", &[count]);
    scene.steps("2.jsonl", "{\"ringer\":1}", &[forever, r#"{"out":"stopped"}"#]);
    scene.claude(&["-p"]).run().is("tick tick tick ", "", 0);
    let mut running = scene.claude(&["-p"]).talk();
    running.hear("...");
    running.say("{\"stop\":true}\n");
    running.hear("stopped");
    assert_eq!(running.end().status, 0);
}
