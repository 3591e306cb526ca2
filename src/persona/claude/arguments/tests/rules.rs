//! The rules of the parser and of the checks, one by one.

use super::super::{
    Format, Request, STDIN_LIMIT, StdinRule, StdinSeen, Surroundings, check_input, judge,
    known_versions, stdin_rule, table,
};
use super::{End, end, home};
use crate::persona::Meaning;

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
        let Meaning::Run(request) = judge(&table(None), words, true, false, &around) else {
            panic!("{words:?} does not run");
        };
        assert!(check_input(&request, StdinSeen::default()).is_ok(), "{words:?}");
        assert!(!request.hangs_on_stdin());
    }
    let version = judge(&table(None), &["-p", "--nope", "-v"], true, false, &home());
    assert!(matches!(version, Meaning::Probe(_)));
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
        let Meaning::Run(request) = judge(&table(None), words, false, true, &around) else {
            panic!("{words:?} does not run");
        };
        check_input(&request, StdinSeen { bytes, gave_up: false })
    };
    assert_eq!(prompt(&["-p", "hi"], b"more\n"), Ok("hi\nmore\n".to_owned()));
    assert_eq!(prompt(&["-p", "hi"], b""), Ok("hi".to_owned()));
    assert_eq!(prompt(&["-p"], b"hi"), Ok("hi".to_owned()));
    assert_eq!(prompt(&["-p", "  "], b"hi"), Ok("  \nhi".to_owned()));
    assert!(prompt(&["-p", " "], b"\n").is_err_and(|a| a.stderr.contains("only whitespace")));
    let flood = vec![b'x'; STDIN_LIMIT + 1];
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
        let Meaning::Run(request) = judge(&table(None), words, true, true, &home()) else {
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
    assert!(matches!(printed, Meaning::Usage(_)), "{printed:?}");
}

#[test]
fn help_as_a_command_goes_to_stderr_and_fails_where_the_version_has_it() {
    let asked = |words: &[&str]| match newest(words) {
        End::Probe(answer) => (answer.stdout, answer.stderr, answer.code),
        other => panic!("{words:?} is not answered: {other:?}"),
    };
    let all = asked(&["help"]);
    assert!(all.1.starts_with("Usage: claude [options] [command] [prompt]\n"), "{}", all.1);
    assert_eq!((all.0.as_str(), all.2), ("", 1));
    let one = asked(&["help", "mcp"]);
    assert!(one.1.starts_with("Usage: claude mcp "), "{}", one.1);
    assert_eq!((one.0.as_str(), one.2), ("", 1));
    assert_eq!(request(&["-p", "help"]).prompt.as_deref(), Some("help"));
    let older = end(known_versions().next(), &["help", "-p"], StdinSeen::default(), &home());
    assert!(matches!(older, End::Run(_)), "a prompt there: {older:?}");
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
    let Meaning::Probe(answer) = judge(&between, &["-v"], true, true, &home()) else {
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
                    let meaning = judge(&table(Some(version)), &words, strict, strict, &home());
                    if let Meaning::Run(request) = meaning {
                        let _ = check_input(&request, StdinSeen::default());
                    }
                }
            }
        }
    }
}

#[test]
fn a_pinned_version_without_a_file_may_have_options_that_no_file_has() {
    let judged = |version, words: &[&str]| end(Some(version), words, StdinSeen::default(), &home());
    for version in ["9.0.0", "2.1.300"] {
        assert!(matches!(judged(version, &["hi", "--restricted", "--new"]), End::Run(_)));
        assert!(matches!(judged(version, &["hi", "--verbose=x"]), End::Usage(_)));
    }
    assert!(matches!(judged("2.1.197", &["hi", "--restricted"]), End::Usage(_)));
    assert!(matches!(judged("2.1.332", &["hi", "--new"]), End::Usage(_)));
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let same = stderr_of(&["hi", "--model", "opus", "--fallback-model", "opus"]);
    assert!(same.starts_with("Error: Fallback model cannot be the same"), "{same}");
    let both = stderr_of(&["hi", "--system-prompt", "x", "--system-prompt-file", "f"]);
    assert!(both.starts_with("Error: Cannot use both --system-prompt and"), "{both}");
    assert!(request(&["hi", "--system-prompt", ""]).has("--system-prompt"));
    assert_eq!(stderr_of(&["hi", "--tmux"]), "Error: --tmux requires --worktree\n");
}
