//! Streams are used as they were inherited: pipes that do not block, sockets, files, terminals,
//! descriptors that are not there.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::scene::Scene;

fn never_block(fd: impl AsFd) {
    let flags = rustix::fs::fcntl_getfl(&fd).unwrap();
    rustix::fs::fcntl_setfl(&fd, flags | OFlags::NONBLOCK).unwrap();
}

/// A terminal's two ends: the user's and the program's.
fn terminal() -> (File, File) {
    let (mut user, mut program) = (-1, -1);
    let unset = std::ptr::null_mut();
    // SAFETY: the call stores two descriptors at the addresses given and is told to set neither
    // name, modes nor size; both descriptors are then owned here alone.
    unsafe {
        assert_eq!(libc::openpty(&mut user, &mut program, unset, unset.cast(), unset.cast()), 0);
        (File::from_raw_fd(user), File::from_raw_fd(program))
    }
}

#[test]
fn output_to_a_pipe_that_does_not_block_comes_whole_with_a_slow_reader() {
    let scene = Scene::new();
    let bytes = "0123456789abcdef\n".repeat(60_000);
    scene.raw("1.jsonl", &bytes);
    let step = format!("{{\"out\":\"{}\"}}", "x".repeat(300_000));
    scene.steps("2.jsonl", "{\"ringer\":1}", &[&step]);
    for wanted in [bytes, "x".repeat(300_000)] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        never_block(&writer);
        let running = scene.claude(&["-p"]).stdout(writer).go();
        std::thread::sleep(Duration::from_millis(200));
        let mut got = String::new();
        reader.read_to_string(&mut got).unwrap();
        assert!(got == wanted, "{} of {} bytes", got.len(), wanted.len());
        assert_eq!(running.end().status, 0);
    }
}

#[test]
fn input_from_a_pipe_that_does_not_block_is_waited_for() {
    let scene = Scene::of_steps(&[r#"{"in":"line"}"#, r#"{"out":"got it"}"#]);
    let (reader, mut writer) = std::io::pipe().unwrap();
    never_block(&reader);
    let running = scene.claude(&["-p"]).stdin(reader).go();
    std::thread::sleep(Duration::from_millis(200));
    writer.write_all(b"now\n").unwrap();
    running.end().is("got it", "", 0);
}

#[test]
fn sockets_serve_as_all_three_streams() {
    let scene = Scene::of_steps(&[
        r#"{"out":"ready\n"}"#,
        r#"{"in":"line"}"#,
        r#"{"err":"to stderr"}"#,
        r#"{"in":"eof"}"#,
        r#"{"out":"bye\n"}"#,
    ]);
    let (mut client, theirs) = UnixStream::pair().unwrap();
    let (mut errors, their_errors) = UnixStream::pair().unwrap();
    let theirs = OwnedFd::from(theirs);
    let start = scene.claude(&["-p"]).stdin(theirs.try_clone().unwrap());
    let running = start.stdout(theirs).stderr(OwnedFd::from(their_errors)).go();
    let mut ready = [0; 6];
    client.read_exact(&mut ready).unwrap();
    client.write_all(b"go on\n").unwrap();
    let mut text = [0; 9];
    errors.read_exact(&mut text).unwrap();
    assert_eq!(&text, b"to stderr");
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(running.end().status, 0);
    let entry = scene.entry(1);
    for stream in ["stdin", "stdout", "stderr"] {
        assert_eq!(entry[stream]["kind"], "socket");
    }
}

#[test]
fn a_file_shared_by_both_streams_has_the_order_of_the_recording() {
    let scene = Scene::of_steps(&[r#"{"out":"1"}"#, r#"{"err":"2"}"#, r#"{"out":"3"}"#]);
    let file = File::create(scene.path("both")).unwrap();
    scene.claude(&["-p"]).stdout(file.try_clone().unwrap()).stderr(file).run();
    assert_eq!(fs::read(scene.path("both")).unwrap(), b"123");
    assert_eq!(scene.entry(1)["stderr"]["kind"], "file");
}

#[test]
fn stdin_may_be_a_file() {
    let scene = Scene::of_names(&["1.jsonl"]);
    fs::write(scene.path("prompt"), "from a file").unwrap();
    let file = File::open(scene.path("prompt")).unwrap();
    scene.claude(&["-p"]).stdin(file).run().is("1.jsonl\n", "", 0);
    let stdin = scene.entry(1)["stdin"].clone();
    assert_eq!(
        (stdin["kind"].as_str(), stdin["text"].as_str()),
        (Some("file"), Some("from a file"))
    );
}

#[test]
fn dev_null_is_told_from_other_devices() {
    let scene = Scene::of_names(&["1.jsonl"]);
    scene.claude(&["-p"]).stdout(Stdio::null()).run().is("", "", 0);
    assert_eq!(
        (&scene.entry(1)["stdin"]["kind"], &scene.entry(1)["stdout"]["kind"]),
        (&"null".into(), &"null".into())
    );
}

#[test]
fn descriptors_that_are_closed_are_closed_and_nothing_is_written_elsewhere() {
    let scene = Scene::of_steps(&[r#"{"out":"lost"}"#, r#"{"err":"lost"}"#, r#"{"exit":3}"#]);
    let claude = crate::scene::double("claude").display().to_string();
    let script = format!("exec {claude} -p <&- >&- 2>&-");
    scene.start("/bin/sh".as_ref(), &["-c", &script]).run().is("", "", 3);
    let entry = scene.entry(1);
    for stream in ["stdin", "stdout", "stderr"] {
        assert_eq!(entry[stream]["kind"], "closed", "{stream}");
    }
    let cursor = fs::read(scene.state().join("cursor")).unwrap();
    assert!(!cursor.windows(4).any(|bytes| bytes == b"lost"));
}

#[test]
fn a_terminal_as_stdin_is_not_waited_for() {
    for codex in [false, true] {
        let scene = Scene::of_names(&["1.jsonl"]);
        let (_user, program) = terminal();
        let start = if codex { scene.codex(&["exec", "hi"]) } else { scene.claude(&["-p", "hi"]) };
        start.stdin(program).run().is("1.jsonl\n", "", 0);
        let entry = scene.entry(1);
        assert_eq!(entry["stdin"]["kind"], "tty");
        assert!(entry["wall_ms"].as_u64().unwrap() < 2500, "it waited");
    }
}

#[test]
fn a_terminal_as_stdout_gets_the_bytes() {
    let scene = Scene::of_raw("one line\n");
    let (mut user, program) = terminal();
    let done = scene.claude(&["-p", "hi"]).stdout(program).run();
    assert_eq!(done.status, 0);
    let mut seen = [0; 64];
    let count = user.read(&mut seen).unwrap();
    // The terminal, not the double, turns a newline into two characters.
    assert_eq!(&seen[..count], b"one line\r\n");
    assert_eq!(scene.entry(1)["stdout"]["kind"], "tty");
}

#[test]
fn a_working_directory_that_is_gone_is_no_reason_to_fail() {
    let scene = Scene::of_names(&["1.jsonl"]);
    let claude = crate::scene::double("claude").display().to_string();
    let script = format!("mkdir gone && cd gone && rmdir ../gone && exec {claude} -p");
    scene.start("/bin/sh".as_ref(), &["-c", &script]).run().is("1.jsonl\n", "", 0);
}
