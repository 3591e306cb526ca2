use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{DONE, RINGER, Scene, same};

fn leftovers(scene: &Scene) -> usize {
    std::fs::read_dir(scene.path("tmp")).unwrap().count()
}

#[test]
fn the_streams_are_the_commands_and_the_verdict_goes_to_stderr() {
    let scene = Scene::with_claude(1);
    let mut command = scene.command(RINGER);
    command.args(["run", "rec", "--", "sh", "-c", "cat; claude -p hi </dev/null; echo err >&2"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from stdin\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, format!("from stdin\n{DONE}").as_bytes());
    same(
        &String::from_utf8_lossy(&output.stderr),
        "\
err
ringer: as recorded: 1 spawn, 1 of 1 recording played
  1  claude -p hi  claude/01.jsonl  exit 0
",
    );
    assert_eq!(leftovers(&scene), 0, "the stage is removed");
}

#[test]
fn the_exit_code_is_the_commands_and_1_instead_of_0_where_the_verdict_is_bad() {
    let cases = [
        ("claude -p hi", 0),
        ("claude -p hi; exit 7", 7),
        ("true", 1),
        ("exit 7", 7),
        ("claude -p hi; kill -TERM $$", 143),
        ("claude -p hi; kill -KILL $$", 137),
    ];
    for (script, code) in cases {
        assert_eq!(Scene::with_claude(1).run(script).code, Some(code), "{script}");
    }
}

#[test]
fn a_command_that_cannot_be_started_has_the_exit_code_that_shells_give_it() {
    let scene = Scene::with_claude(1).file("no-program", "text\n");
    let said = scene.ringer(&["run", "rec", "--", "no-such-command"]);
    assert_eq!(said.code, Some(127));
    same(
        &said.stderr,
        "ringer: cannot start the command no-such-command: it is not there, nor on PATH\n",
    );
    assert_eq!(scene.ringer(&["run", "rec", "--", "./no-program"]).code, Some(126));
    assert_eq!(leftovers(&scene), 0);
}

#[test]
fn recordings_may_be_left_where_that_is_allowed() {
    let said =
        Scene::with_claude(2).ringer(&["run", "rec", "--allow-unused", "--", "claude", "-p", "hi"]);
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 1 spawn, 1 of 2 recordings played
  1  claude -p hi  claude/01.jsonl  exit 0
ringer: 1 recording not played, which is allowed:
  rec/claude/02.jsonl
",
    );
}

#[test]
fn recordings_without_a_number_of_plays_and_probes_are_never_left() {
    let scene = Scene::with_claude(1)
        .file("rec/claude/02-any.jsonl", "{\"ringer\":1,\"plays\":\"any\"}\n")
        .file("rec/claude/03-probe.jsonl", "{\"ringer\":1,\"probe\":true}\n")
        .file("rec/claude/04-off.jsonl", "{\"ringer\":1,\"plays\":0}\n")
        .file("rec/claude/05-twice.jsonl", "{\"ringer\":1,\"plays\":2}\n");
    let said = scene.run("claude -p hi");
    same(
        said.verdict(),
        "\
ringer: not as recorded: 1 spawn, 1 of 2 recordings played
  1  claude -p hi  claude/01.jsonl  exit 0
ringer: 1 recording not played:
  rec/claude/05-twice.jsonl (2 of 2 plays left)
  The test started the program less often than was recorded, or in another way; if that is intended: --allow-unused
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn the_stage_is_kept_where_that_is_asked() {
    let scene = Scene::with_claude(1);
    let said = scene.ringer(&["run", "rec", "--keep", "--", "claude", "-p", "hi"]);
    assert!(
        said.stderr.ends_with(
            "ringer: kept the stage [stage]\nringer: to look closer: ringer journal [stage]/state\n"
        ),
        "{}",
        said.stderr
    );
    assert_eq!(leftovers(&scene), 1);
}

#[test]
fn the_state_may_be_kept_apart_and_goes_on_in_the_next_run() {
    let scene = Scene::with_claude(2);
    let run = ["run", "rec", "--state", "state", "--allow-unused", "--", "claude", "-p", "hi"];
    assert_eq!(scene.ringer(&run).code, Some(0));
    let said = scene.ringer(&run);
    same(
        said.verdict(),
        "\
ringer: as recorded: 2 spawns, 2 of 2 recordings played
  1  claude -p hi  claude/01.jsonl  exit 0
  2  claude -p hi  claude/02.jsonl  exit 0
ringer: note: 1 of these spawns was in [root]/state before this run
ringer: to look closer: ringer journal [root]/state
",
    );
    assert_eq!(leftovers(&scene), 0);
}

#[test]
fn the_verdict_as_json_is_one_line_on_stderr() {
    let scene = Scene::with_claude(2);
    let said = scene.ringer(&["run", "rec", "--json", "--", "claude", "-p", "hi"]);
    assert_eq!(said.code, Some(1));
    let verdict: Value = serde_json::from_str(&said.stderr).unwrap();
    assert_eq!(verdict["good"], false);
    assert_eq!(verdict["spawns"][0]["recording"], "claude/01.jsonl");
    assert_eq!(verdict["spawns"][0]["exit"]["code"], 0);
    assert_eq!(verdict["left"][0]["recording"], "claude/02.jsonl");
}

#[test]
fn without_recordings_named_nothing_is_guessed() {
    let scene = Scene::with_claude(1);
    let said = scene.ringer(&["run", "--", "claude", "-p", "hi"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.starts_with("error: no recording directory is named"), "{}", said.stderr);
    let mut named = scene.command(RINGER);
    named.args(["run", "--", "claude", "-p", "hi"]).env("RINGER_RECORDINGS", "rec");
    assert_eq!(scene.said(&mut named).code, Some(0));
}

#[test]
fn a_double_finds_its_things_with_an_emptied_environment() {
    let said = Scene::with_claude(1).run("env -i \"$(command -v claude)\" -p hi");
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), DONE));
}

#[test]
fn settings_reach_the_doubles_by_variable_and_by_stage_file() {
    let scene = Scene::with_claude(1);
    let script = "claude -p a; env -i \"$(command -v claude)\" -p b";
    let said = scene.ringer(&["run", "rec", "--repeat-last", "--", "sh", "-c", script]);
    assert_eq!((said.code, said.stdout), (Some(0), DONE.repeat(2)));
}

#[test]
fn a_double_of_another_name_is_added_by_name_or_by_its_folder() {
    let scene = Scene::new().file("rec/1.jsonl", "any\n").file("rec/gemini/1.jsonl", "gemini\n");
    let said = scene.ringer(&["run", "rec", "--as", "amp", "--", "sh", "-c", "gemini x; amp x"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "gemini\nany\n"));
}

/// Starts `ringer run` in a group of its own, waits until its command says that it is ready, sends
/// a signal to ringer or to the group, and returns the exit code and what was said. What ignores
/// signals here, as under `nohup`, would be inherited, and no shell can trap it then: so it begins
/// with the default of each.
fn signalled(signal: &str, to_group: bool, script: &str) -> (Option<i32>, String) {
    let scene = Scene::with_claude(1);
    let mut command = scene.command("env");
    command.args(["--default-signal", RINGER, "run", "rec", "--", "sh", "-c", script]);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_until(|| scene.path("ready").exists());
    let kill = |signal: &str, target: &str| {
        assert!(
            Command::new("kill").args(["-s", signal, "--", target]).status().unwrap().success()
        );
    };
    let group = format!("-{}", child.id());
    kill(signal, if to_group { &group } else { &group[1..] });
    if !wait_until(|| child.try_wait().unwrap().is_some()) {
        kill("KILL", &group);
        panic!("it goes on after SIG{signal}");
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), scene.plain(&output.stderr))
}

/// Waits until something is so; false: it was not within a long time.
fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        if until <= Instant::now() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

const TRAPS: &str = "claude -p hi; trap 'exit 5' TERM HUP INT; : >ready; \
    while :; do sleep 0.05; done";

#[test]
fn a_signal_that_is_to_end_ringer_is_passed_on_and_the_verdict_follows() {
    for signal in ["TERM", "HUP"] {
        let (code, said) = signalled(signal, false, TRAPS);
        assert_eq!(code, Some(5), "{signal}");
        assert!(said.contains("ringer: as recorded: 1 spawn"), "{signal}: {said}");
    }
}

#[test]
fn an_interrupt_from_the_terminal_reaches_the_command_and_ringer_waits_for_it() {
    let (code, said) = signalled("INT", true, TRAPS);
    assert_eq!(code, Some(5));
    assert!(said.contains("ringer: as recorded: 1 spawn"), "{said}");
}
