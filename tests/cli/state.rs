use std::io::Read as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{RINGER, Said, Scene, same};

/// A scene in which these arguments were given to claude, one spawn after the other.
fn after(recordings: usize, spawns: &[&[&str]]) -> Scene {
    let scene = Scene::with_claude(recordings);
    assert_eq!(scene.ringer(&["stage", "st", "--recordings", "rec"]).code, Some(0));
    for arguments in spawns {
        scene.said(scene.command(scene.path("st/claude").to_str().unwrap()).args(*arguments));
    }
    scene
}

/// A scene with one double that hangs until it is killed.
fn hanging() -> (Scene, Child) {
    let scene = Scene::new().file("rec/claude/01.jsonl", "{\"ringer\":1}\n{\"hang\":true}\n");
    assert_eq!(scene.ringer(&["stage", "st", "--recordings", "rec"]).code, Some(0));
    let mut command = scene.command(scene.path("st/claude").to_str().unwrap());
    let child = command.args(["-p", "hi"]).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !status(&scene).stdout.contains("waits for") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    (scene, child)
}

fn status(scene: &Scene) -> Said {
    scene.ringer(&["status", "st/state"])
}

#[test]
fn the_state_is_named_by_argument_or_variable_or_is_that_of_the_recordings() {
    let scene = after(1, &[&["-p", "hi"]]);
    assert_eq!(scene.ringer(&["verify", "st/state"]).code, Some(0));
    let with = |name: &str, value: &str| {
        scene.said(scene.command(RINGER).arg("verify").env(name, value)).code
    };
    assert_eq!(with("RINGER_STATE", "st/state"), Some(0));
    assert_eq!(with("RINGER_RECORDINGS", "rec"), Some(1), "nothing was played into rec/.ringer");
    let said = scene.ringer(&["verify"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.starts_with("error: no state directory is named"), "{}", said.stderr);
}

#[test]
fn a_verdict_without_any_spawn_tells_what_to_give_to_clients() {
    let scene = Scene::with_claude(1);
    let said = scene.said(scene.command(RINGER).arg("verify").env("RINGER_RECORDINGS", "rec"));
    assert_eq!(said.code, Some(1));
    same(
        &said.stdout,
        "\
ringer: no double was started with [root]/rec/.ringer, so nothing was played
  Either the test never came to start claude, or it started the real program instead
  of the double, since many clients do not look at PATH. What to give to these:
    Python claude-agent-sdk            ClaudeAgentOptions(cli_path=\"STAGE/claude\")
    JS @anthropic-ai/claude-agent-sdk  pathToClaudeCodeExecutable: \"STAGE/claude\"
    npx, absolute paths, a PATH reset  STAGE/claude
  STAGE is the directory that `ringer stage` has made.
ringer: 1 recording not played:
  rec/claude/01.jsonl
",
    );
}

#[test]
fn what_is_no_state_directory_is_97() {
    let scene = after(1, &[&["-p", "hi"]]);
    let entry = scene.path("st/state/journal/000001.json");
    let cases = [
        ("st", "ringer: [root]/st: is no state directory but a stage"),
        ("rec/claude", "ringer: [root]/rec/claude: is no state directory: it has files"),
        ("rec/claude/01.jsonl", "ringer: [root]/rec/claude/01.jsonl: is no state directory"),
    ];
    for (place, message) in cases {
        let said = scene.ringer(&["verify", place]);
        assert_eq!(said.code, Some(97), "{place}");
        assert!(said.stderr.starts_with(message), "{place}: {}", said.stderr);
    }
    std::fs::write(entry, "{\"ringer\":1").unwrap();
    let said = scene.ringer(&["verify", "st/state"]);
    assert_eq!(said.code, Some(97));
    assert!(said.stderr.contains("000001.json: is no journal entry"), "{}", said.stderr);
}

#[test]
fn a_verdict_as_json_has_problems_and_what_was_left() {
    let scene = after(1, &[&["-p", "a"], &["-p", "b"]]);
    let said = scene.ringer(&["verify", "st/state", "--json"]);
    assert_eq!(said.code, Some(1));
    let verdict: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(verdict["problems"][0]["kind"], "exhausted");
    assert_eq!(verdict["problems"][0]["spawn"], 2);
    assert_eq!(verdict["left"], Value::Array(Vec::new()));
}

#[test]
fn after_a_reset_everything_is_played_again() {
    let scene = after(1, &[&["-p", "a"], &["-p", "b"]]);
    let said = scene.ringer(&["reset", "st/state"]);
    same(&said.stdout, "ringer: reset [root]/st/state: 2 spawns forgotten\n");
    let claude = scene.path("st/claude");
    let again = scene.said(scene.command(claude.to_str().unwrap()).args(["-p", "a"]));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(scene.ringer(&["verify", "st/state"]).code, Some(0));
}

#[test]
fn a_damaged_state_can_be_reset_and_another_directory_cannot() {
    let scene = after(1, &[&["-p", "a"]]);
    std::fs::write(scene.path("st/state/cursor"), "x").unwrap();
    std::fs::write(scene.path("st/state/journal/000001.json"), "x").unwrap();
    std::fs::write(scene.path("st/state/mine"), "x").unwrap();
    assert_eq!(scene.ringer(&["reset", "st/state"]).code, Some(0));
    assert!(scene.path("st/state/mine").exists());
    assert_eq!(scene.ringer(&["reset", "rec/claude"]).code, Some(97));
    assert!(scene.path("rec/claude/01.jsonl").exists());
    let nothing = scene.ringer(&["reset", "nowhere"]);
    same(&nothing.stdout, "ringer: nothing to reset: no double was started with [root]/nowhere\n");
    assert!(!scene.path("nowhere").exists());
}

#[test]
fn what_a_double_does_is_shown_while_it_does_it_and_its_state_is_not_reset() {
    let (scene, mut child) = hanging();
    same(
        &status(&scene).stdout,
        "\
1 running, 0 killed, 0 ended, in [root]/st/state
  1  claude -p hi  claude/01.jsonl  running for [s] s (pid [pid]), waits for a signal (the recording hangs here)
",
    );
    let said = scene.ringer(&["reset", "st/state"]);
    assert_eq!(said.code, Some(97));
    same(
        &said.stderr,
        "ringer: [root]/st/state: a double still runs with it: spawn 1, claude, pid [pid]; end it \
         first (`ringer status` shows what it waits for), or use --force\n",
    );
    child.kill().unwrap();
    child.wait().unwrap();
    same(
        &status(&scene).stdout,
        "\
0 running, 1 killed, 0 ended, in [root]/st/state
  1  claude -p hi  claude/01.jsonl  killed
",
    );
    let standing = scene.ringer(&["status", "st/state", "--json"]).stdout;
    let standing: Value = serde_json::from_str(&standing).unwrap();
    assert_eq!(standing[0]["state"], "killed");
    assert_eq!(scene.ringer(&["reset", "st/state"]).code, Some(0));
}

#[test]
fn a_state_is_reset_under_a_running_double_only_by_force() {
    let (scene, mut child) = hanging();
    assert_eq!(scene.ringer(&["reset", "st/state", "--force"]).code, Some(0));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_journal_has_a_line_for_each_spawn() {
    let scene = after(1, &[&["-p", "a"], &["-p", "b"], &["--version"]]);
    same(
        &scene.ringer(&["journal", "st/state"]).stdout,
        "\
1  [time]  claude -p a  claude/01.jsonl  exit 0  [ms] ms
2  [time]  claude -p b  (refused)  exit 97  [ms] ms  exhausted
3  [time]  claude --version  (probe)  exit 0  [ms] ms
",
    );
    let lines = scene.ringer(&["journal", "st/state", "--json"]).stdout;
    let entries: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[1]["argv"][2], "b");
}

#[test]
fn one_spawn_is_shown_with_its_stdin() {
    let scene = after(2, &[]);
    let script = "printf 'from stdin' | st/claude -p hi";
    scene.said(scene.command("sh").args(["-c", script]));
    let said = scene.ringer(&["journal", "st/state", "-n", "1"]);
    assert!(said.stdout.starts_with("1  [time]  claude -p hi  claude/01.jsonl"), "{}", said.stdout);
    assert!(said.stdout.contains("\n  \"kind\": \"run\",\n"), "{}", said.stdout);
    assert!(said.stdout.ends_with("--- stdin, 10 bytes\nfrom stdin\n"), "{}", said.stdout);
    let said = scene.ringer(&["journal", "st/state", "-n", "7"]);
    assert_eq!(said.code, Some(97));
    same(&said.stderr, "ringer: there is no spawn 7 in [root]/st/state, which has 1\n");
}

#[test]
fn a_journal_that_is_followed_shows_spawns_as_they_come() {
    let scene = after(2, &[&["-p", "a"]]);
    let mut command = scene.command(RINGER);
    command.args(["journal", "st/state", "--follow"]).stdout(Stdio::piped());
    let mut follower = command.spawn().unwrap();
    let mut stdout = follower.stdout.take().unwrap();
    let mut seen = String::new();
    let mut read_until = |text: &str| {
        let mut piece = [0; 1024];
        while !seen.contains(text) {
            let read = stdout.read(&mut piece).unwrap();
            assert!(read > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    };
    read_until("claude -p a  claude/01.jsonl  exit 0");
    scene.said(scene.command(scene.path("st/claude").to_str().unwrap()).args(["-p", "b"]));
    read_until("claude -p b  claude/02.jsonl  exit 0");
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scene = after(1, &[&["-p", "a"]]);
    let script = "{ sleep 0.3; ringer journal st/state; echo \"$?\" >code; } 2>err | :";
    scene.said(scene.command("sh").args(["-c", script]));
    let read = |path: &str| std::fs::read_to_string(scene.path(path)).unwrap();
    assert_eq!((read("code").as_str(), read("err").as_str()), ("0\n", ""));
}
