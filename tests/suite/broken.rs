//! Recordings that cannot be played: each is used up, named with its line, and nothing of it goes
//! out. No input whatever makes a double panic.

use std::fs;
use std::process::Command;

use crate::scene::Scene;

/// Plays the one recording `01.jsonl` of these bytes, which must be refused, and returns what is
/// said about it.
#[track_caller]
fn refusal(bytes: impl AsRef<[u8]>) -> String {
    let scene = Scene::of_raw(bytes);
    let done = scene.play();
    done.is_refused("claude");
    let entry = scene.entry(1);
    assert_eq!((entry.text("kind"), entry.recording()), ("refused", Some("01.jsonl")));
    assert_eq!(entry.problems(), ["unreadable"]);
    let text = scene.plain(&done.stderr);
    let said = text.strip_prefix("ringer(claude): SCENE/recordings/01.jsonl: ");
    said.unwrap_or_else(|| panic!("{text}")).trim_end().to_owned()
}

/// The same for a step on the third line, after one that writes.
#[track_caller]
fn refused_step(step: &str) -> String {
    refusal(format!("{{\"ringer\":1}}\n{{\"out\":\"first\"}}\n{step}\n"))
}

#[test]
fn a_slip_is_named_with_its_line_and_the_way_out() {
    assert_eq!(
        refused_step(r#"{"otu":"x"}"#),
        "line 3: unknown verb \"otu\"; did you mean \"out\"?"
    );
    assert_eq!(
        refused_step(r#"{"out":"x","splt":[1]}"#),
        "line 3: unknown key \"splt\" beside `out`; did you mean \"split\"?"
    );
    assert_eq!(
        refused_step(r#"{"out":"x","err":"y"}"#),
        "line 3: two verbs in one step, `out` and `err`; one step does one thing"
    );
    assert_eq!(
        refused_step(r#"{"exit":256}"#),
        "line 3: `exit` wants a whole number from 0 to 255, not 256"
    );
    assert_eq!(
        refused_step(r#"{"signal":"SIGTERM"}"#),
        "line 3: `signal`: unknown signal \"SIGTERM\"; did you mean \"TERM\"?"
    );
}

#[test]
fn every_kind_of_broken_step_is_refused_before_the_first_byte() {
    let steps = [
        "not json",
        "{\"out\":\"unfinished",
        "[]",
        "{}",
        "\"out\"",
        r#"{"out":"x"} trailing"#,
        r#"{"out":"x","out":"y"}"#,
        r#"{"out":"\ud800"}"#,
        r#"{"out_base64":"?"}"#,
        r#"{"out_file":""}"#,
        r#"{"out_fill":{"text":"x"}}"#,
        r#"{"out_fill":{"text":"x","times":-1}}"#,
        r#"{"out_fill":{"text":"xx","times":18446744073709551615}}"#,
        r#"{"out":"x","split":[5,5]}"#,
        r#"{"out":"x","split":[0]}"#,
        r#"{"out":"x","at":-1}"#,
        r#"{"wait_ms":"long"}"#,
        r#"{"wait_ms":1e400}"#,
        r#"{"hang":false}"#,
        r#"{"in":"lines"}"#,
        r#"{"in":{"bytes":0}}"#,
        r#"{"in":"line","on_timeout":[]}"#,
        r#"{"in":"line","timeout_ms":1,"on_timeout":[{"outt":1}]}"#,
        r#"{"reply":{"id":"$id:nobody"}}"#,
        r#"{"exit":1.5}"#,
        r#"{"signal":"CONT"}"#,
        r#"{"on_signal":"KILL","steps":[]}"#,
        r#"{"close":"stdlog"}"#,
        r#"{"file":{"write":"a","append":"b"}}"#,
        r#"{"file":{"write":"a"}}"#,
        r#"{"repeat":{"steps":[]}}"#,
        "\u{1}",
    ];
    for step in steps {
        let said = refused_step(step);
        assert!(said.starts_with("line 3: "), "{step}: {said}");
    }
    assert!(refused_step("{\"exit\":0}\n{\"out\":\"x\"}").starts_with("line 4: "));
    let deep = format!("{{\"out\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let scene = Scene::of_steps(&[&deep]);
    let done = scene.play();
    assert!(done.status == 97 || done.stdout.len() == 200_002, "{done:?}");
}

#[test]
fn every_kind_of_broken_header_is_refused() {
    for header in [
        "{\"ringer\"",
        "{\"ringer\":}",
        "{\"ringer\":2}",
        "{\"ringer\":\"1\"}",
        "{\"ringer\":1,\"plays\":-1}",
        "{\"ringer\":1,\"plays\":\"many\"}",
        "{\"ringer\":1,\"pays\":2}",
        "{\"ringer\":1,\"ringer\":1}",
        "{\"ringer\":1,\"bind\":{\"cwd\":\"abc\"}}",
        "{\"ringer\":1,\"when\":{\"argv_regex\":\"(\"}}",
        "{\"ringer\":1,\"when\":{\"argv\":\"-p\"}}",
        "{\"ringer\":1,\"stdin\":\"some\"}",
        "{\"ringer\":1,\"on_epipe\":300}",
        "{\"ringer\":1} {\"out\":\"x\"}",
        "  {  \"ringer\" : 1 ",
        "\u{feff}{\"ringer\":1}",
    ] {
        let said = refusal(format!("{header}\n"));
        assert!(said.starts_with("line 1: "), "{header}: {said}");
    }
    assert_eq!(
        refusal("{\"ringer\":2}\n"),
        "line 1: the format's version is 2; this ringer reads version 1"
    );
}

#[test]
fn a_broken_recording_is_used_up_and_the_next_spawn_gets_the_next() {
    let scene = Scene::of_names(&["2.jsonl"]);
    scene.steps("1.jsonl", "{\"ringer\":1}", &["{\"otu\":1}"]);
    scene.play().is_refused("claude");
    scene.play().is("2.jsonl\n", "", 0);
    scene.play().is_refused("claude");
    assert_eq!(scene.entry(3).problems(), ["exhausted"]);
}

#[test]
fn what_is_no_regular_file_is_refused_and_never_waited_for() {
    let scene = Scene::of_names(&["9.jsonl"]);
    let at = |name: &str| scene.recordings().join(name);
    assert!(Command::new("mkfifo").arg(at("1.jsonl")).status().unwrap().success());
    fs::create_dir(at("2.jsonl")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("3.jsonl")).unwrap();
    std::os::unix::fs::symlink("4.jsonl", at("4.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("5.jsonl")).unwrap();
    for number in 1..=5 {
        let done = scene.play();
        done.is_refused("claude");
        assert!(done.err().contains(&format!("/recordings/{number}.jsonl")), "{done:?}");
    }
    scene.play().is("9.jsonl\n", "", 0);
}

#[test]
fn a_recording_may_be_a_link_to_a_file() {
    let scene = Scene::new();
    fs::write(scene.path("elsewhere"), "linked").unwrap();
    std::os::unix::fs::symlink(scene.path("elsewhere"), scene.recordings().join("1.jsonl"))
        .unwrap();
    scene.play().is("linked", "", 0);
}

#[test]
fn a_fifo_beside_a_recording_is_refused_and_never_waited_for() {
    let scene = Scene::of_steps(&[r#"{"out_file":"fifo"}"#]);
    assert!(
        Command::new("mkfifo").arg(scene.recordings().join("fifo")).status().unwrap().success()
    );
    scene.play().is_refused("claude");
}

#[test]
fn line_ends_of_other_systems_and_blank_lines_are_no_mistakes() {
    let scene = Scene::of_raw("{\"ringer\":1}\r\n\r\n  \n{\"out\":\"x\"}\r\n{\"exit\":2}");
    scene.play().is("x", "", 2);
}

/// A small generator of numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % sides
    }
}

#[test]
fn no_recording_however_mangled_makes_a_double_panic_or_speak_with_another_voice() {
    let whole = concat!(
        "{\"ringer\":1,\"when\":{\"argv\":[\"-p\"]},\"plays\":2,\"bind\":{\"cwd\":\"/home/dev\"}}\n",
        "{\"out\":{\"a\":[1,2.5e3,\"\\u00e9\"]},\"split\":[3,9],\"gap_ms\":1}\n",
        "{\"err_base64\":\"AAEC\"}\n{\"in\":{\"type\":\"user\"},\"timeout_ms\":5,\"on_timeout\":[]}\n",
        "{\"reply\":{\"id\":\"$id\"}}\n{\"repeat\":{\"times\":2,\"steps\":[{\"out\":\"x\"}]}}\n",
        "{\"file\":{\"write\":\"a\",\"text\":\"b\"}}\n{\"exit\":3}\n",
    );
    let mut dice = Dice(2026);
    for round in 0..300 {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(bytes.len());
            match dice.roll(4) {
                0 => bytes[at] = dice.roll(256) as u8,
                1 => drop(bytes.drain(at..(at + dice.roll(20)).min(bytes.len()))),
                2 => bytes.insert(at, b"\"{}[],:\\\n\0-1e"[dice.roll(13)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let scene = Scene::of_raw(&bytes);
        let done = scene.claude(&["-p"]).env("RINGER_MAX_LIFE", "5").run();
        let shown = String::from_utf8_lossy(&bytes);
        assert!(!done.err().contains("defect"), "round {round}: {done:?}\n{shown}");
        assert!(done.status >= 0, "round {round}: {done:?}\n{shown}");
        assert_eq!(scene.entry(1).text("state"), "ended", "round {round}\n{shown}");
    }
}
