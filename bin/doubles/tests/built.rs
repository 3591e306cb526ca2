//! Having a test of its own makes cargo build the doubles whenever it tests the workspace; the
//! suite of the workspace finds them beside `ringer` and tests what they do.

use std::process::Command;

#[test]
fn a_double_without_recordings_says_so_and_ends_with_97() {
    for (program, path) in
        [("claude", env!("CARGO_BIN_EXE_claude")), ("codex", env!("CARGO_BIN_EXE_codex"))]
    {
        let done = Command::new(path).arg("--version").env_clear().output().unwrap();
        assert_eq!(done.status.code(), Some(97));
        assert_eq!(done.stdout, b"");
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert!(stderr.starts_with(&format!("ringer({program}): RINGER_RECORDINGS")), "{stderr}");
    }
}
