//! The ways to bring a program to the doubles, and where the stage finds them.

use ringer::{Recording, Stage};

use super::{finished, stdout};

fn hello() -> Recording {
    Recording::new().out("hello\n")
}

#[test]
fn assert_cmd_takes_the_environment_as_it_is() {
    let stage = Stage::claude([hello()]);
    assert_cmd::Command::new("sh")
        .args(["-c", "claude -p hi </dev/null"])
        .envs(stage.envs())
        .assert()
        .success()
        .stdout("hello\n");
    stage.verify();
}

#[test]
fn a_client_that_takes_an_executable_is_given_its_path() {
    let stage = Stage::claude([hello()]);
    let mut command = std::process::Command::new(stage.path("claude"));
    assert_eq!(stdout(&finished(command.args(["-p", "hi"]).env_clear())), "hello\n");
    stage.verify();
}

#[test]
#[should_panic(expected = "no double for \"gemini\" on this stage, which has claude, codex")]
fn a_name_without_a_double_is_an_error_that_lists_those_there_are() {
    let stage = Stage::builder().build();
    let _ = stage.path("gemini");
}

#[test]
fn doubles_that_are_not_there_are_an_error_with_the_command_that_mends_it() {
    let empty = tempfile::tempdir().unwrap();
    let built = Stage::builder().claude([hello()]).doubles_from(empty.path()).try_build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("no double for claude was found that fits ringer"), "{error}");
    assert!(error.contains("cargo install ringer --version"), "{error}");
}

#[test]
fn an_existing_directory_takes_no_further_recordings() {
    let dir = tempfile::tempdir().unwrap();
    let built = Stage::builder().of(dir.path()).claude([hello()]).try_build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("an existing recording directory is played as it is"), "{error}");
}

#[test]
fn a_recording_that_would_be_refused_makes_no_stage() {
    let built = Stage::builder().claude([Recording::new().signal("NOPE")]).try_build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("claude/01.jsonl: line 2: `signal`: unknown signal"), "{error}");
}

#[test]
fn settings_that_ringer_toml_cannot_have_make_no_stage() {
    let built = Stage::builder().ringer_toml("spead = 1\n").try_build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("ringer.toml"), "{error}");
}

#[test]
fn the_directory_is_gone_after_the_stage_unless_it_is_kept() {
    let stage = Stage::builder().build();
    let dir = stage.dir().to_owned();
    assert!(dir.join("claude").exists());
    drop(stage);
    assert!(!dir.exists());
    let stage = Stage::builder().keep().build();
    let temp = stage.dir().parent().unwrap().to_owned();
    drop(stage);
    assert!(temp.join("state").exists());
    std::fs::remove_dir_all(temp).unwrap();
}
