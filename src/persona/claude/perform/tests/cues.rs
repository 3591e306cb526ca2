//! What the lines of a recorded session wait for, in orders that few captures have.

use super::driver::Player;
use super::{captures, voice};
use crate::persona::performer::{Cue, Frame, Performer as _};
use std::fmt::Write as _;

/// A session by the names of its lines.
fn session(names: &str) -> Vec<Vec<u8>> {
    names.split_whitespace().map(|name| line(name).into_bytes()).collect()
}

fn line(name: &str) -> String {
    let (name, id) = name.split_once(':').unwrap_or((name, ""));
    let system = |subtype: &str| format!(r#"{{"type":"system","subtype":"{subtype}"}}"#);
    let answer = |answer: &str| {
        format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"rec"{answer}}}}}"#
        )
    };
    let ask = |request: &str| {
        format!(r#"{{"type":"control_request","request_id":"{id}","request":{{{request}}}}}"#)
    };
    match name {
        "result" => r#"{"type":"result","subtype":"success"}"#.to_owned(),
        "cut" => r#"{"type":"result","subtype":"error_during_execution"}"#.to_owned(),
        "unasked" => r#"{"type":"result","origin":{"kind":"task-notification"}}"#.to_owned(),
        "assistant" | "user" => format!(r#"{{"type":"{name}"}}"#),
        "replay" => format!(r#"{{"type":"user","isReplay":true,"uuid":"{id}"}}"#),
        "queued" | "started" | "completed" | "cancelled" => {
            format!(r#"{{"type":"command_lifecycle","command_uuid":"{id}","state":"{name}"}}"#)
        }
        "may" => ask(r#""subtype":"can_use_tool""#),
        "mcp" => ask(r#""subtype":"mcp_message""#),
        "hook" => ask(
            r#""subtype":"hook_callback","callback_id":"x","input":{"hook_event_name":"UserPromptSubmit"}"#,
        ),
        "withdrawn" => format!(r#"{{"type":"control_cancel_request","request_id":"{id}"}}"#),
        "interrupt" => answer(r#","response":{"still_queued":[]}"#),
        "initialize" => answer(r#","response":{"commands":[],"models":[]}"#),
        "done" => answer(""),
        _ => system(name),
    }
}

/// The cues of a session, a letter each.
fn cues(names: &str) -> String {
    let lines = session(names);
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let mut out = String::new();
    for cue in voice("2.1.332").learn(&lines) {
        let letter = match cue {
            Cue::Opening => 'o',
            Cue::Turn => 't',
            Cue::TurnEnd => 'E',
            Cue::Free => 'f',
            Cue::TakesUser => 'U',
            Cue::Ask { opening: true, .. } => 'q',
            Cue::Ask { .. } => 'Q',
            Cue::Interrupted => 'I',
            Cue::Answer => 'a',
        };
        let _ = write!(out, "{letter}");
    }
    out
}

#[test]
fn a_turn_begins_with_the_first_line_that_only_turns_have_and_ends_with_its_result() {
    assert_eq!(cues("hook_started ui_invalidate init assistant result"), "oottE");
    assert_eq!(cues("init result init assistant result"), "tEttE");
    assert_eq!(cues("hook:a init informational result"), "QttE");
    assert_eq!(cues("result result"), "EE");
    assert_eq!(cues("init assistant"), "tt");
}

#[test]
fn what_follows_a_result_waits_for_nothing() {
    let names =
        "queued:1 started:1 init result completed:1 transcript prompt_suggestion init result";
    assert_eq!(cues(names), "tttEffftE");
}

#[test]
fn a_turn_that_nobody_asked_for_waits_for_nothing() {
    let names = "init assistant result task_updated task_notification background_tasks_changed \
                 init assistant unasked init result";
    assert_eq!(cues(names), "ttEffffff".to_owned() + "tE");
    assert_eq!(cues("init result task_notification init may:a assistant"), "tEffqf");
    // Both results at the very end, in either order.
    assert_eq!(cues("init task_notification init assistant result unasked"), "ttttEf");
    assert_eq!(cues("init task_notification init assistant unasked result"), "tttttE");
}

#[test]
fn a_further_message_in_a_turn_is_waited_for() {
    assert_eq!(cues("init replay:a assistant user replay:b assistant result"), "ttttUtE");
    assert_eq!(
        cues("queued:1 started:1 init replay:1 queued:2 started:2 replay:2 result"),
        "ttttUttE"
    );
    // It cuts the turn off, and the next one is its own.
    let names =
        "queued:1 started:1 init queued:2 cut cancelled:1 started:2 init result completed:2";
    assert_eq!(cues(names), "tttUttttEf");
    // It waits for its turn, and that turn for it.
    let names = "queued:1 started:1 init queued:2 result completed:1 started:2 init result";
    assert_eq!(cues(names), "ttttEfttE");
}

#[test]
fn an_answer_that_cuts_a_turn_off_is_told_from_one_that_does_not() {
    assert_eq!(cues("init interrupt user cut init result"), "tItEtE");
    assert_eq!(cues("init done user cut"), "tItE");
    assert_eq!(cues("init may:a withdrawn:a interrupt user user cut"), "tQIattE");
    assert_eq!(cues("interrupt init interrupt assistant result interrupt"), "atatEa");
    assert_eq!(cues("init done assistant cut"), "tatE");
}

#[test]
fn a_withdrawal_goes_out_only_for_a_question_that_is_open() {
    let lines = session("init may:a withdrawn:a interrupt user cut");
    let interrupt =
        br#"{"type":"control_request","request_id":"live","request":{"subtype":"interrupt"}}"#;
    let reply = br#"{"type":"control_response","response":{"request_id":"a"}}"#;
    let user = br#"{"type":"user","message":{"role":"user","content":""}}"#;
    for (answered, count) in [(false, 6), (true, 5)] {
        let mut player = Player::new(voice("2.1.332"), &lines);
        let client: [&[u8]; 3] = [user, if answered { reply } else { b"" }, interrupt];
        for line in client {
            player.hear(line);
            player.play();
        }
        let out = String::from_utf8(player.out).unwrap();
        assert_eq!(out.lines().count(), count, "{out}");
        assert!(out.contains(r#""request_id":"live""#), "{out}");
    }
}

#[test]
fn questions_before_the_answer_to_initialize_are_asked_before_it_is_given() {
    let lines = session("mcp:a mcp:b initialize init result");
    let initialize =
        br#"{"type":"control_request","request_id":"live","request":{"subtype":"initialize"}}"#;
    let reply = |id: &str| {
        format!(r#"{{"type":"control_response","response":{{"request_id":"{id}"}}}}"#).into_bytes()
    };
    let user = br#"{"type":"user","message":{"role":"user","content":""}}"#.to_vec();
    let asked = vec![initialize.to_vec(), reply("a"), reply("b"), user.clone()];
    let late = vec![reply("a"), reply("b"), initialize.to_vec(), user.clone()];
    let never = vec![reply("a"), reply("b"), user];
    for (client, answers) in [(asked, 1), (late, 1), (never, 0)] {
        let mut player = Player::new(voice("2.1.332"), &lines);
        for line in &client {
            player.hear(line);
            player.play();
        }
        let out = String::from_utf8(player.out).unwrap();
        assert_eq!(out.matches("\"request_id\":\"live\"").count(), answers, "{out}");
        assert_eq!(out.lines().count(), 4 + answers, "{out}");
        assert!(out.find("mcp_message") < out.find("control_response").or(Some(usize::MAX)));
    }
}

#[test]
fn a_recorded_answer_is_given_once_and_then_the_stock_one() {
    let recorded = br#"{"type":"control_response","response":{"subtype":"success","request_id":"rec","response":{"mcpServers":[ ]}}}"#;
    let mut voice = voice("2.1.332");
    assert_eq!(voice.learn(&[recorded]), [Cue::Answer]);
    let line = br#"{"type":"control_request","request_id":7,"request":{"subtype":"mcp_status"}}"#;
    let mut answer = || match voice.frame(line, false) {
        Frame::Answered(pieces) => super::text(&pieces),
        other => panic!("{other:?}"),
    };
    assert!(answer().contains(r#""request_id":7,"response":{"mcpServers":[ ]}"#));
    assert!(answer().contains(r#""request_id":7,"response":{"mcpServers":[]}"#));
}

#[test]
fn no_order_of_lines_and_no_line_cut_short_is_too_much() {
    for capture in captures() {
        let mut lines = capture.stdout.clone();
        for line in &mut lines {
            line.truncate(line.len() / 2);
        }
        lines.extend(capture.stdout.iter().rev().cloned());
        lines.push(vec![0xff, b'"', b'{']);
        let mut player = Player::new(voice(&capture.version), &lines);
        for line in capture.stdin.iter().chain(&lines) {
            player.hear(line);
            player.play();
        }
        player.end_of_stdin();
    }
}
