use crate::scene::{Scene, seen};

/// With `RINGER_TEST_REAL_CLI=1` and a real CLI on PATH: a run that needs no network.
#[test]
fn a_real_program_is_recorded_and_replayed() {
    if std::env::var_os("RINGER_TEST_REAL_CLI").is_none() {
        return;
    }
    for (program, arguments) in [("claude", ["-p", "--nope"]), ("codex", ["exec", "--nope"])] {
        let scene = Scene::new();
        let command = [&[program][..], &arguments].concat();
        let recorded = seen(&mut scene.record(&[], &command), "");
        if recorded.status.code() == Some(97) {
            continue;
        }
        assert_eq!(seen(scene.run(&command).env_remove("RINGER_ARGS"), ""), recorded);
    }
}
