//! The example recordings, each played as its page says.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::running::Done;
use crate::scene::{Scene, Start};

fn set(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name)
}

fn start(scene: &Scene, program: &str, set_name: &str) -> Start {
    let start = match program {
        "claude" => scene.claude(&["-p", "hi", "--output-format", "stream-json", "--verbose"]),
        _ => scene.codex(&["exec", "--json", "hi"]),
    };
    start.env("RINGER_RECORDINGS", set(set_name))
}

/// The events on stdout, which must all be whole.
fn events(done: &Done) -> Vec<Value> {
    done.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Plays a set's recordings for one persona and returns each with its name.
fn play(program: &str, set_name: &str) -> Vec<(String, Done)> {
    let scene = Scene::new();
    let mut names: Vec<String> = fs::read_dir(set(set_name).join(program))
        .unwrap()
        .map(|found| found.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names.into_iter().map(|name| (name, start(&scene, program, set_name).run())).collect()
}

/// What the page says a recording ends with.
fn promised_status(set_name: &str, program: &str, file: &str) -> i32 {
    let page = fs::read_to_string(set("README.md")).unwrap();
    let section = page.split(&format!("## `{set_name}`")).nth(1).unwrap();
    let row = section.lines().find(|line| line.contains(&format!("`{program}/{file}`")));
    let row = row.unwrap_or_else(|| panic!("{program}/{file} is not on the page"));
    row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap().trim().parse().unwrap()
}

#[test]
fn each_example_is_played_and_ends_as_its_page_says() {
    for set_name in ["basics", "retry"] {
        for program in ["claude", "codex"] {
            for (name, done) in play(program, set_name) {
                let promised = promised_status(set_name, program, &name);
                assert_eq!(done.status, promised, "{set_name}/{program}/{name}: {done:?}");
                assert!(!done.stdout.is_empty(), "{set_name}/{program}/{name}");
            }
        }
    }
}

#[test]
fn a_text_answer_ends_with_the_answer() {
    let (_, claude) = play("claude", "basics").remove(0);
    assert_eq!(events(&claude).last().unwrap()["result"], "The tests pass; nothing to do.");
    let (_, codex) = play("codex", "basics").remove(0);
    assert_eq!(events(&codex)[2]["item"]["text"], "The tests pass; nothing to do.");
}

#[test]
fn tool_use_with_errors_has_calls_and_failed_results_in_pairs() {
    let (_, claude) = play("claude", "basics").remove(1);
    let content = |event: &Value| event["message"]["content"][0].clone();
    let found: Vec<Value> = events(&claude).iter().map(content).collect();
    let of = |kind: &str, key: &str| -> Vec<Value> {
        found.iter().filter(|c| c["type"] == kind).map(|c| c[key].clone()).collect()
    };
    assert_eq!(of("tool_use", "id"), of("tool_result", "tool_use_id"));
    assert_eq!(of("tool_result", "is_error"), [true, true, false]);
    let (_, codex) = play("codex", "basics").remove(1);
    let codes = events(&codex);
    let codes: Vec<i64> =
        codes.iter().filter_map(|event| event["item"]["exit_code"].as_i64()).collect();
    assert_eq!(codes, [101, 1]);
}

#[test]
fn a_truncated_stream_breaks_off_inside_an_event() {
    for program in ["claude", "codex"] {
        let (_, done) = play(program, "basics").remove(3);
        let out = done.out();
        assert!(!out.ends_with('\n'), "{done:?}");
        let last = out.lines().last().unwrap();
        assert!(last.starts_with('{') && serde_json::from_str::<Value>(last).is_err(), "{done:?}");
    }
}

#[test]
fn stderr_in_the_middle_stands_between_two_events() {
    for (program, text) in [("claude", "[claude-code:unrecognized_model]"), ("codex", " ERROR ")] {
        let scene = Scene::new();
        for _ in 0..4 {
            start(&scene, program, "basics").run();
        }
        let merged = start(&scene, program, "basics").run_merged();
        let lines: Vec<String> = merged.out().lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains(text)).unwrap();
        assert!(lines[at - 1].starts_with('{') && lines[at + 1].starts_with('{'), "{merged:?}");
    }
}

#[test]
fn a_retry_fails_first_and_succeeds_the_second_time() {
    for program in ["claude", "codex"] {
        let statuses: Vec<i32> =
            play(program, "retry").iter().map(|(_, done)| done.status).collect();
        assert_eq!(statuses, [1, 0], "{program}");
    }
}
