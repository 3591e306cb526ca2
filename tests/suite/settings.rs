//! Where a double finds its things, and which word wins.

use std::fs;
use std::os::unix::fs::symlink;

use crate::scene::{Scene, Start, double};

impl Scene {
    /// Puts a copy of a double on a stage of its own, with this stage file beside it.
    fn stage(&self, program: &str, file: Option<&str>) -> std::path::PathBuf {
        fs::create_dir_all(self.path("stage")).unwrap();
        let path = self.path("stage").join(program);
        if !path.exists() {
            fs::copy(double(program), &path).unwrap();
        }
        if let Some(text) = file {
            fs::write(self.path("stage/ringer.json"), text).unwrap();
        }
        path
    }
}

/// A start with none of ringer's variables.
fn bare(start: Start) -> Start {
    start.without("RINGER_RECORDINGS").without("RINGER_STATE").without("RINGER_MAX_LIFE")
}

#[test]
fn without_a_word_about_recordings_it_says_what_to_set() {
    let scene = Scene::new();
    let claude = scene.stage("claude", None);
    let done = bare(scene.start(&claude, &["-p", "hi"])).run();
    assert_eq!(done.status, 97);
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): RINGER_RECORDINGS: not set, and there is no ringer.json in SCENE/stage; \
         set it to a directory of recordings, or make a stage with `ringer stage`\n"
    );
}

#[test]
fn the_stage_file_beside_the_executable_is_enough_with_an_emptied_environment() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let file = r#"{"recordings":"../recordings","state":"../state"}"#;
    let claude = scene.stage("claude", Some(file));
    let mut start = scene.start(&claude, &["-p", "hi"]);
    start.command.env_clear();
    start.run().is("01.jsonl\n", "", 0);
    assert_eq!(scene.entry(1).recording(), Some("01.jsonl"));
}

#[test]
fn the_stage_file_stands_beside_the_path_it_was_started_by_links_not_resolved() {
    let scene = Scene::of_names(&["01.jsonl"]);
    fs::create_dir_all(scene.path("stage")).unwrap();
    let file = r#"{"recordings":"../recordings","state":"../state"}"#;
    fs::write(scene.path("stage/ringer.json"), file).unwrap();
    symlink(double("claude"), scene.path("stage/claude")).unwrap();
    bare(scene.start(&scene.path("stage/claude"), &["-p", "hi"])).run().is("01.jsonl\n", "", 0);
}

#[test]
fn a_double_found_on_path_finds_its_stage_file() {
    let scene = Scene::of_names(&["01.jsonl"]);
    scene.stage("claude", Some(r#"{"recordings":"../recordings","state":"../state"}"#));
    let sh = bare(scene.start("/bin/sh".as_ref(), &["-c", "claude -p hi"]));
    let path = format!("{}:/usr/bin:/bin", scene.path("stage").display());
    sh.env("PATH", path).run().is("01.jsonl\n", "", 0);
}

#[test]
fn a_double_started_by_a_relative_path_finds_its_stage_file() {
    let scene = Scene::of_names(&["01.jsonl"]);
    scene.stage("claude", Some(r#"{"recordings":"../recordings","state":"../state"}"#));
    let sh = bare(scene.start("/bin/sh".as_ref(), &["-c", "exec ../stage/claude -p hi"]));
    sh.run().is("01.jsonl\n", "", 0);
}

#[test]
fn argv_0_does_not_make_the_persona() {
    let scene = Scene::of_names(&["claude/01.jsonl", "codex/01.jsonl"]);
    let script = format!("exec -a codex {} -p hi", double("claude").display());
    scene.start("/bin/bash".as_ref(), &["-c", &script]).run().is("claude/01.jsonl\n", "", 0);
    assert_eq!(
        (scene.entry(1).text("program"), &scene.entry(1)["argv"][0]),
        ("claude", &"codex".into())
    );
}

#[test]
fn an_unknown_key_in_the_stage_file_is_an_error() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let claude = scene.stage("claude", Some(r#"{"recordings":"../recordings","spede":1}"#));
    let done = scene.start(&claude, &["-p", "hi"]).run();
    done.is_refused("claude");
    let text = scene.plain(&done.stderr);
    assert!(
        text.starts_with("ringer(claude): SCENE/stage/ringer.json: unknown field `spede`"),
        "{text}"
    );
}

#[test]
fn a_stage_file_that_is_no_json_is_an_error_with_its_path() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let claude = scene.stage("claude", Some("recordings = 1"));
    let done = scene.start(&claude, &["-p", "hi"]).run();
    done.is_refused("claude");
    assert!(done.err().contains("/stage/ringer.json: "), "{done:?}");
}

#[test]
fn a_variable_wins_over_the_stage_file_over_the_header_over_ringer_toml() {
    let speeds = [
        // variable, stage file, header, ringer.toml, and the one that decides
        (Some("0"), Some("1"), Some("1"), Some("1"), false),
        (Some("1"), Some("0"), Some("0"), Some("0"), true),
        (None, Some("0"), Some("1"), Some("1"), false),
        (None, Some("1"), Some("0"), Some("0"), true),
        (None, None, Some("0"), Some("1"), false),
        (None, None, Some("1"), Some("0"), true),
        (None, None, None, Some("1"), true),
        (None, None, None, None, false),
    ];
    for (variable, stage, header, set, waits) in speeds {
        let scene = Scene::new();
        let header = header.map(|speed| format!(",\"speed\":{speed}")).unwrap_or_default();
        scene.steps("01.jsonl", &format!("{{\"ringer\":1{header}}}"), &[r#"{"out":"x","at":400}"#]);
        if let Some(speed) = set {
            scene.set(&format!("speed = {speed}\n"));
        }
        let stage = stage.map(|speed| format!("{{\"speed\":{speed}}}"));
        let claude = scene.stage("claude", stage.as_deref());
        let start = scene.start(&claude, &["-p", "hi"]);
        let start =
            variable.into_iter().fold(start, |start, speed| start.env("RINGER_SPEED", speed));
        start.run().is("x", "", 0);
        let wall = scene.entry(1)["wall_ms"].as_u64().unwrap();
        assert_eq!(wall >= 400, waits, "{wall} ms with {variable:?} {stage:?} {header:?} {set:?}");
    }
}

#[test]
fn recordings_and_state_of_the_environment_win_over_the_stage_file() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let file = r#"{"recordings":"nowhere","state":"other-state","repeat_last":true}"#;
    let claude = scene.stage("claude", Some(file));
    for _ in 0..2 {
        scene.start(&claude, &["-p", "hi"]).run().is("01.jsonl\n", "", 0);
    }
    assert!(!scene.path("stage/other-state").exists());
    assert_eq!(scene.entries().len(), 2);
    let last = scene.start(&claude, &["-p", "hi"]).env("RINGER_REPEAT_LAST", "0").run();
    last.is_refused("claude");
}

#[test]
fn a_relative_recording_directory_counts_from_the_spawns_cwd_and_the_error_says_so() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let claude = || scene.claude(&["-p", "hi"]);
    claude().env("RINGER_RECORDINGS", "../recordings").run().is("01.jsonl\n", "", 0);
    let done = claude().env("RINGER_RECORDINGS", "recordings").run();
    done.is_refused("claude");
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): SCENE/cwd/recordings: the recording directory cannot be used (entity not \
         found); RINGER_RECORDINGS is relative and so counts from the working directory of the \
         spawn, SCENE/cwd\n"
    );
}

#[test]
fn a_relative_state_directory_is_refused() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let done = scene.claude(&["-p", "hi"]).env("RINGER_STATE", "state").run();
    done.is_refused("claude");
    assert_eq!(
        done.err(),
        "ringer(claude): RINGER_STATE: state is relative; give an absolute path, so that all \
         spawns of a test share it\n"
    );
}

#[test]
fn the_default_state_directory_lies_in_the_recordings_hidden_from_git() {
    let scene = Scene::of_names(&["01.jsonl"]);
    scene.claude(&["-p", "hi"]).without("RINGER_STATE").run().is("01.jsonl\n", "", 0);
    let state = scene.recordings().join(".ringer");
    assert_eq!(fs::read_to_string(state.join(".gitignore")).unwrap(), "*\n");
    assert!(state.join("journal/000001.json").exists());
}

#[test]
fn a_missing_recording_directory_is_never_made() {
    let scene = Scene::new();
    fs::remove_dir(scene.recordings()).unwrap();
    scene.claude(&["-p", "hi"]).without("RINGER_STATE").run().is_refused("claude");
    assert!(!scene.recordings().exists());
    scene.play().is_refused("claude");
    assert_eq!(scene.entry(1).problems(), ["unreadable"]);
}

#[test]
fn an_empty_recording_directory_is_an_error() {
    let scene = Scene::new();
    scene.raw(".hidden.jsonl", "x").raw("_draft.jsonl", "x").raw("notes.txt", "x");
    let done = scene.play();
    done.is_refused("claude");
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): SCENE/recordings: the recording directory has no recordings for claude: \
         no *.jsonl files here (names that start with `.` or `_` are skipped) and no folder \
         claude/; put a capture there, or write one with `ringer new`\n"
    );
}

#[test]
fn a_recording_in_the_place_of_the_directory_is_an_error() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let file = scene.recordings().join("01.jsonl");
    let done = scene.claude(&["-p", "hi"]).env("RINGER_RECORDINGS", file).run();
    done.is_refused("claude");
    assert!(done.err().contains("takes the directory, not a recording in it"), "{done:?}");
}

#[test]
fn a_value_that_a_variable_cannot_have_is_an_error_that_names_it() {
    for (name, value) in [
        ("RINGER_SPEED", "fast"),
        ("RINGER_SPEED", "-1"),
        ("RINGER_SPEED", "inf"),
        ("RINGER_ARGS", "loose"),
        ("RINGER_MODE", "play"),
        ("RINGER_REPEAT_LAST", "maybe"),
        ("RINGER_MAX_LIFE", "0"),
        ("RINGER_MAX_LIFE", "long"),
    ] {
        let scene = Scene::of_names(&["01.jsonl"]);
        let done = scene.claude(&["-p", "hi"]).env(name, value).run();
        done.is_refused("claude");
        let wanted = format!("ringer(claude): {name}: \"{value}\": it takes ");
        assert!(done.err().starts_with(&wanted), "{done:?}");
        assert_eq!(scene.entry(1).recording(), None, "nothing is used up");
    }
}

#[test]
fn an_empty_variable_is_as_good_as_none() {
    let scene = Scene::of_names(&["01.jsonl"]);
    let claude = scene.claude(&["-p", "hi"]).env("RINGER_SPEED", "").env("RINGER_ARGS", "");
    claude.run().is("01.jsonl\n", "", 0);
}

#[test]
fn a_mistake_in_ringer_toml_is_an_error_with_its_line() {
    for (text, wanted) in [
        ("speed = 1\nspede = 2\n", "line 2: spede: no such key; there are "),
        ("repeat_last = 1\n", "line 1: repeat_last: it takes true or false"),
        ("\nargs = \"loose\"\n", "line 2: args: it takes one of \"strict\", \"lax\""),
        ("[claude]\nversoin = \"1\"\n", "line 2: versoin: [claude] takes `version`"),
        ("[journal]\nenv = \"some\"\n", "line 2: env: it takes one of "),
        (
            "[claude]\nversion = \"abc\"\n",
            "line 2: version: \"abc\" is no version, which begins with a digit; known are 2.1.197",
        ),
        (
            "[claude]\nversion = \"2.1.197\"\n[codex]\nversion = \"\"\n",
            "line 4: version: \"\" is no version, which begins with a digit; known are 0.50.0, 0.99.0",
        ),
        ("speed = 1\ncodex.version = \"v1\"\n", "line 2: version: \"v1\" is no version"),
        ("\n[other]\nversion = \"latest\"\n", "line 3: version: \"latest\" is no version"),
        ("speed = \n", "line 1: "),
    ] {
        let scene = Scene::of_names(&["01.jsonl"]);
        let done = scene.set(text).play();
        done.is_refused("claude");
        let stderr = scene.plain(&done.stderr);
        let wanted = format!("ringer(claude): SCENE/recordings/ringer.toml: {wanted}");
        assert!(stderr.starts_with(&wanted), "{stderr}");
    }
}

#[test]
fn what_claude_says_of_itself_to_a_client_may_be_given_by_the_set() {
    let scene = Scene::of_steps(&[r#"{"turn":{"text":"Done."}}"#]);
    scene.set("[claude.initialize]\nmodels = [{ value = \"mine\", displayName = \"Mine\" }]\n");
    let arguments =
        ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    let asked = r#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}"#;
    let done = scene.claude(&arguments).input(format!("{asked}\n")).run();
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let answer = &said["response"]["response"];
    assert_eq!(answer["models"], serde_json::json!([{"value": "mine", "displayName": "Mine"}]));
    assert!(answer["commands"].is_array(), "the rest is as always: {answer}");
}

#[test]
fn an_answer_that_is_no_table_is_refused_with_its_line() {
    let scene = Scene::of_names(&["01.jsonl"]);
    scene.set("[claude]\ninitialize = \"no\"\n");
    let done = scene.claude(&["-p", "hi"]).run();
    assert_eq!((done.status, done.stdout.len()), (97, 0));
    let said = scene.plain(&done.stderr);
    assert!(said.contains("ringer.toml: line 2: initialize: it takes a table"), "{said}");
}
