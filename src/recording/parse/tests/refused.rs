//! Steps that are refused, and what the messages say.

use super::*;

#[test]
fn a_step_has_exactly_one_verb_that_is_known() {
    assert_eq!(refused(r#"{"outt":1}"#), r#"line 7: unknown verb "outt"; did you mean "out"?"#);
    assert_eq!(refused(r#"{"OUT":1}"#), r#"line 7: unknown verb "OUT"; did you mean "out"?"#);
    let text = refused(r#"{"stdout":"x"}"#);
    assert!(
        text.starts_with(r#"line 7: unknown verb "stdout"; the verbs are `out`, `err`"#),
        "{text}"
    );
    assert!(refused("{}").starts_with("line 7: a step without a verb; the verbs are"));
    assert!(refused(r#"{"note":"x","at":5}"#).contains("without a verb"));
    for line in [r#"{"ringer":1}"#, r#"{"":""}"#] {
        assert!(refused(line).contains("unknown verb"), "{line}");
    }
    assert_eq!(
        refused(r#"{"exit":0,"out":"a"}"#),
        "line 7: two verbs in one step, `exit` and `out`; one step does one thing"
    );
    assert_eq!(refused(r#"{"out":1,"out":2}"#), "line 7: `out` stands twice");
}

#[test]
fn a_key_that_does_not_go_with_the_verb_is_refused() {
    assert_eq!(
        refused(r#"{"out":"x","spilt":[1]}"#),
        r#"line 7: unknown key "spilt" beside `out`; did you mean "split"?"#
    );
    assert_eq!(
        refused(r#"{"exit":0,"more":true}"#),
        r#"line 7: unknown key "more" beside `exit`; it may have `at`, `note`, `order`"#
    );
    let lines = [
        r#"{"out":"x","steps":[]}"#,
        r#"{"in":"line","split":[1]}"#,
        r#"{"on_signal":"TERM","cases":[]}"#,
        r#"{"repeat":{"times":1,"steps":[],"x":1}}"#,
        r#"{"in":"line","cases":[{"match":"eof","steps":[],"at":1}]}"#,
        r#"{"file":{"remove":"a","text":"b"}}"#,
        r#"{"turn":{"texts":"b"}}"#,
    ];
    lines.into_iter().for_each(|line| drop(refused(line)));
}

#[test]
fn wrong_types_and_ranges_are_refused_by_key_and_value() {
    assert_eq!(
        refused(r#"{"exit":"5"}"#),
        r#"line 7: `exit` wants a whole number from 0 to 255, not "5""#
    );
    assert_eq!(
        refused(r#"{"close":"stdfoo"}"#),
        r#"line 7: `close` wants "stdin" or "stdout" or "stderr", not "stdfoo""#
    );
    let wrong = [
        5.to_string(),
        "\"soon\"".into(),
        "[1]".into(),
        "{}".into(),
        "null".into(),
        "true".into(),
        "[[]]".into(),
        "{\"a\":1}".into(),
    ];
    let verbs: [(&str, &[usize]); 15] = [
        ("exit", &[0]),
        ("wait_ms", &[0]),
        ("signal", &[]),
        ("close", &[]),
        ("out_base64", &[1]),
        ("out_file", &[1]),
        ("out_fill", &[]),
        ("err_fill", &[]),
        ("repeat", &[]),
        ("child", &[]),
        ("on_signal", &[]),
        ("file", &[]),
        ("turn", &[3]),
        ("hang", &[5]),
        ("in", &[3, 7]),
    ];
    for (verb, fine) in verbs {
        for (n, value) in wrong.iter().enumerate().filter(|(n, _)| !fine.contains(n)) {
            assert!(
                refused(&format!("{{\"{verb}\":{value}}}")).contains(verb),
                "{verb} {value} {n}"
            );
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let huge = format!("1{}", "0".repeat(5000));
    let numbers = [
        "1e999",
        "-1e999",
        "123456789012345678901234567890",
        "-1",
        "-256",
        "-1.5",
        "18446744073709551616",
        &huge,
    ];
    for number in numbers {
        for verb in ["exit", "wait_ms"] {
            refused(&format!("{{\"{verb}\":{number}}}"));
        }
        refused(&format!("{{\"out\":\"x\",\"at\":{number}}}"));
    }
    for number in ["1.5", "256", "1e-400", "1e2", "5.0", "-0"] {
        refused(&format!("{{\"exit\":{number}}}"));
    }
}

#[test]
fn wrong_values_inside_are_refused() {
    let lines = [
        r####"{"out_base64":"###"}"####,
        r#"{"out_base64":"abc"}"#,
        r#"{"signal":"NOSUCH"}"#,
        r#"{"out_fill":{"times":3}}"#,
        r#"{"out_fill":{"text":5,"times":3}}"#,
        r#"{"out_fill":{"text":"x","times":-1}}"#,
        r#"{"out_fill":{"text":"x","times":"many"}}"#,
        r#"{"out_fill":{"text":"xx","times":18446744073709551615}}"#,
        r#"{"repeat":{"times":"often","steps":[]}}"#,
        r#"{"repeat":{"times":2,"steps":{}}}"#,
        r#"{"repeat":{"times":2,"steps":[{"nope":1}]}}"#,
        r#"{"repeat":{"steps":[]}}"#,
        r#"{"repeat":{"times":"forever","steps":[]}}"#,
        r#"{"repeat":{"times":2}}"#,
        r#"{"on_signal":"NOPE","steps":[]}"#,
        r#"{"on_signal":"TERM","steps":5}"#,
        r#"{"on_signal":"KILL"}"#,
        r#"{"on_signal":"STOP"}"#,
        r#"{"signal":"CONT"}"#,
        r#"{"signal":"SIGTERM"}"#,
        r#"{"file":{"shred":"x"}}"#,
        r#"{"file":{"write":5,"text":"x"}}"#,
        r#"{"file":{"write":"x","text":5}}"#,
        r#"{"file":{"write":"x"}}"#,
        r#"{"file":{"write":"x","append":"y","text":""}}"#,
        r#"{"file":{"write":"x","text":"a","base64":""}}"#,
        r#"{"file":{"write":"../x","text":""}}"#,
        r#"{"child":{"hold":["nothing"],"steps":[]}}"#,
        r#"{"child":{"hold":"stdout","steps":5}}"#,
        r#"{"child":{"hold":["stdout"]}}"#,
        r#"{"child":{"steps":[{"repeat":{"times":1,"steps":[{"turn":{}}]}}]}}"#,
        r#"{"out":"x","split":"no"}"#,
        r#"{"out":"x","split":[-1]}"#,
        r#"{"out":"x","split":[0]}"#,
        r#"{"out":"x","split":[5,5]}"#,
        r#"{"out":"x","split":[5,4]}"#,
        r#"{"out":"x","at":"later"}"#,
        r#"{"out":"x","at":null}"#,
        r#"{"out":"x","gap_ms":"long"}"#,
        r#"{"out":"x","more":"yes"}"#,
        r#"{"in":"lines"}"#,
        r#"{"in":{"bytes":-1}}"#,
        r#"{"in":{"bytes":"x"}}"#,
        r#"{"in":"line","timeout_ms":"x"}"#,
        r#"{"in":"line","timeout_ms":1,"on_timeout":5}"#,
        r#"{"in":"line","on_timeout":[]}"#,
        r#"{"in":"line","cases":5}"#,
        r#"{"in":"line","cases":[5]}"#,
        r#"{"in":"line","cases":[{"steps":[]}]}"#,
        r#"{"in":"line","as":""}"#,
        r#"{"in":"line","cases":[{"match":{"bytes":3},"steps":[]}]}"#,
        r#"{"repeat":{"until":{"bytes":3},"steps":[]}}"#,
        r#"{"hang":false}"#,
        r#"{"turn":{"text":{}}}"#,
        r#"{"turn":{"text":[1]}}"#,
        r#"{"turn":{"tools":5}}"#,
        r#"{"turn":{"stop":"never"}}"#,
        r#"{"turn":[[]]}"#,
        r#"{"turn":{"tools":[["Bash"]]}}"#,
        r#"{"turn":{"usage":[1]}}"#,
        r#"{"turn":{"items":[1]}}"#,
        r#"{"turn":{"fail":"x","stop":"interrupted"}}"#,
        r#"{"turn":{"empty":true,"text":"x"}}"#,
        r#"{"turn":{"empty":true,"structured":1}}"#,
        r#"{"turn":{"fail":null}}"#,
        r#"{"turn":{"tools":[{"name":"a","input":[1]}]}}"#,
        r#"{"turn":{"tools":[{"name":"a","result":null}]}}"#,
        r#"{"turn":{"chunk":0}}"#,
        r#"{"turn":{"usage":{"input":1,"cached_input":2}}}"#,
        r#"{"turn":{"text":"a","text":"b"}}"#,
        r#"{"out":"\ud800"}"#,
        r#"{"on_signal":"INT","steps":[{"exit":1},{"out":"x"}]}"#,
    ];
    for line in lines {
        assert!(refused(line).len() < 600, "{line}");
    }
}

#[test]
fn a_nested_mistake_says_where_it_is() {
    assert_eq!(
        refused(r#"{"on_signal":"TERM","steps":[{"out":"x"},{"exit":1000}]}"#),
        "line 7: step 2 of `steps`: `exit` wants a whole number from 0 to 255, not 1000"
    );
}

#[test]
fn what_is_not_json_is_refused() {
    let lines = [
        "{'out': 'x'}",
        r#"{out: "x"}"#,
        r#"{"out": "x"} {"out": "y"}"#,
        r#"{"out": "x"},"#,
        "// a comment",
        "{\"out\": \"tab\there\"}",
        r#"{"exit": 01}"#,
        r#"{"exit": NaN}"#,
        r#"{"wait_ms": Infinity}"#,
        r#"{"out": "\x41"}"#,
        r#"{"out": "\u12"}"#,
        r#"{"out": .5}"#,
        r#"{"exit": +1}"#,
        r#"{"exit": 0x10}"#,
        "\u{feff}{\"out\": \"x\"}",
        "out: x",
        r#"{"out": "x"}}"#,
        r#"{"out" "x"}"#,
        r#"{"out":}"#,
        r#"{"out": "x" /* c */}"#,
        "{\"out\": \"a\0b\"}",
        "\0\0\0",
        "{\"out\": \"x\"}\0",
        "{\"out\"\0: \"x\"}",
        "\0{\"out\": \"x\"}",
        "{\"exit\": 1\0}",
        r#"{"note":"\x","exit":1}"#,
    ];
    for line in lines {
        assert!(refused(line).contains("not JSON"), "{line:?}");
    }
    for line in ["[]", "null", "42", "\"out\"", "true", r#"[{"out": "x"}]"#] {
        assert!(refused(line).contains("a step is an object"), "{line}");
    }
    assert_eq!(
        refused("{\"out\": \"x\""),
        concat!(
            "line 7: not JSON: EOF while parsing an object at column 11: ",
            "{\"out\": \"x\"; a step stands on one line"
        )
    );
}

#[test]
fn every_beginning_of_a_good_line_is_refused() {
    let lines = [
        r#"{"out": {"a": [1, 2, {"b": "ccc"}]}}"#,
        r#"{"exit": 123}"#,
        r#"{"file": {"write": "a", "text": "b"}}"#,
        r#"{"in": {"type": "user"}}"#,
        r#"{"repeat": {"times": 3, "steps": [{"out": "x"}]}}"#,
        r#"{"turn": {"tools": [{"name": "Bash", "ask": true}], "usage": {"input": 3}}}"#,
    ];
    for line in lines {
        parsed(line);
        (0..line.len()).for_each(|end| drop(refused(&line[..end])));
    }
}

#[test]
fn no_nesting_exhausts_the_stack() {
    let open = |text: &str| text.repeat(100_000);
    let closed = |a: &str, b: &str| format!("{}1{}", a.repeat(100_000), b.repeat(100_000));
    let values = [open("["), open("{\"a\":"), closed("[", "]"), closed("{\"a\":", "}")];
    for verb in VERBS.iter().filter(|verb| !["out", "err", "reply"].contains(verb)) {
        for value in &values {
            refused(&format!("{{\"{verb}\":{value}}}"));
        }
    }
    for value in &values {
        refused(value);
        for key in ["split", "at", "more", "gap_ms"] {
            refused(&format!("{{\"out\":1,\"{key}\":{value}}}"));
        }
        for key in ["text", "tools", "items", "usage", "structured", "nope"] {
            // A structured output is the author's, however deep.
            drop(Step::parse(&format!("{{\"turn\":{{\"{key}\":{value}}}}}"), 7));
        }
    }
    let steps = [
        r#"{"repeat":{"times":1,"steps":["#,
        r#"{"on_signal":"HUP","steps":["#,
        r#"{"in":"line","on_eof":["#,
    ];
    for open in steps {
        let close = if open.contains("repeat") { "]}}" } else { "]}" };
        let nested = |depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
        assert!(refused(&nested(1000)).contains("deeper than 64 levels"));
        parsed(&nested(64));
        refused(&nested(65));
    }
    let cases = [r#"{"in":"line","cases":[{"match":"line","steps":["#, "]}]}"];
    refused(&format!("{}{}", cases[0].repeat(1000), cases[1].repeat(1000)));
}

#[test]
fn messages_about_gigantic_lines_stay_short() {
    let size = 1_000_000;
    let lines = [
        format!("{{\"out\": \"{}", "y".repeat(size)),
        format!("{{\"abc\": \"{}\"}}", "z".repeat(size)),
        "w".repeat(size),
        format!("{{\"exit\": {}}}", "9".repeat(size)),
        format!("{{\"wait_ms\": {}}}", "9".repeat(size)),
        format!("{{\"{}\": 1}}", "k".repeat(size)),
        format!("{{\"turn\": {{\"stop\": \"{}\"}}}}", "s".repeat(size)),
        format!("{{\"signal\": \"{}\"}}", "S".repeat(size)),
        format!("{{\"in\": \"{}\"}}", "é".repeat(size)),
        format!("{{\"out_base64\": \"{}!\"}}", "A".repeat(size)),
        format!("{{\"file\": {{\"write\": \"/{}\", \"text\": \"\"}}}}", "p".repeat(size)),
        "{\"a\":1,".repeat(size / 7),
        format!("{{\"out\":1{}}}", ",\"more\":true".repeat(size / 12)),
    ];
    for line in lines {
        let text = refused(&line);
        assert!(text.len() < 1000, "{} bytes: {}", text.len(), &text[..300]);
    }
}
