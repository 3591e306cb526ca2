//! Every captured session, played to clients that behave in different ways.

use super::driver::Player;
use super::{Capture, captures, options, spawn, voice};
use crate::persona::claude::perform::ClaudeVoice;
use serde_json::Value;

/// Sessions that the CLI said something in.
fn sessions() -> Vec<Capture> {
    captures().into_iter().filter(|capture| !capture.stdout.is_empty()).collect()
}

/// Plays a session to a client that sends these lines, each when everything before it is done.
fn play(capture: &Capture, stdin: &[Vec<u8>]) -> Player {
    play_by(voice(&capture.version), capture, stdin)
}

fn play_by(voice: ClaudeVoice, capture: &Capture, stdin: &[Vec<u8>]) -> Player {
    let mut player = Player::new(voice, &capture.stdout);
    for line in stdin {
        player.hear(line);
        player.play();
    }
    player
}

fn json(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or_default()
}

fn subtype(line: &[u8]) -> String {
    json(line)["request"]["subtype"].as_str().unwrap_or_default().to_owned()
}

fn lines(out: &[u8]) -> Vec<Vec<u8>> {
    out.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect()
}

/// Whether a line is an answer or goes with one: these may stand elsewhere for another client.
fn answers(line: &[u8]) -> bool {
    let event = json(line);
    let command = event["message"]["content"].as_str().is_some_and(|c| c.starts_with("<local-"));
    event["type"] == "control_response"
        || event["subtype"] == "background_tasks_changed"
        || (event["subtype"] == "status" && event["status"].is_null())
        || (event["isReplay"] == true && command)
}

/// The same lines went out, and those of the turns in the same order.
#[track_caller]
fn assert_same_lines(capture: &Capture, out: &[u8], wanted: &[u8], how: &str) {
    let (mut got, mut wanted) = (lines(out), lines(wanted));
    let told = |lines: &[Vec<u8>]| -> Vec<Vec<u8>> {
        lines.iter().filter(|line| !answers(line)).cloned().collect()
    };
    assert_lines(&told(&got), &told(&wanted), &format!("{} {how}", place(capture)));
    got.sort();
    wanted.sort();
    assert_lines(&got, &wanted, &format!("{} {how}", place(capture)));
}

/// Compares line by line, so that a failure shows the first one that differs.
#[track_caller]
fn assert_lines(got: &[Vec<u8>], wanted: &[Vec<u8>], whose: &str) {
    let (got, wanted) = (shown(got), shown(wanted));
    for (number, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
        assert_eq!(got, wanted, "{whose}, line {number}");
    }
    assert_eq!(got.len(), wanted.len(), "{whose}");
}

fn shown(lines: &[Vec<u8>]) -> Vec<String> {
    lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

fn place(capture: &Capture) -> String {
    format!("{}/{} {:?}", capture.version, capture.name, capture.argv)
}

#[test]
fn every_session_comes_out_to_the_byte_for_the_client_it_was_recorded_with() {
    let sessions = sessions();
    for capture in &sessions {
        let mut player = play(capture, &capture.stdin);
        let early = player.left();
        player.end_of_stdin();
        let same = player.out == joined(&capture.stdout);
        assert!(same, "{}:\n{}", place(capture), String::from_utf8_lossy(&player.out));
        if player.ended.is_none() {
            assert_eq!(early, 0, "{}: the end of stdin was waited for", place(capture));
        }
        if let Some(code) = player.ended {
            assert_eq!(Some(code), capture.exit_code, "{}", place(capture));
        }
        if !player.err.is_empty() {
            assert_eq!(String::from_utf8_lossy(&player.err), capture.stderr);
        }
    }
    eprintln!("{} sessions", sessions.len());
}

#[test]
fn lines_that_end_the_program_end_it_with_the_real_words_and_code() {
    let mut seen = 0;
    for capture in captures() {
        let mut player = play(&capture, &capture.stdin);
        player.end_of_stdin();
        if let (Some(code), false) = (player.ended, player.err.is_empty()) {
            seen += 1;
            assert_eq!(String::from_utf8_lossy(&player.err), capture.stderr, "{}", place(&capture));
            assert_eq!(Some(code), capture.exit_code, "{}", place(&capture));
        }
    }
    eprintln!("{seen} ends");
}

#[test]
fn a_client_may_send_its_message_before_it_initializes() {
    let mut seen = 0;
    for capture in sessions() {
        let mut stdin = capture.stdin.clone();
        let user = stdin.iter().position(|line| json(line)["type"] == "user");
        let Some(user) = user.filter(|_| subtype(&stdin[0]) == "initialize") else { continue };
        let user = stdin.remove(user);
        stdin.insert(0, user);
        if has_hooks(&capture) {
            // Nothing can be sent to callbacks that are not known yet: both lines come at once.
            continue;
        }
        let mut player = play(&capture, &stdin);
        player.end_of_stdin();
        if player.ended.is_none() {
            seen += 1;
            assert_same_lines(&capture, &player.out, &joined(&capture.stdout), "prompt first");
        }
    }
    eprintln!("{seen} sessions");
}

#[test]
fn a_client_may_write_everything_that_waits_for_nothing_at_once() {
    let mut seen = 0;
    for capture in sessions() {
        let mut player = Player::new(voice(&capture.version), &capture.stdout);
        let cuts = capture.stdin.iter().any(|line| {
            let ends = ["interrupt", "end_session"].contains(&subtype(line).as_str());
            ends || serde_json::from_slice::<Value>(line).is_err() && !line.is_empty()
        });
        if cuts || subtype_after_turn(&capture) {
            continue;
        }
        seen += 1;
        for line in &capture.stdin {
            player.hear(line);
        }
        player.play();
        player.end_of_stdin();
        assert_same_lines(&capture, &player.out, &joined(&capture.stdout), "at once");
    }
    eprintln!("{seen} sessions");
}

#[test]
fn a_client_need_not_initialize() {
    let mut seen = 0;
    for capture in sessions() {
        let is_initialize = |line: &&Vec<u8>| subtype(line) == "initialize";
        if !capture.stdin.iter().any(|line| is_initialize(&line)) {
            continue;
        }
        seen += 1;
        let stdin: Vec<_> =
            capture.stdin.iter().filter(|line| !is_initialize(line)).cloned().collect();
        let mut player = play(&capture, &stdin);
        player.end_of_stdin();
        let keeps = |line: &&Vec<u8>| {
            let event = json(line);
            event["response"]["response"]["commands"].is_null()
                && event["subtype"] != "background_tasks_changed"
        };
        let wanted: Vec<_> = capture.stdout.iter().filter(keeps).cloned().collect();
        assert_eq!(
            shown(&lines(&player.out)),
            shown(&lines(&joined(&wanted))),
            "{}",
            place(&capture)
        );
    }
    eprintln!("{seen} sessions");
}

#[test]
fn requests_of_another_client_change_nothing_but_add_their_answers() {
    let sessions = sessions();
    for capture in &sessions {
        let mut stdin = Vec::new();
        for (number, line) in capture.stdin.iter().enumerate() {
            // What the recording has no answer to, so that none of it is used up.
            for asked in ["made_up", "another"] {
                let extra = format!(
                    r#"{{"type":"control_request","request_id":"extra-{number}","request":{{"subtype":"{asked}"}}}}"#
                );
                stdin.push(extra.into_bytes());
            }
            stdin.push(b"{\"type\":\"keep_alive\"}".to_vec());
            stdin.push(line.clone());
        }
        let mut player = play(capture, &stdin);
        player.end_of_stdin();
        let (extra, rest): (Vec<_>, Vec<_>) = lines(&player.out)
            .into_iter()
            .partition(|line| shown(&[line.clone()])[0].contains("\"extra-"));
        let wanted = lines(&joined(&capture.stdout));
        assert_lines(&rest, &wanted, &place(capture));
        if player.ended.is_none() {
            assert_eq!(extra.len(), 2 * capture.stdin.len(), "{}", place(capture));
        }
    }
    eprintln!("{} sessions", sessions.len());
}

#[test]
fn ids_of_another_client_take_the_place_of_the_recorded_ones_and_nothing_else_changes() {
    let sessions = sessions();
    for capture in &sessions {
        let renamed = |line: &Vec<u8>, session: &str, named: &str| {
            let text = String::from_utf8(line.clone()).unwrap();
            let text = text.replace("\"req_", "\"live-").replace("\"same\"", "\"live\"");
            let text = (0..5).fold(text, |text, number| {
                text.replace(&format!("\"hook_{number}\""), &format!("\"cb-{number}\""))
            });
            let text = text.replace(session, named);
            text.replace("11111111-2222-4333-8444-", "aaaaaaaa-2222-4333-8444-").into_bytes()
        };
        let session = capture
            .stdout
            .iter()
            .find_map(|line| json(line)["session_id"].as_str().map(str::to_owned));
        let session = session.unwrap_or("none at all".to_owned());
        let named = "0b5c7a51-0000-4000-8000-123456789abc";
        let live = |line: &Vec<u8>| renamed(line, &session, named);
        let stdin: Vec<_> = capture.stdin.iter().map(live).collect();
        let wanted: Vec<_> = capture.stdout.iter().map(live).map(unrenamed).collect();
        let version = &capture.version;
        let mut options = options(version);
        options.named = Some(named.to_owned());
        let mut player = play_by(ClaudeVoice::new(spawn(version), options), capture, &stdin);
        player.end_of_stdin();
        let out: Vec<_> = lines(&player.out).into_iter().map(unrenamed).collect();
        assert_lines(&out, &lines(&joined(&wanted)), &place(capture));
    }
    eprintln!("{} sessions", sessions.len());
}

/// The API's request ids look like the client's and are not its own.
fn unrenamed(line: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(line).unwrap();
    text.replace("\"live-fake", "\"req_fake").into_bytes()
}

/// Whether a client registers hooks.
fn has_hooks(capture: &Capture) -> bool {
    json(&capture.stdin[0])["request"]["hooks"].is_object()
}

/// Whether the client asks for something once a turn is over.
fn subtype_after_turn(capture: &Capture) -> bool {
    let user = capture.stdin.iter().position(|line| json(line)["type"] == "user");
    user.is_some_and(|user| capture.stdin[user..].iter().any(|line| subtype(line) != ""))
}
