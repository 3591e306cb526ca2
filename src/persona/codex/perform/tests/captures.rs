//! The captured sessions, played as raw recordings against their own clients, in the captured order
//! and in others.

use super::driver::Session;
use super::{around, voice};
use crate::persona::codex::render::truth::corpus::{Run, runs};
use crate::persona::codex::render::truth::jsonl::same;

/// The captured sessions of the app-server.
fn sessions() -> Vec<Run> {
    let is_session = |run: &Run| {
        let served = run.argv.first().is_some_and(|word| word == "app-server");
        run.name.contains("/06-") && served && !run.stdout.is_empty()
    };
    runs().into_iter().filter(is_session).collect()
}

fn session(recording: &str) -> Session {
    Session::new(voice(&["app-server"], &around(Vec::new())), recording)
}

/// Holds for every session, or says for which it does not.
fn for_all(holds: impl Fn(&Run) -> Result<(), String>) {
    let sessions = sessions();
    let wrong: Vec<String> = sessions
        .iter()
        .filter_map(|run| holds(run).err().map(|why| format!("{}: {why}", run.name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    println!("{} sessions", sessions.len());
    assert!(sessions.is_empty() || sessions.len() >= 16, "only {} sessions", sessions.len());
}

/// The first thread of a session.
fn thread_of(run: &Run) -> Option<&str> {
    let (_, after) = run.stdout.split_once(r#""thread":{"id":""#)?;
    after.split_once('"').map(|(id, _)| id)
}

/// The session's lines with the ids of answers put through `id`.
fn with_ids(lines: &str, id: impl Fn(&str) -> String) -> String {
    let put = |line: &str| {
        if let Some(rest) = line.strip_prefix(r#"{"id":"#) {
            let (own, rest) = rest.split_once(",\"result\"").unwrap();
            return format!("{{\"id\":{},\"result\"{rest}\n", id(own));
        }
        if line.starts_with(r#"{"error""#) {
            let (start, own) = line.rsplit_once(",\"id\":").unwrap();
            return format!("{start},\"id\":{}}}\n", id(own.trim_end_matches('}')));
        }
        format!("{line}\n")
    };
    lines.lines().map(put).collect()
}

/// A client's request with another id.
fn renumbered(line: &str, id: impl Fn(&str) -> String) -> String {
    let is_request = line.contains("\"method\"");
    match line.split_once("\"id\": ").filter(|_| is_request) {
        Some((start, rest)) => {
            let (own, rest) = rest.split_once(',').unwrap();
            format!("{start}\"id\": {},{rest}", id(own))
        }
        None => line.to_owned(),
    }
}

#[test]
fn a_captured_session_plays_to_the_byte_against_its_own_client() {
    for_all(|run| {
        let mut session = session(&run.stdout);
        session.play();
        run.sent.iter().for_each(|line| drop(session.send(line)));
        assert!(session.is_over(), "{} stops early", run.name);
        same("stdout", &session.said(), &run.stdout)
    });
}

#[test]
fn answers_have_the_ids_of_the_live_requests_as_they_were_written() {
    let id = |own: &str| format!(r#""live \u00e9 {}""#, own.trim_matches('"'));
    for_all(|run| {
        let mut session = session(&run.stdout);
        session.play();
        run.sent.iter().for_each(|line| drop(session.send(&renumbered(line, id))));
        same("stdout", &session.said(), &with_ids(&run.stdout, id))
    });
}

/// Requests that clients send at any time, and that no captured session holds.
const EXTRAS: &[&str] = &["skills/list", "account/rateLimits/read", "plugin/list", "no/such"];

#[test]
fn requests_in_between_are_answered_and_change_nothing_else() {
    for_all(|run| {
        let mut session = session(&run.stdout);
        session.play();
        let mut count = 0;
        for line in &run.sent {
            session.send(line);
            for method in EXTRAS {
                count += 1;
                session.send(&format!(
                    r#"{{"id":"extra-{count}","method":"{method}","params":{{}}}}"#
                ));
                session.send(r#"{"method":"some/notification"}"#);
            }
        }
        let said = session.said();
        let (extras, rest): (Vec<&str>, Vec<&str>) =
            said.lines().partition(|line| line.contains(r#""id":"extra-"#));
        assert_eq!(extras.len(), count);
        same("the rest", &format!("{}\n", rest.join("\n")), &run.stdout)
    });
}

#[test]
fn a_client_that_asks_for_nothing_but_turns_gets_the_turns() {
    for_all(|run| {
        let Some(thread) = thread_of(run) else { return Ok(()) };
        let mut session = session(&run.stdout);
        let hello = r#"{"id":"i","method":"initialize","params":{"clientInfo":{"name":"x"}}}"#;
        session.send(hello);
        let greeting = session.said();
        if !greeting.contains("userAgent") {
            return Err(format!("no greeting: {greeting}"));
        }
        // The client resumes where the recording starts, or does without.
        let resume =
            r#"{"id":"r","method":"thread/resume","params":{"threadId":"mine-0000-0000-0000"}}"#;
        session.send(resume);
        let resumed = session.said();
        let own = r#"{"id":"r","result":{"thread":{"id":"mine-0000-0000-0000""#;
        if !resumed.contains(own) || resumed.contains(thread) || resumed.contains("thread/started")
        {
            return Err(format!("resumed: {resumed}"));
        }
        let turns =
            run.sent.iter().filter(|line| !line.contains("thread/") && !line.contains("init"));
        for line in turns {
            session.send(&line.replace(thread, "mine-0000-0000-0000"));
        }
        let said = session.said();
        let ends = |text: &str| text.matches(r#""method":"turn/completed""#).count();
        let compactions = usize::from(run.name.ends_with("06-compact-exec"));
        if ends(&said) + compactions != ends(&run.stdout) || said.contains(thread) {
            return Err(format!("said: {said}"));
        }
        Ok(())
    });
}

#[test]
fn a_session_that_began_with_a_start_serves_a_fork() {
    for_all(|run| {
        let Some(thread) = thread_of(run) else { return Ok(()) };
        let mut session = session(&run.stdout);
        session.play();
        for line in &run.sent {
            let fork = r#""method": "thread/fork", "params": {"threadId": "old", "#;
            let start = r#""method": "thread/start", "params": {"#;
            session.send(&if line.contains("bogus") {
                line.clone()
            } else {
                line.replace(start, fork)
            });
        }
        assert!(session.is_over(), "{} stops early", run.name);
        let said = session.said();
        if !said.contains(thread) {
            return Err(said);
        }
        // The recording's own fork has taken the place of the start, if it has one.
        if run.name.ends_with("06-resume") { Ok(()) } else { same("stdout", &said, &run.stdout) }
    });
}

#[test]
fn another_recording_that_is_claimed_goes_on_in_the_thread_that_the_client_knows() {
    let sessions = sessions();
    let named = |name: &str| sessions.iter().find(|run| run.name.ends_with(name));
    let (Some(first), Some(second)) = (named("06-turn"), named("06-mcp-fail-cmd")) else { return };
    let mut session = session(&first.stdout);
    first.sent[..3].iter().for_each(|line| drop(session.send(line)));
    session.said();
    session.hear(&first.sent[3]);
    session.claim(&second.stdout);
    session.play();
    let own = with_ids(&second.stdout, |_| "3".to_owned())
        .replace(thread_of(second).unwrap(), thread_of(first).unwrap());
    let turn = own.find(r#"{"id":3,"result":{"turn""#).unwrap();
    same("the turn", &session.said(), &own[turn..]).unwrap();
}
