//! `ringer new`: what it writes, where, and that doubles play it.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::kitchen::RINGER;

/// A directory in which recordings are written.
struct Desk {
    dir: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Runs `ringer` with this on its stdin.
    fn ringer(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut command = Command::new(RINGER);
        command.args(arguments).current_dir(self.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Who does not read it has closed the pipe.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs `ringer new`, which must succeed, and returns its stdout.
    #[track_caller]
    fn new_with(&self, arguments: &[&str], stdin: &str) -> String {
        let done = self.ringer(&[&["new"], arguments].concat(), stdin);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// The recording that these options make.
    #[track_caller]
    fn written(&self, arguments: &[&str]) -> String {
        self.new_with(&[&["-"], arguments].concat(), "")
    }

    /// Runs `ringer new`, which must refuse with this code, and returns what it complains of.
    #[track_caller]
    fn refused(&self, code: i32, arguments: &[&str], stdin: &str) -> String {
        let done = self.ringer(&[&["new"], arguments].concat(), stdin);
        assert_eq!(done.status.code(), Some(code));
        assert!(done.stdout.is_empty());
        String::from_utf8(done.stderr).unwrap()
    }
}

#[test]
fn options_that_stand_together_are_one_turn() {
    let turn = Desk::new().written(&[
        "--thinking",
        "Hm.",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "ls", "n": 1.0}"#,
        "--result",
        "a.rs",
        "--tool",
        "Edit",
        "--is-error",
        "--ask",
        "--text",
        "-1",
        "--text",
        "two",
    ]);
    assert_eq!(
        turn,
        r#"{"ringer": 1}
{"turn": {"text":["-1","two"],"thinking":"Hm.","tools":[{"name":"Bash","input":{"command": "ls", "n": 1.0},"result":"a.rs"},{"name":"Edit","is_error":true,"ask":true}]}}
"#
    );
}

#[test]
fn steps_come_in_the_order_of_their_options() {
    let steps = Desk::new().written(&[
        "--stderr",
        "careful",
        "--text",
        "one",
        "--turn",
        "--error",
        "again",
        "--fail",
        "no",
        "--wait-ms",
        "20",
        "--out",
        "{\"type\":",
        "--ignore-signal",
        "TERM",
        "--turn",
        "--turn",
        "--empty",
        "--stop",
        "max_tokens",
        "--stderr",
        "bye",
        "--signal",
        "KILL",
    ]);
    assert_eq!(
        steps,
        r#"{"ringer": 1}
{"err": "careful\n"}
{"turn": {"text":["one"]}}
{"turn": {"fail":"no","error":"again"}}
{"wait_ms": 20}
{"out": "{\"type\":\n"}
{"on_signal": "TERM"}
{"turn": {"stop":"max_tokens","empty":true}}
{"err": "bye\n"}
{"signal": "KILL"}
"#
    );
}

#[test]
fn conditions_and_plays_stand_in_the_header() {
    let header = Desk::new().written(&[
        "--hang",
        "--plays",
        "any",
        "--when-argv",
        "--resume",
        "--when-argv",
        "x",
        "--when-prompt",
        "^fix",
        "--when-cwd",
        "/a",
        "--when-env",
        "CI=^1=",
        "--note",
        "slow",
    ]);
    assert_eq!(
        header,
        r#"{"ringer": 1, "when": {"argv": ["--resume","x"], "prompt": "^fix", "cwd": "/a", "env": {"CI": "^1="}}, "plays": "any", "note": "slow"}
{"hang": true}
"#
    );
    assert!(
        Desk::new()
            .written(&["--exit", "3", "--plays", "2"])
            .starts_with("{\"ringer\": 1, \"plays\": 2}\n{\"exit\": 3}\n")
    );
}

#[test]
fn turns_are_taken_as_json_one_after_the_other_or_in_arrays() {
    let desk = Desk::new();
    let json = "{\"text\": \"one\"}\n\"two\"\n[{\"tools\": [\n  {\"name\": \"Bash\",\n   \"input\": \
                {\"a\":\n 1.0}}]},\n {\"turn\": {\"fail\": \"no\"}}]\n";
    let recording = desk.new_with(&["-", "--stderr", "x", "--turns", "-", "--exit", "1"], json);
    assert_eq!(
        recording,
        r#"{"ringer": 1}
{"err": "x\n"}
{"turn": {"text":["one"]}}
{"turn": {"text":["two"]}}
{"turn": {"tools":[{"name":"Bash","input":{"a":  1.0}}]}}
{"turn": {"fail":"no"}}
{"exit": 1}
"#
    );
    fs::write(desk.path("turns.json"), "[\"from a file\"]").unwrap();
    assert!(desk.written(&["--turns", "turns.json"]).contains("from a file"));
}

#[test]
fn a_directory_takes_the_next_free_number() {
    let desk = Desk::new();
    assert_eq!(desk.new_with(&["rec/claude/", "--text", "a"], ""), "rec/claude/01.jsonl\n");
    fs::write(desk.path("rec/claude/9-nine.jsonl"), "").unwrap();
    fs::write(desk.path("rec/claude/_99.jsonl"), "").unwrap();
    assert_eq!(desk.new_with(&["rec/claude", "--text", "b"], ""), "rec/claude/10.jsonl\n");
    assert_eq!(
        desk.text("rec/claude/10.jsonl"),
        "{\"ringer\": 1}\n{\"turn\": {\"text\":[\"b\"]}}\n"
    );
}

#[test]
fn a_file_is_overwritten_only_if_asked_for() {
    let desk = Desk::new();
    desk.new_with(&["a.jsonl", "--text", "long enough to leave a rest"], "");
    assert_eq!(
        desk.refused(97, &["a.jsonl", "--text", "b"], ""),
        "ringer: a.jsonl is there already; --force overwrites it\n"
    );
    assert!(desk.text("a.jsonl").contains("long enough"));
    desk.new_with(&["a.jsonl", "--force", "--text", "b"], "");
    assert_eq!(desk.text("a.jsonl"), "{\"ringer\": 1}\n{\"turn\": {\"text\":[\"b\"]}}\n");
}

#[test]
fn what_is_written_is_played_as_the_hint_says() {
    let desk = Desk::new();
    let done = desk.ringer(&["new", "rec/claude/", "--text", "It is 42."], "");
    let hint = String::from_utf8(done.stderr).unwrap();
    assert_eq!(hint, "ringer: to play it: ringer run rec -- claude -p hi\n");
    let command: Vec<&str> = hint.trim_end().rsplit(": ").next().unwrap().split(' ').collect();
    let played = desk.ringer(&command[1..], "");
    assert_eq!(String::from_utf8(played.stdout).unwrap(), "It is 42.\n");
    assert!(played.status.success());

    let done = desk.ringer(&["new", "set/codex/", "--fail", "boom"], "");
    assert!(String::from_utf8(done.stderr).unwrap().ends_with("ringer run set -- codex exec hi\n"));
    let played = desk.ringer(&["run", "set", "--", "codex", "exec", "hi"], "");
    assert_eq!(played.status.code(), Some(1));
}

#[test]
fn an_end_of_its_own_does_not_swallow_the_answer() {
    let desk = Desk::new();
    desk.new_with(&["rec/claude/", "--text", "It is 42.", "--exit", "3"], "");
    desk.new_with(&["rec/claude/", "--text", "It is 43.", "--hang"], "");
    desk.new_with(&["rec/codex/", "--text", "It is 44.", "--exit", "4"], "");
    let script = "claude -p hi; echo $?; timeout 2 claude -p hi; echo $?; codex exec hi; echo $?";
    let played = desk.ringer(&["run", "rec", "--", "sh", "-c", script], "");
    let stdout = String::from_utf8(played.stdout).unwrap();
    assert_eq!(stdout, "It is 42.\n3\nIt is 43.\n124\nIt is 44.\n4\n");
}

#[test]
fn what_a_double_would_refuse_is_not_written() {
    let desk = Desk::new();
    let refused = |arguments: &[&str]| {
        let complaint = desk.refused(2, &[&["a.jsonl"], arguments].concat(), "");
        assert!(!desk.path("a.jsonl").exists());
        complaint.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        refused(&["--signal", "SIGTERM"]),
        "error: line 2: `signal`: unknown signal \"SIGTERM\"; did you mean \"TERM\"?"
    );
    assert!(refused(&["--exit", "1", "--text", "x"]).contains("this step is never played"));
    assert!(refused(&["--text", "x", "--empty"]).contains("no text and no tool call"));
    assert!(refused(&["--text", "x", "--when-prompt", "("]).contains("when.prompt"));
    assert!(refused(&["--tool", "Bash", "--input", "[1]"]).contains("--input: [1] is no object"));
}

#[test]
fn options_that_cannot_be_understood_say_why() {
    let desk = Desk::new();
    let refused = |arguments: &[&str], stdin: &str| {
        let complaint = desk.refused(2, &[&["-"], arguments].concat(), stdin);
        complaint.lines().next().unwrap().to_owned()
    };
    assert!(refused(&[], "").contains("it would do nothing"));
    assert!(refused(&["--text", "x", "--result", "y"], "").contains("put --tool NAME before it"));
    assert!(refused(&["--tool", "x", "--turn", "--ask"], "").contains("put --tool NAME before it"));
    assert!(refused(&["--exit", "300"], "").contains("a number from 0 to 255"));
    assert!(refused(&["--hang", "--plays", "x"], "").starts_with("error: --plays: \"x\""));
    assert!(refused(&["--hang", "--when-env", "CI"], "").contains("NAME=REGEX"));
    assert!(refused(&["--stop", "tired"], "").contains("'tired'"));
    assert!(refused(&["--turns", "-"], "").contains("there are none"));
    assert!(
        refused(&["--turns", "-"], "[\"a\", {\"texte\": 1}]").contains("turn 2: unknown field")
    );
    assert!(refused(&["--turns", "-"], "{\"text\": ").contains("--turns: stdin: is not JSON: EOF"));
    let unplayed = desk.refused(97, &["hello.json", "--text", "x"], "");
    assert!(unplayed.contains("the name of a recording ends with .jsonl"), "{unplayed}");
}
