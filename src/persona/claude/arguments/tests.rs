//! The verdicts against the captures of the real CLI, and the rules that no capture shows alone.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    Format, Login, Request, StdinRule, StdinSeen, Surroundings, Verdict, check_input, judge,
    known_versions, stdin_rule, table,
};
use crate::persona::Answer;

/// The captures, where they are at hand.
fn truth() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("RINGER_SHARED").map_or(default, PathBuf::from);
    Some(shared.join("truth")).filter(|truth| truth.is_dir())
}

/// What every capture was made in, but for a terminal.
fn home() -> Surroundings {
    Surroundings {
        sandbox: true,
        login: Login::Key,
        home: "/home/dev".to_owned(),
        cwd: "/home/dev/project".to_owned(),
        ..Surroundings::default()
    }
}

/// What a spawn comes to once its stdin was read too.
#[derive(Debug)]
enum End {
    Run(Box<Request>),
    Probe(Answer),
    NoAnswer(String),
    Usage(Answer),
}

fn end(version: Option<&str>, words: &[&str], stdin: StdinSeen<'_>, around: &Surroundings) -> End {
    match judge(&table(version), words, version.is_some(), true, around) {
        Verdict::Probe(answer) => End::Probe(answer),
        Verdict::NoAnswer { command } => End::NoAnswer(command),
        Verdict::Usage(answer) => End::Usage(answer),
        Verdict::Run(request) => match stdin_rule(&request, around) {
            StdinRule::Text => match check_input(&request, stdin) {
                Ok(_) => End::Run(request),
                Err(answer) => End::Usage(answer),
            },
            _ => End::Run(request),
        },
    }
}

/// The end of a spawn of the newest version with nothing on stdin.
fn newest(words: &[&str]) -> End {
    end(known_versions().last(), words, StdinSeen::default(), &home())
}

fn stderr_of(words: &[&str]) -> String {
    match newest(words) {
        End::Usage(answer) => {
            assert_eq!((answer.stdout.as_str(), answer.code), ("", 1), "{words:?}");
            answer.stderr
        }
        other => panic!("{words:?} is not refused: {other:?}"),
    }
}

fn request(words: &[&str]) -> Request {
    match newest(words) {
        End::Run(request) => *request,
        other => panic!("{words:?} does not run: {other:?}"),
    }
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

#[test]
fn a_required_value_swallows_the_next_word_and_an_optional_one_does_not_take_an_option() {
    let swallowed = request(&["-p", "hi", "--model", "--verbose"]);
    assert_eq!((swallowed.model.as_deref(), swallowed.verbose), (Some("--verbose"), false));
    let debug = request(&["-p", "hi", "--debug", "--verbose"]);
    assert!(debug.verbose && debug.has("--debug") && debug.value("--debug").is_none());
    assert_eq!(request(&["-p", "hi", "-dapi"]).value("--debug"), Some("api"));
    assert_eq!(request(&["-p", "hi", "-d", "api"]).value("--debug"), Some("api"));
    assert_eq!(request(&["-weird", "hi"]).value("--worktree"), Some("eird"));
    assert!(request(&["hi", "-d2e"]).has("--debug-to-stderr"));
}

#[test]
fn the_last_value_counts_and_a_variadic_option_keeps_all() {
    let twice = request(&["-p", "hi", "--model", "a", "--model=b"]);
    assert_eq!(twice.model.as_deref(), Some("b"));
    let words = ["-p", "hi", "--allowed-tools", "A", "B", "--verbose", "--allowedTools=C", "more"];
    let tools = request(&words);
    assert_eq!(tools.values("--allowedTools").collect::<Vec<_>>(), ["A", "B", "C"]);
    let after = request(&["-p", "--allowedTools", "A", "--", "- item", "x"]);
    assert_eq!(after.prompt.as_deref(), Some("- item"));
    assert_eq!(request(&["--mcp-config", "a", "b", "--", "hi"]).mcp_config, ["a", "b"]);
}

#[test]
fn a_swallowed_prompt_is_named_with_the_option_as_typed() {
    let no_prompt = table(None).texts().get("no-prompt").expect("a text");
    let swallowed = |option: &str| {
        format!(
            "\"my prompt\" was read as a value of {option}, not as a prompt · put a prompt before \
             {option} or after --\n{no_prompt}"
        )
    };
    for option in ["--disallowed-tools", "--tools", "--betas", "--file", "--channels"] {
        assert_eq!(stderr_of(&["-p", option, "x", "my prompt"]), swallowed(option));
        assert_eq!(stderr_of(&["-p", option, "x", "my prompt", "--verbose"]), swallowed(option));
        assert_eq!(stderr_of(&["-p", option, "my prompt"]), swallowed(option));
        assert_eq!(stderr_of(&["-p", option, "x"]), no_prompt);
        assert_eq!(stderr_of(&["-p", &format!("{option}=x")]), no_prompt);
    }
    assert_eq!(stderr_of(&["-p", "--allowedTools", "Bash(git log:*)"]), no_prompt);
}

#[test]
fn an_unknown_option_is_named_last_and_the_first_one_of_several() {
    let unknown = |words: &[&str]| stderr_of(words).lines().next().map(str::to_owned);
    let message = |option: &str| Some(format!("error: unknown option '{option}'"));
    assert_eq!(unknown(&["-p", "hi", "--nope", "--bogus"]), message("--nope"));
    assert_eq!(unknown(&["- item"]), message("- item"));
    assert_eq!(unknown(&["-p", "-x", "hi"]), message("-x"));
    assert_eq!(unknown(&["-px", "hi"]), message("-x"));
    assert_eq!(unknown(&["--bogus", "mcp", "list"]), message("--bogus"));
    assert_eq!(unknown(&["--json", "hi", "--", "-x"]), message("--json"));
    // A bad value comes to light while the words are still being read.
    let choices = "error: option '--input-format <format>' argument 'xml' is invalid. Allowed \
                   choices are text, stream-json.";
    assert_eq!(unknown(&["--bogus", "--input-format", "xml"]).as_deref(), Some(choices));
    assert_eq!(stderr_of(&["--nope"]), "error: unknown option '--nope'\n(Did you mean --name?)\n");
    let hidden = stderr_of(&["-p", "--max-turn", "1"]);
    assert_eq!(hidden, "error: unknown option '--max-turn'\n");
}

#[test]
fn without_a_pinned_version_only_an_option_that_none_has_passes() {
    let judged = |words: &[&str]| end(None, words, StdinSeen::default(), &home());
    let passed = |words: &[&str]| match judged(words) {
        End::Run(request) => (request.unknown.clone(), request.prompt.clone()),
        other => panic!("{words:?} does not run: {other:?}"),
    };
    let prompt = |prompt: &str| Some(prompt.to_owned());
    assert_eq!(passed(&["-p", "hi", "--new", "v"]), (vec!["--new".to_owned()], prompt("hi")));
    assert_eq!(passed(&["-p", "--new", "hi"]), (vec!["--new".to_owned()], prompt("hi")));
    let two = vec!["--new".to_owned(), "--newer=x".to_owned()];
    assert_eq!(passed(&["--new", "v", "--newer=x", "--verbose", "hi"]), (two, prompt("hi")));
    assert_eq!(passed(&["--new", "v", "--", "-hi"]), (vec!["--new".to_owned()], prompt("-hi")));
    for refused in [["hi", "--print=x"], ["hi", "- item"], ["--verbose=x", "hi"]] {
        assert!(matches!(judged(&refused), End::Usage(_)), "{refused:?}");
    }
}

#[test]
fn nothing_is_refused_where_arguments_are_taken_as_they_are() {
    for words in [
        &["-p", "--output-format", "xml", "--nope", "hi"][..],
        &["-p", "--model"],
        &["-p", "--output-format", "stream-json"],
        &["-p", "hi", "--session-id", "x", "--setting-sources", "bogus"],
        &["--input-format", "stream-json"],
    ] {
        let around = home();
        let Verdict::Run(request) = judge(&table(None), words, true, false, &around) else {
            panic!("{words:?} does not run");
        };
        assert!(check_input(&request, StdinSeen::default()).is_ok(), "{words:?}");
        assert!(!request.hangs_on_stdin());
    }
    let version = judge(&table(None), &["-p", "--nope", "-v"], true, false, &home());
    assert!(matches!(version, Verdict::Probe(_)));
}

#[test]
fn the_checks_come_in_the_order_of_the_real_cli() {
    let id = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
    let invalid = "Error: Invalid session ID. Must be a valid UUID.\n";
    assert_eq!(stderr_of(&["-p", "hi", "--session-id", "x"]), invalid);
    assert_eq!(stderr_of(&["-p", "--session-id", "x", "--include-partial-messages"]), invalid);
    let fork = stderr_of(&["-p", "hi", "--session-id", "x", "-c"]);
    assert!(fork.contains("also needs --fork-session"), "{fork}");
    let ids = ["hi", "--session-id", id, "-r", id, "--fork-session"];
    assert_eq!(request(&ids).session_id.as_deref(), Some(id));
    // What is looked at before stdin is read comes before a missing prompt, the rest after it.
    assert!(stderr_of(&["-p", "--include-partial-messages"]).contains("--include-partial"));
    assert!(stderr_of(&["-p", "--output-format=stream-json"]).contains("Input must be provided"));
    assert!(stderr_of(&["hi", "--output-format=stream-json"]).contains("requires --verbose"));
    assert!(stderr_of(&["-p", "-r", id]).contains("deferred tool marker"));
    assert!(stderr_of(&["-p", "hi", "-r"]).contains("session ID or session title"));
    assert!(stderr_of(&["--setting-sources=user,x", "--nope"]).contains("source: x."));
    let sources = request(&["hi", "--setting-sources", ""]);
    assert_eq!(sources.values("--setting-sources").collect::<Vec<_>>(), [""]);
    // A warning on a value is out before what comes later.
    let warned = stderr_of(&["--effort", "zzz", "--nope"]);
    assert!(warned.starts_with("Warning: Unknown --effort value 'zzz'"), "{warned}");
    assert!(warned.contains("\nerror: unknown option '--nope'"), "{warned}");
}

#[test]
fn root_may_not_skip_permissions_outside_of_a_sandbox() {
    let root = Surroundings { root: true, sandbox: false, ..home() };
    let asked: [&[&str]; 3] = [
        &["-p", "hi", "--dangerously-skip-permissions"],
        &["-p", "--allow-dangerously-skip-permissions"],
        &["-p", "hi", "--permission-mode", "bypassPermissions"],
    ];
    for words in asked {
        let End::Usage(answer) = end(None, words, StdinSeen::default(), &root) else {
            panic!("{words:?} is not refused");
        };
        assert!(answer.stderr.starts_with("--dangerously-skip-permissions cannot"));
        assert_eq!(answer.code, 1);
    }
    let free = request(asked[0]);
    assert_eq!(free.permission_mode.as_deref(), Some("bypassPermissions"));
}

#[test]
fn the_prompt_is_the_argument_and_what_stdin_holds() {
    let prompt = |words: &[&str], bytes: &[u8]| {
        let around = home();
        let Verdict::Run(request) = judge(&table(None), words, false, true, &around) else {
            panic!("{words:?} does not run");
        };
        check_input(&request, StdinSeen { bytes, gave_up: false })
    };
    assert_eq!(prompt(&["-p", "hi"], b"more\n"), Ok("hi\nmore\n".to_owned()));
    assert_eq!(prompt(&["-p", "hi"], b""), Ok("hi".to_owned()));
    assert_eq!(prompt(&["-p"], b"hi"), Ok("hi".to_owned()));
    assert_eq!(prompt(&["-p", "  "], b"hi"), Ok("  \nhi".to_owned()));
    assert!(prompt(&["-p", " "], b"\n").is_err_and(|a| a.stderr.contains("only whitespace")));
    let flood = vec![b'x'; super::STDIN_LIMIT + 1];
    assert!(prompt(&["-p", "hi"], &flood).is_err_and(|a| a.stderr.contains("exceeds 10MB")));
    assert!(prompt(&["-p", "hi"], &flood[1..]).is_ok());
}

#[test]
fn a_wait_for_stdin_that_gave_up_is_mentioned_before_the_refusal() {
    let stdin = StdinSeen { bytes: b"", gave_up: true };
    let End::Usage(answer) = end(None, &["-p"], stdin, &home()) else { panic!("it runs") };
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert!(lines[0].starts_with("Warning: no stdin data received in 3s"));
    assert!(lines[1].starts_with("Error: Input must be provided"));
}

#[test]
fn only_a_run_in_doubt_hangs_on_stdin() {
    assert!(!request(&["-p", "hi"]).hangs_on_stdin());
    let doubtful: [&[&str]; 3] = [&["-p"], &["-p", " "], &["hi", "--output-format", "stream-json"]];
    for words in doubtful {
        let Verdict::Run(request) = judge(&table(None), words, true, true, &home()) else {
            panic!("{words:?} is judged too early");
        };
        assert!(request.hangs_on_stdin(), "{words:?}");
    }
}

#[test]
fn a_session_is_refused_before_its_first_line_and_needs_no_prompt() {
    let session = ["--input-format", "stream-json", "--output-format", "stream-json"];
    assert!(stderr_of(&session).contains("requires --verbose"));
    let words = [&session[..], &["--verbose", "--replay-user-messages", "ignored"]].concat();
    let request = request(&words);
    assert!(request.print && request.replay && request.input == Format::StreamJson);
    assert_eq!(stdin_rule(&request, &home()), StdinRule::Lines);
}

#[test]
fn on_a_terminal_nothing_is_printed_and_no_prompt_is_needed() {
    let terminal = Surroundings { stdin_tty: true, stdout_tty: true, ..home() };
    for words in [&[][..], &["hi"], &["config"]] {
        let End::Run(request) = end(None, words, StdinSeen::default(), &terminal) else {
            panic!("{words:?} does not run");
        };
        assert!(!request.print);
        assert_eq!(stdin_rule(&request, &terminal), StdinRule::Unread);
    }
    let printed = judge(&table(None), &["-p"], true, true, &terminal);
    assert!(matches!(printed, Verdict::Usage(_)), "{printed:?}");
}

#[test]
fn side_commands_are_answered_or_named_and_a_print_flag_makes_them_prompts() {
    let answer = |words: &[&str]| match newest(words) {
        End::Probe(answer) => (answer.stdout, answer.stderr, answer.code),
        other => panic!("{words:?} is not answered: {other:?}"),
    };
    let list = "No MCP servers configured. Use `claude mcp add` to add a server.\n";
    assert_eq!(answer(&["mcp", "list"]), (list.to_owned(), String::new(), 0));
    assert_eq!(answer(&["--model", "x", "mcp", "list"]).0, list);
    let none = "No MCP server named \"x y\". Run `claude mcp add` to add one.\n";
    assert_eq!(answer(&["mcp", "get", "x y"]), (String::new(), none.to_owned(), 1));
    assert_eq!(answer(&["agents", "--json"]).0, "[]\n");
    assert!(answer(&["--help"]).0.contains("\nCommands:\n  agents\n"));
    assert!(!answer(&["-p", "--help"]).0.contains("Commands:"));
    assert!(answer(&["--nope", "-h"]).0.contains("--output-format <format>  one of text,"));
    assert!(answer(&["mcp", "--help"]).0.contains("\n  list\n"));
    for (words, expected) in [
        (&["plugin", "install", "x"][..], "plugin install x"),
        (&["plugins", "marketplace", "add", "URL"], "plugin marketplace add"),
        (&["doctor"], "doctor"),
        (&["mcp", "add", "-s", "user", "x"], "mcp add"),
    ] {
        assert!(matches!(newest(words), End::NoAnswer(c) if c == expected), "{words:?}");
    }
    assert_eq!(request(&["mcp", "list", "-p"]).prompt.as_deref(), Some("mcp"));
    assert_eq!(request(&["hello"]).prompt.as_deref(), Some("hello"));
    assert_eq!(stderr_of(&["mcp", "lst"]), "error: unknown command 'lst'\n(Did you mean list?)\n");
}

#[test]
fn a_version_without_a_file_is_answered_from_the_nearest_older_one() {
    let between = table(Some("2.1.300"));
    assert_eq!((between.facts_of, between.is_exact()), ("2.1.197", false));
    assert_eq!(table(Some("9.0.0")).facts_of, "2.1.332");
    assert_eq!(table(Some("1.0")).facts_of, "2.1.197");
    assert!(table(Some("2.1.197")).is_exact() && table(None).is_exact());
    let Verdict::Probe(answer) = judge(&between, &["-v"], true, true, &home()) else {
        panic!("the version is not told");
    };
    assert_eq!(answer.stdout, "2.1.300 (Claude Code)\n");
}

#[test]
fn no_words_make_it_panic() {
    let odd = [
        "-", "--", "-=", "--=", "-é", "--é=", "", "=", "-p=", "-p-", "--\n", "- ", "-d=",
        "--model=", "-r", "mcp", "${x}", "--name,", "--help", "-😀x", "--effort", "config",
    ];
    for version in known_versions() {
        for first in odd {
            for second in odd {
                for strict in [true, false] {
                    let words = [first, second, "x"];
                    let verdict = judge(&table(Some(version)), &words, strict, strict, &home());
                    if let Verdict::Run(request) = verdict {
                        let _ = check_input(&request, StdinSeen::default());
                    }
                }
            }
        }
    }
}
