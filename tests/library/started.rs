//! What a test is told of the spawns.

use std::io::Write as _;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use ringer::author::Input;
use ringer::testing::{Exit, Kind, Life};
use ringer::{Recording, Stage};

use super::{finished, panic_of, sh};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn an_invocation_tells_how_the_double_was_started_and_how_it_ended() {
    let work = tempfile::tempdir().unwrap();
    let stage = Stage::claude([Recording::new().exit(7)]);
    let mut command = stage.command("claude");
    command.args(["-p", "--model", "opus", "say hi"]).current_dir(work.path());
    command.env("COLOUR", "red").env("MY_API_KEY", "abcdefgh12345678");
    finished(&mut command);

    let first = stage.invocation(1);
    assert_eq!((first.number(), first.program(), first.kind()), (1, "claude", Kind::Run));
    assert_eq!((first.recording(), first.play()), (Some("claude/01.jsonl"), Some(1)));
    assert_eq!(first.argv(), ["claude", "-p", "--model", "opus", "say hi"]);
    assert_eq!((first.option("--model"), first.option("--mode")), (Some("opus"), None));
    assert!(first.has_arg("-p") && !first.has_arg("claude"));
    assert_eq!(first.cwd(), work.path().canonicalize().unwrap());
    assert_eq!((first.env("COLOUR"), first.env("NO_SUCH_VARIABLE")), (Some("red"), None));
    assert!(first.env_equals("COLOUR", "red") && !first.env_equals("COLOUR", "re"));
    assert_eq!(first.env("MY_API_KEY"), Some("[masked]"));
    assert!(first.env_equals("MY_API_KEY", "abcdefgh12345678"));
    assert!(!first.env_equals("MY_API_KEY", "[masked]"));
    assert_eq!((first.exit(), first.exit_code()), (Some(&Exit::Code(7)), Some(7)));
    assert_eq!((first.life(), first.problems()), (Life::Ended, [].as_slice()));
    assert!(first.wall_time().is_some() && first.signals().is_empty());
    stage.verify();
}

#[test]
fn an_invocation_tells_what_came_by_stdin() {
    let stage = Stage::claude([Recording::new().input(Input::eof()).exit(0)]);
    let mut double = stage.command("claude").arg("-p").stdin(Stdio::piped()).spawn().unwrap();
    double.stdin.take().unwrap().write_all("caf\u{e9} please".as_bytes()).unwrap();
    double.wait().unwrap();
    assert_eq!(stage.invocation(1).stdin(), "caf\u{e9} please");
    stage.verify();
}

#[test]
fn arguments_that_are_not_text_are_kept_to_the_byte() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let stage = Stage::claude([Recording::new()]);
    finished(stage.command("claude").arg("-p").arg(odd));
    assert_eq!(stage.invocation(1).arg_os(2).as_deref(), Some(odd));
    assert_eq!(stage.argv(1)[2], "caf\u{fffd}");
    stage.verify();
}

#[test]
fn all_spawns_are_listed_in_the_order_of_their_starts() {
    let stage = Stage::builder().claude([Recording::new()]).codex([Recording::new()]).build();
    sh(&stage, "codex exec a; claude -p b");
    let programs: Vec<_> =
        stage.invocations().iter().map(|spawn| spawn.program().to_owned()).collect();
    assert_eq!(programs, ["codex", "claude"]);
    stage.verify();
}

#[test]
fn a_spawn_that_never_was_is_an_error_that_lists_those_there_were() {
    let stage = Stage::claude([Recording::new()]);
    finished(stage.command("claude").args(["-p", "hi"]));
    let text = panic_of(|| drop(stage.argv(2)));
    assert!(text.starts_with("there was no spawn 2\n"), "{text}");
    assert!(text.contains("claude -p hi"), "{text}");
    stage.verify();
}

#[test]
fn a_spawn_can_be_waited_for_while_it_runs_and_until_it_ends() {
    let stage = Stage::claude([Recording::new().hang()]);
    let mut double = stage.command("claude").args(["-p", "x"]).spawn().unwrap();
    let seen = stage.wait_for(1, SOON);
    assert_eq!((seen.life(), seen.exit()), (Life::Running, None));
    double.kill().unwrap();
    double.wait().unwrap();
    assert_eq!(stage.wait_for_end(1, SOON).life(), Life::Killed);
    let text = panic_of(|| drop(stage.wait_for(2, Duration::from_millis(10))));
    assert!(text.starts_with("spawn 2 has not started within 10ms\n"), "{text}");
    stage.verify();
}

#[test]
fn a_watch_sees_each_spawn_while_the_program_runs() {
    let stage = Stage::claude([Recording::new(), Recording::new(), Recording::new()]);
    let seen: Vec<u64> = thread::scope(|scope| {
        let watch = stage.watch(SOON).take(3);
        let watcher = scope.spawn(move || watch.map(|spawn| spawn.number()).collect());
        sh(&stage, "for i in 1 2 3; do claude -p x; done");
        watcher.join().unwrap()
    });
    assert_eq!(seen, [1, 2, 3]);
    assert_eq!(stage.watch(Duration::ZERO).count(), 3);
    stage.verify();
}
