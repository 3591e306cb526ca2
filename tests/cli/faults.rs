use crate::scene::{DONE, Scene, same};

/// A recording that plays for spawns with a word among their arguments.
fn only_for(word: &str) -> String {
    format!(
        "{{\"ringer\":1,\"when\":{{\"argv_regex\":\"{word}\"}}}}\n{{\"out\":\"All done.\\n\"}}\n"
    )
}

/// A recording that writes a line and then hangs.
const HANGS: &str = "{\"ringer\":1}\n{\"out\":\"Working.\\n\"}\n{\"hang\":true}\n";

#[test]
fn spawned_too_often_is_named_with_each_spawn_that_got_nothing() {
    let said = Scene::with_claude(1).run("claude -p one; claude -p two; claude -p three; true");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: not as recorded: 3 spawns, 1 of 1 recording played, 2 problems
  1  claude -p one    claude/01.jsonl  exit 0
  2  claude -p two    (refused)        exit 97
  3  claude -p three  (refused)        exit 97
ringer: problem in spawn 2 (`claude -p two`): exhausted
  no recording is left for `claude -p two`
    1 of 1 played, the last at [time], in [root]/rec/claude
    the program under test started claude once more than was recorded, or otherwise than was recorded; what it did is kept by `ringer run --keep ...`, or by `--state DIR`
    the next `ringer run` plays from the start again
ringer: problem in spawn 3 (`claude -p three`): exhausted
  no recording is left for `claude -p three`
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn the_wrong_order_is_noted_with_the_two_spawns() {
    let scene = Scene::new()
        .file("rec/claude/01-plan.jsonl", &only_for("plan"))
        .file("rec/claude/02-build.jsonl", &only_for("build"));
    let said = scene.run("claude -p 'build it'; claude -p 'plan it'");
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 2 spawns, 2 of 2 recordings played
  1  claude -p \"build it\"  claude/02-build.jsonl  exit 0
  2  claude -p \"plan it\"   claude/01-plan.jsonl   exit 0
ringer: note: the recordings were not played in their order: claude/02-build.jsonl by spawn 1 (`claude -p \"build it\"`), and only then claude/01-plan.jsonl by spawn 2 (`claude -p \"plan it\"`)
",
    );
}

#[test]
fn no_spawn_at_all_is_said_first_with_what_to_give_to_clients_that_do_not_look_at_path() {
    let scene = Scene::with_claude(1).file("rec/codex/01.jsonl", "{}\n");
    let said = scene.run("true");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: no double was started at all, so nothing was played
  Either the test never came to start claude or codex, or it started the real program instead
  of the double, since many clients do not look at PATH. What to give to these:
    Python claude-agent-sdk            ClaudeAgentOptions(cli_path=\"[stage]/claude\")
    JS @anthropic-ai/claude-agent-sdk  pathToClaudeCodeExecutable: \"[stage]/claude\"
    JS @openai/codex-sdk               new Codex({ codexPathOverride: \"[stage]/codex\" })
    Python openai-codex                CodexConfig(codex_bin=\"[stage]/codex\")
    npx, absolute paths, a PATH reset  [stage]/claude or [stage]/codex
  Each run has a stage of its own: take the path from PATH, as `command -v claude` does,
  or make a stage that stays: ringer stage DIR --recordings R
ringer: 2 recordings not played:
  rec/claude/01.jsonl
  rec/codex/01.jsonl
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn a_double_that_was_killed_is_noted_with_what_it_was_doing() {
    let scene = Scene::new().file("rec/claude/01.jsonl", HANGS).file("rec/claude/02.jsonl", HANGS);
    let killed = |signal: &str, name: &str| {
        // It is killed once it has said in the journal that it hangs.
        format!(
            "claude -p {name} & until ringer status | grep -q 'running.*waits for'; do sleep 0.02; \
             done; kill -{signal} $!; wait"
        )
    };
    let said = scene.run(&format!("{}; {}; true", killed("KILL", "a"), killed("TERM", "b")));
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 2 spawns, 2 of 2 recordings played
  1  claude -p a  claude/01.jsonl  killed
  2  claude -p b  claude/02.jsonl  exit 143
ringer: note on spawn 1: it was killed (SIGKILL) while it waited for a signal (the recording hangs here)
ringer: note on spawn 2: it was ended from outside, by SIGTERM after [ms] ms, with 1 line of stdout written
",
    );
}

#[test]
fn a_wait_for_stdin_that_was_left_open_is_noted() {
    let said = Scene::with_claude(1).run("sleep 2.2 | claude -p hi");
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 1 spawn, 1 of 1 recording played
  1  claude -p hi  claude/01.jsonl  exit 0
ringer: note on spawn 1: it waited [s] s for stdin, as the real claude does when stdin is left open; close it, or start it with stdin from /dev/null
",
    );
}

#[test]
fn a_double_that_still_runs_is_noted_with_what_it_waits_for() {
    let said = Scene::with_claude(1).run(
        "mkfifo open; exec 3<>open; claude -p hi <&3 & \
         until ringer status | grep -q 'waits for'; do sleep 0.02; done",
    );
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 1 spawn, 1 of 1 recording played
  1  claude -p hi  claude/01.jsonl  running
ringer: note on spawn 1: it still runs (pid [pid]) and waits for the end of stdin
ringer: kept the stage [stage], since doubles still use it
ringer: to look closer: ringer journal [stage]/state
",
    );
}

#[test]
fn an_option_that_the_pinned_version_does_not_have_is_named_and_its_recording_is_left() {
    let scene = Scene::with_claude(1).file("rec/ringer.toml", "[claude]\nversion = \"2.1.332\"\n");
    let said = scene.run("claude -p hi --zzz-nonsense; true");
    assert_eq!(said.code, Some(1));
    same(
        &said.stderr,
        "\
error: unknown option '--zzz-nonsense'
ringer: not as recorded: 1 spawn, 0 of 1 recording played
  1  claude -p hi --zzz-nonsense  (usage error)  exit 1
ringer: 1 recording not played:
  rec/claude/01.jsonl
  The test started the program less often than was recorded, or in another way; if that is intended: --allow-unused
ringer: note on spawn 1: the real claude refuses these arguments or this input with exit code 1; the double did the same, and its stderr has the real text
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn an_option_that_no_known_version_has_is_a_problem_where_none_is_pinned() {
    let said = Scene::with_claude(1).run("claude -p hi --zzz-nonsense; true");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: not as recorded: 1 spawn, 1 of 1 recording played, 1 problem
  1  claude -p hi --zzz-nonsense  claude/01.jsonl  exit 0
ringer: problem in spawn 1 (`claude -p hi --zzz-nonsense`): unknown_option
  no known version has the option --zzz-nonsense; pin a version in ringer.toml to have it refused, or set RINGER_ARGS=lax to let any argument pass
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn two_tests_that_share_a_state_are_told_from_each_other_by_who_started_the_doubles() {
    let scene =
        Scene::with_claude(2).script("one.sh", "#!/bin/sh\nclaude -p one; claude -p two; true\n");
    let said = scene.run("./one.sh; ./one.sh");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: not as recorded: 4 spawns, 2 of 2 recordings played, 2 problems
  1  claude -p one  claude/01.jsonl  exit 0
  2  claude -p two  claude/02.jsonl  exit 0
  3  claude -p one  (refused)        exit 97
  4  claude -p two  (refused)        exit 97
ringer: problem in spawn 3 (`claude -p one`): exhausted
  no recording is left for `claude -p one`
    2 of 2 played, the last at [time], in [root]/rec/claude
    the program under test started claude once more than was recorded, or otherwise than was recorded; what it did is kept by `ringer run --keep ...`, or by `--state DIR`
    the next `ringer run` plays from the start again
ringer: problem in spawn 4 (`claude -p two`): exhausted
  no recording is left for `claude -p two`
ringer: note: the doubles were started by 2 processes:
    pid [pid]: spawns 1 and 2
    pid [pid]: spawns 3 and 4
  if these are different tests, they share a state directory; give each its own RINGER_STATE
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn two_recording_directories_in_one_state_are_noted() {
    let scene = Scene::with_claude(1).file("other/codex/01.jsonl", DONE);
    let said = scene.run("claude -p one; RINGER_RECORDINGS=other codex exec two");
    assert_eq!(said.code, Some(0));
    same(
        said.verdict(),
        "\
ringer: as recorded: 2 spawns, 2 of 2 recordings played
  1  claude -p one   claude/01.jsonl  exit 0
  2  codex exec two  codex/01.jsonl   exit 0
ringer: note: recordings of 2 directories were played into one state directory:
    other: spawn 2
    rec: spawn 1
  if these are different tests, give each its own RINGER_STATE
",
    );
}

#[test]
fn a_recording_directory_that_is_not_there_is_named() {
    let said = Scene::new().ringer(&["run", "nowhere", "--", "claude", "-p", "hi"]);
    assert_eq!(said.code, Some(97));
    same(
        &said.stderr,
        "\
ringer: [root]/nowhere: there is no such recording directory; it holds the recordings, either *.jsonl or a folder for each program, such as claude/01.jsonl
",
    );
}

#[test]
fn a_recording_that_is_broken_is_named_with_its_line() {
    let scene = Scene::new()
        .file("rec/claude/01.jsonl", "{\"ringer\":1}\n{\"out\":\"x\"}\n{\"owt\":\"x\"}\n");
    let said = scene.run("claude -p hi; true");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: not as recorded: 1 spawn, 1 of 1 recording played, 1 problem
  1  claude -p hi  claude/01.jsonl  exit 97
ringer: problem in spawn 1 (`claude -p hi`): unreadable
  [root]/rec/claude/01.jsonl: line 3: unknown verb \"owt\"; did you mean \"out\"?
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}

#[test]
fn a_real_program_that_was_started_instead_is_suspected_for_the_persona_that_never_came() {
    let scene = Scene::with_claude(1)
        .file("rec/codex/01.jsonl", "{}\n")
        .script("bin/claude", "#!/bin/sh\necho real\n");
    let said = scene.run("./bin/claude -p hi; codex exec hi");
    assert_eq!(said.code, Some(1));
    same(
        said.verdict(),
        "\
ringer: not as recorded: 1 spawn, 1 of 2 recordings played
  1  codex exec hi  codex/01.jsonl  exit 0
ringer: 1 recording not played:
  rec/claude/01.jsonl
  No double of claude was started. If the test did start it, it was the real program instead
  of the double, since many clients do not look at PATH. What to give to these:
    Python claude-agent-sdk            ClaudeAgentOptions(cli_path=\"[stage]/claude\")
    JS @anthropic-ai/claude-agent-sdk  pathToClaudeCodeExecutable: \"[stage]/claude\"
    npx, absolute paths, a PATH reset  [stage]/claude
  Each run has a stage of its own: take the path from PATH, as `command -v claude` does,
  or make a stage that stays: ringer stage DIR --recordings R
ringer: to look closer, run it again with its journal kept: ringer run --keep ...
ringer: exit 1 for the above; the command itself ended with 0
",
    );
}
