//! What the two programs are like: how they read stdin, how they take signals.

use std::time::Duration;

use rustix::process::Signal;

use crate::running::Done;
use crate::scene::Scene;

fn wall(scene: &Scene) -> u64 {
    scene.entry(1)["wall_ms"].as_u64().unwrap()
}

#[test]
fn claude_waits_three_seconds_for_a_silent_stdin_and_then_plays() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let running = scene.claude(&["-p", "hi"]).talk();
    running.end_talking().is("1.jsonl\n", "", 0);
    assert!((3000..20_000).contains(&wall(&scene)), "{} ms", wall(&scene));
    assert_eq!(scene.entry(1)["stdin"]["eof"], false);
}

#[test]
fn claude_reads_to_the_end_once_something_has_come() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let mut running = scene.claude(&["-p", "hi"]).talk();
    running.say("some context");
    std::thread::sleep(Duration::from_millis(3500));
    assert!(running.runs());
    running.say(", and more");
    running.end().is("1.jsonl\n", "", 0);
    assert_eq!(scene.entry(1)["stdin"]["text"], "some context, and more");
}

#[test]
fn codex_exec_with_a_prompt_reads_stdin_to_its_end_first() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let mut running = scene.codex(&["exec", "--json", "hi"]).talk();
    std::thread::sleep(Duration::from_millis(3500));
    assert!(running.runs(), "there is no time limit");
    running.say("context\n");
    running.end().is("1.jsonl\n", "", 0);
    assert_eq!(scene.entry(1)["stdin"]["text"], "context\n");
}

#[test]
fn codex_does_not_read_stdin_for_resume_fork_and_review_with_a_prompt() {
    let id = "01a22c09-366f-7462-b74b-01732418903f";
    for args in [
        vec!["exec", "resume", id, "hi"],
        vec!["exec", "fork", id, "hi"],
        vec!["exec", "review", "--uncommitted"],
    ] {
        let scene = Scene::of_names(&["1.jsonl"]);
        let mut running = scene.codex(&args).talk();
        running.offer("never read");
        running.end_talking().is("1.jsonl\n", "", 0);
        assert_eq!(scene.entry(1)["stdin"]["bytes"], 0, "{args:?}");
    }
}

#[test]
fn the_header_or_the_set_may_say_how_stdin_is_read() {
    for (header, set, bytes) in [
        (r#"{"ringer":1,"stdin":"ignore"}"#, "", 0),
        (r#"{"ringer":1,"stdin":"eof"}"#, "stdin = \"ignore\"\n", 5),
        ("{\"ringer\":1}", "stdin = \"ignore\"\n", 0),
        ("{\"ringer\":1}", "", 5),
    ] {
        let scene = Scene::new();
        scene.steps("1.jsonl", header, &[r#"{"out":"x"}"#]).set(set);
        let mut running = scene.codex(&["exec", "hi"]).talk();
        running.offer("input");
        let done = if bytes == 0 { running.end_talking() } else { running.end() };
        done.is("x", "", 0);
        assert_eq!(scene.entry(1)["stdin"]["bytes"], bytes, "{header} {set}");
    }
}

#[test]
fn a_prompt_that_is_asked_for_comes_from_the_arguments_or_by_stdin() {
    for program in ["claude", "codex"] {
        let scene = Scene::new();
        for colour in ["red", "green", "blue"] {
            let header = format!("{{\"ringer\":1,\"when\":{{\"prompt\":\"{colour}\"}}}}");
            let step = format!("{{\"out\":\"{colour}\"}}");
            scene.steps(&format!("{colour}.jsonl"), &header, &[&step]);
        }
        let start = |args: &[&'static str]| match program {
            "claude" => scene.claude(&[&["-p"], args].concat()),
            _ => scene.codex(&[&["exec"], args].concat()),
        };
        start(&["paint it green"]).run().is("green", "", 0);
        start(&[]).input("paint it\nblue\n").run().is("blue", "", 0);
        start(&["paint it red"]).input("not blue").run().is("red", "", 0);
    }
}

/// Plays a recording that says something and hangs, sends a signal, and returns the end.
fn signalled(scene: &Scene, codex: bool, signal: Signal) -> Done {
    let start =
        if codex { scene.codex(&["exec", "--json", "hi"]) } else { scene.claude(&["-p", "hi"]) };
    let mut running = start.go();
    running.hear("on my way");
    running.signal(signal);
    running.end()
}

#[test]
fn claude_takes_signals_as_the_real_one() {
    for (signal, status) in [
        (Signal::INT, 0),
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::QUIT, -3),
        (Signal::USR1, -10),
        (Signal::KILL, -9),
    ] {
        let scene = Scene::of_steps(&[r#"{"out":"on my way"}"#, r#"{"hang":true}"#]);
        signalled(&scene, false, signal).is("on my way", "", status);
        if signal != Signal::KILL {
            assert_eq!(scene.entry(1)["terminated"], true);
        }
    }
}

#[test]
fn claude_exits_with_0_or_1_after_an_interrupt_by_its_version_and_what_it_is_about() {
    let call = r#"{"out":{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]},"parent_tool_use_id":null}}"#;
    let nested = r#"{"out":{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"u"}]},"parent_tool_use_id":"t"}}"#;
    let result = r#"{"out":{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}}"#;
    for (before, versions) in [
        (&[][..], [0, 0]),
        (&[call], [1, 0]),
        (&[call, nested], [1, 0]),
        (&[call, result], [0, 0]),
        (&[call, result, call], [1, 0]),
    ] {
        for (version, status) in ["2.1.197", "2.1.332"].into_iter().zip(versions) {
            let rest = [r#"{"out":"on my way"}"#, r#"{"hang":true}"#];
            let scene = Scene::of_steps(&[before, &rest].concat());
            scene.set(&format!("[claude]\nversion = \"{version}\"\n"));
            let done = signalled(&scene, false, Signal::INT);
            assert_eq!(done.status, status, "{version} {before:?}");
        }
    }
}

#[test]
fn codex_takes_signals_as_the_real_one() {
    for (signal, status) in
        [(Signal::INT, 1), (Signal::TERM, -15), (Signal::HUP, -1), (Signal::QUIT, -3)]
    {
        let scene = Scene::of_steps(&[r#"{"out":"on my way"}"#, r#"{"hang":true}"#]);
        signalled(&scene, true, signal).is("on my way", "", status);
    }
}

#[test]
fn codex_exits_with_0_or_1_after_an_interrupt_by_its_version() {
    for (version, status) in [("0.50.0", 0), ("0.99.0", 0), ("0.125.0", 1), ("0.171.0", 1)] {
        let scene = Scene::of_steps(&[r#"{"out":"on my way"}"#, r#"{"hang":true}"#]);
        scene.set(&format!("[codex]\nversion = \"{version}\"\n"));
        signalled(&scene, true, Signal::INT).is("on my way", "", status);
    }
}

#[test]
fn codex_dies_of_an_interrupt_while_it_reads_stdin() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let running = scene.codex(&["exec", "hi"]).talk();
    let journaled = || scene.state().join("journal/000001.json").exists();
    crate::running::until("it is in the journal", journaled);
    running.signal(Signal::INT);
    running.end_talking().is("", "", -2);
    assert_eq!(scene.entry(1).exit(), "INT");
}

#[test]
fn a_recording_may_ignore_a_signal_or_answer_it() {
    let scene = Scene::of_steps(&[
        r#"{"on_signal":"TERM"}"#,
        r#"{"on_signal":"INT","steps":[{"out":"interrupted\n"},{"exit":7}]}"#,
        r#"{"out":"on my way\n"}"#,
        r#"{"hang":true}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("on my way");
    running.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(200));
    assert!(running.runs());
    running.signal(Signal::INT);
    running.end().is("on my way\ninterrupted\n", "", 7);
    assert_eq!(scene.entry(1)["terminated"], false, "the recording ended it");
}

#[test]
fn a_signal_that_is_inherited_as_ignored_stays_ignored() {
    let scene = Scene::of_steps(&[r#"{"out":"on my way"}"#, r#"{"wait_ms":500}"#]);
    let script = format!("trap '' HUP; exec {} -p hi", crate::scene::double("claude").display());
    let mut running = scene.start("/bin/sh".as_ref(), &["-c", &script]).go();
    running.hear("on my way");
    running.signal(Signal::HUP);
    running.end().is("on my way", "", 0);
}

#[test]
fn a_signal_comes_through_while_nobody_takes_the_output() {
    let scene = Scene::of_steps(&[r#"{"out_fill":{"text":"x","times":10000000}}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.piece();
    std::thread::sleep(Duration::from_millis(200));
    running.signal(Signal::TERM);
    crate::running::until("it has ended", || !running.runs());
    assert_eq!(running.end().status, 143);
}
