//! The README as a new user takes it: each snippet is a file under `examples/`, shown as it stands,
//! and is run as it stands where its language is there.

/// A checkout of the project, to run snippets in.
mod checkout;
/// The code blocks of the README.
mod page;

/// The snippet in Rust is a test already.
#[path = "../../examples/rust/agent.rs"]
mod rust;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use checkout::Checkout;
use page::{Block, blocks};

/// Blocks of commands that install, build or run the tests, and so are no part of one; and what goes
/// into a manifest.
const NOT_RUN: [&str; 3] = [
    "cargo test --workspace\n",
    "cargo install --path .\n",
    "[dev-dependencies]\nringer = { version = \"0.1\", default-features = false }\n",
];

#[test]
fn each_block_is_a_file_shown_as_it_stands() {
    for Block { file, text, line } in blocks() {
        match file {
            Some(file) => {
                let found = fs::read_to_string(page::root().join(&file));
                let found = found.unwrap_or_else(|error| panic!("line {line}: {file}: {error}"));
                assert!(found == text, "line {line} differs from {file}:\n{text}\nthere:\n{found}");
            }
            None => assert!(NOT_RUN.contains(&text.as_str()), "line {line} is no file:\n{text}"),
        }
    }
}

#[test]
fn each_shell_snippet_runs_to_a_good_end() {
    let shown: Vec<String> = blocks().into_iter().filter_map(|block| block.file).collect();
    let scripts = shown.iter().filter(|file| file.ends_with(".sh"));
    // The program under test is run by the others; what needs a real program has a test of its own.
    let own = ["agent.sh", "capture.sh", "record.sh"].map(|name| format!("examples/shell/{name}"));
    for script in scripts.filter(|file| !own.contains(file)) {
        good(script, &Checkout::new().run("sh", &[script]));
    }
}

#[test]
fn the_first_command_says_what_the_page_says() {
    let checkout = Checkout::new();
    let said = checkout.run("sh", &["-c", "sh examples/shell/try.sh 2>&1"]);
    let promised = fs::read_to_string(page::root().join("examples/shell/try.txt")).unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), promised);
}

#[test]
fn a_capture_is_played_as_it_was_taken() {
    let checkout = Checkout::new();
    // A double stands in for the real program here too.
    let real = ringer::Stage::claude(["Fixed."]);
    let said =
        checkout.command("sh").arg("examples/shell/capture.sh").envs(checkout.with(&real)).output();
    let said = said.unwrap();
    good("examples/shell/capture.sh", &said);
    assert_eq!(said.stdout, fs::read(checkout.path("mine/claude/01.jsonl")).unwrap());
    assert!(String::from_utf8_lossy(&said.stdout).contains("Fixed."));
    real.verify();
}

#[test]
fn what_was_recorded_is_played() {
    let checkout = Checkout::new();
    let real = checkout.path("real/claude");
    fs::create_dir(checkout.path("real")).unwrap();
    let event = r#"{"type":"result","subtype":"success","is_error":false,"result":"Fixed."}"#;
    fs::write(&real, format!("#!/bin/sh\necho '{event}'\n")).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = checkout.command("sh");
    command.arg("examples/shell/record.sh").env("PATH", checkout.search(&[&checkout.path("real")]));
    let said = command.output().unwrap();
    good("examples/shell/record.sh", &said);
    assert_eq!(String::from_utf8_lossy(&said.stdout), "Fixed.\nFixed.\n");
}

#[test]
fn the_python_snippet_runs_under_unittest_and_pytest() {
    let checkout = Checkout::new();
    if !checkout.has("python3", &["-c", "import unittest"]) {
        return eprintln!("skipped: there is no python3");
    }
    let file = "examples/python/test_agent.py";
    good(file, &checkout.run("python3", &["-B", "-m", "unittest", file]));
    if checkout.has("python3", &["-c", "import pytest"]) {
        let quiet = ["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", file];
        good(file, &checkout.run("python3", &quiet));
    }
}

#[test]
fn the_javascript_snippet_runs_under_node() {
    let checkout = Checkout::new();
    // `import.meta.dirname` came in the course of version 20.
    let new_enough = "process.exit(parseFloat(process.versions.node) >= 20.11 ? 0 : 1)";
    if !checkout.has("node", &["-e", new_enough]) {
        return eprintln!("skipped: there is no node 20.11");
    }
    let file = "examples/js/agent.test.mjs";
    good(file, &checkout.run("node", &["--test", file]));
}

#[test]
fn the_go_snippet_runs_under_go() {
    let checkout = Checkout::new();
    if !checkout.has("go", &["version"]) {
        return eprintln!("skipped: there is no go");
    }
    let mut go = checkout.command("go");
    go.args(["test", "-count=1", "./..."]).current_dir(checkout.path("examples/go"));
    go.env("GOCACHE", checkout.path("cache")).env("GOTOOLCHAIN", "local");
    good("examples/go/agent_test.go", &go.output().unwrap());
}

#[track_caller]
fn good(what: &str, said: &Output) {
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{what}: {}\n{out}\n{err}", said.status);
}
