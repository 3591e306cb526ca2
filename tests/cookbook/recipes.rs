//! The recipes, in the order of the page.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::kitchen::{Recipe, end, events, hear, of_type, pieces, runs_on, send};

#[test]
fn a_denied_permission_is_told_in_the_stream_and_the_run_succeeds() {
    let recipe = Recipe::of("permission-denied");
    let claude = recipe.claude(&[]).output().unwrap();
    let told = events(&claude.stdout);
    assert!(told.iter().any(|event| event["subtype"] == "permission_denied"), "{told:?}");
    let result = of_type(&told, "result")[0];
    assert_eq!((&result["is_error"], &result["subtype"]), (&false.into(), &"success".into()));
    assert_eq!(result["permission_denials"][0]["tool_input"]["command"], "touch /srv/data");
    assert_eq!(claude.status.code(), Some(0));

    let codex = recipe.codex(&[]).output().unwrap();
    let told = events(&codex.stdout);
    assert!(told.iter().any(|event| event["item"]["status"] == "declined"), "{told:?}");
    assert_eq!(of_type(&told, "turn.completed").len(), 1);
    assert_eq!(codex.status.code(), Some(0));
    recipe.is_eaten_up();
}

#[test]
fn an_overloaded_service_fails_one_run_and_answers_the_next() {
    let recipe = Recipe::of("retry-after-overload");
    let first = recipe.claude(&[]).output().unwrap();
    let told = events(&first.stdout);
    assert_eq!(of_type(&told, "result")[0]["is_error"], true);
    assert_eq!(of_type(&told, "result")[0]["api_error_status"], 529);
    assert_eq!(first.status.code(), Some(1));
    let second = recipe.claude(&[]).output().unwrap();
    let told = events(&second.stdout);
    assert_eq!(told.iter().filter(|event| event["subtype"] == "api_retry").count(), 1);
    assert_eq!(of_type(&told, "result")[0]["result"], "Done at the second attempt.");
    assert_eq!(second.status.code(), Some(0));

    let first = recipe.codex(&[]).output().unwrap();
    let told = events(&first.stdout);
    let failed = &of_type(&told, "turn.failed")[0]["error"];
    assert_eq!(of_type(&told, "error")[0]["message"], failed["message"]);
    assert_eq!(first.status.code(), Some(1));
    let second = recipe.codex(&[]).output().unwrap();
    let told = events(&second.stdout);
    assert_eq!(of_type(&told, "error").len(), 1);
    assert_eq!(of_type(&told, "turn.completed").len(), 1);
    assert_eq!(second.status.code(), Some(0));
    recipe.is_eaten_up();
}

#[test]
fn a_session_limit_calls_itself_a_success() {
    let recipe = Recipe::of("session-limit");
    let claude = recipe.claude(&[]).output().unwrap();
    let told = events(&claude.stdout);
    let result = of_type(&told, "result")[0];
    assert_eq!((&result["subtype"], &result["is_error"]), (&"success".into(), &true.into()));
    assert_eq!(result["api_error_status"], 429);
    assert!(result["result"].as_str().unwrap().starts_with("You've hit your session limit"));
    assert_eq!(of_type(&told, "rate_limit_event").len(), 1);
    assert_eq!(claude.status.code(), Some(1));

    let codex = recipe.codex(&[]).output().unwrap();
    let told = events(&codex.stdout);
    let message = of_type(&told, "turn.failed")[0]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("You’ve hit your usage limit."), "{message}");
    assert_eq!(codex.status.code(), Some(1));
    recipe.is_eaten_up();
}

#[test]
fn a_crash_leaves_half_an_event_and_no_result() {
    let recipe = Recipe::of("crash-after-partial-text");
    let claude = recipe.claude(&["--include-partial-messages"]).output().unwrap();
    let (whole, half) = claude.stdout.rsplit_once_newline();
    assert_eq!(of_type(&events(whole), "stream_event").len(), 3);
    assert!(half.starts_with(b"{") && !half.ends_with(b"}"));
    assert_eq!(claude.status.signal(), Some(9));

    let codex = recipe.codex(&[]).output().unwrap();
    let (whole, half) = codex.stdout.rsplit_once_newline();
    assert!(of_type(&events(whole), "turn.completed").is_empty());
    assert!(half.starts_with(b"{") && !half.ends_with(b"}"));
    assert!(String::from_utf8_lossy(&codex.stderr).contains("panicked at"));
    assert_eq!(codex.status.code(), Some(101));
    recipe.is_eaten_up();
}

#[test]
fn a_hanging_run_is_ended_by_a_timeout_of_the_harness() {
    let recipe = Recipe::of("hang-for-a-timeout");
    let mut claude = recipe.claude(&[]).spawn().unwrap();
    assert_eq!(of_type(&events(&hear(&mut claude, 2)), "assistant").len(), 1);
    assert!(runs_on(&mut claude));
    send(&claude, Signal::TERM);
    assert_eq!(end(claude).0.code(), Some(143));

    let mut codex = recipe.codex(&[]).spawn().unwrap();
    assert_eq!(of_type(&events(&hear(&mut codex, 2)), "turn.started").len(), 1);
    assert!(runs_on(&mut codex));
    send(&codex, Signal::TERM);
    assert_eq!(end(codex).0.signal(), Some(15));
    recipe.is_eaten_up();
}

#[test]
fn sigterm_is_not_the_end_of_everything() {
    let recipe = Recipe::of("ignores-sigterm");
    let mut claude = recipe.claude(&[]).spawn().unwrap();
    hear(&mut claude, 1);
    send(&claude, Signal::TERM);
    assert!(runs_on(&mut claude));
    send(&claude, Signal::KILL);
    assert_eq!(end(claude).0.signal(), Some(9));

    let mut codex = recipe.codex(&[]).spawn().unwrap();
    hear(&mut codex, 2);
    let asked = Instant::now();
    send(&codex, Signal::TERM);
    let (status, stderr) = end(codex);
    assert!(asked.elapsed() >= Duration::from_millis(700));
    assert_eq!((status.code(), stderr.as_str()), (Some(0), "cleaning up\n"));
    recipe.is_eaten_up();
}

#[test]
fn a_pipe_that_a_grandchild_holds_outlives_the_program() {
    let recipe = Recipe::of("grandchild-holds-the-pipe");
    for mut command in [recipe.claude(&[]), recipe.codex(&[])] {
        let mut child = command.spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let ended = Instant::now();
        let mut stdout = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        assert!(ended.elapsed() > Duration::from_millis(100), "nobody held the pipe");
        assert!(String::from_utf8(stdout).unwrap().contains("The server runs in the background."));
    }
    recipe.is_eaten_up();
}

#[test]
fn a_line_can_be_longer_than_a_mebibyte() {
    let recipe = Recipe::of("line-over-1-mib");
    for (mut command, last) in
        [(recipe.claude(&[]), "result"), (recipe.codex(&[]), "turn.completed")]
    {
        let done = command.output().unwrap();
        let longest = done.stdout.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
        assert!(longest > Some(1 << 20), "{longest:?}");
        assert_eq!(events(&done.stdout).last().unwrap()["type"], last);
        assert_eq!(done.status.code(), Some(0));
    }
    recipe.is_eaten_up();
}

#[test]
fn a_character_can_come_in_several_reads_or_not_whole() {
    let recipe = Recipe::of("cut-inside-a-character");
    for mut command in [recipe.claude(&[]), recipe.codex(&[])] {
        let mut child = command.spawn().unwrap();
        let pieces = pieces(&mut child).unwrap();
        assert!(pieces.iter().any(|piece| std::str::from_utf8(piece).is_err()), "{pieces:?}");
        let whole = String::from_utf8(pieces.concat()).unwrap();
        assert!(whole.contains("Grüße aus Köln 🎉"));
        assert_eq!(end(child).0.code(), Some(0));
    }
    let cut = recipe.claude(&[]).output().unwrap();
    assert_eq!(cut.stdout.last(), Some(&0xc3));
    assert_eq!(cut.status.code(), Some(0));
    recipe.is_eaten_up();
}

#[test]
fn a_flood_on_stderr_blocks_whoever_reads_stdout_alone() {
    let recipe = Recipe::of("stderr-flood");
    for mut command in [recipe.claude(&[]), recipe.codex(&[])] {
        let mut child = command.spawn().unwrap();
        assert!(runs_on(&mut child), "a full pipe did not stop it");
        let done = child.wait_with_output().unwrap();
        assert!(done.stderr.len() > 1 << 20);
        assert!(String::from_utf8(done.stdout).unwrap().contains("All is well."));
        assert_eq!(done.status.code(), Some(0));
    }
    recipe.is_eaten_up();
}

#[test]
fn the_first_result_need_not_be_the_last() {
    let recipe = Recipe::of("two-results");
    let claude = events(&recipe.claude(&[]).output().unwrap().stdout);
    let results = of_type(&claude, "result");
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["session_id"], results[1]["session_id"]);
    assert_eq!(results[1]["result"], "The build is done: 3 warnings.");

    let codex = events(&recipe.codex(&[]).output().unwrap().stdout);
    assert_eq!(of_type(&codex, "turn.completed").len(), 2);
    assert_eq!(codex[codex.len() - 2]["item"]["text"], "The build is done: 3 warnings.");
    recipe.is_eaten_up();
}

#[test]
fn a_resumed_run_can_have_another_id_which_leads_nowhere() {
    let recipe = Recipe::of("resume-loses-its-id");
    let first = events(&recipe.claude(&[]).output().unwrap().stdout);
    let id = first[0]["session_id"].as_str().unwrap();
    let second = events(&recipe.claude(&["--resume", id]).output().unwrap().stdout);
    let other = second[0]["session_id"].as_str().unwrap();
    assert_ne!(other, id);
    let third = recipe.claude(&["--resume", other]).output().unwrap();
    let complaint = format!("No conversation found with session ID: {other}");
    assert_eq!(String::from_utf8(third.stderr).unwrap().trim_end(), complaint);
    assert_eq!(events(&third.stdout)[0]["errors"][0], complaint);
    assert_eq!(third.status.code(), Some(1));

    let first = events(&recipe.codex(&[]).output().unwrap().stdout);
    let id = first[0]["thread_id"].as_str().unwrap();
    let second = events(&recipe.codex(&["resume", id]).output().unwrap().stdout);
    let other = second[0]["thread_id"].as_str().unwrap();
    assert_ne!(other, id);
    let third = recipe.codex(&["resume", other]).output().unwrap();
    let stderr = String::from_utf8(third.stderr).unwrap();
    assert!(stderr.contains(&format!("no rollout found for thread id {other}")), "{stderr}");
    assert!(third.stdout.is_empty());
    assert_eq!(third.status.code(), Some(1));
    recipe.is_eaten_up();
}

/// What is whole and what is not.
trait Cut {
    fn rsplit_once_newline(&self) -> (&[u8], &[u8]);
}

impl Cut for Vec<u8> {
    fn rsplit_once_newline(&self) -> (&[u8], &[u8]) {
        let at = self.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.split_at(at)
    }
}
