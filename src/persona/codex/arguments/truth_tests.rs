//! Compares what arguments mean with what the real CLI did, over the whole corpus of captures.
//! Passes with nothing to do where the captures are not at hand.

use super::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Probes whose answers do not depend on the configuration of the captured home.
const PROBES: &[&str] = &[
    "05-version",
    "05-version-V",
    "05-version-bad-config",
    "05-exec-version",
    "05-login-status",
    "05-login-status-openai-default",
    "05-logout",
    "05-mcp-list",
    "05-mcp-list-json",
    "05-mcp-get-none",
    "05-features-list",
    "login-status",
    "version",
];

/// How refusals that depend on arguments and stdin begin.
const REFUSALS: &[&str] = &[
    "error: ",
    "Error parsing -c",
    "Error: stdin is not a terminal",
    "Error: Specify",
    "Error: Unknown feature",
    "No prompt provided",
    "Reading prompt from stdin...\nNo prompt",
    "Failed to read prompt",
];

struct Capture {
    name: String,
    args: Vec<String>,
    stdin_mode: Option<String>,
    stdin: Vec<u8>,
    stdout: String,
    stderr: String,
    code: Option<i64>,
}

fn shared() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("RINGER_SHARED").map_or_else(beside, PathBuf::from)
}

fn captures(version: &str) -> Vec<Capture> {
    let folder = shared().join("truth").join(format!("codex-{version}"));
    let mut captures: Vec<Capture> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| capture(&entry.path()))
        .collect();
    captures.sort_by(|a, b| a.name.cmp(&b.name));
    captures
}

fn capture(folder: &Path) -> Option<Capture> {
    let run: Value = serde_json::from_slice(&std::fs::read(folder.join("run.json")).ok()?).ok()?;
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
    let text = |name: &str| String::from_utf8_lossy(&bytes(name)).into_owned();
    let args = run["argv"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
    Some(Capture {
        name: folder.file_name()?.to_string_lossy().into_owned(),
        args: args.collect(),
        stdin_mode: run["stdin_mode"].as_str().map(str::to_owned),
        stdin: bytes("stdin"),
        stdout: text("stdout"),
        stderr: text("stderr"),
        code: run["exit_code"].as_i64(),
    })
}

/// The meaning with the stdin checks: a request, or an answer where there is one.
fn outcome(capture: &Capture, table: &Table) -> Result<Request, Option<Answer>> {
    let tty = capture.name.starts_with("07-pty-all") || capture.name == "07-pty-stdin-noprompt";
    let around = Surroundings { stdin_tty: tty, stdout_tty: false };
    let args: Vec<&str> = capture.args.iter().map(String::as_str).collect();
    match judge(table, &args, true, true, &around) {
        Meaning::Run(request) => {
            let input = check_input(&request, &around, table, &capture.stdin);
            input.map(|_| *request).map_err(Some)
        }
        Meaning::Probe(answer) | Meaning::Help(answer) | Meaning::Usage(answer) => {
            Err(Some(answer))
        }
        Meaning::NoAnswer { .. } => Err(None),
    }
}

#[derive(Default, Debug, PartialEq)]
struct Counts {
    refused: usize,
    probes: usize,
    ran: usize,
}

fn compare(version: &str) -> Counts {
    let table = table(Some(version));
    let mut counts = Counts::default();
    for capture in captures(version) {
        let expected = capture.code.map(|code| Answer {
            stdout: capture.stdout.clone(),
            stderr: capture.stderr.clone(),
            code: u8::try_from(code).unwrap_or(255),
        });
        let refused = capture.stdout.is_empty()
            && REFUSALS.iter().any(|start| capture.stderr.starts_with(start));
        let began = capture.stdout.starts_with("{\"type\":\"thread.started\"")
            || capture.stdout.starts_with("{\"id\":")
            || capture.stderr.contains("--------\n")
            || capture.stderr.contains("Not inside a trusted directory");
        if PROBES.contains(&capture.name.as_str()) || refused {
            assert_eq!(
                outcome(&capture, &table).err(),
                Some(expected),
                "{version} {}",
                capture.name
            );
            *(if refused { &mut counts.refused } else { &mut counts.probes }) += 1;
        } else if began {
            // What the recorded run waited for is not to be known from its first lines.
            let run = outcome(&capture, &table);
            assert!(run.is_ok(), "{version} {}: {run:?}", capture.name);
            counts.ran += 1;
        }
    }
    println!("codex {version}: {counts:?}");
    counts
}

#[test]
fn the_captured_runs_of_all_versions_are_judged_as_they_went() {
    if !shared().join("truth").is_dir() {
        return;
    }
    for version in known_versions() {
        let counts = compare(version);
        assert!(counts.ran > 10 && counts.refused > 0 && counts.probes > 1, "{version}");
    }
}

#[test]
fn the_notice_on_stderr_is_the_captured_one() {
    for version in known_versions() {
        let table = table(Some(version));
        for capture in captures(version) {
            let pty = capture.stdin_mode.is_none();
            let Ok(request) = outcome(&capture, &table) else { continue };
            if pty || capture.stderr.is_empty() || capture.code.is_none_or(|code| code > 1) {
                continue;
            }
            let around = Surroundings::default();
            let notice = match stdin_rule(&request, &around, &table) {
                StdinRule::ToEnd(reading) => reading.notice(),
                _ => "",
            };
            let line = capture.stderr.lines().find(|line| line.starts_with("Reading "));
            let config = capture.stderr.starts_with("Error") || capture.stderr.starts_with("WARN");
            if !config {
                assert_eq!(line.unwrap_or(""), notice.trim_end(), "{version} {}", capture.name);
            }
        }
    }
}

/// A value that the option takes.
fn some_value(option: &Value) -> String {
    let choice = option["choices"].as_array().and_then(|choices| choices.first()?.as_str());
    choice.unwrap_or("1").to_owned()
}

/// The arguments that give an option once.
fn given(option: &Value) -> Vec<String> {
    let name = option["name"].as_str().unwrap_or("").to_owned();
    match option["arity"].as_str() {
        Some("0") => vec![name],
        _ => vec![name, some_value(option)],
    }
}

fn stderr_of(command: &str, rest: &[String]) -> String {
    let words = command.split(' ').skip(1).chain(rest.iter().map(String::as_str));
    match judge(&table(None), &words.collect::<Vec<_>>(), true, true, &Surroundings::default()) {
        Meaning::Usage(answer) => answer.stderr,
        _ => String::new(),
    }
}

#[test]
fn the_newest_table_agrees_with_what_was_probed_of_every_option() {
    let path = shared().join("truth/codex-0.171.0-options.json");
    let Ok(text) = std::fs::read(path) else { return };
    let probed: Value = serde_json::from_slice(&text).unwrap();
    let mut checked = 0;
    for (name, command) in probed["commands"].as_object().unwrap() {
        let options = command["options"].as_array().unwrap();
        let find = |name: &Value| options.iter().find(|option| option["name"] == *name).unwrap();
        for option in options.iter().filter(|option| option["probe_single"].is_null()) {
            let twice = [given(option), given(option)].concat();
            let stderr = stderr_of(name, &twice);
            match option["repeat_error"][0].as_str() {
                // A positional that is missing is complained of after the repetition.
                Some(error) => assert!(stderr.starts_with(error), "{name} {twice:?}: {stderr}"),
                None => assert!(!stderr.contains("multiple times"), "{name} {twice:?}: {stderr}"),
            }
            for alias in option["aliases"].as_array().into_iter().flatten() {
                let mut once = given(option);
                once[0] = alias.as_str().unwrap().to_owned();
                assert!(!stderr_of(name, &once).contains("unexpected"), "{name} {once:?}");
            }
            if let Some(short) = option["short"].as_str() {
                let mut once = given(option);
                once[0] = short.to_owned();
                assert!(!stderr_of(name, &once).contains("unexpected"), "{name} {once:?}");
            }
            checked += 1;
        }
        for pair in command["conflicts"].as_array().into_iter().flatten() {
            let both = [given(find(&pair[0])), given(find(&pair[1]))].concat();
            assert!(stderr_of(name, &both).contains("cannot be used with"), "{name} {both:?}");
            checked += 1;
        }
        for note in command["requires_notes"].as_array().into_iter().flatten() {
            let both = [given(find(&note[0])), given(find(&note[1]))].concat();
            let lines = note[2].as_array().unwrap().iter().filter_map(Value::as_str);
            let expected = lines.collect::<Vec<_>>().join("\n");
            let stderr = stderr_of(name, &both);
            assert!(stderr.starts_with(&expected), "{name} {both:?}: {stderr}");
            checked += 1;
        }
        let usage: Vec<&str> =
            command["usage"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let stderr = stderr_of(name, &["-@".to_owned()]);
        assert!(stderr.contains(&usage.join("\n")), "{name}: {stderr}");
    }
    assert!(checked > 400, "{checked}");
}
