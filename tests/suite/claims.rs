//! Exactly once: the lock, crowds, kills between any two writes, state that was tampered with.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Duration;

use rustix::process::Signal;

use crate::running::until;
use crate::scene::Scene;

/// A scene with so many recordings, `01.jsonl` and on, that say their names.
fn numbered(count: usize) -> Scene {
    let scene = Scene::new();
    for number in 1..=count {
        scene.raw(&format!("{number:02}.jsonl"), format!("{number:02}"));
    }
    scene
}

/// What the next spawn plays, or its message.
fn next(scene: &Scene) -> String {
    let done = scene.play();
    if done.status == 0 { done.out() } else { scene.plain(&done.stderr) }
}

#[test]
fn a_spawn_waits_for_the_lock_and_touches_nothing_until_it_has_it() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    let lock = File::options().write(true).open(scene.state().join("lock")).unwrap();
    lock.lock().unwrap();
    let mut waiting = scene.claude(&["-p", "hi"]).go();
    std::thread::sleep(Duration::from_millis(400));
    assert!(waiting.runs());
    assert!(!scene.state().join("journal/000002.stdin").exists());
    lock.unlock().unwrap();
    waiting.end().is("02", "", 0);
}

#[test]
fn a_spawn_that_is_killed_while_it_waits_for_the_lock_has_used_nothing_up() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    let lock = File::options().write(true).open(scene.state().join("lock")).unwrap();
    lock.lock().unwrap();
    for (signal, status) in [(Signal::KILL, -9), (Signal::TERM, -15)] {
        let mut waiting = scene.claude(&["-p", "hi"]).go();
        std::thread::sleep(Duration::from_millis(300));
        assert!(waiting.runs());
        waiting.signal(signal);
        waiting.end().is("", "", status);
    }
    lock.unlock().unwrap();
    assert_eq!(next(&scene), "02");
    assert_eq!(scene.entries().len(), 2);
}

#[test]
fn the_lock_is_waited_for_no_longer_than_a_double_may_live() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    let path = scene.state().join("lock");
    let lock = File::options().write(true).open(&path).unwrap();
    // A session claims when its first message comes; others do at their start.
    let session = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    let mut talking = scene.claude(&session).env("RINGER_MAX_LIFE", "1.5").talk();
    until("the session has started", || scene.state().join("journal/000002.json").exists());
    lock.lock().unwrap();
    talking.say("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n");
    let plain = scene.claude(&["-p", "hi"]).env("RINGER_MAX_LIFE", "0.4").run();
    let wanted = format!("ringer(claude): {}: ended itself after 0.4 s", path.display());
    plain.is_refused("claude");
    assert!(plain.err().starts_with(&wanted), "{}", plain.err());
    let talked = talking.end_talking();
    talked.is_refused("claude");
    assert!(talked.err().contains("ended itself after 1.5 s"), "{}", talked.err());
    lock.unlock().unwrap();
    assert_eq!(scene.entry(2).problems(), ["expired"]);
    assert_eq!(next(&scene), "02");
}

#[test]
fn the_lock_is_not_held_while_playing_or_waiting() {
    let scene = numbered(3);
    scene.steps("01.jsonl", "{\"ringer\":1}", &[r#"{"out":"01"}"#, r#"{"hang":true}"#]);
    let header = r#"{"ringer":1,"when":{"stdin":"later"}}"#;
    scene.steps("02.jsonl", header, &[r#"{"out":"02"}"#]);
    let mut hanging = scene.claude(&["-p", "hi"]).go();
    hanging.hear("01");
    // This one waits for its stdin, to know whether the second recording accepts it.
    let mut undecided = scene.claude(&["-p", "hi"]).talk();
    until("it is in the journal", || scene.state().join("journal/000002.json").exists());
    assert_eq!(next(&scene), "03");
    undecided.say("later\n");
    undecided.end().is("02", "", 0);
    hanging.signal(Signal::KILL);
}

#[test]
fn a_crowd_of_two_personas_gets_every_recording_once() {
    let scene = numbered(40);
    let crowd: Vec<_> = (0..40)
        .map(
            |n| if n % 2 == 0 { scene.claude(&["-p", "hi"]) } else { scene.codex(&["exec", "hi"]) },
        )
        .map(|start| start.go())
        .collect();
    let mut said: Vec<String> = crowd.into_iter().map(|running| running.end().out()).collect();
    said.sort();
    assert_eq!(said, (1..=40).map(|n| format!("{n:02}")).collect::<Vec<_>>());
    assert_eq!(scene.entries().len(), 40);
    assert!(next(&scene).starts_with("ringer(claude): no recording is left"));
}

#[test]
fn spawns_killed_at_any_moment_neither_repeat_nor_skip_a_recording() {
    let scene = numbered(60);
    for n in 0..45u64 {
        let running = scene.claude(&["-p", "hi"]).go();
        // From before its first instruction to after its end.
        std::thread::sleep(Duration::from_micros(n * 150));
        running.signal(Signal::KILL);
        running.end();
    }
    while !next(&scene).starts_with("ringer") {}
    let mut claims: BTreeMap<String, u32> = BTreeMap::new();
    for entry in scene.entries() {
        *claims.entry(entry.recording().unwrap_or("none").to_owned()).or_default() += 1;
    }
    assert_eq!(claims.remove("none"), Some(1), "the last one found nothing");
    assert_eq!(claims.len(), 60, "no recording was skipped");
    assert!(claims.values().all(|count| *count == 1), "{claims:?}");
}

#[test]
fn a_spawn_that_died_before_its_entry_has_used_up_neither_number_nor_recording() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    fs::write(scene.state().join("journal/000002.stdin"), "what it had read").unwrap();
    fs::write(scene.state().join(".000002.json"), "{\"ringer\":1,\"half").unwrap();
    assert_eq!(next(&scene), "02");
    assert_eq!(fs::read(scene.state().join("journal/000002.stdin")).unwrap(), b"");
}

#[test]
fn a_spawn_that_died_after_its_entry_has_its_recording() {
    for unwritten in ["", "plays", "cursor"] {
        let scene = numbered(4);
        assert_eq!(next(&scene), "01");
        let before = scene.snapshot();
        assert_eq!(next(&scene), "02");
        // "": neither the table nor the cursor was written; a table written alone cannot be.
        if unwritten != "plays" {
            scene.roll_back(&before, unwritten);
        }
        assert_eq!(next(&scene), "03");
        assert_eq!(scene.entry(3).recording(), Some("03.jsonl"));
        assert_eq!(next(&scene), "04");
    }
}

#[test]
fn the_very_first_spawn_may_die_after_its_entry_too() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    scene.forget("");
    assert_eq!(next(&scene), "02");
    assert_eq!(scene.entries().len(), 2);
}

/// A scene whose second recording is claimed late, after stdin was read; one spawn has played.
fn claimed_late() -> Scene {
    let scene = numbered(4);
    let header = r#"{"ringer":1,"when":{"stdin":"late"}}"#;
    scene.steps("02.jsonl", header, &[r#"{"out":"02"}"#]);
    assert_eq!(next(&scene), "01");
    scene
}

#[test]
fn a_later_claim_that_was_announced_and_not_entered_never_happened() {
    let scene = claimed_late();
    let undecided = scene.claude(&["-p", "hi"]).talk();
    until("it is in the journal", || scene.state().join("journal/000002.json").exists());
    undecided.signal(Signal::KILL);
    undecided.end();
    scene.announce(2, "02.jsonl", 1);
    scene.claude(&["-p", "hi"]).input("late\n").run().is("02", "", 0);
    assert_eq!(next(&scene), "03");
}

#[test]
fn a_later_claim_that_was_entered_holds_though_nothing_else_was_written() {
    let scene = claimed_late();
    let before = scene.snapshot();
    let undecided = scene.claude(&["-p", "hi"]).talk();
    until("it is in the journal", || scene.state().join("journal/000002.json").exists());
    undecided.signal(Signal::KILL);
    undecided.end();
    scene.announce(2, "02.jsonl", 1);
    scene.forge_entry(2, |entry| {
        entry["recording"] = "02.jsonl".into();
        entry["play"] = 1.into();
    });
    scene.roll_back(&before, "plays");
    let done = scene.claude(&["-p", "hi"]).input("late\n").run();
    done.is("03", "", 0);
}

/// Changes a few bytes of the cursor, as a bad disk might.
fn edit_cursor(scene: &Scene, from: &str, to: &str) {
    let path = scene.state().join("cursor");
    let text = String::from_utf8(fs::read(&path).unwrap()).unwrap();
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_damaged_missing_or_old_cursor_is_continued_exactly() {
    type Spoil = fn(&Scene, &crate::state_files::Snapshot);
    let spoils: [(&str, Spoil); 9] = [
        ("missing", |scene, _| scene.forget("cursor")),
        ("all missing", |scene, _| scene.forget("")),
        ("empty", |scene, _| fs::write(scene.state().join("cursor"), "").unwrap()),
        ("noise", |scene, _| fs::write(scene.state().join("cursor"), [b'\xff'; 4096]).unwrap()),
        ("zeros", |scene, _| fs::write(scene.state().join("cursor"), [0; 4096]).unwrap()),
        ("a lower number", |scene, _| edit_cursor(scene, "\"spawns\":3", "\"spawns\":1")),
        ("a higher number", |scene, _| edit_cursor(scene, "\"spawns\":3", "\"spawns\":7")),
        ("rolled back", |scene, old| scene.roll_back(old, "cursor")),
        ("all rolled back", |scene, old| scene.roll_back(old, "")),
    ];
    for (name, spoil) in spoils {
        let scene = numbered(5);
        assert_eq!(next(&scene), "01");
        let old = scene.snapshot();
        assert_eq!([next(&scene), next(&scene)], ["02", "03"]);
        spoil(&scene, &old);
        assert_eq!(next(&scene), "04", "{name}");
        assert_eq!(scene.entry(4).recording(), Some("04.jsonl"), "{name}");
        assert_eq!(next(&scene), "05", "{name}");
    }
}

#[test]
fn a_damaged_or_missing_table_of_plays_is_made_anew() {
    type Spoil = fn(&Scene);
    let spoils: [(&str, Spoil); 4] = [
        ("missing", |scene| scene.forget("plays")),
        ("empty", |scene| fs::write(scene.state().join("plays"), "").unwrap()),
        ("noise", |scene| fs::write(scene.state().join("plays"), [b'\xff'; 900]).unwrap()),
        ("cut", |scene| {
            let path = scene.state().join("plays");
            let bytes = fs::read(&path).unwrap();
            fs::write(path, &bytes[..bytes.len() - 9]).unwrap();
        }),
    ];
    for (name, spoil) in spoils {
        let scene = numbered(4);
        assert_eq!([next(&scene), next(&scene)], ["01", "02"]);
        spoil(&scene);
        assert_eq!([next(&scene), next(&scene)], ["03", "04"], "{name}");
    }
}

#[test]
fn a_table_of_plays_that_was_put_back_in_time_is_found_out() {
    let scene = numbered(5);
    assert_eq!(next(&scene), "01");
    let old = scene.snapshot();
    assert_eq!([next(&scene), next(&scene)], ["02", "03"]);
    scene.roll_back(&old, "plays");
    assert_eq!([next(&scene), next(&scene)], ["04", "05"]);
}

#[test]
fn a_spawn_that_died_after_its_entry_does_not_hide_that_the_table_is_an_old_one() {
    let scene = numbered(6);
    assert_eq!(next(&scene), "01");
    let old = scene.snapshot();
    assert_eq!([next(&scene), next(&scene)], ["02", "03"]);
    let before = scene.snapshot();
    assert_eq!(next(&scene), "04");
    scene.roll_back(&before, "cursor");
    scene.roll_back(&old, "plays");
    assert_eq!([next(&scene), next(&scene)], ["05", "06"]);
}

#[test]
fn a_cursor_that_cannot_be_made_anew_is_refused_with_its_path() {
    let scene = numbered(5);
    assert_eq!([next(&scene), next(&scene), next(&scene)], ["01", "02", "03"]);
    fs::remove_file(scene.state().join("journal/000002.json")).unwrap();
    scene.forget("cursor");
    let done = scene.play();
    done.is("", &done.stderr, 97);
    assert_eq!(
        scene.plain(&done.stderr),
        "ringer(claude): SCENE/state/cursor: is missing, damaged or out of date, and cannot be \
         made anew from the journal: spawn 2 is not in it, 3 is; `ringer reset` starts this state \
         directory anew\n"
    );
}

#[test]
fn an_unreadable_entry_is_refused_with_its_path_where_it_matters() {
    let scene = numbered(3);
    assert_eq!([next(&scene), next(&scene)], ["01", "02"]);
    fs::write(scene.state().join("journal/000001.json"), "{").unwrap();
    scene.forget("cursor");
    let said = next(&scene);
    let wanted = "ringer(claude): SCENE/state/journal/000001.json: is no journal entry (";
    assert!(said.starts_with(wanted), "{said}");
    assert!(said.ends_with("`ringer reset` starts this state directory anew\n"), "{said}");
}

#[test]
fn a_living_spawn_that_the_journal_does_not_know_is_refused_with_its_path() {
    let scene = numbered(2);
    assert_eq!(next(&scene), "01");
    let stdin = File::create(scene.state().join("journal/000002.stdin")).unwrap();
    stdin.lock().unwrap();
    let said = next(&scene);
    assert!(
        said.starts_with("ringer(claude): SCENE/state/journal/000002.stdin: is locked by"),
        "{said}"
    );
    drop(stdin);
    assert_eq!(next(&scene), "02");
}

#[test]
fn a_killed_spawn_keeps_its_recording_and_its_entry_says_running() {
    let scene = numbered(2);
    scene.steps("01.jsonl", "{\"ringer\":1}", &[r#"{"out":"01"}"#, r#"{"hang":true}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("01");
    let alive =
        || File::open(scene.state().join("journal/000001.stdin")).unwrap().try_lock().is_err();
    assert!(alive(), "a living spawn holds the lock on its stdin file");
    running.signal(Signal::KILL);
    running.end();
    assert!(!alive(), "a dead one does not");
    let entry = scene.entry(1);
    assert_eq!((entry.text("state"), entry.exit().as_str()), ("running", ""));
    assert_eq!(next(&scene), "02");
}

#[test]
fn numbers_are_the_order_of_the_starts_over_all_personas() {
    let scene = Scene::of_names(&["claude/1.jsonl", "claude/2.jsonl", "codex/1.jsonl"]);
    scene.claude(&["-p", "hi"]).run().is("claude/1.jsonl\n", "", 0);
    scene.codex(&["exec", "hi"]).run().is("codex/1.jsonl\n", "", 0);
    scene.claude(&["-p", "hi"]).run().is("claude/2.jsonl\n", "", 0);
    let entries = scene.entries();
    let order: Vec<_> =
        entries.iter().map(|e| (e["spawn"].as_u64().unwrap(), e.text("program"))).collect();
    assert_eq!(order, [(1, "claude"), (2, "codex"), (3, "claude")]);
}
