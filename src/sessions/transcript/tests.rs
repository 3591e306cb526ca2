//! Session files made of captured streams, and read back as their readers do.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;

const A: &str = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

/// The stdout of a capture; none where there are no captures.
fn stdout(run: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("RINGER_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let dir = root.join("truth").join(run);
    dir.is_dir().then(|| std::fs::read(dir.join("stdout")).unwrap_or_default())
}

fn started() -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_767_225_600).unwrap()
}

fn claude_run(config_dir: &Path, spawn: u64) -> ClaudeRun {
    ClaudeRun {
        config_dir: config_dir.to_owned(),
        project: "/home/dev/project dir.with_odd-chars".to_owned(),
        cwd: "/home/dev/project dir.with_odd-chars".to_owned(),
        version: "2.1.332".to_owned(),
        forked_from: None,
        title: None,
        permission_mode: "default".to_owned(),
        started: started(),
        seed: "seed".to_owned(),
        spawn,
    }
}

fn codex_run(home: &Path, turn: &str) -> CodexRun {
    CodexRun {
        home: home.to_owned(),
        cwd: "/home/dev/project".to_owned(),
        version: "0.171.0".to_owned(),
        model: "gpt-5.5".to_owned(),
        provider: "fake".to_owned(),
        approval: "never".to_owned(),
        sandbox: "read-only".to_owned(),
        forked_from: None,
        started: started(),
        local: jiff::civil::date(2026, 1, 2).at(3, 4, 5, 0),
        turn_id: turn.to_owned(),
    }
}

fn play(mut transcript: Transcript, prompt: &str, stream: &[u8]) {
    transcript.prompt(Prompt::Text(prompt)).unwrap();
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        transcript.event(line).unwrap();
    }
    transcript.finish().unwrap();
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

fn session_file(config_dir: &Path, id: &str) -> PathBuf {
    let folder = "projects/-home-dev-project-dir-with-odd-chars";
    config_dir.join(folder).join(format!("{id}.jsonl"))
}

/// The conversation as readers put it together: from the last line along the parents.
fn chain(lines: &[Value]) -> Vec<&Value> {
    let talk: Vec<_> = lines.iter().filter(|line| line["uuid"].is_string()).collect();
    let mut chain = Vec::new();
    let mut next = talk.last().copied();
    while let Some(line) = next {
        chain.insert(0, line);
        next = talk.iter().copied().find(|other| other["uuid"] == line["parentUuid"]);
    }
    chain
}

fn said(chain: &[&Value]) -> Vec<String> {
    chain.iter().map(|line| content_text(&line["message"]["content"])).collect()
}

#[test]
fn a_session_that_is_resumed_goes_on_in_its_file_as_in_s05_a_and_s05_k() {
    let dir = tempfile::tempdir().unwrap();
    let Some(first) = stdout("claude-2.1.332/s05_a_session_id") else { return };
    play(Transcript::claude(claude_run(dir.path(), 1)), "first", &first);
    let path = session_file(dir.path(), A);
    let once = lines(&path);
    let kinds: Vec<_> = once.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["queue-operation", "queue-operation", "user", "assistant", "last-prompt"]);
    // With json output there is nothing but the result to go by.
    for (spawn, run) in [(2, "s05_d_continue"), (3, "s05_k_resume_json")] {
        let stream = stdout(&format!("claude-2.1.332/{run}")).unwrap();
        play(Transcript::claude(claude_run(dir.path(), spawn)), run, &stream);
    }
    let all = lines(&path);
    assert_eq!(&all[..once.len()], once);
    let conversation = chain(&all);
    assert_eq!(conversation.len(), 6);
    let texts = said(&conversation);
    assert_eq!(
        (&*texts[0], &*texts[2], &*texts[4]),
        ("first", "s05_d_continue", "s05_k_resume_json")
    );
    assert!(conversation.iter().all(|line| line["sessionId"] == A && line["isSidechain"] == false));
}

#[test]
fn a_message_has_its_end_and_its_usage_though_the_stream_does_not_know_them() {
    let dir = tempfile::tempdir().unwrap();
    let Some(stream) = stdout("claude-2.1.332/s05_a_session_id") else { return };
    play(Transcript::claude(claude_run(dir.path(), 1)), "first", &stream);
    let all = lines(&session_file(dir.path(), A));
    let message = &of_type(&all, "assistant")[0]["message"];
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(message["usage"]["output_tokens"], 20);
    assert_eq!(message["usage"]["input_tokens"], 100);
}

#[test]
fn tools_are_in_the_conversation_and_the_tokens_add_up_to_the_result() {
    for run in ["s03_bash_ls", "s02_partial_tool", "s03_tool_error", "s02_thinking"] {
        for version in ["2.1.197", "2.1.332"] {
            let Some(stream) = stdout(&format!("claude-{version}/{run}")) else { return };
            let dir = tempfile::tempdir().unwrap();
            play(Transcript::claude(claude_run(dir.path(), 1)), "go", &stream);
            let events: Vec<Value> = stream
                .split(|byte| *byte == b'\n')
                .filter_map(|line| serde_json::from_slice(line).ok())
                .collect();
            let id = events[0]["session_id"].as_str().unwrap();
            let all = lines(&session_file(dir.path(), id));
            let main = |event: &&Value| {
                (event["type"] == "assistant" || event["type"] == "user")
                    && event["parent_tool_use_id"].is_null()
            };
            let conversation = chain(&all);
            assert_eq!(conversation.len(), 1 + events.iter().filter(main).count(), "{run}");
            assert!(
                of_type(&all, "assistant").iter().all(|l| l["message"]["stop_reason"].is_string())
            );
            let mut by_message = std::collections::BTreeMap::new();
            for line in of_type(&all, "assistant") {
                let tokens = line["message"]["usage"]["output_tokens"].as_u64().unwrap();
                by_message.insert(line["message"]["id"].to_string(), tokens);
            }
            let result = events.iter().find(|event| event["type"] == "result").unwrap();
            let sum = by_message.values().sum::<u64>();
            assert_eq!(Some(sum), result["usage"]["output_tokens"].as_u64(), "{version} {run}");
        }
    }
}

#[test]
fn a_fork_starts_with_what_its_origin_has_as_in_s05_e_resume_fork() {
    let dir = tempfile::tempdir().unwrap();
    let Some(first) = stdout("claude-2.1.332/s05_a_session_id") else { return };
    play(Transcript::claude(claude_run(dir.path(), 1)), "first", &first);
    let fork = stdout("claude-2.1.332/s05_f_resume_fork_sid").unwrap();
    let run = ClaudeRun { forked_from: Some(A.to_owned()), ..claude_run(dir.path(), 2) };
    play(Transcript::claude(run), "fifth", &fork);
    let all = lines(&session_file(dir.path(), "bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee"));
    let conversation = chain(&all);
    assert_eq!(conversation.len(), 4);
    let other = "bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee";
    assert!(conversation.iter().all(|line| line["sessionId"] == other));
}

#[test]
fn a_name_becomes_the_title_as_in_s05_n_name() {
    let dir = tempfile::tempdir().unwrap();
    let Some(stream) = stdout("claude-2.1.332/s05_n_name") else { return };
    let run = ClaudeRun { title: Some("my session".to_owned()), ..claude_run(dir.path(), 1) };
    play(Transcript::claude(run), "x", &stream);
    let folder = session_file(dir.path(), A).parent().unwrap().to_owned();
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!(of_type(&lines(&file), "custom-title")[0]["customTitle"], "my session");
}

#[test]
fn a_run_that_was_refused_leaves_no_file_as_in_s06_resume_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let Some(stream) = stdout("claude-2.1.332/s06_resume_unknown") else { return };
    play(Transcript::claude(claude_run(dir.path(), 1)), "hi", &stream);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn lines_of_a_live_session_are_its_prompts_and_replays_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut transcript = Transcript::claude(claude_run(dir.path(), 1));
    let user = br#"{"type":"user","uuid":"u-1","message":{"role":"user","content":[{"type":"text","text":"one"}]}}"#;
    transcript.prompt(Prompt::Line(br#"{"type":"control_request"}"#)).unwrap();
    transcript.prompt(Prompt::Line(user)).unwrap();
    for line in [
        format!(r#"{{"type":"system","subtype":"init","session_id":"{A}"}}"#),
        format!(
            r#"{{"type":"user","isReplay":true,"uuid":"u-1","message":{{}},"session_id":"{A}"}}"#
        ),
        format!(
            r#"{{"type":"assistant","uuid":"a-1","message":{{"id":"m","content":[{{"type":"text","text":"1"}}]}},"session_id":"{A}"}}"#
        ),
        "5".to_owned(),
        r#"{"type":"assistant","message":"odd"}"#.to_owned(),
        "no json".to_owned(),
    ] {
        transcript.event(line.as_bytes()).unwrap();
    }
    transcript.finish().unwrap();
    let all = lines(&session_file(dir.path(), A));
    assert_eq!(of_type(&all, "user").len(), 1);
    assert_eq!(of_type(&all, "user")[0]["uuid"], "u-1");
    assert_eq!(of_type(&all, "last-prompt")[0]["lastPrompt"], "one");
    assert_eq!(of_type(&all, "assistant").len(), 2);
}

#[test]
fn an_id_that_leads_elsewhere_makes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let line = r#"{"type":"system","subtype":"init","session_id":"../../x"}"#;
    play(Transcript::claude(claude_run(dir.path(), 1)), "x", line.as_bytes());
    let line = r#"{"type":"thread.started","thread_id":"../x"}"#;
    play(Transcript::codex(codex_run(dir.path(), "t")), "x", line.as_bytes());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_rollout_goes_on_in_its_file_when_the_thread_is_resumed_as_in_03_first_and_03_resume_id() {
    let dir = tempfile::tempdir().unwrap();
    let Some(first) = stdout("codex-0.171.0/03-first") else { return };
    play(Transcript::codex(codex_run(dir.path(), "t1")), "remember 42", &first);
    let id = "01a22c0f-2b18-7e43-89e0-2dfb9ad1d978";
    let path =
        dir.path().join(format!("sessions/2026/01/02/rollout-2026-01-02T03-04-05-{id}.jsonl"));
    let once = lines(&path);
    let kinds: Vec<_> = once.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "session_meta",
            "event_msg",
            "turn_context",
            "response_item",
            "response_item",
            "event_msg",
            "event_msg"
        ]
    );
    assert_eq!(once[0]["payload"]["id"], id);
    assert_eq!(once[6]["payload"]["last_agent_message"], "I will remember 42.");
    let later = CodexRun {
        local: jiff::civil::date(2026, 2, 3).at(0, 0, 0, 0),
        ..codex_run(dir.path(), "t2")
    };
    let resumed = stdout("codex-0.171.0/03-resume-id").unwrap();
    play(Transcript::codex(later), "what number?", &resumed);
    let all = lines(&path);
    assert_eq!(of_type(&all, "session_meta").len(), 1);
    assert!((0..).zip(&all).all(|(ordinal, line)| line["ordinal"] == ordinal));
    let info = &all[all.len() - 2]["payload"]["info"];
    assert_eq!(info["total_token_usage"]["input_tokens"], 420);
    assert_eq!(info["last_token_usage"]["input_tokens"], 300);
    assert!(!dir.path().join("sessions/2026/02").exists());
}

/// All captured runs of a version.
fn runs(version: &str) -> Vec<(String, Vec<u8>)> {
    let root = std::env::var_os("RINGER_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let folders = std::fs::read_dir(root.join("truth").join(version)).into_iter().flatten();
    let names = folders.flatten().map(|entry| entry.file_name().into_string().unwrap());
    names.map(|name| (name.clone(), stdout(&format!("{version}/{name}")).unwrap())).collect()
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_captured_session_of_claude_makes_one_whole_conversation() {
    for version in ["claude-2.1.197", "claude-2.1.332"] {
        for (name, stream) in runs(version) {
            let dir = tempfile::tempdir().unwrap();
            play(Transcript::claude(claude_run(dir.path(), 1)), "go", &stream);
            for file in files(dir.path()) {
                let all = lines(&file);
                let talk = all.iter().filter(|line| line["uuid"].is_string()).count();
                assert_eq!(chain(&all).len(), talk, "{version} {name}");
                let ended = |line: &&Value| line["message"]["stop_reason"].is_string();
                assert!(of_type(&all, "assistant").iter().all(ended), "{version} {name}");
            }
        }
    }
}

#[test]
fn every_captured_thread_of_codex_makes_one_rollout() {
    for version in ["codex-0.50.0", "codex-0.99.0", "codex-0.125.0", "codex-0.171.0"] {
        for (name, stream) in runs(version) {
            let dir = tempfile::tempdir().unwrap();
            play(Transcript::codex(codex_run(dir.path(), "t")), "go", &stream);
            let found = files(dir.path());
            let started = stream.starts_with(b"{\"type\":\"thread.started\"");
            assert_eq!(found.len(), usize::from(started), "{version} {name}");
            for file in found {
                assert!((0..).zip(&lines(&file)).all(|(ordinal, line)| line["ordinal"] == ordinal));
            }
        }
    }
}

#[test]
fn a_fork_of_a_thread_has_its_history_and_counts_on_as_in_03_fork() {
    let dir = tempfile::tempdir().unwrap();
    let Some(first) = stdout("codex-0.171.0/03-first") else { return };
    play(Transcript::codex(codex_run(dir.path(), "t1")), "remember 42", &first);
    let origin = "01a22c0f-2b18-7e43-89e0-2dfb9ad1d978";
    let run = CodexRun { forked_from: Some(origin.to_owned()), ..codex_run(dir.path(), "t2") };
    play(Transcript::codex(run), "forked", &stdout("codex-0.171.0/03-fork").unwrap());
    let id = "01a22c0f-4217-7d11-bc86-72385672b7d4";
    let path =
        dir.path().join(format!("sessions/2026/01/02/rollout-2026-01-02T03-04-05-{id}.jsonl"));
    let all = lines(&path);
    assert_eq!(all[0]["payload"]["forked_from_id"], origin);
    let items = of_type(&all, "response_item");
    let texts: Vec<_> =
        items.iter().map(|item| content_text(&item["payload"]["content"])).collect();
    assert_eq!(texts, ["remember 42", "I will remember 42.", "forked", "forked ok"]);
}

#[test]
fn a_recording_that_is_played_again_makes_a_longer_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let line =
        format!(r#"{{"type":"assistant","uuid":"a-1","message":{{"id":"m"}},"session_id":"{A}"}}"#);
    for _ in 0..3 {
        play(Transcript::claude(claude_run(dir.path(), 1)), "again", line.as_bytes());
    }
    assert_eq!(chain(&lines(&session_file(dir.path(), A))).len(), 6);
}
