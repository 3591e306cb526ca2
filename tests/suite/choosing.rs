//! Which recording a spawn gets, and what is said when there is none.

use crate::scene::{Scene, double};

/// Plays until the recordings are used up and returns what each spawn said.
fn play_out(scene: &Scene, args: &[&str], times: usize) -> Vec<String> {
    (0..times).map(|_| scene.claude(args).run().out().trim_end().to_owned()).collect()
}

#[test]
fn recordings_are_handed_out_one_a_spawn_numbers_compared_as_numbers() {
    let names = ["10.jsonl", "2.jsonl", "a10.jsonl", "a9-b.jsonl", "1.jsonl", "B.jsonl"];
    let scene = Scene::of_names(&names);
    let wanted = ["1.jsonl", "2.jsonl", "10.jsonl", "B.jsonl", "a9-b.jsonl", "a10.jsonl"];
    assert_eq!(play_out(&scene, &["-p", "hi"], 6), wanted);
}

#[test]
fn hidden_and_underscored_names_and_other_files_are_skipped() {
    let scene = Scene::of_names(&["1.jsonl", ".2.jsonl", "_3.jsonl", "4.json", "5.jsonl.bak"]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["1.jsonl"]);
    scene.play().is_refused("claude");
}

#[test]
fn a_persona_with_a_folder_of_its_own_draws_from_it_alone() {
    let scene = Scene::of_names(&["claude/1.jsonl", "1.jsonl", "2.jsonl"]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["claude/1.jsonl"]);
    scene.play().is_refused("claude");
    scene.codex(&["exec", "hi"]).run().is("1.jsonl\n", "", 0);
    assert_eq!(scene.entry(3).recording(), Some("1.jsonl"));
}

#[test]
fn two_personas_without_folders_share_one_order() {
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl", "3.jsonl"]);
    scene.claude(&["-p", "hi"]).run().is("1.jsonl\n", "", 0);
    scene.codex(&["exec", "hi"]).run().is("2.jsonl\n", "", 0);
    scene.claude(&["-p", "hi"]).run().is("3.jsonl\n", "", 0);
}

#[test]
fn running_out_is_loud() {
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl"]);
    play_out(&scene, &["-p", "hi"], 2);
    let done = scene.claude(&["-p", "what now?", "--model", "opus"]).run();
    done.is_refused("claude");
    // The time of the last play is the one thing that differs from run to run.
    let text = scene.plain(&done.stderr);
    let (before, rest) = text.split_once(", the last at ").unwrap();
    let (time, after) = rest.split_once(", in ").unwrap();
    assert!(time.parse::<jiff::Timestamp>().is_ok(), "{time}");
    assert_eq!(
        format!("{before}, the last at TIME, in {after}"),
        "ringer(claude): no recording is left for `claude -p \"what now?\" --model opus`\n  \
         2 of 2 played, the last at TIME, in SCENE/recordings\n  \
         the program under test started claude once more than was recorded, or otherwise than was \
         recorded; what it did is in SCENE/state\n  \
         to play from the start again: ringer reset SCENE/state\n"
    );
    let entry = scene.entry(3);
    assert_eq!(
        (entry.text("kind"), entry.recording(), entry.exit().as_str()),
        ("refused", None, "97")
    );
    assert_eq!(entry.problems(), ["exhausted"]);
}

#[test]
fn a_spawn_that_nothing_accepts_is_told_what_came_closest_and_why_not() {
    let scene = Scene::new();
    let when = |conditions: &str| format!("{{\"ringer\":1,\"when\":{{{conditions}}}}}");
    let never = r#""argv":["--resume","--never"],"cwd":"/elsewhere$""#;
    scene.steps("1.jsonl", &when(never), &[]);
    scene.steps("2.jsonl", &when(r#""argv":["--resume"]"#), &[]);
    scene.steps("3.jsonl", &when(r#""env":{"MODE":"fast","HOME":null}"#), &[]);
    scene.steps("4.jsonl", &when(r#""argv_regex":"^exec","not":{"argv":["-p"]}"#), &[]);
    let done = scene.claude(&["-p", "hi"]).run();
    done.is_refused("claude");
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): no recording accepts `claude -p hi`\n  \
         0 of 4 played, in SCENE/recordings\n  \
         2.jsonl is not for it: when.argv: \"--resume\" is not among the arguments\n  \
         3.jsonl is not for it: when.env.MODE: it is not set; when.env.HOME: it is set\n  \
         4.jsonl is not for it: when.argv_regex: /^exec/ does not match the arguments; when.not: \
         all that it names is so\n  \
         and 1 more with conditions that fail\n  \
         the program under test started claude once more than was recorded, or otherwise than was \
         recorded; what it did is in SCENE/state\n  \
         to play from the start again: ringer reset SCENE/state\n"
    );
    assert_eq!(scene.entry(1).problems(), ["unmatched"]);
}

#[test]
fn the_value_of_a_variable_stays_out_of_the_message() {
    let scene = Scene::new();
    let header = r#"{"ringer":1,"when":{"env":{"API_KEY":"^right$"}}}"#;
    scene.steps("1.jsonl", header, &[]);
    let done = scene.claude(&["-p", "hi"]).env("API_KEY", "wrong-secret-value").run();
    assert!(
        done.err().contains("when.env.API_KEY: /^right$/ does not match its value"),
        "{done:?}"
    );
    assert!(!done.err().contains("wrong-secret"), "{done:?}");
}

#[test]
fn the_first_recording_with_plays_left_whose_conditions_hold_is_played() {
    let scene = Scene::new();
    let when = |conditions: &str| format!("{{\"ringer\":1,\"when\":{{{conditions}}}}}");
    for (name, header) in [
        ("1.jsonl", when(r#""argv":["--model","opus"]"#)),
        ("2.jsonl", when(r#""argv_regex":"--model (son|hai)""#)),
        ("3.jsonl", when(r#""cwd":"/cwd$","env":{"FLAVOUR":"^sweet$","UNSET":null}"#)),
        ("4.jsonl", when(r#""stdin_kind":"pipe""#)),
        ("5.jsonl", when(r#""not":{"argv":["-p"]}"#)),
        ("6.jsonl", "{\"ringer\":1}".to_owned()),
    ] {
        scene.steps(name, &header, &[&format!("{{\"out\":\"{name}\"}}")]);
    }
    scene.claude(&["-p", "hi", "--model", "haiku"]).run().is("2.jsonl", "", 0);
    scene.claude(&["--model", "opus", "hi"]).run().is("1.jsonl", "", 0);
    scene.claude(&["-p", "hi"]).env("FLAVOUR", "sweet").run().is("3.jsonl", "", 0);
    scene.claude(&["-p", "hi"]).input("").run().is("4.jsonl", "", 0);
    scene.claude(&["-p", "hi"]).run().is("6.jsonl", "", 0);
    scene.claude(&["-p", "hi"]).run().is_refused("claude");
    scene.claude(&["hi"]).run().is("5.jsonl", "", 0);
}

#[test]
fn the_first_line_of_stdin_may_decide_and_is_then_not_lost() {
    let scene = Scene::new();
    let steps = [r#"{"in":"line"}"#, r#"{"out":"got it"}"#];
    scene.steps("1.jsonl", r#"{"ringer":1,"when":{"stdin":"^blue"}}"#, &[r#"{"out":"blue"}"#]);
    scene.steps("2.jsonl", r#"{"ringer":1,"when":{"stdin":"^red$"}}"#, &steps);
    scene.claude(&["-p", "hi"]).input("red\nsecond\n").run().is("got it", "", 0);
    scene.claude(&["-p", "hi"]).input("blue, no newline").run().is("blue", "", 0);
    assert_eq!(scene.entry(1).recording(), Some("2.jsonl"));
    let done = scene.claude(&["-p", "hi"]).input("green\n").run();
    done.is_refused("claude");
    assert_eq!(scene.entry(3).problems(), ["exhausted"]);
}

#[test]
fn plays_says_how_often_a_recording_is_handed_out() {
    let scene = Scene::of_names(&["2.jsonl"]);
    scene.steps("1.jsonl", r#"{"ringer":1,"plays":3}"#, &[r#"{"out":"1"}"#]);
    scene.steps("0.jsonl", r#"{"ringer":1,"plays":0}"#, &[r#"{"out":"0"}"#]);
    scene.steps("3.jsonl", r#"{"ringer":1,"plays":"any"}"#, &[r#"{"out":"3"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 8), ["1", "1", "1", "2.jsonl", "3", "3", "3", "3"]);
    let plays: Vec<_> = scene.entries().iter().map(|e| e["play"].as_u64().unwrap()).collect();
    assert_eq!(plays, [1, 2, 3, 1, 1, 2, 3, 4]);
}

#[test]
fn what_is_never_left_over_is_counted_only_where_it_was_played() {
    let counted = |scene: &Scene| {
        let done = scene.play();
        done.is_refused("claude");
        let text = done.err();
        text.lines().nth(1).unwrap().split([',', ';']).next().unwrap().trim().to_owned()
    };
    let any = r#"{"ringer":1,"plays":"any","when":{"argv":["--model"]}}"#;
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl"]);
    scene.steps("3.jsonl", r#"{"ringer":1,"plays":0}"#, &[r#"{"out":"3"}"#]);
    scene.steps("4.jsonl", any, &[r#"{"out":"4"}"#]);
    play_out(&scene, &["-p", "hi"], 2);
    assert_eq!(counted(&scene), "2 of 2 played");
    assert_eq!(scene.entry(3).problems(), ["unmatched"]);
    scene.claude(&["-p", "hi", "--model", "opus"]).run().is("4", "", 0);
    assert_eq!(counted(&scene), "3 of 3 played");
    let nothing = Scene::new();
    nothing.steps("1.jsonl", r#"{"ringer":1,"plays":0}"#, &[r#"{"out":"1"}"#]);
    assert_eq!(counted(&nothing), "none was played");
    assert_eq!(nothing.entry(1).problems(), ["exhausted"]);
}

#[test]
fn a_probe_recording_with_conditions_answers_any_number_of_times_and_uses_nothing_up() {
    let scene = Scene::of_names(&["2.jsonl"]);
    let header = r#"{"ringer":1,"probe":true,"when":{"argv":["--probe-me"]}}"#;
    scene.steps("1.jsonl", header, &[r#"{"out":"probed"}"#]);
    let probe = || scene.claude(&["-p", "hi", "--probe-me"]).env("RINGER_ARGS", "lax").run();
    probe().is("probed", "", 0);
    probe().is("probed", "", 0);
    scene.play().is("2.jsonl\n", "", 0);
    probe().is("probed", "", 0);
    let entry = scene.entry(4);
    assert_eq!((entry.text("kind"), entry.recording()), ("probe", Some("1.jsonl")));
    assert_eq!(entry["play"], serde_json::Value::Null);
}

#[test]
fn a_probe_recording_without_conditions_is_never_handed_out_to_a_run() {
    let scene = Scene::of_names(&["2.jsonl"]);
    scene.steps("1.jsonl", r#"{"ringer":1,"probe":true}"#, &[r#"{"out":"probed"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["2.jsonl"]);
    scene.play().is_refused("claude");
}

#[test]
fn with_repeat_last_the_last_recording_that_accepts_answers_on() {
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl"]);
    let header = r#"{"ringer":1,"when":{"argv":["--never"]}}"#;
    scene.steps("3.jsonl", header, &[]);
    scene.steps("4.jsonl", r#"{"ringer":1,"probe":true}"#, &[]);
    scene.steps("5.jsonl", r#"{"ringer":1,"plays":0}"#, &[]);
    scene.set("repeat_last = true\n");
    assert_eq!(play_out(&scene, &["-p", "hi"], 4), ["1.jsonl", "2.jsonl", "2.jsonl", "2.jsonl"]);
    assert_eq!(scene.entry(4)["play"], 3);
    let off = scene.claude(&["-p", "hi"]).env("RINGER_REPEAT_LAST", "0").run();
    off.is_refused("claude");
}

#[test]
fn a_recording_added_in_front_is_played_next() {
    let scene = Scene::of_names(&["5.jsonl", "6.jsonl"]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["5.jsonl"]);
    scene.raw("1.jsonl", "added\n");
    assert_eq!(play_out(&scene, &["-p", "hi"], 2), ["added", "6.jsonl"]);
}

#[test]
fn changed_conditions_count_from_then_on() {
    let scene = Scene::new();
    scene.steps("1.jsonl", r#"{"ringer":1,"when":{"argv":["-x"]}}"#, &[r#"{"out":"1"}"#]);
    scene.steps("2.jsonl", "{\"ringer\":1}", &[r#"{"out":"2"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["2"]);
    scene.steps("1.jsonl", r#"{"ringer":1,"when":{"argv":["-p"]}}"#, &[r#"{"out":"1"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["1"]);
}

#[test]
fn a_recording_that_is_given_more_plays_is_handed_out_again() {
    let scene = Scene::new();
    scene.steps("1.jsonl", "{\"ringer\":1}", &[r#"{"out":"1"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["1"]);
    scene.steps("1.jsonl", r#"{"ringer":1,"plays":2}"#, &[r#"{"out":"1"}"#]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["1"]);
    scene.play().is_refused("claude");
}

#[test]
fn a_recording_that_is_gone_is_passed_over_and_keeps_its_plays_if_it_comes_back() {
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl", "3.jsonl"]);
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["1.jsonl"]);
    let (file, away) = (scene.recordings().join("1.jsonl"), scene.path("away"));
    std::fs::rename(&file, &away).unwrap();
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["2.jsonl"]);
    std::fs::rename(&away, &file).unwrap();
    assert_eq!(play_out(&scene, &["-p", "hi"], 1), ["3.jsonl"]);
    scene.play().is_refused("claude");
}

const HELP: &str =
    "Runs things\n\nUsage: codex exec [OPTIONS] [PROMPT]\n\nOptions:\n  -h, --help\n";

#[test]
fn a_captured_help_text_that_is_next_answers_a_question_for_help_and_is_claimed() {
    let scene = Scene::new();
    scene.raw("codex/1.jsonl", HELP).raw("codex/2.jsonl", "{\"type\":\"turn.completed\"}\n");
    scene.codex(&["exec", "-h"]).run().is(HELP, "", 0);
    assert_eq!(scene.entry(1).recording(), Some("codex/1.jsonl"));
    assert_eq!(scene.entry(1)["kind"], "run");
    let own = scene.codex(&["exec", "-h"]).run();
    assert!(own.out().starts_with("This is ringer, standing in for codex exec"), "{}", own.out());
    assert_eq!(scene.entry(2).recording(), None);
    assert_eq!(scene.entry(2)["kind"], "probe");
    scene.codex(&["exec", "hi"]).run().is("{\"type\":\"turn.completed\"}\n", "", 0);
}

#[test]
fn a_question_for_help_takes_no_help_text_of_another_program_and_none_that_is_not_next() {
    for (first, asked) in [
        ("Usage: codexes exec\n", "--help"),
        ("Usage: claude [options]\n", "--help"),
        ("{\"text\":\"\nUsage: codex exec\n\"}\n", "--help"),
        ("a line\n", "help"),
    ] {
        let scene = Scene::new();
        scene.raw("codex/1.jsonl", first).raw("codex/2.jsonl", HELP);
        let own = scene.codex(&[asked]).run();
        assert!(own.out().starts_with("This is ringer"), "{first}: {}", own.out());
        assert_eq!(scene.entry(1)["kind"], "probe", "{first}");
        scene.codex(&["exec", "hi"]).run().is(first, "", 0);
    }
}

#[test]
fn a_model_run_is_given_a_help_text_like_any_other_recording() {
    let scene = Scene::of_raw("Usage: claude [options] [command] [prompt]\n");
    scene.play().is("Usage: claude [options] [command] [prompt]\n", "", 0);
}

#[test]
fn what_is_said_of_a_command_without_an_answer_is_how_to_give_it_one() {
    for (program, args) in [
        ("claude", vec!["plugin", "install", "some@where"]),
        ("codex", vec!["login"]),
        ("codex", vec!["-c", "a=b", "mcp", "add", "x", "--", "y"]),
    ] {
        let scene = Scene::of_names(&["1.jsonl"]);
        let done = scene.start(&double(program), &args).run();
        done.is_refused(program);
        let said = String::from_utf8(done.stderr).unwrap();
        let header = &said[said.find("{\"ringer\"").unwrap()..];
        scene.steps("2.jsonl", header.trim_end(), &[r#"{"out":"done"}"#]);
        scene.start(&double(program), &args).run().is("done", "", 0);
        scene.start(&double(program), &["--version"]).run();
        assert_eq!(scene.entry(3).recording(), None, "{header}");
    }
}
