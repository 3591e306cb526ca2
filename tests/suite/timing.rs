//! Pauses, recorded times, hanging, and how long a double lives.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::running::until;
use crate::scene::Scene;

/// Plays a recording at a speed and returns how long it took by its own account, in milliseconds.
fn wall(steps: &[&str], speed: &str) -> u64 {
    let scene = Scene::of_steps(steps);
    scene.claude(&["-p", "hi"]).env("RINGER_SPEED", speed).run().is("x", "", 0);
    scene.entry(1)["wall_ms"].as_u64().unwrap()
}

#[test]
fn recorded_times_are_skipped_at_speed_0_and_kept_at_1() {
    let short = [r#"{"at":300,"wait_ms":0}"#, r#"{"at":600,"out":"x"}"#];
    let long = [r#"{"at":3000,"wait_ms":0}"#, r#"{"at":6000,"out":"x"}"#];
    assert!(wall(&long, "0") < 3000);
    assert!(wall(&short, "1") >= 600);
    assert!((600..6000).contains(&wall(&long, "10")));
}

#[test]
fn written_pauses_last_as_written_at_speed_0_and_shrink_with_the_speed() {
    let short = [r#"{"wait_ms":500}"#, r#"{"out":"x"}"#];
    let long = [r#"{"wait_ms":5000}"#, r#"{"out":"x"}"#];
    assert!(wall(&short, "0") >= 500);
    assert!(wall(&short, "1") >= 500);
    assert!((500..5000).contains(&wall(&long, "10")));
}

#[test]
fn a_timeout_of_an_in_step_does_not_shrink_with_the_speed() {
    let step = r#"{"in":"line","timeout_ms":400,"on_timeout":[{"out":"late"}]}"#;
    let scene = Scene::of_steps(&[step]);
    let claude = scene.claude(&["-p", "hi"]).env("RINGER_SPEED", "100").talk();
    claude.end_talking().is("late", "", 0);
    assert!(scene.entry(1)["wall_ms"].as_u64().unwrap() >= 400);
}

#[test]
fn a_hanging_double_lives_on_silently_until_a_signal_comes() {
    let scene = Scene::of_steps(&[r#"{"out":"then nothing"}"#, r#"{"hang":true}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    running.hear("then nothing");
    std::thread::sleep(Duration::from_millis(400));
    assert!(running.runs());
    running.signal(Signal::TERM);
    running.end().is("then nothing", "", 143);
    assert_eq!(scene.entry(1)["terminated"], true);
}

#[test]
fn the_life_limit_ends_a_double_with_97_one_line_and_a_problem() {
    for steps in [
        vec![r#"{"hang":true}"#],
        vec![r#"{"in":"line"}"#],
        vec![r#"{"wait_ms":60000}"#],
        vec![r#"{"repeat":{"times":"forever","steps":[{"wait_ms":1}]}}"#],
    ] {
        let scene = Scene::of_steps(&steps);
        let running = scene.claude(&["-p", "hi"]).env("RINGER_MAX_LIFE", "0.4").talk();
        let done = running.end_talking();
        done.is(
            "",
            "ringer(claude): ended itself after 0.4 s (RINGER_MAX_LIFE), as nothing else ended it\n",
            97,
        );
        assert_eq!(scene.entry(1).problems(), ["expired"]);
        assert_eq!(scene.entry(1).exit(), "97");
    }
}

#[test]
fn the_life_limit_ends_a_double_whose_output_nobody_takes() {
    let scene = Scene::of_steps(&[r#"{"out_fill":{"text":"x","times":10000000}}"#]);
    let mut running = scene.claude(&["-p", "hi"]).env("RINGER_MAX_LIFE", "0.5").go();
    until("it has ended", || !running.runs());
    let done = running.end();
    assert_eq!(done.status, 97);
    assert_eq!(scene.entry(1).problems(), ["expired"]);
}

/// A shell that starts `claude` in the background and ends once it has said something; returns the
/// double's process id.
fn abandon(scene: &Scene) -> u32 {
    let claude = crate::scene::double("claude");
    let fifo = scene.path("said");
    let script = format!(
        "mkfifo {0}; {1} -p hi > {0} 2>/dev/null & read line < {0}; echo $!",
        fifo.display(),
        claude.display()
    );
    let done = scene.start("/bin/sh".as_ref(), &["-c", &script]).run();
    done.out().trim().parse().unwrap()
}

#[test]
fn a_hanging_double_ends_itself_when_its_parent_is_gone() {
    let scene = Scene::of_steps(&[r#"{"out":"hi\n"}"#, r#"{"hang":true}"#]);
    let began = Instant::now();
    abandon(&scene);
    until("it has ended", || scene.entry(1).text("state") == "ended");
    assert!(began.elapsed() < Duration::from_secs(10), "the life limit ended it");
    let entry = scene.entry(1);
    assert_eq!((entry.exit().as_str(), entry.problems()), ("97", vec!["orphaned"]));
}

#[test]
fn a_recording_may_let_a_double_outlive_its_parent() {
    let scene = Scene::new();
    let steps = [r#"{"out":"hi\n"}"#, r#"{"wait_ms":10}"#, r#"{"hang":true}"#];
    scene.steps("01.jsonl", "{\"ringer\":1,\"orphan\":true}", &steps);
    let pid = abandon(&scene);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(scene.entry(1).text("state"), "running");
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    until("it has ended", || scene.entry(1).text("state") == "ended");
    assert_eq!(scene.entry(1).exit(), "143");
}
