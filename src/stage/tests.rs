use super::*;

/// An executable that carries a marker, and can be linked, though it cannot be started.
fn executable(path: &Path, contents: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, contents).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn marker(version: &str) -> String {
    format!("{}{version};", "ringer-double-version=")
}

/// A directory with `ringer`, recordings, and the plan of a stage beside them.
fn scene() -> (tempfile::TempDir, StagePlan) {
    let scene = tempfile::tempdir().unwrap();
    let root = scene.path();
    std::fs::create_dir_all(root.join("bin")).unwrap();
    std::fs::create_dir_all(root.join("recordings/gemini")).unwrap();
    std::fs::create_dir_all(root.join("recordings/empty")).unwrap();
    std::fs::write(root.join("recordings/gemini/1.jsonl"), "{}\n").unwrap();
    executable(&root.join("bin/ringer"), &marker(version::VERSION));
    let plan = StagePlan {
        recordings: Some(root.join("recordings")),
        doubles: Some(root.join("bin")),
        ..StagePlan::new(root.join("stage"))
    };
    (scene, plan)
}

fn inode(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).unwrap().ino()
}

#[test]
fn a_stage_holds_hard_links_for_both_clis_the_folders_and_the_names_asked_for() {
    let (scene, mut plan) = scene();
    plan.names = vec!["amp".to_owned()];
    let layout = make(&plan).unwrap();
    let names: Vec<_> = layout.programs.keys().collect();
    assert_eq!(names, ["amp", "claude", "codex", "gemini"]);
    let ringer = inode(&scene.path().join("bin/ringer"));
    assert!(layout.programs.values().all(|path| inode(path) == ringer));
}

#[test]
fn the_stage_file_names_what_is_inside_relative_and_what_is_outside_absolute() {
    let (scene, mut plan) = scene();
    plan.settings.speed = Some(1.0);
    plan.settings.repeat_last = Some(true);
    plan.settings.args = Some(Strictness::Lax);
    let layout = make(&plan).unwrap();
    let text = std::fs::read_to_string(layout.stage_file()).unwrap();
    let recordings = scene.path().join("recordings");
    let expected = format!(
        "{{\n  \"recordings\": {recordings:?},\n  \"state\": \"state\",\n  \"speed\": 1,\n  \
         \"args\": \"lax\",\n  \"repeat_last\": true\n}}\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn a_stage_is_brought_up_to_date_and_its_state_is_kept() {
    let (scene, plan) = scene();
    let layout = make(&plan).unwrap();
    std::fs::write(layout.state.join("cursor"), "kept").unwrap();
    std::fs::remove_file(scene.path().join("bin/ringer")).unwrap();
    executable(&scene.path().join("bin/ringer"), &marker(version::VERSION));
    let again = make(&plan).unwrap();
    assert_eq!(inode(&again.programs["claude"]), inode(&scene.path().join("bin/ringer")));
    assert!(again.state.join("cursor").exists());
    let names = std::fs::read_dir(&again.dir).unwrap().map(|found| found.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().starts_with('.')));
}

#[test]
fn a_program_that_is_no_double_is_not_overwritten() {
    let (_scene, plan) = scene();
    std::fs::create_dir_all(&plan.dir).unwrap();
    executable(&plan.dir.join("claude"), "#!/bin/sh\n");
    let message = make(&plan).unwrap_err().to_string();
    assert!(message.contains("claude: is there already and is no double"), "{message}");
}

#[test]
fn doubles_of_another_version_are_named_with_the_command_that_mends_it() {
    let (scene, plan) = scene();
    executable(&scene.path().join("bin/ringer"), &marker("99.1.0"));
    let message = make(&plan).unwrap_err().to_string();
    assert!(message.contains("bin/ringer is of ringer 99.1.0"), "{message}");
    assert!(message.contains("cargo install ringer --version"), "{message}");
    assert!(!plan.dir.exists(), "nothing is made before everything is found");
}

#[test]
fn a_real_cli_in_the_place_of_the_doubles_is_passed_over() {
    let (scene, plan) = scene();
    std::fs::rename(scene.path().join("bin/ringer"), scene.path().join("bin/codex")).unwrap();
    executable(&scene.path().join("bin/claude"), "\x7fELF of another kind");
    let message = make(&plan).unwrap_err().to_string();
    assert!(message.contains("bin/claude is no double of ringer"), "{message}");
}

#[test]
fn a_name_with_a_folder_is_no_double() {
    let (_scene, mut plan) = scene();
    for name in ["", "a/b", "../x", "ringer", ".hidden", "-x", "a b"] {
        plan.names = vec![name.to_owned()];
        let message = make(&plan).unwrap_err().to_string();
        assert!(message.contains("cannot be one"), "{name}: {message}");
    }
}

#[test]
fn recordings_that_are_not_there_are_an_error() {
    let (scene, mut plan) = scene();
    plan.recordings = Some(scene.path().join("nowhere"));
    let message = make(&plan).unwrap_err().to_string();
    assert!(message.contains("nowhere: there is no such recording directory"), "{message}");
}
