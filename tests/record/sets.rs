use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use ringer::recording::{Regexes, Surroundings, check};

use crate::scene::{SESSION, Scene, seen};

const HARNESS: &str = "claude -p one; echo $?; codex exec two; echo $?; claude -p three; echo $?";

fn scene() -> Scene {
    let counts = "n=$(cat ../count 2>/dev/null || echo 0); n=$((n+1)); echo $n > ../count";
    Scene::new()
        .real("claude", &format!("{counts}; echo claude $n $2; exit $n"))
        .real("codex", &format!("{counts}; echo codex $n >&2; exit 9"))
}

#[test]
fn a_harness_with_spawns_of_two_personas_is_recorded_and_replayed() {
    let scene = scene();
    let recorded = seen(&mut scene.record(&[], &["sh", "-c", HARNESS]), "");
    assert_eq!(recorded.stdout, "claude 1 one\n1\n9\nclaude 3 three\n3\n");
    assert_eq!(
        scene.files(),
        ["claude/01.jsonl", "claude/02.jsonl", "codex/01.jsonl", "ringer.toml"]
    );
    assert_eq!(seen(&mut scene.run(&["sh", "-c", HARNESS]), ""), recorded);
    assert_eq!(fs::read_to_string(scene.path("count")).unwrap(), "3\n");
}

#[test]
fn an_emptied_environment_is_no_hindrance() {
    let scene = scene();
    let harness = r#"for p in claude codex; do env -i "$(command -v $p)" exec x; done"#;
    seen(&mut scene.record(&[], &["sh", "-c", harness]), "");
    assert_eq!(scene.files(), ["claude/01.jsonl", "codex/01.jsonl", "ringer.toml"]);
}

#[test]
fn once_replays_what_is_there_and_records_what_is_missing() {
    let scene = scene();
    seen(&mut scene.record(&[], &["claude", "-p", "a"]), "");
    let harness = ["sh", "-c", "claude -p a; claude -p b"];
    assert_eq!(seen(&mut scene.record(&[], &harness), "").stdout, "claude 1 a\nclaude 2 b\n");
    assert_eq!(fs::read_to_string(scene.path("count")).unwrap(), "2\n");
    assert_eq!(scene.files(), ["claude/01.jsonl", "claude/02.jsonl", "ringer.toml"]);
}

#[test]
fn new_adds_all_replaces_and_none_records_nothing() {
    let scene = scene();
    let text = |name: &str| scene.recording(name).contains("claude 1 ");
    let harness = ["sh", "-c", "claude -p a; claude -p b"];
    seen(&mut scene.record(&[], &harness), "");
    seen(&mut scene.record(&["--mode", "new"], &["claude", "-p", "c"]), "");
    assert_eq!(scene.files().len(), 4);
    assert!(text("claude/01.jsonl"));
    // The command ends well, so what it did not replace is not wanted any more.
    seen(&mut scene.record(&["--mode", "all"], &["sh", "-c", "claude -p d; true"]), "");
    assert_eq!(scene.files(), ["claude/01.jsonl", "ringer.toml"]);
    assert!(!text("claude/01.jsonl"));
    let none = seen(&mut scene.record(&["--mode", "none"], &harness), "");
    assert_eq!(none.stdout, "claude 4 d\n");
    assert_eq!(none.status.code(), Some(97));
}

#[test]
fn a_double_is_never_taken_for_the_real_program() {
    let scene = Scene::new();
    fs::hard_link(crate::scene::RINGER, scene.path("real/claude"))
        .or_else(|_| fs::copy(crate::scene::RINGER, scene.path("real/claude")).map(drop))
        .unwrap();
    let mut command = scene.record(&[], &["claude", "-p", "x"]);
    command.env("PATH", scene.path("real"));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("there is no real claude on it"), "{text}");
    assert_eq!(output.status.code(), Some(97));
    assert_eq!(scene.files(), [""; 0]);
}

#[test]
fn concurrent_spawns_have_a_recording_each() {
    let scene = Scene::new().real("claude", "echo start $2; sleep 0.1; echo end $2");
    let harness = "for i in 1 2 3 4 5 6 7 8; do claude -p $i & done; wait";
    seen(&mut scene.record(&[], &["sh", "-c", harness]), "");
    let files = scene.files();
    assert_eq!(files.len(), 9, "{files:?}");
    for name in files.iter().filter(|name| name.ends_with(".jsonl")) {
        let text = scene.recording(name);
        assert_eq!(text.matches("\"out\"").count(), 2, "{text}");
    }
}

#[test]
fn a_recorder_killed_at_any_moment_leaves_the_set_as_it_was() {
    let scene = Scene::new()
        .real("claude", "echo $$ > ../pid; for i in 1 2 3 4 5 6; do echo $i; sleep 0.02; done");
    seen(&mut scene.record(&[], &["claude", "-p", "first"]), "");
    let first = scene.recording("claude/01.jsonl");
    for round in 0..8u64 {
        let mut command = scene.record(&["--mode", "new"], &["claude", "-p", "again"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The shim is the one child of the recorder that is the double.
        std::thread::sleep(Duration::from_millis(150 + round * 37));
        let children = format!("/proc/{0}/task/{0}/children", child.id());
        let shim = fs::read_to_string(children).unwrap_or_default();
        if let Some(pid) = shim.split_whitespace().next() {
            Command::new("kill").args(["-KILL", pid]).status().unwrap();
        }
        child.wait().unwrap();
    }
    assert_eq!(scene.recording("claude/01.jsonl"), first);
    let mut partial = 0;
    for name in scene.files() {
        if name.ends_with(".jsonl") {
            let file = |_: &str| Ok(());
            let mut around = Surroundings { file: &file, regexes: &mut Regexes::default() };
            let text = scene.recording(&name);
            check(text.as_bytes(), &mut around).unwrap();
            assert!(text.trim_end().ends_with("\"exit\":0}"), "{name}: {text}");
        }
        partial += usize::from(name.ends_with(".partial"));
    }
    let output = scene.record(&[], &["true"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.matches("a recorder was killed and left").count(), partial, "{said}");
}

#[test]
fn a_session_without_a_message_is_kept_aside() {
    let scene = Scene::new().real("claude", "cat > /dev/null; exit 0");
    let request = "{\"type\":\"control_request\",\"request_id\":\"1\",\"request\":{\"subtype\":\"initialize\"}}\n";
    seen(&mut scene.record(&[], SESSION), request);
    assert_eq!(scene.files(), ["claude/_01.jsonl"]);
}

#[test]
fn a_review_is_a_message_of_a_session() {
    let script = r#"while read -r line; do case "$line" in
        *review/start*) echo '{"id":1,"result":{"turn":{"id":"t"},"reviewThreadId":"r"}}'
            echo '{"method":"turn/completed","params":{}}';;
        esac; done"#;
    let scene = Scene::new().real("codex", script);
    let request = "{\"id\":1,\"method\":\"review/start\",\"params\":{}}\n";
    let recorded = seen(&mut scene.record(&[], &["codex", "app-server"]), request);
    assert_eq!(scene.files(), ["codex/01.jsonl", "ringer.toml"]);
    assert_eq!(seen(&mut scene.run(&["codex", "app-server"]), request), recorded);
}

#[test]
fn a_question_becomes_an_answer_that_is_not_on_the_cursor() {
    let scene = Scene::new().real("claude", "echo answer to $*");
    let harness = ["sh", "-c", "claude -p one; claude mcp list; claude -p two"];
    let recorded = seen(&mut scene.record(&[], &harness), "");
    assert_eq!(
        scene.files(),
        ["claude/01.jsonl", "claude/02.jsonl", "claude/probe-mcp-list.jsonl", "ringer.toml"]
    );
    assert_eq!(seen(&mut scene.run(&harness), ""), recorded);
}
