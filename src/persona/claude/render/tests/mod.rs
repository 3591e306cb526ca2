//! Compares what is rendered with what the real CLI printed, over the whole corpus of captures:
//! the turns of each run are read back from its own events, rendered for the same arguments and
//! stdin, and compared event by event.

mod corpus;
mod flows;
mod shape;

use super::{Format, Outcome, Output, Renderer, Signal, UserLine, exit_after};
use crate::persona::Piece;
use crate::recording::turn::Turn;
use corpus::{Capture, VERSIONS, captures};
use serde_json::Value;
use shape::{differences, essence, name};

/// Runs that turns cannot say, and why. Of the others none may differ, and of these none may not.
const UNLIKE: &[(&str, &str)] = &[
    ("s03_edit_unread_error", "332 adds contentNotInModelContext when the file was never read"),
    ("s04_control_setters", "the control channel's own events, without a turn"),
    ("s04_send_while_busy", "a user line is taken into a running turn"),
    ("s05_i_resume_othercwd", "197 finds no session to resume: no turn"),
    ("s05_m_resume_uppercase", "no session to resume: no turn"),
    ("s06_cut_midstream", "tokens of a message that was cut and sent again"),
    ("s06_cut_midstream_partial", "a message that was cut and sent again"),
    ("s06_empty_content", "an empty answer, and then another one"),
    ("s06_max_tokens", "an answer that is cut once and then completed"),
    ("s06_max_tokens_tool", "332 runs a harmless command without a rule"),
    ("s06_refusal_details", "a refusal that names a category (197) or does not last (332)"),
    ("s06_resume_notuuid", "no session to resume: no turn"),
    ("s06_resume_novalue", "no session to resume: no turn"),
    ("s06_resume_unknown", "no session to resume: no turn"),
    ("s06_sigINT_twice_fg", "197 hears a second SIGINT while it ends by the first"),
    ("s06_sj_big_line_5MB", "332 tries to compact a prompt that is too long"),
    ("s06_stdin_invalid_json_after_ok", "exit code: a broken line on stdin, after the turn"),
    ("s09_ask_user", "332 puts the keys of a question's input in another order"),
    ("s10_setmodel_then_turn", "the control channel's own events, between turns"),
    ("s10_user_priority_now", "a line that pushes the running turn aside"),
    ("s11_should_query_false", "a line that asks for no answer"),
    ("s12_bg_json", "a second result, from a task in the background"),
    ("s12_bg_json_verbose", "a second result, from a task in the background"),
];

/// What `text` runs printed, as turns. The others are known by their one line of output.
const TEXT_RUNS: &[(&str, &str)] = &[
    ("s03_json_schema_text", r#"[{"structured":{"name":"bob"}}]"#),
    ("s03_max_budget_text", r#"[{"stop":"budget","tools":[{"name":"Bash"}]}]"#),
    ("s06_529_then_ok_text", r#"[{"error":"529 Overloaded","text":"ok"}]"#),
    ("s09_refusal_always_text", r#"[{"stop":"refusal","text":"I cannot"}]"#),
    ("s10_text_then_tool_text", r#"[{"tools":[{"name":"Bash","result":"x"}],"text":"final"}]"#),
    ("s12_bg_text", r#"[{"text":"started it"},{"text":"x1"}]"#),
];

#[test]
fn what_is_rendered_has_the_shape_of_what_the_real_cli_printed() {
    let (mut compared, mut wrong, mut unsaid) = (0, Vec::new(), Vec::new());
    let mut excused = std::collections::BTreeSet::new();
    for version in VERSIONS {
        for capture in captures(version) {
            if capture.output() == Output::Text {
                continue;
            }
            let reason = UNLIKE.iter().find(|(run, _)| *run == capture.name);
            match (compare(&capture), reason) {
                (Err(why), _) => unsaid.push(format!("{version} {}: {why}", capture.name)),
                (Ok(found), None) if found.is_empty() => compared += 1,
                (Ok(found), None) => {
                    wrong.push(format!("{version} {}\n  {}", capture.name, found.join("\n  ")));
                }
                (Ok(found), Some((run, _))) if !found.is_empty() => {
                    excused.insert(*run);
                }
                (Ok(_), Some(_)) => compared += 1,
            }
        }
    }
    println!("{compared} runs compared, {} excused, {} beyond turns", excused.len(), unsaid.len());
    println!("{}", unsaid.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if compared > 0 {
        let stale = UNLIKE.iter().filter(|(run, _)| !excused.contains(run)).collect::<Vec<_>>();
        assert!(stale.is_empty(), "excused for nothing: {stale:?}");
    }
}

#[test]
fn text_runs_print_what_the_real_cli_printed() {
    let mut compared = 0;
    for version in VERSIONS {
        let runs = captures(version);
        for capture in runs.iter().filter(|run| run.output() == Output::Text && prints_text(run)) {
            let written = TEXT_RUNS.iter().find(|(run, _)| *run == capture.name);
            let turns = match written {
                Some((_, turns)) => serde_json::from_str(turns).unwrap(),
                None => {
                    let key = if capture.exit_code == Some(0) { "text" } else { "fail" };
                    vec![serde_json::json!({ key: capture.stdout.trim_end() })]
                }
            };
            let (text, code) = play(capture, &parse(turns));
            let (real, ours) = (without_ids(&capture.stdout), without_ids(&text));
            assert_eq!(real, ours, "{version} {}", capture.name);
            assert_eq!(capture.exit_code, Some(i64::from(code)), "{version} {}", capture.name);
            compared += 1;
        }
    }
    println!("{compared} text runs compared");
}

#[test]
fn recorded_streams_make_the_other_formats_too() {
    for version in VERSIONS {
        for capture in captures(version) {
            let ended = capture.events().iter().any(|event| event["type"] == "result");
            if capture.output() != Output::StreamJson || !ended {
                continue;
            }
            let real = capture.events();
            let result = real.iter().rfind(|event| event["type"] == "result").unwrap();
            let mut one: Value =
                serde_json::from_str(&through(&capture, Output::Json, false)).unwrap();
            let list: Vec<Value> =
                serde_json::from_str(&through(&capture, Output::Json, true)).unwrap();
            let listed = list.iter().rfind(|event| event["type"] == "result");
            assert_eq!(Some(&one), listed, "{version} {}", capture.name);
            for key in ["begun_message_ids", "model_usage_since_last_result"] {
                if let Some(value) = result.get(key) {
                    one[key] = value.clone();
                }
            }
            assert_eq!(&one, result, "{version} {}", capture.name);
            let line = capture.stdout.lines().rfind(|line| line.contains("\"type\":\"result\""));
            let code = exit_after(line.unwrap().as_bytes());
            assert_eq!(code, u8::from(result["is_error"] == true));
            let text = through(&capture, Output::Text, false);
            if let Some(answer) = result["result"].as_str() {
                let end = if answer.ends_with('\n') { "" } else { "\n" };
                assert!(text.ends_with(&format!("{answer}{end}")), "{version} {}", capture.name);
            }
        }
    }
}

/// A recorded stream in another format.
fn through(capture: &Capture, output: Output, verbose: bool) -> String {
    let mut format = Format::new(output, verbose, capture.version);
    for line in capture.stdout.lines() {
        assert!(format.line(line.as_bytes()).is_empty());
    }
    String::from_utf8(format.end()).unwrap()
}

/// Where a run, rendered from its own turns, differs from what was printed; or why turns cannot
/// say it.
fn compare(capture: &Capture) -> Result<Vec<String>, String> {
    let real = corpus::without_preambles(capture.events());
    let turns = corpus::turns(&real)?;
    let (text, code) = play(capture, &parse(turns));
    let ours = corpus::events(&text);
    let (real, ours) = (essence(real), essence(ours));
    let (real_names, our_names): (Vec<_>, Vec<_>) =
        (real.iter().map(name).collect(), ours.iter().map(name).collect());
    let mut found = Vec::new();
    if real_names == our_names {
        let pairs = real.iter().zip(&ours);
        found.extend(pairs.flat_map(|(real, ours)| {
            differences(real, ours, name(real).trim_start_matches("system "))
        }));
    } else {
        found.push(format!("events {real_names:?}\n    ours {our_names:?}"));
    }
    if capture.exit_code.is_some_and(|exit| exit != i64::from(code)) {
        found.push(format!("exit code {:?}, ours {code}", capture.exit_code));
    }
    Ok(found)
}

/// Plays a run's turns to the renderer as an engine would, with the run's own stdin.
fn play(capture: &Capture, turns: &[Turn]) -> (String, u8) {
    let mut renderer = Renderer::new(capture.spawn());
    let lines: Vec<String> = capture.stdin.iter().map(Value::to_string).collect();
    let mut users = lines.iter().filter_map(|line| UserLine::parse(line));
    let mut answers = lines.iter().filter(|line| line.contains("\"control_response\""));
    let interrupts = lines.iter().any(|line| {
        line.contains("\"subtype\":\"interrupt\"") || line.contains("\"subtype\":\"end_session\"")
    });
    let (mut out, mut signalled) = (Vec::new(), None);
    for turn in turns {
        let user = users.next().unwrap_or_else(|| UserLine::prompt("hi"));
        let mut pieces = renderer.turn(turn, Some(&user));
        while let Some(last) = pieces.pop() {
            out.append(&mut pieces);
            pieces = match last {
                Piece::Ask { line, .. } => {
                    out.push(Piece::Out(line));
                    match answers.next() {
                        Some(answer) => renderer.answered(&Outcome::parse(answer)),
                        None if interrupts => {
                            out.extend(renderer.withdrawn().map(Piece::Out));
                            renderer.interrupted()
                        }
                        None => renderer.answered(&Outcome::Closed),
                    }
                }
                Piece::AwaitInterrupt if interrupts => renderer.interrupted(),
                Piece::AwaitInterrupt => {
                    // A run without an exit code died where it stood.
                    let ended = signal(capture).map(|signal| renderer.signalled(signal));
                    let (pieces, code) = ended.unwrap_or_default();
                    signalled = Some(code);
                    pieces
                }
                other => {
                    out.push(other);
                    break;
                }
            };
        }
    }
    if signalled.is_none() && capture.exit_code == Some(143) {
        signalled = Some(renderer.signalled(Signal::Term).1);
    }
    if signalled.is_none() {
        out.extend(renderer.end());
    }
    let bytes = out.into_iter().flat_map(|piece| match piece {
        Piece::Out(bytes) => bytes,
        other => panic!("unexpected {other:?}"),
    });
    let text = String::from_utf8(bytes.collect()).unwrap();
    (text, signalled.unwrap_or_else(|| renderer.exit_code()))
}

/// The signal that ended a run.
fn signal(capture: &Capture) -> Option<Signal> {
    match capture.exit_code? {
        143 => Some(Signal::Term),
        129 => Some(Signal::Hup),
        _ => Some(Signal::Int),
    }
}

/// Turns from what a capture shows of them.
fn parse(turns: Vec<Value>) -> Vec<Turn> {
    let parse = |mut turn: Value| {
        let tools = turn.get_mut("tools").and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten() {
            if tool["result"].is_null() && !tool["denial"].is_null() {
                tool["result"] = tool["denial"].clone();
            }
            let known = ["name", "input", "result", "is_error", "ask"];
            let tool = tool.as_object_mut().unwrap();
            tool.retain(|key, value| known.contains(&key.as_str()) && !value.is_null());
        }
        serde_json::from_str(&turn.to_string()).unwrap()
    };
    turns.into_iter().map(parse).collect()
}

/// Whether a text run printed a model's answer, and not a probe's or a shell's.
fn prints_text(capture: &Capture) -> bool {
    let prompted = capture.argv.first().is_some_and(|first| first == "-p");
    let probes = capture.argv.iter().any(|word| word == "--version" || word == "--help");
    prompted && !probes && capture.exit_code.is_some() && !capture.name.contains("debug_to_stderr")
}

/// Ids differ from run to run.
fn without_ids(text: &str) -> String {
    let words = text.split_inclusive(['\n', ' ']).map(|word| {
        let is_id = word.starts_with("req_") || word.starts_with("msg_");
        if is_id { "<id>\n" } else { word }
    });
    words.collect()
}
