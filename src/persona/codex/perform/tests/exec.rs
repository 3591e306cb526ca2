//! The voices of `exec` and its kind.

use serde_json::json;

use super::{Circumstances, around, voice};
use crate::journal::Exit;
use crate::persona::Piece;
use crate::persona::performer::{Performer, SessionMark};
use crate::recording::Signal;
use crate::recording::turn::Turn;

const OLD: &str = "01a22c0f-2b18-7e43-89e0-2dfb9ad1d978";

fn exec(args: &[&str]) -> Box<dyn Performer> {
    voice(args, &around(Vec::new()))
}

/// The voice of a run that resumes the thread [`OLD`], or forks it.
fn takes_up(args: &[&str]) -> Box<dyn Performer> {
    let carried = json!({"input": 300, "cached_input": 100, "output": 30, "reasoning": 5});
    let thread = args.contains(&"resume").then(|| OLD.to_owned());
    voice(args, &Circumstances { thread, carried, ..around(Vec::new()) })
}

/// What a voice says of a turn, from its start to its end, on stdout and on stderr.
fn run(voice: &mut dyn Performer, turn: &str) -> (String, String) {
    let turn: Turn = serde_json::from_str(turn).unwrap();
    let pieces = [voice.start(), voice.turn(&turn, None), voice.end()].concat();
    streams(&pieces)
}

fn streams(pieces: &[Piece]) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Out(bytes) => out.extend_from_slice(bytes),
            Piece::Err(bytes) => err.extend_from_slice(bytes),
            Piece::Ask { .. } | Piece::AwaitInterrupt => {}
        }
    }
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const TURN: &str = r#"{"text": "42.", "usage": {"input": 120, "cached_input": 20, "output": 7}}"#;

#[test]
fn a_resumed_run_keeps_the_id_and_adds_to_the_usage() {
    let mut voice = takes_up(&["exec", "--json", "resume", OLD, "x"]);
    let (stdout, stderr) = run(&mut *voice, TURN);
    assert_eq!(
        stdout,
        format!(
            "{{\"type\":\"thread.started\",\"thread_id\":\"{OLD}\"}}\n\
             {{\"type\":\"turn.started\"}}\n\
             {{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"agent_message\",\
             \"text\":\"42.\"}}}}\n\
             {{\"type\":\"turn.completed\",\"usage\":{{\"input_tokens\":420,\
             \"cached_input_tokens\":120,\"cache_write_input_tokens\":0,\"output_tokens\":37,\
             \"reasoning_output_tokens\":5}}}}\n"
        )
    );
    assert_eq!(stderr, "");
    let carried = json!({"input": 420, "cached_input": 120, "output": 37, "reasoning": 5});
    assert_eq!(voice.session(), Some(SessionMark { id: OLD.to_owned(), carried }));
    assert_eq!(voice.last_message().as_deref(), Some("42."));
}

#[test]
fn a_fork_has_an_id_of_its_own_and_its_parents_usage() {
    let mut voice = takes_up(&["exec", "--json", "fork", OLD, "x"]);
    let (stdout, _) = run(&mut *voice, TURN);
    assert!(!stdout.contains(OLD) && stdout.contains(r#""input_tokens":420"#), "{stdout}");
}

#[test]
fn a_fork_without_a_prompt_opens_its_thread_and_has_no_turn() {
    let mut voice = exec(&["exec", "--json", "fork", OLD]);
    let (stdout, _) = run(&mut *voice, TURN);
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    assert!(stdout.starts_with(r#"{"type":"thread.started""#));
}

#[test]
fn a_new_run_owes_nothing_and_an_ephemeral_one_leaves_nothing() {
    let mut voice = exec(&["exec", "--json", "--ephemeral", "x"]);
    let (stdout, stderr) = run(&mut *voice, TURN);
    assert!(stdout.contains(r#""input_tokens":120"#));
    assert_eq!(stderr, "Reading additional input from stdin...\n");
    assert_eq!(voice.session(), None);
}

#[test]
fn the_human_mode_shows_what_the_arguments_say() {
    let args = [
        "exec",
        "-m",
        "gpt-9",
        "-s",
        "workspace-write",
        "--add-dir",
        "/extra",
        "-C",
        "sub",
        "-c",
        "model_reasoning_effort=\"high\"",
        "-c",
        "model_provider=fake",
        "x",
    ];
    let (stdout, stderr) = run(&mut *exec(&args), TURN);
    assert_eq!(stdout, "42.\n");
    for row in [
        "workdir: /home/dev/project/sub",
        "model: gpt-9",
        "provider: fake",
        "approval: never",
        "sandbox: workspace-write [workdir, /tmp, $TMPDIR, /extra]",
        "reasoning effort: high",
    ] {
        assert!(stderr.lines().any(|line| line == row), "{row} in {stderr}");
    }
}

#[test]
fn a_review_reports_no_tokens_and_names_what_it_looks_at() {
    let (stdout, _) = run(&mut *exec(&["exec", "--json", "review", "--uncommitted"]), TURN);
    assert!(stdout.contains(r#""input_tokens":0"#), "{stdout}");
    let (_, stderr) = run(&mut *exec(&["exec", "review", "--base", "main"]), TURN);
    assert!(stderr.contains("changes against 'main'"), "{stderr}");
}

#[test]
fn sigint_ends_a_turn_with_the_last_line_of_the_transcript_and_other_signals_kill() {
    let mut voice = exec(&["exec", "x"]);
    let int = Signal::named("INT").unwrap();
    assert_eq!(voice.signalled(int), None);
    let turn: Turn = serde_json::from_str(r#"{"text": "par", "stop": "interrupted"}"#).unwrap();
    voice.start();
    assert_eq!(voice.turn(&turn, None).last(), Some(&Piece::AwaitInterrupt));
    assert_eq!(voice.signalled(Signal::named("TERM").unwrap()), None);
    let (pieces, exit) = voice.signalled(int).unwrap();
    assert!(streams(&pieces).1.starts_with("turn interrupted\n"));
    assert_eq!(exit, Exit::Code(1));
    assert_eq!(voice.last_message(), None);
}

#[test]
fn a_recorded_stream_is_rendered_in_the_human_mode() {
    let mut voice = exec(&["exec", "x"]);
    let lines = [
        "{\"type\":\"thread.started\",\"thread_id\":\"rec\"}\n",
        "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"hey\"}}\n",
        "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no luck\"}}\n",
    ];
    let mut pieces: Vec<Piece> =
        lines.iter().flat_map(|it| voice.recorded(it.as_bytes())).collect();
    pieces.extend(voice.end());
    let (stdout, stderr) = streams(&pieces);
    assert_eq!(stdout, "");
    assert!(
        stderr.starts_with("Reading additional input from stdin...\nOpenAI Codex v"),
        "{stderr}"
    );
    assert!(stderr.contains("session id: rec") && stderr.contains("ERROR: no luck"), "{stderr}");
    assert_eq!(voice.exit_code(), 1);
}
