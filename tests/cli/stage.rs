use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::Value;

use crate::scene::{DONE, RINGER, Scene, same};

fn inode(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).unwrap().ino()
}

#[test]
fn what_is_printed_makes_a_shell_use_the_doubles() {
    let scene = Scene::with_claude(1);
    let script = "eval \"$(ringer stage st --recordings rec)\" && claude -p hi && ringer verify";
    let said = scene.said(scene.command("sh").args(["-c", script]));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    same(
        &said.stdout,
        &format!(
            "{DONE}\
ringer: as recorded: 1 spawn, 1 of 1 recording played
  1  claude -p hi  claude/01.jsonl  exit 0
"
        ),
    );
}

#[test]
fn names_that_mean_something_to_a_shell_stay_names() {
    let scene = Scene::with_claude(1);
    let script = "eval \"$(ringer stage \"$ODD\" --recordings rec)\" && claude -p hi";
    let mut command = scene.command("sh");
    command.args(["-c", script]).env("ODD", "it's $(exit 9) \"odd\" \\ `x`");
    let said = scene.said(&mut command);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), DONE), "{}", said.stderr);
}

#[test]
fn a_stage_is_described_as_json() {
    let scene = Scene::with_claude(1);
    let said = scene.ringer(&["stage", "st", "--recordings", "rec", "--as", "amp", "--json"]);
    let described: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(described["dir"], "[root]/st");
    assert_eq!(described["programs"]["amp"], "[root]/st/amp");
    assert_eq!(described["env"]["RINGER_STATE"], "[root]/st/state");
    assert_eq!(described["env"]["RINGER_RECORDINGS"], "[root]/rec");
    assert!(described["env"]["PATH"].as_str().unwrap().starts_with("[root]/st:"));
}

#[test]
fn the_doubles_are_links_to_the_one_executable() {
    let scene = Scene::with_claude(1);
    assert_eq!(scene.ringer(&["stage", "st", "--recordings", "rec"]).code, Some(0));
    for name in ["claude", "codex"] {
        let double = scene.path(&format!("st/{name}"));
        let linked = double.canonicalize().unwrap();
        let is_ringer = inode(&double) == inode(Path::new(RINGER))
            || linked == Path::new(RINGER).canonicalize().unwrap();
        assert!(is_ringer, "{name}");
    }
}

#[test]
fn a_stage_made_again_keeps_its_state_and_says_so() {
    let scene = Scene::with_claude(1);
    let stage = ["stage", "st", "--recordings", "rec"];
    assert_eq!(scene.ringer(&stage).stderr, "");
    let claude = scene.path("st/claude");
    assert_eq!(
        scene.said(scene.command(claude.to_str().unwrap()).args(["-p", "hi"])).code,
        Some(0)
    );
    same(
        &scene.ringer(&stage).stderr,
        "ringer: the state in [root]/st/state goes on after 1 earlier spawn; to play from the \
         start: ringer reset [root]/st/state\n",
    );
}

#[test]
fn a_place_without_doubles_is_an_error_that_says_how_to_get_them() {
    let scene = Scene::with_claude(1).script("bin/claude", "#!/bin/sh\necho real\n");
    let mut command = scene.command(RINGER);
    command.args(["stage", "st"]).env("RINGER_BIN", scene.path("bin"));
    let said = scene.said(&mut command);
    assert_eq!(said.code, Some(97));
    let version = env!("CARGO_PKG_VERSION");
    same(
        &said.stderr,
        &format!(
            "\
ringer: no double for claude was found that fits ringer {version}
  looked in [root]/bin, named by RINGER_BIN
  [root]/bin/claude is no double of ringer
  to install them: cargo install ringer --version {version}
  or set RINGER_BIN to the directory they are in
  or, in a Rust crate, have them built with its tests by an examples/ringer.rs (see ringer::testing); cargo build --examples builds it alone
"
        ),
    );
    assert!(!scene.path("st").exists());
}

#[test]
fn ringer_named_by_ringer_bin_serves_as_any_double() {
    let scene = Scene::with_claude(1);
    let mut command = scene.command(RINGER);
    command.args(["run", "rec", "--", "claude", "-p", "hi"]).env("RINGER_BIN", RINGER);
    assert_eq!(scene.said(&mut command).code, Some(0));
}

#[test]
fn completions_are_there_for_the_common_shells() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let said = Scene::new().ringer(&["completions", shell]);
        assert_eq!(said.code, Some(0), "{shell}");
        assert!(said.stdout.contains("allow-unused"), "{shell}");
    }
}
