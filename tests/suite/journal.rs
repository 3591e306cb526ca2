//! What the journal says of a spawn, and when it says it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::running::until;
use crate::scene::Scene;

#[test]
fn an_entry_has_these_keys() {
    let scene = Scene::of_raw("one\ntwo\nrest");
    scene.play().is("one\ntwo\nrest", "", 0);
    let mut keys: Vec<_> = scene.entry(1).keys().into_iter().map(str::to_owned).collect();
    // These three are there only where there is something to say, or say more than is promised.
    keys.retain(|key| !["recordings", "masked", "mentions"].contains(&key.as_str()));
    let wanted = "ringer spawn program kind recording play argv cwd env pid ppid pgid sid new_session \
                  stdin waiting_for stdout stderr lines_read reader_gone signals terminated exit \
                  started_at ended_at wall_ms state problems";
    assert_eq!(keys.join(" "), wanted);
    let entry = scene.entry(1);
    let said = |key: &str| entry[key].clone();
    assert_eq!((said("ringer"), said("spawn"), said("play")), (json!(1), json!(1), json!(1)));
    assert_eq!((said("program"), said("kind")), (json!("claude"), json!("run")));
    assert_eq!(said("stdout"), json!({"kind": "pipe", "bytes": 12, "lines": 2}));
    assert_eq!(said("stderr"), json!({"kind": "pipe", "bytes": 0, "lines": 0}));
    assert_eq!((said("exit"), said("state")), (json!({"code": 0}), json!("ended")));
    assert_eq!((said("signals"), said("problems")), (json!([]), json!([])));
    assert_eq!((said("waiting_for"), said("reader_gone")), (Value::Null, Value::Null));
    assert_eq!(said("terminated"), json!(false));
}

#[test]
fn state_and_journal_are_for_their_owner_alone() {
    let scene = Scene::of_names(&["1.jsonl"]);
    scene.play();
    let mode =
        |path: &str| fs::metadata(scene.state().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(""), mode("journal")], [0o700; 2]);
    for file in ["cursor", "lock", "plays", "journal/000001.json", "journal/000001.stdin"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}

#[test]
fn arguments_are_kept_as_they_were_those_that_are_not_utf_8_as_base64() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let odd = OsString::from_vec(b"odd \xff".to_vec());
    scene.claude(&["-p", "two words\n", ""]).arg(odd).env("RINGER_ARGS", "lax").run();
    let argv = scene.entry(1)["argv"].clone();
    assert_eq!(
        argv.tail(),
        [json!("-p"), json!("two words\n"), json!(""), json!({"base64": "b2RkIP8="})]
    );
    assert!(argv[0].as_str().unwrap().ends_with("/claude"), "{argv}");
}

/// What follows the first element, which for arguments is the path of the double.
trait Tail {
    fn tail(&self) -> &[Value];
}

impl Tail for Value {
    fn tail(&self) -> &[Value] {
        &self.as_array().unwrap()[1..]
    }
}

#[test]
fn process_ids_tell_how_it_was_started() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"in":"line"}"#]);
    let running = scene.claude(&["-p", "hi"]).talk();
    let pid = running.pid();
    running.end();
    let entry = scene.entry(1);
    assert_eq!((&entry["pid"], &entry["ppid"]), (&json!(pid), &json!(std::process::id())));
    assert_eq!(entry["new_session"], false);
    let claude = crate::scene::double("claude").display().to_string();
    let setsid =
        scene.start("/usr/bin/setsid".as_ref(), &["--fork", "--wait", &claude, "-p", "hi"]);
    scene.raw("2.jsonl", "");
    setsid.run();
    let entry = scene.entry(2);
    assert_eq!((entry["new_session"].clone(), &entry["sid"]), (json!(true), &entry["pid"]));
    assert_eq!(entry["pgid"], entry["pid"]);
}

#[test]
fn cwd_and_environment_are_those_of_the_spawn() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let odd = OsString::from_vec(b"\xff\xfe".to_vec());
    scene.claude(&["-p", "hi"]).env("PLAIN", "value").env("EMPTY", "").env("ODD", odd).run();
    let entry = scene.entry(1);
    assert_eq!(entry["cwd"], json!(scene.path("cwd")));
    assert_eq!((&entry["env"]["PLAIN"], &entry["env"]["EMPTY"]), (&json!("value"), &json!("")));
    assert_eq!(entry["env"]["ODD"], json!({"base64": "//4="}));
    assert_eq!(entry["env"]["GONE"], Value::Null);
}

#[test]
fn secrets_are_masked_in_environment_arguments_and_stdin_text() {
    let scene = Scene::of_steps(&[r#"{"in":"eof"}"#]);
    let token = "sk-ant-api03-Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdWx0-AbCdEfGhIjKl";
    let start =
        scene.claude(&["-p", "hi", "--api-key", "supersecretvalue"]).env("RINGER_ARGS", "lax");
    let start = start.env("DB_PASSWORD", "correct horse").env("MAX_TOKENS", "not a secret");
    start.env("KEY", "short").input(format!("use {token} please")).run();
    let entry = scene.entry(1);
    let text = fs::read_to_string(scene.state().join("journal/000001.json")).unwrap();
    for secret in ["correct horse", "supersecretvalue", token] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(entry["env"]["MAX_TOKENS"], "not a secret");
    assert_eq!(entry["env"]["KEY"], "short");
    let masked = &entry["masked"];
    assert_eq!(masked["env"]["DB_PASSWORD"]["length"], 13);
    assert_eq!(
        (&masked["argv"][0]["index"], &masked["argv"][0]["length"]),
        (&json!(4), &json!(16))
    );
    assert_eq!(masked["stdin"][0]["length"], token.len());
    // The bytes themselves are kept as they came.
    let stdin = fs::read_to_string(scene.state().join("journal/000001.stdin")).unwrap();
    assert_eq!(stdin, format!("use {token} please"));
}

#[test]
fn ringer_toml_chooses_how_much_of_the_environment_is_kept() {
    for (mode, plain, secret) in
        [("names", Value::Null, Value::Null), ("all", json!("value"), json!("correct horse"))]
    {
        let scene = Scene::of_names(&["1.jsonl"]);
        scene.set(&format!("[journal]\nenv = \"{mode}\"\n"));
        scene.claude(&["-p", "hi"]).env("PLAIN", "value").env("DB_PASSWORD", "correct horse").run();
        let env = scene.entry(1)["env"].clone();
        assert_eq!((&env["PLAIN"], &env["DB_PASSWORD"]), (&plain, &secret), "{mode}");
        assert!(env.as_object().unwrap().contains_key("DB_PASSWORD"));
    }
}

#[test]
fn stdin_is_kept_to_the_byte_and_shown_as_text_up_to_64_kib() {
    let scene = Scene::of_names(&["1.jsonl", "2.jsonl", "3.jsonl"]);
    // The cut goes through a character, which is left out.
    let long = format!("x{}", "é".repeat(40_000));
    for (spawn, input, text) in [
        (1, b"short\nlines".to_vec(), json!("short\nlines")),
        (2, long.clone().into_bytes(), json!(long[..(64 << 10) - 1])),
        (3, b"no text \xff".to_vec(), Value::Null),
    ] {
        scene.claude(&["-p", "hi"]).input(&input).run();
        let kept = fs::read(scene.state().join(format!("journal/{spawn:06}.stdin"))).unwrap();
        assert!(kept == input);
        let stdin = scene.entry(spawn)["stdin"].clone();
        assert_eq!((&stdin["bytes"], &stdin["eof"]), (&json!(input.len()), &json!(true)));
        assert!(stdin["text"] == text, "{stdin}");
    }
}

#[test]
fn nothing_of_stdin_is_kept_where_the_set_says_so() {
    let scene = Scene::of_names(&["1.jsonl"]);
    scene.set("[journal]\nstdin = false\n");
    scene.claude(&["-p", "hi"]).input("private").run();
    assert_eq!(fs::read(scene.state().join("journal/000001.stdin")).unwrap(), b"");
    let stdin = &scene.entry(1)["stdin"];
    assert_eq!((&stdin["bytes"], &stdin["text"]), (&json!(7), &Value::Null));
    let entry = fs::read_to_string(scene.state().join("journal/000001.json")).unwrap();
    assert!(!entry.contains("private"), "{entry}");
}

#[test]
fn the_entry_is_there_before_the_first_byte_goes_out() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"hang":true}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("1");
    let entry = scene.entry(1);
    assert_eq!((entry.text("state"), entry.recording()), ("running", Some("01.jsonl")));
    assert_eq!((&entry["exit"], &entry["ended_at"]), (&Value::Null, &Value::Null));
    running.signal(Signal::KILL);
}

#[test]
fn a_wait_of_over_100_ms_is_entered_while_it_lasts() {
    let scene = Scene::of_steps(&[r#"{"in":{"type":"user"}}"#, r#"{"wait_ms":60000}"#]);
    let mut running = scene.claude(&["-p", "hi"]).talk();
    let waits_for = |text: &str| {
        scene.state().join("journal/000001.json").exists()
            && scene.entry(1).text("waiting_for") == text
    };
    until("it says what it waits for", || waits_for("stdin: a line with {\"type\":\"user\"}"));
    running.say("{\"type\":\"user\"}\n");
    until("it waits for the next", || waits_for("a pause of the recording"));
    assert!(scene.entry(1)["stdin"]["waited_ms"].as_u64().unwrap() >= 100);
    assert_eq!(scene.entry(1)["stdin"]["text"], "{\"type\":\"user\"}\n");
    running.signal(Signal::TERM);
    running.end();
    assert_eq!(scene.entry(1)["waiting_for"], Value::Null);
}

#[test]
fn a_short_wait_is_not_entered() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"wait_ms":30}"#]);
    scene.play();
    assert_eq!(scene.entry(1)["waiting_for"], Value::Null);
}

#[test]
fn signals_are_entered_with_their_times_at_once() {
    let scene = Scene::of_steps(&[
        r#"{"on_signal":"USR1"}"#,
        r#"{"on_signal":"TERM","steps":[{"out":"no"}]}"#,
        r#"{"out":"ready"}"#,
        r#"{"hang":true}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("ready");
    running.signal(Signal::USR1);
    until("the first is entered", || scene.entry(1)["signals"][0]["signal"] == "USR1");
    running.signal(Signal::TERM);
    running.hear("no");
    until("the second is entered", || scene.entry(1)["signals"][1]["signal"] == "TERM");
    running.signal(Signal::KILL);
    assert_eq!(running.end().status, -9);
    let entry = scene.entry(1);
    let times: Vec<_> = (0..2).map(|n| entry["signals"][n]["t_ms"].as_u64().unwrap()).collect();
    assert!(times[0] <= times[1] && times[1] < 20_000, "{times:?}");
    assert_eq!((entry.text("state"), &entry["terminated"]), ("running", &json!(false)));
}

#[test]
fn a_signal_is_entered_at_once_also_while_nobody_takes_the_output() {
    let scene = Scene::of_steps(&[
        r#"{"on_signal":"USR1"}"#,
        r#"{"out":"ready"}"#,
        r#"{"out_fill":{"text":"x","times":10000000}}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("ready");
    running.signal(Signal::USR1);
    until("it is entered", || scene.entry(1)["signals"][0]["signal"] == "USR1");
    running.signal(Signal::KILL);
}

#[test]
fn times_are_rfc_3339_and_agree_with_the_wall_clock() {
    let before = jiff::Timestamp::now();
    let scene = Scene::of_steps(&[r#"{"wait_ms":200}"#]);
    scene.play();
    let entry = scene.entry(1);
    let time = |key: &str| entry.text(key).parse::<jiff::Timestamp>().unwrap();
    let (started, ended) = (time("started_at"), time("ended_at"));
    assert!(before <= started && ended <= jiff::Timestamp::now());
    let wall = entry["wall_ms"].as_i64().unwrap();
    let between = started.until(ended).unwrap().total(jiff::Unit::Millisecond).unwrap() as i64;
    assert!(wall >= 200 && (wall - between).abs() <= 20, "{wall} {between}");
}

#[test]
fn lines_read_is_a_lower_bound_of_what_the_reader_had_taken() {
    let scene =
        Scene::of_steps(&[r#"{"out":"1\n2\n3\n"}"#, r#"{"in":"eof"}"#, r#"{"out":"4\n5\n"}"#]);
    let mut running = scene.claude(&["-p", "hi"]).talk();
    running.hear("3\n");
    running.hang_up();
    until("it has ended", || scene.entry(1).text("state") == "ended");
    assert_eq!(scene.entry(1)["lines_read"], 3);
    assert_eq!(scene.entry(1)["stdout"]["lines"], 5);
}

#[test]
fn lines_read_is_null_where_the_system_does_not_tell() {
    let scene = Scene::of_raw("1\n2\n");
    let file = fs::File::create(scene.path("out")).unwrap();
    scene.claude(&["-p", "hi"]).stdout(file).run();
    assert_eq!(scene.entry(1)["lines_read"], Value::Null);
    assert_eq!(scene.entry(1)["stdout"], json!({"kind": "file", "bytes": 4, "lines": 2}));
}

#[test]
fn where_the_journal_cannot_be_written_nothing_is_played_or_used_up() {
    type Spoil = fn(&Scene);
    let spoils: [(&str, Spoil); 4] = [
        ("the state is a file", |scene| fs::write(scene.state(), "").unwrap()),
        ("the journal is a file", |scene| {
            fs::create_dir(scene.state()).unwrap();
            fs::write(scene.state().join("journal"), "").unwrap();
        }),
        ("the entry is a directory", |scene| {
            fs::create_dir_all(scene.state().join("journal/000001.json/x")).unwrap();
        }),
        ("the lock is a directory", |scene| {
            fs::create_dir_all(scene.state().join("lock")).unwrap();
        }),
    ];
    for (name, spoil) in spoils {
        let scene = Scene::of_names(&["1.jsonl"]);
        spoil(&scene);
        let done = scene.play();
        assert!(done.status == 97 && done.stdout.is_empty(), "{name}: {done:?}");
        assert!(scene.plain(&done.stderr).contains(" SCENE/state"), "{name}: {done:?}");
        let _ = fs::remove_file(scene.state());
        let _ = fs::remove_dir_all(scene.state());
        scene.play().is("1.jsonl\n", "", 0);
    }
}

#[test]
fn a_full_disk_is_a_failure_of_ringer_not_of_the_program() {
    let scene = Scene::of_raw("bytes");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let done = scene.claude(&["-p", "hi"]).stdout(full).run();
    assert_eq!(done.status, 0, "the recording's own end");
    assert_eq!(scene.entry(1).problems(), ["write_failed"]);
}

#[test]
fn what_a_refusal_quotes_holds_no_secret_either() {
    let token = format!("sk-ant-api03-{}", "A1b2".repeat(10));
    for (when, args) in [
        (r#"{"prompt":"never"}"#, vec!["-p", &token]),
        (
            r#"{"argv_regex":"never"}"#,
            vec!["-p", "hi", "--settings", r#"{"api_key":"a-made-up-key"}"#],
        ),
        (r#"{"argv":["never"]}"#, vec!["mcp", "login", &token]),
        (r#"{"stdin":"never"}"#, vec!["-p", "hi"]),
    ] {
        let scene = Scene::new();
        scene.steps("1.jsonl", &format!(r#"{{"ringer":1,"when":{when}}}"#), &[]);
        let done = scene.claude(&args).input(&token).run();
        done.is_refused("claude");
        let entry = fs::read_to_string(scene.state().join("journal/000001.json")).unwrap();
        for text in [done.err(), entry] {
            assert!(text.contains("[masked]") || text.contains("argv_regex"), "{when}: {text}");
            assert!(
                !text.contains("A1b2A1b2") && !text.contains("a-made-up-key"),
                "{when}: {text}"
            );
        }
    }
}

#[test]
fn the_journal_says_that_nobody_takes_the_output_and_how_far_it_came() {
    let scene = Scene::of_steps(&[r#"{"out_fill":{"text":"e","times":400000}}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.piece();
    until("the wait is in the journal", || {
        scene.entry(1)["waiting_for"] == "a reader that takes its output"
    });
    let written = scene.entry(1)["stdout"]["bytes"].as_u64().unwrap();
    assert!((1..400_000).contains(&written), "{written}");
    assert_eq!(running.end().status, 0);
    assert_eq!(scene.entry(1)["waiting_for"], Value::Null);
    assert_eq!(scene.entry(1)["stdout"]["bytes"], 400_000);
}
