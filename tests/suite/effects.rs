//! Effects on disk, and streams that are closed.

use std::fs;
use std::os::unix::fs::symlink;

use crate::scene::Scene;

#[test]
fn files_are_written_appended_removed_and_made_below_the_cwd() {
    let scene = Scene::of_steps(&[
        r#"{"file":{"mkdir":"src"}}"#,
        r#"{"file":{"write":"src/a.rs","text":"one\n"}}"#,
        r#"{"file":{"append":"src/a.rs","text":"two\n"}}"#,
        r#"{"file":{"append":"new.txt","text":"new"}}"#,
        r#"{"file":{"write":"deep/er/b.txt","text":"made on the way"}}"#,
        r#"{"file":{"remove":"old.txt"}}"#,
        r#"{"out":"done"}"#,
    ]);
    fs::write(scene.path("cwd/old.txt"), "old").unwrap();
    scene.play().is("done", "", 0);
    let read = |path: &str| fs::read_to_string(scene.path(path)).unwrap();
    assert_eq!(read("cwd/src/a.rs"), "one\ntwo\n");
    assert_eq!(read("cwd/new.txt"), "new");
    assert_eq!(read("cwd/deep/er/b.txt"), "made on the way");
    assert!(!scene.path("cwd/old.txt").exists());
}

#[test]
fn files_go_under_the_home_and_the_configuration_directory_too() {
    let scene = Scene::new();
    let steps = [
        r#"{"file":{"write":"${home}/notes.txt","text":"home"}}"#,
        r#"{"file":{"write":"${config_dir}/s/1.jsonl","text":"config"}}"#,
    ];
    scene.steps("1.jsonl", "{\"ringer\":1}", &steps);
    scene.steps("2.jsonl", "{\"ringer\":1}", &steps);
    scene.steps("3.jsonl", "{\"ringer\":1}", &steps);
    scene.claude(&["-p"]).run().is("", "", 0);
    scene.codex(&["exec", "hi"]).run().is("", "", 0);
    let moved = scene.path("moved");
    scene.claude(&["-p"]).env("CLAUDE_CONFIG_DIR", moved).run().is("", "", 0);
    for path in ["home/.claude/s/1.jsonl", "home/.codex/s/1.jsonl", "moved/s/1.jsonl"] {
        assert_eq!(fs::read_to_string(scene.path(path)).unwrap(), "config", "{path}");
    }
    assert_eq!(fs::read_to_string(scene.path("home/notes.txt")).unwrap(), "home");
}

#[test]
fn an_effect_outside_is_refused_before_anything_is_played() {
    for path in ["../escape.txt", "/tmp/escape.txt", "a/../../escape.txt", "${state}/x", "~/x"] {
        let step = format!("{{\"file\":{{\"write\":\"{path}\",\"text\":\"x\"}}}}");
        let scene = Scene::of_steps(&[r#"{"out":"first"}"#, &step]);
        let done = scene.play();
        done.is_refused("claude");
        assert!(done.err().contains("01.jsonl: line 3: "), "{done:?}");
        assert!(!scene.path("escape.txt").exists());
    }
}

#[test]
fn an_effect_through_a_link_that_leads_out_is_refused() {
    let scene = Scene::of_steps(&[r#"{"file":{"write":"link/escape.txt","text":"x"}}"#]);
    fs::create_dir(scene.path("outside")).unwrap();
    symlink(scene.path("outside"), scene.path("cwd/link")).unwrap();
    let done = scene.play();
    done.is_refused("claude");
    assert!(!scene.path("outside/escape.txt").exists());
    assert_eq!(scene.entry(1).problems(), ["unreadable"]);
}

#[test]
fn a_closed_stdout_ends_for_its_reader_while_the_double_lives_on() {
    let scene = Scene::of_steps(&[
        r#"{"out":"last"}"#,
        r#"{"close":"stdout"}"#,
        r#"{"out":"to nobody"}"#,
        r#"{"in":"line"}"#,
        r#"{"exit":5}"#,
    ]);
    for program in [Scene::claude, Scene::codex] {
        let _ = fs::remove_dir_all(scene.state());
        let mut running = program(&scene, &["exec", "hi"]).talk();
        while !running.piece().is_empty() {}
        assert!(running.runs());
        running.say("now\n");
        running.end().is("last", "", 5);
        assert_eq!(scene.entry(1)["stdout"]["bytes"], 4);
    }
}

#[test]
fn a_closed_stderr_says_no_more() {
    let scene = Scene::of_steps(&[
        r#"{"err":"a"}"#,
        r#"{"close":"stderr"}"#,
        r#"{"err":"b"}"#,
        r#"{"out":"c"}"#,
    ]);
    scene.play().is("c", "a", 0);
}

#[test]
fn a_closed_stdin_breaks_the_pipe_of_whoever_writes_to_it() {
    use std::io::Write as _;
    let scene = Scene::of_steps(&[
        r#"{"in":"line"}"#,
        r#"{"close":"stdin"}"#,
        r#"{"out":"closed"}"#,
        r#"{"hang":true}"#,
    ]);
    let mut running = scene.claude(&["-p"]).talk();
    running.say("one\n");
    running.hear("closed");
    let refused = running.stdin().write_all(b"two\n").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::BrokenPipe);
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.end().status, 143);
}

#[test]
fn bound_values_are_replaced_by_the_spawns_own_in_everything_that_is_written() {
    let scene = Scene::new();
    let header = r#"{"ringer":1,"bind":{"cwd":"/home/dev/project","home":"/home/dev"}}"#;
    scene.steps("1.jsonl", header, &[
        r#"{"out":{"cwd":"/home/dev/project/src","home":"/home/dev/.claude","x":"/home/devil"}}"#,
        r#"{"err":"in /home/dev/project\n"}"#,
        r#"{"file":{"write":"where.txt","text":"/home/dev/project"}}"#,
    ]);
    let done = scene.play();
    let out =
        "{\"cwd\":\"SCENE/cwd/src\",\"home\":\"SCENE/home/.claude\",\"x\":\"SCENE/homeil\"}\n";
    assert_eq!(scene.plain(&done.stdout), out);
    assert_eq!(scene.plain(&done.stderr), "in SCENE/cwd\n");
    assert_eq!(scene.plain(&fs::read(scene.path("cwd/where.txt")).unwrap()), "SCENE/cwd");
}

#[test]
fn without_bind_nothing_is_replaced() {
    let line =
        "{\"cwd\":\"/home/dev/project\",\"session_id\":\"5e551017-0000-4000-8000-000000000001\"}\n";
    Scene::of_raw(line).play().is(line, "", 0);
}
