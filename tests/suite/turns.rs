//! Turns as a whole run says them: when the answer comes, what is warned of, what the session file
//! holds; and turns that cannot be.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::{Scene, Start};

const AFTER: &str = r#"{"err":"afterwards\n"}"#;

/// The formats that have the answer at the end of the run.
fn formats(scene: &Scene) -> Vec<Start> {
    vec![
        scene.claude(&["-p", "hi"]),
        scene.claude(&["-p", "--output-format", "json", "hi"]),
        scene.claude(&["-p", "--output-format", "json", "--verbose", "hi"]),
        scene.codex(&["exec", "--skip-git-repo-check", "hi"]),
    ]
}

#[test]
fn the_answer_comes_before_what_follows_the_last_turn() {
    for steps in [
        &[r#"{"turn":{"text":"the answer"}}"#, AFTER][..],
        &[
            r#"{"turn":{"text":"first"}}"#,
            r#"{"err":"between\n"}"#,
            r#"{"turn":{"text":"the answer"}}"#,
            AFTER,
        ],
        &[r#"{"repeat":{"times":2,"steps":[{"turn":{"text":"the answer"}}]}}"#, AFTER],
        &[
            r#"{"repeat":{"times":1,"steps":[{"turn":{"text":"the answer"}},{"err":"afterwards\n"}]}}"#,
        ],
        &[
            r#"{"in":"eof","cases":[{"match":"eof","steps":[{"turn":{"text":"the answer"}},{"err":"afterwards\n"}]}]}"#,
        ],
    ] {
        let scene = Scene::new();
        scene.steps("1.jsonl", r#"{"ringer":1,"plays":"any"}"#, steps);
        for start in formats(&scene) {
            let done = start.run_merged();
            let said = String::from_utf8(done.stdout).unwrap();
            let (_, after) = said.rsplit_once("afterwards").unwrap_or_else(|| panic!("{said}"));
            assert!(!after.contains("the answer"), "{steps:?}: {said}");
            assert!(said.contains("the answer"), "{steps:?}: {said}");
            assert_eq!(done.status, 0);
        }
    }
}

#[test]
fn the_answer_of_a_rendered_stream_comes_before_what_follows_its_last_line() {
    let scene = Scene::new();
    scene.steps(
        "1.jsonl",
        r#"{"ringer":1,"render":true}"#,
        &[
            r#"{"out":{"type":"system","subtype":"init","session_id":"s"}}"#,
            r#"{"out":{"type":"result","subtype":"success","is_error":false,"result":"the answer"}}"#,
            AFTER,
        ],
    );
    let said = scene.claude(&["-p", "hi"]).run_merged();
    assert_eq!(String::from_utf8(said.stdout).unwrap(), "the answer\nafterwards\n");
}

#[test]
fn the_answer_waits_where_a_signal_may_bring_about_another_turn() {
    let scene = Scene::of_steps(&[
        r#"{"on_signal":"USR1","steps":[{"turn":{"text":"by signal"}}]}"#,
        r#"{"turn":{"text":"main"}}"#,
        r#"{"err":"ready\n"}"#,
        r#"{"in":"eof"}"#,
    ]);
    let mut running = scene.claude(&["-p", "--output-format", "json", "hi"]).talk();
    let entry = || std::fs::read_to_string(scene.state().join("journal/000001.json"));
    let wait_for = |running: &mut crate::running::Running, text: &str| {
        let began = std::time::Instant::now();
        while !entry().is_ok_and(|entry| entry.contains(text)) {
            assert!(began.elapsed() < crate::running::PATIENCE && running.runs());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    wait_for(&mut running, "\"waiting_for\":\"");
    running.signal(rustix::process::Signal::USR1);
    // The end of stdin must not come together with the signal.
    wait_for(&mut running, "\"USR1\"");
    let done = running.end();
    let result: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(result["result"], "by signal");
}

#[test]
fn turns_warn_of_a_silent_stdin_as_the_program_does_and_other_recordings_do_not() {
    let warning = "no stdin data received in 3s";
    for (step, warns) in [(r#"{"turn":{"text":"x"}}"#, true), (r#"{"out":"x\n"}"#, false)] {
        let scene = Scene::of_steps(&[r#"{"err":"begun\n"}"#, step]);
        let done = scene.claude(&["-p", "hi"]).talk().end_talking();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(said.contains(warning), warns, "{said}");
        let (before, _) = said.split_once("begun").unwrap();
        assert_eq!(before.contains(warning), warns, "{said}");
        assert_eq!(String::from_utf8(done.stdout).unwrap(), "x\n");
    }
}

#[test]
fn turns_that_cannot_be_are_refused_with_their_line() {
    for turn in [
        r#"{"tools":[{"name":"Bash","input":[1]}]}"#,
        r#"{"tools":[{"name":"Bash","input":"ls"}]}"#,
        r#"{"tools":[{"name":"Bash","input":null}]}"#,
        r#"{"tools":[{"name":"Bash","ask":1}]}"#,
        r#"{"thinking":null}"#,
        r#"{"structured":null}"#,
        r#"{"usage":null}"#,
        r#"{"usage":{"input":-1}}"#,
        r#"{"duration_ms":-1}"#,
        r#"{"duration_ms":1.5}"#,
        r#"{"chunk":-1}"#,
        r#"{"empty":true,"text":"x"}"#,
        r#"{"empty":true,"structured":{}}"#,
        r#"{"empty":"yes"}"#,
    ] {
        let scene = Scene::of_steps(&[&format!("{{\"turn\":{turn}}}")]);
        let done = scene.play();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.contains("01.jsonl: line 2: "), "{turn}: {said}");
        assert_eq!((done.stdout.as_slice(), done.status), (&b""[..], 97), "{turn}");
    }
}

#[test]
fn the_largest_numbers_are_rendered() {
    let usage =
        format!(r#"{{"input":{0},"cached_input":{0},"output":{0},"reasoning":{0}}}"#, u64::MAX);
    let turn = format!(r#"{{"turn":{{"text":"x","usage":{usage},"duration_ms":{}}}}}"#, u64::MAX);
    for start in [
        |scene: &Scene| scene.claude(&["-p", "--output-format", "json", "hi"]),
        |scene: &Scene| scene.codex(&["exec", "--json", "--skip-git-repo-check", "hi"]),
    ] {
        let scene = Scene::of_steps(&[&turn, &turn]);
        let done = start(&scene).run();
        assert_eq!(done.status, 0, "{}", String::from_utf8_lossy(&done.stderr));
    }
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let found = found.map(|it| it.unwrap().path());
    found.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_session_file_is_kept_whatever_the_format_shows() {
    for codex in [false, true] {
        for number in 0..3 {
            let scene = Scene::new();
            scene.set("transcripts = true\n");
            scene.steps("1.jsonl", "{\"ringer\":1}", &[r#"{"turn":{"text":"the answer"}}"#]);
            let formats: &[&[&str]] = match codex {
                false => {
                    &[&[], &["--output-format", "json"], &["--output-format", "json", "--verbose"]]
                }
                true => &[&[], &["--json"], &["--color", "never"]],
            };
            let done = match codex {
                false => scene.claude(&[&["-p", "hi"], formats[number]].concat()).run(),
                true => {
                    let args =
                        [&["exec", "--skip-git-repo-check"], formats[number], &["hi"]].concat();
                    scene.codex(&args).run()
                }
            };
            assert_eq!(done.status, 0);
            let kept = files(&scene.path("home"));
            let kept: Vec<_> =
                kept.iter().filter(|it| it.extension().is_some_and(|e| e == "jsonl")).collect();
            assert_eq!(kept.len(), 1, "{codex} {number}: {kept:?}");
            let text = fs::read_to_string(kept[0]).unwrap();
            assert_eq!(text.matches("\"the answer\"").count(), 1 + usize::from(codex), "{text}");
        }
    }
}
