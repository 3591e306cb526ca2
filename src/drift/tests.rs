use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::facts::Known;
use super::*;

/// A program that says this version and shows these options. What it shows of commands is claimed
/// of them.
fn program(folder: &Path, version: &str, help: &str) -> PathBuf {
    let path = folder.join("real");
    let facts = Facts::of("claude", None).unwrap();
    let below = facts.commands.iter().filter(|command| !command.path.is_empty()).map(|command| {
        let names = commands_of(command);
        let path = &command.path;
        format!(
            "'{path} --help') printf 'Usage: claude {path}|other [options]\\n\\nOptions:\\n  \
             -h, --help\\n\\n{}';;\n",
            names.replace('\n', "\\n")
        )
    });
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo '{version}';;\n{} *) cat <<'E'\n{help}\nE\n;; \
         esac\n",
        below.collect::<String>()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn commands_of(known: &Known) -> String {
    let names = known.commands.iter().flatten().map(|command| command.names.join("|"));
    format!(
        "Commands:\n{}",
        names.map(|names| format!("  {names} [x]  Words.\n")).collect::<String>()
    )
}

/// A help text with all options and commands that are claimed of claude.
fn claimed_help() -> String {
    let facts = Facts::of("claude", None).unwrap();
    let options = facts.commands[0].options.iter().flatten();
    let lines = options.filter(|option| !option.hidden).map(|option| {
        let head = option.line.split("  ").next().unwrap();
        let choices = option.choices.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
        let choices = match choices.len() {
            0 => String::new(),
            _ => format!("(choices: {})", choices.join(", ")),
        };
        format!("  {head:<50}  Some words. {choices}")
    });
    let options = lines.collect::<Vec<_>>().join("\n");
    format!("Usage: claude\n\nOptions:\n{options}\n\n{}", commands_of(&facts.commands[0]))
}

#[test]
fn a_real_program_as_claimed_shows_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let version = Facts::of("claude", None).unwrap().version;
    let real = program(folder.path(), &format!("{version} (Claude Code)"), &claimed_help());
    let drift = drift_of("claude", &real, None).unwrap();
    assert_eq!(drift.differences, []);
    assert!(drift.to_string().contains("is what the doubles claim"));
}

#[test]
fn what_changed_is_said_and_the_new_data_file_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let help = claimed_help()
        .replace("  --verbose ", "  --chatty [level] ")
        .replace("\"json\", ", "\"yaml\", ")
        .replace("  mcp [x]", "  mcq|m [x]")
        .replace("Options:", "Options:\n  --odd <x y z  what is this");
    let real = program(folder.path(), "9.9.9", &help);
    let drift = drift_of("claude", &real, None).unwrap();
    let text = drift.to_string();
    for wanted in [
        "it is 9.9.9",
        "new option --chatty [level]",
        "--verbose is gone from --help",
        "--output-format takes stream-json, text, yaml, not json, stream-json, text",
        "cannot read this line of --help: --odd <x y z",
        "new command mcq, m",
        "command mcp is gone from --help",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    for wanted in [
        "\n# gone: --verbose\n",
        "\n--chatty [level]\n",
        "\nmcq, m\n\n[texts]",
        "claude` 9.9.9 does",
    ] {
        assert!(drift.update.contains(wanted), "{wanted}");
    }
}

#[test]
fn a_help_text_that_cannot_be_read_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let real = program(folder.path(), "what?", "I have no options.");
    let drift = drift_of("claude", &real, None).unwrap();
    let places: Vec<&str> = drift.differences.iter().map(|d| d.place.as_str()).collect();
    assert_eq!(places, ["--version", "claude"]);
    let help = "Usage: codex [OPTIONS]\n\nOptions:\n  -h, --help\n";
    let real = program(folder.path(), "what?", help);
    let drift = drift_of("codex", &real, None).unwrap();
    let about = "its --help is not about this command, if there still is one";
    let is_other =
        |place: &str| drift.differences.iter().any(|d| d.place == place && d.what == about);
    assert!(is_other("codex exec resume") && is_other("codex mcp list"), "{drift}");
    let drift = drift_of("codex", &real, None).unwrap();
    assert!(drift.differences.len() > 3);
}

#[test]
fn choices_are_read_as_both_parsers_print_them() {
    let text = "Options:\n  -s, --sandbox <MODE>\n          How.\n          \n          [possible values: a, b-c]\n\n      \
        --color <COLOR>\n          Possible values:\n          - always: x\n          - never:  y\n  -h, --help\n";
    let help::Help { options, strange, .. } = help::read(text);
    assert_eq!(strange, Vec::<String>::new());
    let found: Vec<_> = options.iter().map(|o| (o.name(), o.choices.join(","))).collect();
    assert_eq!(
        found,
        [
            ("--sandbox", "a,b-c".into()),
            ("--color", "always,never".into()),
            ("--help", String::new())
        ]
    );
}

#[test]
fn the_shape_of_a_stream_leaves_out_what_differs_from_run_to_run() {
    let one =
        b"{\"type\":\"a\",\"id\":1}\n{\"type\":\"d\",\"t\":\"x\"}\n{\"type\":\"d\",\"t\":\"y\"}\n";
    let two = b"{\"type\":\"a\",\"id\":2}\n{\"type\":\"d\",\"t\":\"z\"}\n";
    assert_eq!(compare(&Shape::of(one), &Shape::of(two)), Vec::<String>::new());
    let three = b"{\"type\":\"a\",\"id\":\"2\",\"more\":[{\"x\":1}]}\n{\"type\":\"e\"}\n";
    assert_eq!(
        compare(&Shape::of(one), &Shape::of(three)),
        [
            "event 2: d was recorded, e comes now",
            "a: .id is string, was number",
            "a: new field .more",
            "a: new field .more[]",
            "a: new field .more[].x",
            "e: a new kind of event",
            "d: no such event any more",
        ]
    );
}
