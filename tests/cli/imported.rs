//! `ringer import`: each format is written by hand as its documentation has it, with made-up
//! contents, and what becomes of it is played.

use std::fs;

use super::scene::{RINGER, Scene, same};

const SESSION: &str = "claude -p --input-format stream-json --output-format stream-json --verbose";

fn recording(scene: &Scene, name: &str) -> String {
    fs::read_to_string(scene.path("rec").join(name)).unwrap()
}

/// Imports a cassette, which must say this.
#[track_caller]
fn import(scene: &Scene, arguments: &[&str], says: &str) {
    let said = scene.ringer(&[&["import", "cassette", "rec"], arguments].concat());
    same(&said.stderr, says);
    assert_eq!(said.code, Some(0));
    let mut named: Vec<&str> = said.stdout.lines().collect();
    named.retain(|path| scene.path(path).is_file() && path.starts_with("rec/"));
    assert!(!named.is_empty() && named.len() == said.stdout.lines().count(), "{}", said.stdout);
}

/// The recordings, folder by folder; there must be no other file.
fn files(scene: &Scene) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![scene.path("rec")];
    while let Some(folder) = folders.pop() {
        for found in fs::read_dir(&folder).unwrap() {
            let path = found.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(scene.path("rec")).unwrap();
                names.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn a_capture_is_written_where_there_was_no_folder_and_played() {
    let scene = Scene::new().file("out.txt", "Hello.\n");
    let import = ["import", "capture", "rec/claude/", "--stdout", "out.txt", "--exit", "3"];
    let said = scene.ringer(&[&import[..], &["--", "claude", "-p", "hi"]].concat());
    same(&said.stdout, "rec/claude/01.jsonl\n");
    same(&said.stderr, "ringer: to play it: ringer run rec -- claude -p hi\n");
    let said = scene.run("claude -p hi");
    assert_eq!((said.code, said.stdout.as_str()), (Some(3), "Hello.\n"), "{}", said.stderr);
}

#[test]
fn a_capture_that_would_not_be_played_or_is_in_the_way_is_refused_with_the_way_out() {
    let scene = Scene::new().file("out.txt", "Hello.\n").file("rec/01.jsonl", "old\n");
    let import = |to: &str| scene.ringer(&["import", "capture", to, "--stdout", "out.txt"]);
    let said = import("rec/01.jsonl");
    same(&said.stderr, "ringer: rec/01.jsonl is there already; remove it, or name another\n");
    assert_eq!(said.code, Some(97));
    assert_eq!(recording(&scene, "01.jsonl"), "old\n");
    let said = import("out.txt/01.jsonl");
    same(&said.stderr, "ringer: cannot make the directory out.txt: File exists (os error 17)\n");
    let said = import("rec/02");
    assert!(said.stderr.contains("the name of a recording ends with .jsonl"), "{}", said.stderr);
    assert_eq!(files(&scene), ["01.jsonl"]);
    let nothing = scene.ringer(&["import", "capture", "rec/02.jsonl"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
}

const TAPE: &str = r#"{"dir": "write", "data": "{\"type\": \"control_request\", \"request_id\": \"req_1\", \"request\": {\"subtype\": \"initialize\", \"hooks\": null}}\n"}
{"dir": "read", "frame": {"type": "control_response", "response": {"subtype": "success", "request_id": "req_1", "response": {"commands": [{"name": "made-up"}]}}}}
{"dir": "write", "data": "{\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": \"hi\"}}\n"}
{"dir": "read", "frame": {"type": "system", "subtype": "init", "cwd": "<CWD>", "session_id": "11111111-2222-4333-8444-555555555555", "claude_code_version": "2.1.150"}}
{"dir": "read", "frame": {"type": "control_request", "request_id": "own-1", "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}}}}
{"dir": "write", "data": "{\"type\": \"control_response\", \"response\": {\"subtype\": \"success\", \"request_id\": \"own-1\", \"response\": {\"behavior\": \"allow\"}}}\n"}
{"dir": "read", "frame": {"type": "result", "subtype": "success", "is_error": false, "result": "Gr\u00fc\u00dfe", "session_id": "11111111-2222-4333-8444-555555555555"}}
{"dir": "write", "data": "{\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": \"more\"}}\n"}
{"dir": "read", "frame": {"type": "result", "subtype": "success", "is_error": true, "result": "two", "session_id": "11111111-2222-4333-8444-555555555555"}}
"#;

/// What the client of the scripts below sends, without and with a request in front.
fn client(opening: &str) -> String {
    let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"own-1","response":{"behavior":"allow"}}}"#;
    let user = r#"{"type":"user","message":{"role":"user","content":"x"}}"#;
    format!("printf '%s\\n' {opening} '{user}' '{answer}' '{user}' | {SESSION}")
}

#[test]
fn a_tape_of_the_agent_sdk_is_played_to_any_client() {
    let scene = Scene::new().file("tape.jsonl", TAPE);
    import(&scene, &["tape.jsonl"], "");
    let opening =
        r#"'{"type":"control_request","request_id":"mine","request":{"subtype":"initialize"}}'"#;
    let said = scene.run(&client(opening));
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(
        lines[0],
        concat!(
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"mine","#,
            r#""response":{"commands":[{"name":"made-up"}]}}}"#
        )
    );
    assert!(lines[3].contains(r#""result":"Grüße""#), "{}", said.stdout);
    assert!(lines[4].contains(r#""result":"two""#), "{}", said.stdout);
    assert_eq!((lines.len(), said.code), (5, Some(1)), "{}", said.stderr);
    scene.ringer(&["reset", "rec/.ringer"]);
    let without = scene.run(&client(""));
    assert_eq!(without.stdout.lines().count(), 4, "{}", without.stderr);
}

#[test]
fn a_message_into_a_running_turn_is_waited_for_where_it_came() {
    let cut = TAPE.replacen(
        r#"{"dir": "read", "frame": {"type": "result""#,
        r#"{"dir": "write", "data": "{\"type\": \"user\", \"message\": {\"content\": \"and\"}}\n"}
{"dir": "read", "frame": {"type": "result""#,
        1,
    );
    let scene = Scene::new().file("tape.jsonl", &cut);
    let says = "ringer: tape.jsonl: a message came while a turn was running: the recording waits \
                for what the client sent, its `initialize` first\n";
    import(&scene, &["tape.jsonl"], says);
    let text = recording(&scene, "claude/01.jsonl");
    let gates = text.lines().filter(|line| line.starts_with(r#"{"in":{"type":"user"}"#));
    assert_eq!(gates.count(), 3, "{text}");
    assert!(text.contains(r#""bind":{"cwd":"<CWD>","session_id":"11111111-"#), "{text}");
}

#[test]
fn frames_are_played_turn_by_turn() {
    let frames: String = TAPE
        .lines()
        .filter_map(|line| line.strip_prefix(r#"{"dir": "read", "frame": "#)?.strip_suffix('}'))
        .map(|frame| format!("{frame}\r\n"))
        .collect();
    let scene = Scene::new().file("frames.jsonl", &format!("\u{feff}{frames}"));
    import(&scene, &["frames.jsonl"], "");
    let said = scene.run(&client(""));
    assert_eq!((said.stdout.lines().count(), said.code), (4, Some(1)), "{}", said.stderr);
}

const VCR: &str = r#"version: 1
interactions:
- args:
  - claude
  - -p
  - fix <CWD>/a.rs
  kwargs:
    stdout: PIPE
    text: true
    cwd: <CWD>
  duration: 0.25
  returncode: 2
  stdout: |
    In <CWD>:
    fixed.
  stderr: ''
- args: [git, status]
  returncode: 0
  stdout: clean
  stderr: null
- args: claude --version
  kwargs: {shell: true}
  returncode: 0
  stdout: "9.9.9 (Claude Code)\n"
  stderr: ''
- args: cd x && claude
  returncode: 0
  stdout: ''
  stderr: ''
- args: [/usr/bin/codex, exec, again]
  returncode: -15
  stdout: {_binary: true, data: /wo=}
  stderr: "x\n"
metadata: {cassette_count: 5}
"#;

#[test]
fn a_cassette_of_subprocess_vcr_becomes_a_recording_a_spawn() {
    let scene = Scene::new().file("vcr.yaml", VCR);
    let says = "ringer: vcr.yaml: left out calls: 1 of git, 1 of a shell (ask for those of one \
                program with --persona)\n";
    import(&scene, &["vcr.yaml"], says);
    assert_eq!(files(&scene), ["claude/01.jsonl", "claude/probe-version.jsonl", "codex/01.jsonl"]);
    let codex = recording(&scene, "codex/01.jsonl");
    let steps: Vec<&str> = codex.lines().skip(1).collect();
    assert_eq!(
        steps,
        [
            r#"{"order":"unsure","out_base64":"/wo="}"#,
            r#"{"order":"unsure","err":"x\n"}"#,
            r#"{"signal":"TERM"}"#
        ]
    );
    let said = scene.run("claude --version; claude -p 'fix /any/a.rs'; echo $?; codex exec again");
    same(&said.stdout, "9.9.9 (Claude Code)\nIn [root]:\nfixed.\n2\n\u{fffd}\n");
    let other = scene.run("claude -p other");
    assert_eq!(other.code, Some(97));
    assert!(other.stderr.contains("when.argv_regex"), "{}", other.stderr);
}

#[test]
fn calls_of_another_program_and_in_order_are_asked_for() {
    let scene = Scene::new().file("vcr.yaml", VCR);
    let says = "ringer: vcr.yaml: left out calls: 2 of claude, 1 of a shell, 1 of codex (ask for \
                those of one program with --persona)\n";
    import(&scene, &["vcr.yaml", "--persona", "git", "--in-order"], says);
    assert_eq!(files(&scene), ["git/01.jsonl"]);
    assert!(!recording(&scene, "git/01.jsonl").contains("\"when\""));
}

const SCENARIO: &str = r#"meta:
  name: two calls
  vars: {model: opus}
steps:
  - match:
      argv: [claude, -p, "{{ .any }}", --model, "{{ .model }}", --max-turns, 3]
    respond:
      exit: 3
      stdout: "one\n"
      stderr: "warn\n"
      delay: 1ms
      capture: {id: "77"}
    calls: {min: 1, max: 2}
  - group:
      mode: unordered
      steps:
        - match:
            argv: [codex, exec, '{{ .regex "^(do|make) it" }}']
            stdin: |
              hello
          respond:
            stdout_file: out.txt
        - match: {argv: [codex, exec, '{{ .capture.id }}']}
          respond: {stdout: "id {{ .capture.id }}\n"}
"#;

#[test]
fn a_scenario_of_cli_replay_becomes_recordings_with_conditions() {
    let scene = Scene::new().file("in/scenario.yaml", SCENARIO).file("in/out.txt", "from a file\n");
    let says = "ringer: in/scenario.yaml: some recordings need not be played: verify with \
                --allow-unused\n";
    import(&scene, &["in/scenario.yaml"], says);
    let said = scene.run(
        "codex exec 77 </dev/null; echo hello | codex exec 'make it so'\n\
         for n in 1 2 3; do claude -p \"$n\" --model opus --max-turns 3; echo $?; done",
    );
    same(&said.stdout, "id 77\nfrom a file\none\n3\none\n3\n97\n");
}

#[test]
fn recordings_of_commandeer_are_played_once_each() {
    let scene = Scene::new().file(
        "cmds.json",
        r#"{
  "commands": {
    "codex:exec hi": [
      {"binary_name": "codex", "args": ["exec", "hi"], "stdout": "one\n", "stderr": "", "exit_code": 0},
      {"binary_name": "codex", "args": ["exec", "hi"], "stdout": "two\n", "stderr": "", "exit_code": 4}
    ],
    "date:": [{"binary_name": "date", "args": [], "stdout": "now\n", "stderr": "", "exit_code": 0}]
  }
}"#,
    );
    let says = "ringer: cmds.json: left out calls: 1 of date (ask for those of one program with \
                --persona)\n";
    import(&scene, &["cmds.json"], says);
    let said = scene.run("codex exec hi; codex exec hi; echo $?");
    same(&said.stdout, "one\ntwo\n4\n");
}

#[test]
fn a_session_of_ralph_is_played_at_its_times() {
    let scene = Scene::new().file(
        "session.jsonl",
        r#"{"ts":1000,"event":"_meta.loop_start","data":{"prompt_file":"P.md"}}
{"ts":1010,"event":"ux.terminal.write","data":{"bytes":"b25lCg==","stdout":true,"offset_ms":0}}
{"ts":1050,"event":"ux.terminal.write","data":{"event":"ux.terminal.write","data":{"bytes":"dHdvCg==","stdout":false,"offset_ms":40}}}
{"ts":1060,"event":"bus.publish","data":{"command":"ralph task add x"}}
"#,
    );
    let says = "ringer: session.jsonl: left out 1 commands that `mock-cli` would run\n";
    import(&scene, &["session.jsonl", "--persona", "claude"], says);
    let text = recording(&scene, "claude/01.jsonl");
    let steps: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(steps, [r#"{"at":10,"out":"one\n"}"#, r#"{"at":50,"err":"two\n"}"#]);
    let said = scene.run("claude -p x");
    assert!(said.stdout == "one\n" && said.stderr.starts_with("two\n"), "{}", said.stderr);
}

const TYPESCRIPT: &str = "Script started on 2026-11-30 16:02:50+00:00 [COMMAND=\"claude -p 'it \
    is'\" TERM=\"xterm\" TTY=\"/dev/pts/1\" COLUMNS=\"80\" LINES=\"24\"]\none\r\ntwo\r\n\nScript done \
    on 2026-11-30 16:02:51+00:00 [COMMAND_EXIT_CODE=\"3\"]\n";

#[test]
fn a_typescript_is_played_with_and_without_its_timing() {
    let scene = Scene::new()
        .file("typescript", TYPESCRIPT)
        .file("classic", "0.010000 5\n0.104000 5\n")
        .file("advanced", "H 0.0 COMMAND claude -p x\nI 0.01 3\nO 0.01 10\nH 0.0 EXIT_CODE 4\n");
    import(&scene, &["typescript"], "");
    let said = scene.run("claude -p 'it is'; echo $?");
    same(&said.stdout, "one\r\ntwo\r\n3\n");
    import(&scene, &["typescript", "--timing", "classic"], "");
    let text = recording(&scene, "claude/02.jsonl");
    let steps: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        steps,
        [r#"{"at":10,"out":"one\r\n"}"#, r#"{"at":114,"out":"two\r\n"}"#, r#"{"at":114,"exit":3}"#]
    );
    import(&scene, &["typescript", "--timing", "advanced"], "");
    let text = recording(&scene, "claude/03.jsonl");
    assert!(text.contains(r#""argv":["claude","-p","x"]"#), "{text}");
    assert!(text.ends_with("{\"at\":20,\"exit\":4}\n"), "{text}");
}

#[test]
fn a_recording_of_ttyrec_is_anybodys() {
    let mut bytes = Vec::new();
    for (seconds, micros, text) in [(1_000_u32, 500_000_u32, "one\r\n"), (1_002, 0, "two\r\n")] {
        let length = u32::try_from(text.len()).unwrap();
        for number in [seconds, micros, length] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(text.bytes());
    }
    let scene = Scene::new();
    fs::write(scene.path("rec.ttyrec"), &bytes).unwrap();
    import(&scene, &["rec.ttyrec"], "");
    assert_eq!(
        recording(&scene, "01.jsonl").lines().nth(2),
        Some(r#"{"at":1500,"out":"two\r\n"}"#)
    );
    same(&scene.run("codex exec x").stdout, "one\r\ntwo\r\n");
}

#[test]
fn a_scenario_of_claudeless_becomes_turns() {
    let scene = Scene::new().file(
        "scenario.toml",
        r#"name = "made up"
session_id = "550e8400-e29b-41d4-a716-446655440000"

[[responses]]
pattern = { type = "glob", pattern = "read *.txt" }
max_matches = 1

[responses.response]
text = "Read."
usage = { input_tokens = 5, output_tokens = 6 }

[[responses.response.tool_calls]]
tool = "Read"
input = { file_path = "/x", content = { "$file" = "plan.md" } }

[[responses]]
pattern = { type = "contains", text = "login" }
failure = { type = "auth_error", message = "no key" }

[default_response]
text = "What?"

[tool_execution.tools.Read]
result = "canned"
"#,
    );
    let scene = scene.file("plan.md", "the plan");
    let says = "ringer: scenario.toml: a session plays the recording that its first prompt chose; \
                further prompts need turns there\n";
    import(&scene, &["scenario.toml"], says);
    let text = recording(&scene, "claude/01.jsonl");
    assert!(text.contains(r#""content":"the plan""#) && text.contains(r#""result":"canned""#));
    let said = scene.run(
        "claude -p 'read a.txt'; claude -p 'read a.txt'; claude -p 'then login'; echo $?; claude -p x",
    );
    same(&said.stdout, "Read.\nWhat?\nno key\n1\nWhat?\n");
}

#[test]
fn what_is_not_understood_is_refused_by_file_and_line_and_nothing_is_written() {
    let cut = &TAPE[..TAPE.len() - 20];
    let scene = Scene::new()
        .file("good.jsonl", TAPE)
        .file("cut.jsonl", cut)
        .file("empty.jsonl", " \n")
        .file("notes.txt", "some notes\n")
        .file("recording.jsonl", "{\"ringer\":1}\n{\"out\":\"x\"}\n")
        .file("session.jsonl", "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{}}\n")
        .file("wrong.yaml", &SCENARIO.replace("delay: 1ms", "dealy: 1ms"))
        .file("when.yaml", &SCENARIO.replace("calls: {", "when: x\n    calls: {"))
        .file("template.yaml", &SCENARIO.replace("\"one\\n\"", "\"{{ range .x }}\""))
        .file("git.yaml", "interactions:\n- args: [git]\n  returncode: 0\n")
        .file("bad.yaml", "interactions:\n- args: [git\n  returncode: 0\n")
        .file(
            "failure.json",
            r#"{"responses": [{"pattern": {"type": "any"}, "failure": {"type": "rate_limit"}}]}"#,
        )
        .file(
            "write.jsonl",
            "{\"ts\":1,\"event\":\"ux.terminal.write\",\"data\":{\"bytes\":\"!\"}}\n",
        )
        .file("timing", "1 99999\n")
        .file("typescript", TYPESCRIPT);
    fs::write(scene.path("latin.yaml"), b"steps:\n# caf\xe9\n").unwrap();
    for (arguments, says) in [
        (
            "good.jsonl cut.jsonl",
            "cut.jsonl: line 9: no entry of a tape, cut off at the end of the file; take the line out",
        ),
        ("empty.jsonl", "empty.jsonl: is empty"),
        ("notes.txt", "notes.txt: is of no format that is known; name it with --format: "),
        ("recording.jsonl", "is a recording already; copy it into the recording directory"),
        ("session.jsonl", "is a session transcript; use `ringer import transcript`"),
        ("latin.yaml", "latin.yaml: line 2: not UTF-8, which this format is"),
        ("wrong.yaml", "wrong.yaml: line 11: unknown field"),
        ("when.yaml", "when.yaml: line 5: a step has `match` and `respond`"),
        ("template.yaml", "template.yaml: line 5: the template `{{ range .x }}` is not known"),
        (
            "git.yaml",
            "git.yaml: has no call of claude or codex, only 1 of git; name the persona with --persona",
        ),
        ("bad.yaml", "bad.yaml: line 3: "),
        (
            "failure.json",
            "the rule number 1: what the failure `rate_limit` writes is not in the scenario",
        ),
        ("write.jsonl", "write.jsonl: line 1: a write has `bytes` in base64"),
        ("typescript --timing timing", "typescript: has fewer bytes than its timing file tells of"),
        (
            "good.jsonl --timing timing",
            "is a cassette of claude-agent-cassette, which has no timing file",
        ),
        ("good.jsonl --format ttyrec", "good.jsonl: byte 0: no whole frame of ttyrec"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let said = scene.ringer(&[&["import", "cassette", "rec"], &arguments[..]].concat());
        assert!(said.stderr.contains(says), "{arguments:?}: {}", said.stderr);
        assert_eq!(said.code, Some(97), "{arguments:?}");
        assert_eq!(files(&scene), [""; 0], "{arguments:?}");
    }
}

#[test]
fn secrets_do_not_reach_the_recordings() {
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP-abcdefgh";
    let (one, two) = key.split_at(30);
    let vcr = format!(
        "interactions:\n- args: [claude, -p, '{key}']\n  returncode: 0\n  stdout: '{key}'\n"
    );
    let cast = format!(
        "{{\"version\":2,\"width\":80,\"height\":24}}\n[0.1,\"o\",\"{one}\"]\n[0.5,\"o\",\"{two}\\r\\n\"]\n"
    );
    let scene = Scene::new().file("vcr.yaml", &vcr).file("a.cast", &cast);
    import(&scene, &["vcr.yaml", "a.cast", "--persona", "claude"], "");
    for name in ["claude/01.jsonl", "claude/02.jsonl"] {
        let text = recording(&scene, name);
        assert!(!text.contains(&two[..20]) && text.contains("redacted"), "{text}");
    }
    same(&scene.run("claude -p anything").stdout.replace("redacted", ""), &{
        let said = recording(&scene, "claude/01.jsonl");
        let out = said.lines().nth(1).unwrap().trim_start_matches("{\"out\":\"");
        out.trim_end_matches("\"}").replace("redacted", "")
    });
}

#[test]
fn more_transcripts_than_a_process_may_have_open_files_are_imported() {
    let lines = concat!(
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"hi"}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}"#,
        "\n",
    );
    let scene = (0..40).fold(Scene::new(), |scene, n| scene.file(&format!("{n}.jsonl"), lines));
    let script = r#"ulimit -n 24; exec "$0" import transcript rec *.jsonl"#;
    let said = scene.said(scene.command("sh").args(["-c", script, RINGER]));
    assert_eq!((said.code, said.stdout.lines().count()), (Some(0), 40), "{}", said.stderr);
    assert_eq!(files(&scene).len(), 40);
}
