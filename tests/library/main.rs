//! The library as tests in other crates use it: stages, recordings written in Rust, what was
//! started, the verdict. The doubles are those that cargo built beside this test.

mod authored;
mod doubles;
mod started;
mod verdicts;

use std::process::{Command, Output, Stdio};

use ringer::Stage;

/// Runs a shell script with a stage's environment and stdin at its end.
fn sh(stage: &Stage, script: &str) -> Output {
    let mut command = stage.command("sh");
    finished(command.args(["-c", script]))
}

fn finished(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// What a closure panics with.
fn panic_of(what: impl FnOnce()) -> String {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(what));
    let payload = caught.expect_err("there was no panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    }
}
