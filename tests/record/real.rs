//! The real CLIs, each with a scripted model on loopback: recorded, replayed, compared.
//!
//! With `RINGER_TEST_REAL_CLI=1` both must be there, on PATH or where `RINGER_REAL_CLAUDE` and
//! `RINGER_REAL_CODEX` say; without it there is nothing to do. They are given a home directory that
//! is thrown away, an empty environment and a made-up key. Nothing here needs a network.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::model;
use crate::scene::{SESSION, Scene, Seen, seen};

const KEY: &str = "sk-ant-api03-madeup-madeup-madeup-0123456789";

/// A scene with a real CLI in it, and a model.
struct Real {
    scene: Scene,
    program: &'static str,
    model: String,
}

impl Real {
    /// `None`: the real CLIs are not asked for.
    fn of(program: &'static str) -> Option<Real> {
        std::env::var_os("RINGER_TEST_REAL_CLI")?;
        let scene = Scene::new();
        symlink(find(program), scene.path("real").join(program)).unwrap();
        let model = model::start();
        // A home directory of nobody is not replaced in what is written.
        fs::create_dir_all(scene.path("home/user/.codex")).unwrap();
        let work = scene.path("work");
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"loopback\"\n\
             [model_providers.loopback]\nname = \"loopback\"\nbase_url = \"{model}/v1\"\n\
             env_key = \"MADE_UP_API_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 1\n\
             stream_max_retries = 1\n[analytics]\nenabled = false\n\
             [projects.{:?}]\ntrust_level = \"trusted\"\n",
            work.display()
        );
        fs::write(scene.path("home/user/.codex/config.toml"), config).unwrap();
        Some(Real { scene, program, model })
    }

    /// The command, in an emptied environment.
    fn bare(&self, mut command: Command) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let home = self.scene.path("home/user");
        command.env_clear().current_dir(self.scene.path("work"));
        command.env("PATH", format!("{}:{path}", self.scene.path("real").display()));
        command.env("HOME", &home).env("TMPDIR", self.scene.path("tmp"));
        command.env("CODEX_HOME", home.join(".codex")).env("MADE_UP_API_KEY", KEY);
        command.env("ANTHROPIC_BASE_URL", &self.model).env("ANTHROPIC_API_KEY", KEY);
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        command.env("CLAUDE_CODE_MAX_RETRIES", "1").env("RINGER_BIN", crate::scene::RINGER);
        command
    }

    fn record(&self, options: &[&str], arguments: &[&str]) -> Command {
        self.bare(self.scene.record(options, &[&[self.program], arguments].concat()))
    }

    fn replay(&self, arguments: &[&str]) -> Command {
        self.bare(self.scene.run(&[&[self.program], arguments].concat()))
    }

    /// The recording, in which nothing secret may stand.
    fn recording(&self) -> String {
        let text = self.scene.recording(&format!("{}/01.jsonl", self.program));
        assert!(!text.contains(KEY), "{text}");
        text
    }

    /// What `ringer drift` says of the CLI, and of what was recorded.
    fn drift(&self) -> Seen {
        let arguments = ["drift", self.program, "--run", "../rec"];
        seen(&mut self.bare(self.scene.ringer(&arguments)), "")
    }

    /// Asserts that the recorded command still has a stream of the same shape, and that the CLI is
    /// what the doubles claim; if it is of a version of which nothing is claimed, that this is said
    /// in one screen.
    fn has_not_drifted(&self) {
        let drift = self.drift();
        if drift.stdout.contains("--version: the doubles answer as") {
            let recording = format!("{}/01.jsonl", self.program);
            assert!(!drift.stdout.contains(&recording), "{drift:?}");
            assert!(drift.stdout.lines().count() < 40, "{drift:?}");
        } else {
            assert!(drift.stdout.ends_with("is what the doubles claim\n"), "{drift:?}");
            assert_eq!(drift.status.code(), Some(0));
        }
    }

    /// What the spawns of the recording leave on disk is thrown away between two of them.
    fn forget(&self) {
        for folder in ["home/user/.claude", "home/user/.codex/sessions", "rec"] {
            let _ = fs::remove_dir_all(self.scene.path(folder));
        }
        fs::create_dir_all(self.scene.path("rec")).unwrap();
    }

    /// Records a run in which this is said, replays it, and finds nothing different but the ids that
    /// are bound.
    fn goes_round(&self, arguments: &[&str], input: &str, says: &str) {
        for options in [&["--verbatim"][..], &[]] {
            self.forget();
            let recorded = seen(&mut self.record(options, arguments), input);
            let said = [recorded.stdout.as_str(), &recorded.stderr].concat();
            assert!(said.contains(says), "{} {arguments:?}: {recorded:?}", self.program);
            let text = self.recording();
            let mut replayed = seen(&mut self.replay(arguments), input);
            if options.is_empty() {
                replayed = with_ids_of(&text, &recorded, replayed);
            }
            assert_eq!(replayed, recorded, "{} {arguments:?} {options:?}", self.program);
        }
    }
}

/// A real CLI.
fn find(program: &str) -> PathBuf {
    let variable = format!("RINGER_REAL_{}", program.to_uppercase());
    if let Some(path) = std::env::var_os(&variable) {
        return PathBuf::from(path);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(program));
    let found = candidates.find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("RINGER_TEST_REAL_CLI is set, but there is no {program} on PATH, and no {variable}")
    })
}

/// A replay with its own ids replaced by the recorded ones.
fn with_ids_of(recording: &str, recorded: &Seen, mut replayed: Seen) -> Seen {
    let header: Value = serde_json::from_str(recording.lines().next().unwrap()).unwrap();
    for name in ["session_id", "thread_id"] {
        let Some(old) = header["bind"][name].as_str() else { continue };
        let Some(at) = recorded.stdout.find(old) else { continue };
        let Some(new) = replayed.stdout.get(at..at + old.len()).map(str::to_owned) else {
            continue;
        };
        replayed.stdout = replayed.stdout.replace(&new, old);
        replayed.stderr = replayed.stderr.replace(&new, old);
    }
    replayed
}

#[test]
fn runs_of_the_real_claude_are_replayed_byte_for_byte() {
    let Some(real) = Real::of("claude") else { return };
    let stream = ["--output-format", "stream-json", "--verbose"];
    real.goes_round(&["-p", "say something"], "", "That is all");
    real.goes_round(&[&["-p", "say something"], &stream[..]].concat(), "", "That is all");
    let partial = ["--include-partial-messages"];
    real.goes_round(&[&["-p", "say something"], &stream[..], &partial].concat(), "", "That is all");
    real.goes_round(&["-p", "say something", "--output-format", "json"], "", "That is all");
    real.goes_round(&["-p"], "say something from stdin\n", "That is all");
    real.goes_round(
        &[&["-p", "use the tool", "--allowedTools", "Bash"], &stream[..]].concat(),
        "",
        "The tool has spoken",
    );
    real.has_not_drifted();
}

#[test]
fn failures_of_the_real_claude_are_replayed_byte_for_byte() {
    let Some(real) = Real::of("claude") else { return };
    let stream = ["--output-format", "stream-json", "--verbose"];
    real.goes_round(&[&["-p", "be overloaded"], &stream[..]].concat(), "", "That is all");
    real.goes_round(&[&["-p", "be refused"], &stream[..]].concat(), "", "no such thing");
    real.has_not_drifted();
    real.goes_round(&["-p", "be refused"], "", "no such thing");
    real.goes_round(&["-p", "--nope"], "", "--nope");
}

#[test]
fn runs_of_the_real_codex_are_replayed_byte_for_byte() {
    let Some(real) = Real::of("codex") else { return };
    let exec = ["exec", "--skip-git-repo-check"];
    let open = "--dangerously-bypass-approvals-and-sandbox";
    real.goes_round(&[&exec[..], &["--json", "say something"]].concat(), "", "That is all");
    real.goes_round(&[&exec[..], &["say something"]].concat(), "", "That is all");
    real.goes_round(
        &[&exec[..], &["--json", "-"]].concat(),
        "say something from stdin\n",
        "That is all",
    );
    real.goes_round(
        &[&exec[..], &["--json", open, "use the tool"]].concat(),
        "",
        "The tool has spoken",
    );
    real.goes_round(&[&exec[..], &[open, "use the tool"]].concat(), "", "The tool has spoken");
    real.has_not_drifted();
}

#[test]
fn failures_of_the_real_codex_are_replayed_byte_for_byte() {
    let Some(real) = Real::of("codex") else { return };
    let exec = ["exec", "--skip-git-repo-check"];
    real.goes_round(&[&exec[..], &["--json", "be overloaded"]].concat(), "", "That is all");
    real.goes_round(&[&exec[..], &["--json", "be refused"]].concat(), "", "no such thing");
    real.has_not_drifted();
    real.goes_round(&[&exec[..], &["be refused"]].concat(), "", "no such thing");
    real.goes_round(&["exec", "--nope"], "", "--nope");
}

/// What a client does in a session.
enum Move {
    Send(Value),
    /// Reads on to a line that contains this.
    Await(&'static str),
    /// Answers the request that was awaited last.
    Answer(fn(&Value) -> Value),
    /// Sends a request in the thread that was announced, about the turn that was started last.
    InThread(Value),
    /// Gives the program time to ask its model.
    Pause,
}

/// Has a client talk to a program. Returns all lines of stdout, and the exit code.
fn talk(command: &mut Command, moves: &[Move]) -> (Vec<String>, Option<i32>) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines: Vec<String> = Vec::new();
    let (mut thread, mut turn) = (Value::Null, Value::Null);
    for step in moves {
        let frame = match step {
            Move::Send(frame) => frame.clone(),
            Move::Answer(answer) => answer(&serde_json::from_str(lines.last().unwrap()).unwrap()),
            Move::InThread(frame) => {
                let mut frame = frame.clone();
                frame["params"]["threadId"] = thread.clone();
                if frame["method"] == "turn/interrupt" {
                    frame["params"]["turnId"] = turn.clone();
                }
                frame
            }
            Move::Pause => {
                std::thread::sleep(Duration::from_millis(700));
                continue;
            }
            Move::Await(text) => {
                loop {
                    let line = stdout.next().map(Result::unwrap);
                    lines.push(line.unwrap_or_else(|| panic!("no {text} after {lines:#?}")));
                    let line = lines.last().unwrap();
                    let frame: Value = serde_json::from_str(line).unwrap();
                    let of = |path: &str| frame.pointer(path).cloned();
                    thread = of("/result/thread/id").unwrap_or(thread);
                    turn = of("/result/turn/id").unwrap_or(turn);
                    if line.contains(text) {
                        break;
                    }
                }
                continue;
            }
        };
        writeln!(stdin, "{frame}").unwrap();
    }
    drop(stdin);
    lines.extend(stdout.map(Result::unwrap));
    (lines, child.wait().unwrap().code())
}

fn user(text: &str) -> Move {
    Move::Send(json!({ "type": "user", "message": { "role": "user", "content": text } }))
}

fn allow(asked: &Value) -> Value {
    let allowed = json!({ "behavior": "allow", "updatedInput": asked["request"]["input"] });
    json!({ "type": "control_response", "response": {
        "subtype": "success", "request_id": asked["request_id"], "response": allowed,
    }})
}

#[test]
fn a_session_of_the_real_claude_is_replayed_line_for_line() {
    let Some(real) = Real::of("claude") else { return };
    let arguments = [&SESSION[1..], &["--permission-prompt-tool", "stdio"]].concat();
    let request = json!({ "subtype": "initialize", "hooks": null });
    let moves = [
        Move::Send(json!({ "type": "control_request", "request_id": "r1", "request": request })),
        Move::Await("control_response"),
        user("say something"),
        Move::Await("\"type\":\"result\""),
        user("use the tool"),
        Move::Await("can_use_tool"),
        Move::Answer(allow),
        Move::Await("\"type\":\"result\""),
        user("be refused"),
        Move::Await("\"type\":\"result\""),
        user("go on without end"),
        Move::Await("\"subtype\":\"init\""),
        Move::Pause,
        Move::Send(json!({
            "type": "control_request", "request_id": "r2", "request": { "subtype": "interrupt" },
        })),
        Move::Await("\"type\":\"result\""),
    ];
    for options in [&["--verbatim"][..], &[]] {
        real.forget();
        let recorded = talk(&mut real.record(options, &arguments), &moves);
        let text = real.recording();
        let replayed = talk(&mut real.replay(&arguments), &moves);
        same_lines(&text, &replayed.0, &recorded.0);
        assert_eq!(replayed.1, recorded.1);
    }
    real.has_not_drifted();
}

#[test]
fn a_session_of_the_real_codex_is_replayed_line_for_line() {
    let Some(real) = Real::of("codex") else { return };
    let client = json!({ "name": "a_client", "title": "A client", "version": "0.1" });
    let thread = json!({ "approvalPolicy": "untrusted", "sandbox": "danger-full-access" });
    let turn = |id: u32, text: &str| {
        let input = json!([{ "type": "text", "text": text }]);
        Move::InThread(json!({ "id": id, "method": "turn/start", "params": { "input": input } }))
    };
    let target = json!({ "target": { "type": "custom", "instructions": "say something" } });
    let moves = [
        Move::Send(json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client } })),
        Move::Await("\"id\":1"),
        Move::Send(json!({ "method": "initialized" })),
        Move::Send(json!({ "id": 2, "method": "thread/start", "params": thread })),
        Move::Await("\"id\":2"),
        turn(3, "say something"),
        Move::Await("turn/completed"),
        turn(4, "use the tool"),
        Move::Await("requestApproval"),
        Move::Answer(|asked| json!({ "id": asked["id"], "result": { "decision": "accept" } })),
        Move::Await("turn/completed"),
        turn(5, "be refused"),
        Move::Await("turn/completed"),
        Move::InThread(json!({ "id": 6, "method": "review/start", "params": target })),
        Move::Await("turn/completed"),
        turn(7, "go on without end"),
        Move::Await("item/agentMessage/delta"),
        Move::InThread(json!({ "id": 8, "method": "turn/interrupt", "params": {} })),
        Move::Await("turn/completed"),
    ];
    for options in [&["--verbatim"][..], &[]] {
        real.forget();
        let recorded = talk(&mut real.record(options, &["app-server"]), &moves);
        let text = real.recording();
        let replayed = talk(&mut real.replay(&["app-server"]), &moves);
        same_lines(&text, &replayed.0, &recorded.0);
        assert_eq!(replayed.1, recorded.1);
    }
    real.has_not_drifted();
}

/// Asserts that a session was replayed as it was recorded, but for the ids that are bound.
fn same_lines(recording: &str, replayed: &[String], recorded: &[String]) {
    let as_seen = |lines: &[String]| Seen {
        stdout: lines.join("\n"),
        stderr: String::new(),
        status: Default::default(),
    };
    let recorded = as_seen(recorded);
    let replayed = with_ids_of(recording, &recorded, as_seen(replayed)).stdout;
    for (number, (replayed, recorded)) in replayed.lines().zip(recorded.stdout.lines()).enumerate()
    {
        assert_eq!(replayed, recorded, "line {}", number + 1);
    }
    assert_eq!(replayed.lines().count(), recorded.stdout.lines().count());
}
