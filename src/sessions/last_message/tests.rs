//! The rules of the file, each by the capture that shows it.

use std::path::PathBuf;

use super::*;

fn shared(run: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RINGER_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    Some(root.join("truth").join(run)).filter(|path| path.is_dir())
}

/// The stdout of a capture; none where there are no captures.
fn stdout(run: &str) -> Option<Vec<u8>> {
    shared(run).map(|path| std::fs::read(path.join("stdout")).unwrap_or_default())
}

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn with(old: Option<&str>) -> Scene {
        let dir = tempfile::tempdir().unwrap();
        if let Some(old) = old {
            std::fs::write(dir.path().join("last.txt"), old).unwrap();
        }
        Scene { dir }
    }

    fn open(&self, told: Told) -> LastMessage {
        LastMessage::open("last.txt", self.dir.path(), told).unwrap()
    }

    fn holds(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("last.txt")).unwrap()
    }
}

#[test]
fn the_message_is_written_when_the_turn_is_completed_as_in_01_last_message() {
    let Some(stream) = stdout("codex-0.171.0/01-last-message") else { return };
    let scene = Scene::with(Some("something longer that was there before"));
    let mut last = scene.open(Told::Events);
    let lines: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').collect();
    let (completed, before) = lines.split_last().unwrap();
    for line in before {
        last.written(line).unwrap();
        assert_eq!(scene.holds(), "something longer that was there before");
    }
    last.written(completed).unwrap();
    assert_eq!(scene.holds(), "Hello from fake.");
    assert_eq!(last.finish(0, None).unwrap(), None);
}

#[test]
fn pieces_of_lines_and_a_missing_last_newline_make_no_difference() {
    let scene = Scene::with(None);
    let mut last = scene.open(Told::Events);
    let stream =
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\
                   \"text\":\"a\\nb\"}}\n{\"type\":\"turn.completed\",\"usage\":{}}";
    for byte in stream.chunks(7) {
        last.written(byte).unwrap();
    }
    last.finish(0, None).unwrap();
    assert_eq!(scene.holds(), "a\nb");
}

#[test]
fn the_message_of_the_human_mode_loses_its_one_newline_as_in_01_last_message_human() {
    let Some(stream) = stdout("codex-0.171.0/01-last-message-human") else { return };
    let scene = Scene::with(None);
    let mut last = scene.open(Told::Text);
    assert_eq!(scene.holds(), "");
    last.written(&stream).unwrap();
    assert_eq!(last.finish(0, None).unwrap(), None);
    assert_eq!(scene.holds(), "Hello from fake.");
}

#[test]
fn without_a_message_the_file_is_emptied_and_a_warning_returned_as_in_last_message_empty() {
    for (run, told) in [
        ("codex-0.50.0/last-message-empty", Told::Events),
        ("codex-0.99.0/last-message-empty", Told::Events),
        ("codex-0.125.0/last-message-empty", Told::Events),
        ("codex-0.171.0/01-last-message-empty-human", Told::Text),
    ] {
        let Some(stream) = stdout(run) else { return };
        let stderr = std::fs::read_to_string(shared(run).unwrap().join("stderr")).unwrap();
        let scene = Scene::with(Some("old"));
        let mut last = scene.open(told);
        last.written(&stream).unwrap();
        let warning = last.finish(0, None).unwrap().unwrap();
        assert_eq!(scene.holds(), "", "{run}");
        let (text, path) = warning.trim_end().rsplit_once(' ').unwrap();
        assert_eq!(path, "last.txt");
        assert!(stderr.contains(text), "{run}: {warning}");
    }
}

#[test]
fn a_failed_turn_leaves_the_file_as_it_was_as_in_04_last_preexisting_fail_human() {
    let Some(stream) = stdout("codex-0.171.0/04-last-preexisting-fail-human") else { return };
    let scene = Scene::with(Some("old"));
    let mut last = scene.open(Told::Text);
    last.written(&stream).unwrap();
    assert_eq!(last.finish(1, None).unwrap(), None);
    assert_eq!(scene.holds(), "old");
}

#[test]
fn a_turn_that_says_something_and_then_fails_leaves_the_file_as_it_was() {
    let scene = Scene::with(Some("old"));
    let mut last = scene.open(Told::Events);
    last.written(
        b"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"new\"}}\n\
          {\"type\":\"turn.failed\",\"error\":{\"message\":\"about \\\"turn.completed\\\"\"}}\n",
    )
    .unwrap();
    assert_eq!(last.finish(1, None).unwrap(), None);
    assert_eq!(scene.holds(), "old");
}

#[test]
fn an_empty_message_is_a_message() {
    let scene = Scene::with(Some("old"));
    let mut last = scene.open(Told::Text);
    last.written(b"\n").unwrap();
    assert_eq!(last.finish(0, None).unwrap(), None);
    assert_eq!(scene.holds(), "");
}

#[test]
fn a_message_known_from_elsewhere_holds_where_stdout_shows_none() {
    let scene = Scene::with(None);
    assert_eq!(scene.open(Told::Text).finish(0, Some("seen on no terminal")).unwrap(), None);
    assert_eq!(scene.holds(), "seen on no terminal");
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let refused = LastMessage::open("/x/no/last.txt", dir.path(), Told::Events).unwrap_err();
    assert_eq!(
        refused.stderr,
        "Error: Failed to open last message file \"/x/no/last.txt\": \
         No such file or directory (os error 2)\n"
    );
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
}
