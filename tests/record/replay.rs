use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::scene::{SESSION, Scene, merged, seen};

/// Pauses between the streams, stops in the middle of lines, bytes that are no text, no newline at
/// the end.
const BADLY: &str = r#"
printf '{"type":"system","n":1.0, "a":[ ]}\n'; sleep 0.04
printf 'warning: half a ' >&2; sleep 0.04
printf '{"type":"assist'; sleep 0.04
printf 'line\n' >&2; sleep 0.04
printf 'ant","t":"\\u00e9"}\n{"broken\n'; sleep 0.04
printf 'oops \377\n' >&2; sleep 0.04
printf 'no newline'; exit 3
"#;

#[test]
fn a_run_is_replayed_byte_for_byte_order_for_order_exit_for_exit() {
    let scene = Scene::new().real("claude", BADLY);
    let program = scene.path("real/claude");
    let program = program.to_str().unwrap();
    let real = seen(&mut scene.command(program, &["-p", "hi"]), "");
    let real_order = merged(&mut scene.command(program, &["-p", "hi"]));
    let recorded = seen(&mut scene.record(&[], &["claude", "-p", "hi"]), "");
    assert_eq!(recorded, real);
    assert_eq!(scene.files(), ["claude/01.jsonl", "ringer.toml"]);
    let replayed = seen(&mut scene.run(&["claude", "-p", "hi"]), "");
    assert_eq!(replayed, real);
    assert_eq!(merged(&mut scene.run(&["claude", "-p", "hi"])), real_order);
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains(r#""out":{"type":"system","n":1.0, "a":[ ]}}"#), "{text}");
    assert!(text.contains(r#""cli_version":"9.8.7""#), "{text}");
    assert_eq!(scene.recording("ringer.toml"), "[claude]\nversion = \"9.8.7\"\n");
}

#[test]
fn a_death_by_a_signal_is_a_death_by_that_signal() {
    let scene = Scene::new().real("codex", "echo before; kill -KILL $$");
    let mut command = scene.command("sh", &["-c", "codex exec hi; echo $?"]);
    let real = seen(&mut command, "");
    assert!(real.stdout.ends_with("137\n"), "{real:?}");
    let harness = ["sh", "-c", "codex exec hi; echo $?"];
    assert_eq!(seen(&mut scene.record(&[], &harness), "").stdout, real.stdout);
    assert!(scene.recording("codex/01.jsonl").ends_with("\"signal\":\"KILL\"}\n"));
    assert_eq!(seen(&mut scene.run(&harness), "").stdout, real.stdout);
}

#[test]
fn what_the_program_reads_is_waited_for() {
    let scene = Scene::new().real("claude", "wc -c | tr -d ' '");
    let harness = ["claude", "-p"];
    assert_eq!(seen(&mut scene.record(&[], &harness), "four").stdout, "4\n");
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains("\"in\":\"eof\",\"note\":\"four\""), "{text}");
    assert_eq!(seen(&mut scene.run(&harness), "another").stdout, "4\n");
}

#[test]
fn a_program_that_ends_before_it_reads_keeps_nobody_waiting() {
    let scene = Scene::new().real("claude", "echo early; exit 4");
    let input = "x".repeat(1 << 20);
    let began = Instant::now();
    let recorded = seen(&mut scene.record(&[], &["claude", "-p"]), &input);
    assert_eq!((recorded.stdout.as_str(), recorded.status.code()), ("early\n", Some(4)));
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn much_output_comes_through_whole() {
    let scene = Scene::new()
        .real("claude", "seq 1 200000; seq 1 50000 >&2; head -c 3000000 /dev/zero | tr '\\0' x");
    let recorded = seen(&mut scene.record(&[], &["claude", "-p", "hi"]), "");
    let replayed = seen(&mut scene.run(&["claude", "-p", "hi"]), "");
    assert_eq!(recorded.stdout.len(), 1288895 + 3_000_000);
    assert!(recorded == replayed, "differs");
}

#[test]
fn a_signal_is_passed_on_and_its_answer_is_played_when_it_comes() {
    let script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let scene = Scene::new().real("claude", script);
    let harness = "claude -p hi & pid=$!; sleep 0.6; kill -TERM $pid; wait $pid; echo $?";
    let recorded = seen(&mut scene.record(&[], &["sh", "-c", harness]), "");
    assert_eq!(recorded.stdout, "ready\nbye\n7\n");
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains("{\"on_signal\":\"TERM\",\"steps\":["), "{text}");
    assert_eq!(seen(&mut scene.run(&["sh", "-c", harness]), "").stdout, "ready\nbye\n7\n");
}

#[test]
fn a_reader_that_leaves_is_noticed_by_the_program() {
    let scene = Scene::new().real("claude", "while echo line; do sleep 0.01; done; echo gone >&2");
    let mut command = scene.record(&[], &["sh", "-c", "claude -p hi | head -n 2"]);
    let began = Instant::now();
    assert_eq!(seen(&mut command, "").stdout, "line\nline\n");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_descendant_that_holds_the_pipe_outlives_the_program() {
    let scene = Scene::new().real("claude", "(sleep 0.6; echo late) & echo early; exit 5");
    let harness = ["sh", "-c", "claude -p hi; echo $?"];
    let recorded = seen(&mut scene.record(&[], &harness), "");
    assert_eq!(recorded.stdout, "early\n5\nlate\n");
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains("{\"child\":{\"hold\":[\"stdout\""), "{text}");
    assert!(text.trim_end().ends_with("\"exit\":5}"), "{text}");
}

#[test]
fn an_answer_carries_the_id_of_the_request_that_is_asked_now() {
    let script = r#"
while read -r line; do case "$line" in
  *initialize*) id=${line#*\"request_id\":\"}; id=${id%%\"*}
    echo '{"type":"control_response","response":{"subtype":"success","request_id":"'$id'","response":{}}}';;
  *user*) echo '{"type":"system","subtype":"init","session_id":"0b26c6e1-1111-4aaa-8bbb-000000000001"}'
    echo '{"type":"result","subtype":"success","is_error":false}';;
esac; done
"#;
    let scene = Scene::new().real("claude", script);
    let talk = |command: &mut std::process::Command, id: &str| {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let request = format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"initialize"}}}}"#
        );
        writeln!(stdin, "{request}").unwrap();
        let answer = stdout.next().unwrap().unwrap();
        writeln!(stdin, r#"{{"type":"user","message":{{"role":"user","content":"hi"}}}}"#).unwrap();
        let rest = [stdout.next().unwrap().unwrap(), stdout.next().unwrap().unwrap()];
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        (answer, rest)
    };
    let (answer, rest) = talk(&mut scene.record(&["--verbatim"], SESSION), "first");
    assert!(answer.contains("\"request_id\":\"first\""), "{answer}");
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains("$id:request1"), "{text}");
    let run = [&["run", "../rec", "--"], SESSION].concat();
    let (answer, again) = talk(&mut scene.ringer(&run), "second");
    assert!(answer.contains("\"request_id\":\"second\""), "{answer}");
    assert_eq!(again, rest);
}

#[test]
fn a_terminal_stays_a_terminal() {
    let script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size && read line && echo \"got $line\"";
    let scene = Scene::new().real("claude", script);
    let Ok(found) = scene.command("script", &["--version"]).output() else { return };
    assert!(found.status.success());
    let record = format!("stty cols 77 rows 33; {} record ../rec -- claude", crate::scene::RINGER);
    let mut command = scene.command("script", &["-qec", &record, "/dev/null"]);
    let seen = seen(&mut command, "hello\n");
    assert!(seen.stdout.contains("33 77\r\n"), "{seen:?}");
    assert!(seen.stdout.contains("got hello\r\n"), "{seen:?}");
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains(r#""out":"33 77\n""#), "{text}");
    assert!(text.contains(r#""in":"line""#), "{text}");
}

#[test]
fn changes_of_files_are_recorded_if_asked() {
    let script = "mkdir -p new; echo one > new/a.txt; rm -f old.txt; echo done";
    let scene = Scene::new().real("codex", script);
    std::fs::write(scene.path("work/old.txt"), "x").unwrap();
    seen(&mut scene.record(&["--effects"], &["codex", "exec", "hi"]), "");
    std::fs::remove_dir_all(scene.path("work/new")).unwrap();
    std::fs::write(scene.path("work/old.txt"), "x").unwrap();
    assert_eq!(seen(&mut scene.run(&["codex", "exec", "hi"]), "").stdout, "done\n");
    assert_eq!(std::fs::read_to_string(scene.path("work/new/a.txt")).unwrap(), "one\n");
    assert!(!scene.path("work/old.txt").exists());
}

#[test]
fn effects_that_are_too_large_to_be_kept_are_named() {
    let script = "head -c 5000000 /dev/zero > big; printf '\\377' > bytes; echo done";
    let scene = Scene::new().real("codex", script);
    let mut command = scene.record(&["--effects"], &["codex", "exec", "hi"]);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    let note = "left out of the effects: big (5000000 bytes)";
    assert!(said.contains(&format!("ringer: codex/01.jsonl: {note}\n")), "{said}");
    assert!(scene.recording("codex/01.jsonl").contains(&format!("\"note\":\"{note}\"")));
    std::fs::remove_file(scene.path("work/bytes")).unwrap();
    seen(&mut scene.run(&["codex", "exec", "hi"]), "");
    assert_eq!(std::fs::read(scene.path("work/bytes")).unwrap(), b"\xff");
}

#[test]
fn passing_through_records_nothing() {
    let scene = Scene::new().real("claude", "echo real $1; exit 6");
    let mut command =
        scene.ringer(&["run", "../rec", "--mode", "passthrough", "--", "claude", "-p"]);
    let seen = seen(&mut command, "");
    assert_eq!((seen.stdout.as_str(), seen.status.code()), ("real -p\n", Some(6)));
    assert_eq!(seen.status.signal(), None);
    assert_eq!(scene.files(), [""; 0]);
}
