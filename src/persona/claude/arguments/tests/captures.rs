//! What arguments mean, against the captures of the real CLI, where those are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::{Login, StdinSeen, Surroundings, known_versions, table};
use super::{End, end, home};
use crate::persona::Answer;

/// The captures, where they are at hand.
fn truth() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("RINGER_SHARED").map_or(default, PathBuf::from);
    Some(shared.join("truth")).filter(|truth| truth.is_dir())
}

struct Capture {
    name: String,
    version: String,
    words: Vec<String>,
    stdin: Vec<u8>,
    open: bool,
    answer: Answer,
}

/// The captures of a version that ended by themselves, all their streams told apart.
fn captures(truth: &Path, version: &str) -> Vec<Capture> {
    let mut captures = Vec::new();
    let folder = fs::read_dir(truth.join(format!("claude-{version}"))).expect("a folder");
    for entry in folder {
        let folder = entry.expect("an entry").path();
        let run = fs::read_to_string(folder.join("run.json")).expect("a run.json");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let stdin_mode = run["stdin_mode"].as_str().unwrap_or_default();
        let (Some(code), false) = (run["exit_code"].as_u64(), stdin_mode.is_empty()) else {
            continue;
        };
        let read = |file: &str| fs::read(folder.join(file)).unwrap_or_default();
        let text = |file: &str| String::from_utf8(read(file)).expect("UTF-8");
        let words = run["argv"].as_array().expect("an array").iter();
        captures.push(Capture {
            name: folder.file_name().expect("a name").to_string_lossy().into_owned(),
            version: version.to_owned(),
            words: words.map(|word| word.as_str().expect("text").to_owned()).collect(),
            stdin: read("stdin"),
            open: stdin_mode == "open",
            answer: Answer {
                stdout: text("stdout"),
                stderr: text("stderr"),
                code: u8::try_from(code).expect("an exit code"),
            },
        });
    }
    captures
}

/// What the real CLI did in a capture, as far as arguments decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ran,
    Refused,
    Answered,
    /// A file or a session was missing, or it printed a help text of its own.
    World,
}

fn kind(capture: &Capture) -> Kind {
    const REFUSALS: [&str; 10] = [
        "error: ",
        "Error: When using",
        "Error: --",
        "Error: Input must",
        "Error: Input contained",
        "Error: Invalid session ID",
        "Error: No deferred tool marker",
        "Error processing --setting-sources",
        "\"my prompt\" was read",
        "Warning: no stdin data",
    ];
    const WORLD: [&str; 6] = [
        "Error: Settings file",
        "Error: System prompt file",
        "Error: Invalid MCP",
        "Error: Session ID",
        "No conversation found",
        "Usage: ",
    ];
    let Answer { stdout, stderr, code } = &capture.answer;
    let begins = |starts: &[&str]| starts.iter().any(|start| stderr.starts_with(start));
    let side = ["agents", "auth", "config", "mcp", "plugin", "update"];
    let side = capture.words.first().is_some_and(|word| side.contains(&word.as_str()));
    if begins(&WORLD) {
        Kind::World
    } else if stdout.is_empty() && *code == 1 && begins(&REFUSALS) {
        Kind::Refused
    } else if stdout.ends_with("(Claude Code)\n")
        || (side && !(capture.version == "2.1.197" && capture.words[0] == "config"))
    {
        Kind::Answered
    } else {
        Kind::Ran
    }
}

/// The surroundings of a capture: some had no key, and each had its own server.
fn surroundings(capture: &Capture) -> Surroundings {
    let url = capture.answer.stdout.lines().find_map(|l| l.strip_prefix("Anthropic base URL: "));
    let login = if capture.name.ends_with("_nokey") { Login::None } else { Login::Key };
    Surroundings { login, base_url: url.map(str::to_owned), ..home() }
}

#[test]
fn every_capture_is_judged_as_the_real_cli_judged_it() {
    let Some(truth) = truth() else { return };
    for version in known_versions() {
        let (mut counts, mut wrong) = ([0; 4], Vec::new());
        for capture in captures(&truth, version) {
            let words: Vec<&str> = capture.words.iter().map(String::as_str).collect();
            let stdin = StdinSeen { bytes: &capture.stdin, gave_up: capture.open };
            let got = end(Some(version), &words, stdin, &surroundings(&capture));
            let kind = kind(&capture);
            counts[kind as usize] += 1;
            // A prompt of white space ended a run of this kind without a word.
            let silent = kind == Kind::Ran && capture.answer == Answer::default();
            let right = match (kind, &got) {
                (Kind::Refused, End::Usage(answer)) => *answer == capture.answer,
                (Kind::Answered, End::Probe(answer)) => *answer == capture.answer,
                (Kind::Ran, End::Usage(answer)) => silent && *answer == capture.answer,
                (Kind::Ran, End::Run(request)) => {
                    capture.answer.stderr.starts_with(&request.warnings)
                }
                (Kind::World, End::Run(_) | End::Usage(_)) => true,
                _ => false,
            };
            if !right {
                wrong.push(format!("{} {kind:?} {words:?}: {got:?}", capture.name));
            }
        }
        let [ran, refused, answered, world] = counts;
        println!("{version}: {ran} ran, {refused} refused, {answered} answered, {world} other");
        assert!(wrong.is_empty(), "{version}:\n{}", wrong.join("\n"));
        assert!(ran > 100 && refused > 20 && answered > 8, "{version}: {counts:?}");
    }
}

#[test]
fn every_option_takes_its_value_as_the_option_table_says() {
    let Some(truth) = truth() else { return };
    let version = "2.1.332";
    let text = fs::read_to_string(truth.join("claude-2.1.332-options.json")).expect("the table");
    let known: Value = serde_json::from_str(&text).expect("JSON");
    let stderr = |words: &[&str]| {
        // A prompt on stdin, so that nothing but the option is wrong.
        let stdin = StdinSeen { bytes: b"hi", gave_up: false };
        match end(Some(version), words, stdin, &home()) {
            End::Usage(answer) => answer.stderr,
            End::Run(request) => request.warnings,
            _ => String::new(),
        }
    };
    for option in known["options"].as_array().expect("an array") {
        let name = option["name"].as_str().expect("a name");
        let first_line = |text: String| text.lines().next().map(str::to_owned);
        let expected = |field: &str| option[field].as_str().map(str::to_owned);
        let missing = expected("missing_value_message");
        if missing.is_some() {
            assert_eq!(first_line(stderr(&["-p", name])), missing);
        }
        let outside = ["--settings", "--initialize-fields"];
        if let Some(error) = expected("eq_form_error").filter(|_| !outside.contains(&name)) {
            assert_eq!(first_line(stderr(&["-p", &format!("{name}=x")])), Some(error));
        }
        let old = table(Some("2.1.197")).option(name).is_some();
        assert_eq!(Some(old), option["in_2_1_197"].as_bool(), "{name}");
    }
    for name in known["confirmed_unknown"].as_array().expect("an array") {
        let name = name.as_str().expect("a name");
        let expected = format!("error: unknown option '{name}'");
        assert_eq!(stderr(&["-p", "hi", name]).lines().next(), Some(expected.as_str()));
    }
}
