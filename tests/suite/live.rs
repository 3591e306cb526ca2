//! The captured live sessions, played by the doubles to a client of flesh and blood: one that does
//! what the captured client did, and others that send the same in other orders or more of it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::client::{Client, EXTRA, Frame, Session, lines};
use crate::played::{
    Played, check, ends_turn, ends_well, exchanged, in_order, releases_turn, same_in_another_order,
    same_lines, whole_exchange,
};
use crate::scene::shared;

/// How many sessions are played at once.
const AT_ONCE: usize = 4;

/// The captures, by version and the beginnings of their names, and how many are sessions at least.
const CAPTURES: &[(&str, &[&str], usize)] = &[
    ("claude-2.1.197", &["s04_", "s09_", "s10_"], 30),
    ("claude-2.1.332", &["s04_", "s09_", "s10_"], 33),
    ("codex-0.171.0", &["06-"], 17),
];

/// What has stdin and output and is no session all the same: its stdin is a text, read to its end.
const NO_SESSIONS: &[&str] = &["s10_stdin_devnull_vs_closed"];

/// The older version does not show that a message ended the turn before it, so that turn waits for
/// nobody.
const SHOWS_NO_CAUSE: (&str, &str) = ("2.1.197", "s10_user_priority_now");

/// The captured sessions, if they are at hand.
fn sessions() -> Vec<Session> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut sessions = Vec::new();
    for (version, beginnings, least) in CAPTURES {
        let folders = fs::read_dir(shared.join("truth").join(version)).unwrap();
        let mut folders: Vec<PathBuf> = folders.map(|it| it.unwrap().path()).collect();
        folders.sort();
        let found = folders.iter().filter(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy();
            beginnings.iter().any(|it| name.starts_with(it)) && !NO_SESSIONS.contains(&&*name)
        });
        let before = sessions.len();
        sessions.extend(found.filter_map(|folder| Session::read(folder)));
        let count = sessions.len() - before;
        assert!(count >= *least, "only {count} sessions of {version}");
    }
    sessions
}

/// Plays every session that `fits`, and says which of them did not go as they should.
fn for_all(
    way: &str,
    fits: impl Fn(&Session) -> bool,
    holds: impl Fn(&Session) -> Result<(), String> + Sync,
) {
    let sessions: Vec<Session> = sessions().into_iter().filter(|it| fits(it)).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(session) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = holds(session) {
                        wrong.lock().unwrap().push(format!("{}: {why}", session.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    let count = sessions.len();
    println!("{way}: {count} sessions");
    assert!(wrong.is_empty(), "{way}: {} of {count}\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_session_comes_out_to_the_byte_for_the_client_it_was_captured_with() {
    for_all(
        "as captured",
        |_| true,
        |session| {
            let mut client = session.start();
            follow(&mut client, &session.frames)?;
            client.wait_for(session.end_after)?;
            let played = client.end()?;
            same_lines(&lines(&played.done.stdout), &lines(&session.stdout))?;
            check(played.done.stdout == session.stdout, || "the last newline differs".to_owned())?;
            ends_well(session, &played)?;
            in_order(session, &played)
        },
    );
}

#[test]
fn a_client_may_write_its_frames_in_pieces_and_end_them_as_windows_does() {
    for_all(
        "in pieces",
        |_| true,
        |session| {
            let mut client = session.start();
            for frame in &session.frames {
                client.wait_for(frame.after)?;
                client.send_in_pieces(&frame.line);
            }
            client.wait_for(session.end_after)?;
            let played = client.end()?;
            same_lines(&lines(&played.done.stdout), &lines(&session.stdout))?;
            ends_well(session, &played)
        },
    );
}

#[test]
fn a_client_may_write_everything_at_once_where_no_interrupt_cuts_the_turns_short() {
    for_all("at once", waits_for_nothing, |session| {
        let mut client = session.start();
        client.send(&session.frames.iter().map(|it| it.line.clone()).collect::<Vec<_>>());
        let played = client.end()?;
        same_in_another_order(session, &played, !asks_later(session))?;
        ends_well(session, &played)
    });
}

#[test]
fn a_reader_that_is_late_gets_whole_lines_though_answers_come_up_meanwhile() {
    for_all("late", waits_for_nothing, |session| {
        let mut client = session.start_clogged();
        client.send(&session.frames.iter().map(|it| it.line.clone()).collect::<Vec<_>>());
        // Comes when the pipe is full.
        std::thread::sleep(Duration::from_millis(75));
        client.send(&extras(session, 0));
        client
            .wait("the answer to the extra", |heard| heard.iter().any(|it| it.contains(EXTRA)))?;
        let mut played = client.end()?;
        whole_exchange(&played)?;
        let lines = played.done.stdout.split_inclusive(|byte| *byte == b'\n');
        let own = |line: &&[u8]| !String::from_utf8_lossy(line).contains(EXTRA);
        played.done.stdout = lines.filter(own).flatten().copied().collect();
        same_in_another_order(session, &played, !asks_later(session))
    });
}

#[test]
fn a_client_may_send_its_prompt_before_it_initializes() {
    for_all(
        "prompt first",
        |it| prompt_first(it).is_some(),
        |session| {
            let mut client = session.start();
            let (first, rest) = prompt_first(session).unwrap();
            client.send(&first);
            follow(&mut client, &rest)?;
            client.wait_for(session.end_after)?;
            let played = client.end()?;
            same_in_another_order(session, &played, true)?;
            ends_well(session, &played)
        },
    );
}

#[test]
fn requests_and_notices_of_another_client_get_their_answers_and_change_nothing_else() {
    for_all(
        "with extras",
        |it| (&*it.version, &*it.name) != SHOWS_NO_CAUSE,
        |session| {
            let mut client = session.start();
            for (number, frame) in session.frames.iter().enumerate() {
                client.wait_for(frame.after)?;
                client.send(&extras(session, number));
                has_not_run_ahead(&mut client, session, number)?;
                client.send(std::slice::from_ref(&frame.line));
            }
            client.wait_for(session.end_after)?;
            let played = client.end()?;
            let (extra, rest): (Vec<_>, Vec<_>) =
                lines(&played.done.stdout).into_iter().partition(|line| line.contains(EXTRA));
            same_lines(&rest, &lines(&session.stdout))?;
            let asked = session.frames.len();
            check(extra.len() == asked, || format!("{} answers to {asked} extras", extra.len()))?;
            ends_well(session, &played)
        },
    );
}

#[test]
fn a_session_that_is_killed_has_every_line_on_disk_that_came_and_went() {
    for_all(
        "killed",
        |_| true,
        |session| {
            let mut client = session.start();
            let middle = session.frames.len().div_ceil(2);
            follow(&mut client, &session.frames[..middle])?;
            // Its answer shows that everything before it was read.
            client.send(&extras(session, 0));
            client.wait("the answer to the extra", |heard| {
                heard.iter().any(|it| it.contains(EXTRA))
            })?;
            let played = client.kill()?;
            same_lines(&exchanged(&played, "in"), &played.sent)?;
            has_kept_what_was_read(&played)?;
            reads_as_killed(&played)
        },
    );
}

#[test]
fn a_session_that_is_killed_at_any_moment_has_on_disk_what_its_client_has_read() {
    for_all(
        "killed anywhere",
        |_| true,
        |session| {
            let leaves_it_running = |it: &Frame| it.after > 0 && !it.ends_the_program();
            let frames = session.frames.iter().enumerate();
            for (count, frame) in frames.filter(|(_, it)| leaves_it_running(it)) {
                let mut client = session.start();
                follow(&mut client, &session.frames[..=count])?;
                let played = client.kill()?;
                has_kept_what_was_read(&played)?;
                // Something has come after these, so they had been read.
                let heard = exchanged(&played, "in");
                let answered = session.frames.iter().filter(|it| it.after < frame.after).count();
                check(heard.len() >= answered, || format!("{} of {answered} frames", heard.len()))?;
                same_lines(&heard, &played.sent[..heard.len()])?;
                reads_as_killed(&played)?;
            }
            Ok(())
        },
    );
}

/// Every whole line that came out is on disk, where one more may stand that had no time to come.
fn has_kept_what_was_read(played: &Played) -> Result<(), String> {
    let kept = exchanged(played, "out");
    let read = memchr::memrchr(b'\n', &played.done.stdout).map_or(0, |end| end + 1);
    let read = lines(&played.done.stdout[..read]);
    check(kept.len() >= read.len(), || format!("{} of {}", kept.len(), read.len()))?;
    same_lines(&kept[..read.len()], &read)
}

/// The entry is that of a spawn that runs, and nothing holds the lock of one that does.
fn reads_as_killed(played: &Played) -> Result<(), String> {
    check(played.done.status == -9, || format!("it ended by itself: {:?}", played.done))?;
    let entry = played.scene.entry(1);
    // A client that asks for the end gets it: the kill may come between the last entry and the exit.
    let ends = played.sent.iter().any(|line| line.contains("\"end_session\""));
    let says = (entry.text("state"), entry.exit());
    check(says == ("running", String::new()) || ends && says == ("ended", "0".to_owned()), || {
        format!("the entry says {says:?}")
    })?;
    let lock = File::open(played.scene.state().join("journal/000001.stdin")).unwrap();
    check(lock.try_lock().is_ok(), || "something still holds the spawn's lock".to_owned())
}

/// Sends frames, each once everything has come that had come before it.
fn follow(client: &mut Client, frames: &[Frame]) -> Result<(), String> {
    for frame in frames {
        client.wait_for(frame.after)?;
        client.send(std::slice::from_ref(&frame.line));
    }
    Ok(())
}

/// A notice, and a request that the recording has no answer to, so that none of it is used up.
fn extras(session: &Session, number: usize) -> Vec<String> {
    let extras = if session.program == "claude" {
        let request =
            r#"{"type":"control_request","request_id":"extra-N","request":{"subtype":"made_up"}}"#;
        [r#"{"type":"keep_alive"}"#.to_owned(), request.replace('N', &number.to_string())]
    } else {
        [
            r#"{"method":"some/notification"}"#.to_owned(),
            format!(r#"{{"id":"extra-{number}","method":"skills/list","params":{{}}}}"#),
        ]
    };
    extras.into()
}

/// Waits for the answer to a frame's extra request: no more turns than the captured ones are over
/// then, for each waits for its own message.
fn has_not_run_ahead(client: &mut Client, session: &Session, number: usize) -> Result<(), String> {
    let id = format!("{EXTRA}{number}\"");
    client.wait(&id, |heard| heard.iter().any(|line| line.contains(&id)))?;
    let ends = |lines: &[String]| lines.iter().filter(|line| ends_turn(line)).count();
    let wanted = ends(&lines(&session.stdout)[..session.frames[number].after]);
    let got = ends(&client.heard());
    check(got == wanted, || format!("{got} turns before frame {number}, captured {wanted}"))
}

/// Whether nothing cuts a turn of this session short where it finds it: an interrupt, the end of
/// the session, a line that is no JSON.
fn waits_for_nothing(session: &Session) -> bool {
    let cuts = |frame: &Value| {
        let subtype = &frame["request"]["subtype"];
        let ends = subtype == "interrupt" || subtype == "end_session";
        frame.is_null() || ends || frame["method"] == "turn/interrupt"
    };
    !session.frames.iter().any(|frame| cuts(&frame.json()))
}

/// Whether the client asks for something once it has sent a prompt: such an answer, with all that
/// goes with it (a whole turn, for a compaction), then comes before the turns or among them.
fn asks_later(session: &Session) -> bool {
    let frames: Vec<Value> = session.frames.iter().map(Frame::json).collect();
    let prompt = frames.iter().position(releases_turn).unwrap_or(frames.len());
    let asks = |frame: &Value| {
        let method = frame["method"].as_str().unwrap_or_default();
        frame["request"].is_object() || !method.is_empty() && method != "turn/start"
    };
    frames[prompt..].iter().any(asks)
}

/// A session of which the prompt comes before the `initialize`: what is sent at the start, and the
/// rest. A client that registers hooks sends both at once: nothing can be sent to hooks that are
/// not known yet.
fn prompt_first(session: &Session) -> Option<(Vec<String>, Vec<Frame>)> {
    let mut rest = session.frames.clone();
    let initialize = rest[0].json()["request"].take();
    if initialize["subtype"] != "initialize" {
        return None;
    }
    let prompt = rest.iter().position(|frame| frame.json()["type"] == "user")?;
    let mut first = vec![rest.remove(prompt).line];
    if initialize["hooks"].is_object() {
        first.push(rest.remove(0).line);
    } else {
        rest[0].after = 0;
    }
    Some((first, rest))
}
