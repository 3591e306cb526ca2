use std::fs;

use crate::scene::{Scene, seen};

/// Answers a session as the real program would, with an id of its own that has to come back.
const SESSION: &str = r#"id=$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')
while read -r line; do case "$line" in
  *initialize*) echo '{"type":"control_response","response":{"request_id":"a","n":1}}';;
  *user*) echo '{"type":"control_request","request_id":"'$id'","request":{"subtype":"can_use_tool"}}'
    read -r answer
    case "$answer" in *$id*) echo '{"type":"result","is_error":false}';; *) exit 9;; esac;;
esac; done
exit 3"#;

const ARGUMENTS: [&str; 6] =
    ["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json"];

/// What `ringer drift --run` says of the recording.
fn of_the_recording(scene: &Scene) -> Vec<String> {
    let drift = scene.ringer(&["drift", "claude", "--run", "../rec"]).output().unwrap();
    assert_eq!(drift.status.code(), Some(1), "the help text of a stand-in is never as claimed");
    let text = String::from_utf8(drift.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("claude/01.jsonl: "));
    lines.map(str::to_owned).collect()
}

/// A recorded session. Its client is a script, since it has to answer with an id.
fn recorded() -> Scene {
    let scene = Scene::new().real("claude", SESSION).script(
        "work/client",
        r#"mkfifo in out; "$@" < in > out & exec 3> in 4< out
echo '{"type":"control_request","request_id":"a","request":{"subtype":"initialize"}}' >&3
read -r line <&4
echo '{"type":"user","message":{}}' >&3
read -r line <&4; id=${line#*request_id\":\"}; id=${id%%\"*}
echo '{"type":"control_response","response":{"request_id":"'$id'"}}' >&3
read -r line <&4; exec 3>&-; wait; echo "$line""#,
    );
    let recorded = seen(&mut scene.record(&[], &[&["./client"], &ARGUMENTS[..]].concat()), "");
    assert_eq!(recorded.stdout, "{\"type\":\"result\",\"is_error\":false}\n");
    scene
}

#[test]
fn a_session_is_had_again_and_is_the_same() {
    let scene = recorded();
    let none: [&str; 0] = [];
    assert_eq!(of_the_recording(&scene), none);
}

#[test]
fn a_session_that_goes_otherwise_now_is_told_of() {
    let scene = recorded().real("claude", &SESSION.replace("\"n\":1", "\"m\":[]"));
    assert_eq!(
        of_the_recording(&scene),
        ["control_response: new field .response.m", "control_response: .response.n is gone"]
    );
    let scene = scene.real("claude", &SESSION.replace("exit 3", "exit 4"));
    assert_eq!(of_the_recording(&scene), ["exit code 3 was recorded, exit code 4 comes now"]);
}

#[test]
fn what_cannot_be_run_again_is_a_difference() {
    let scene = recorded();
    let text = scene.recording("claude/01.jsonl");
    let without: String = text
        .lines()
        .map(|line| match line.split_once(",\"note\"") {
            Some((step, _)) if line.contains("\"in\"") => format!("{step}}}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    fs::write(scene.path("rec/claude/01.jsonl"), without).unwrap();
    assert_eq!(of_the_recording(&scene), ["not run: what was sent to it is not kept"]);
}
