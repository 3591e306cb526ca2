use super::super::redact::{Numbers, People};
use super::*;

const KEY: &str = "zq-secret-value-77";

struct Scene {
    folder: tempfile::TempDir,
    tape: Tape,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let env = [("API_KEY", KEY)];
        let redactor =
            Redactor::new(env.into_iter(), People::default(), Vec::new(), Numbers::default());
        let partial = Partial::next_in(folder.path()).unwrap();
        Scene { tape: Tape::new(partial, redactor, "{}", &[]), folder }
    }

    fn take(&mut self, stream: Stream, text: &str, at: f64) {
        self.tape.take(stream, text.as_bytes(), Mark::at(at));
    }

    fn on_disk(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join(".01.jsonl.partial")).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    fn ended(self) -> Vec<String> {
        let Scene { folder, tape } = self;
        let Taped { lines: partial, .. } = tape.end(Some(&Exit::Code(0)), Mark::at(99.0));
        partial.finish("{}", false).unwrap();
        let text = std::fs::read_to_string(folder.path().join("01.jsonl")).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    }
}

#[test]
fn the_order_of_the_streams_is_kept_and_an_unfinished_line_is_held_back() {
    let mut scene = Scene::new();
    scene.take(Stream::Out, "{\"a\":1}\nhal", 1.0);
    assert_eq!(scene.on_disk(), [r#"{"at":1,"out":{"a":1}}"#]);
    scene.take(Stream::Err, "warning\n", 2.0);
    assert_eq!(scene.on_disk().len(), 1);
    scene.take(Stream::Out, "f\n", 3.0);
    assert_eq!(
        scene.ended()[1..],
        [
            r#"{"at":1,"out":"hal"}"#,
            r#"{"at":2,"err":"warning\n"}"#,
            r#"{"at":3,"out":"f\n"}"#,
            r#"{"at":99,"exit":0}"#
        ]
    );
}

#[test]
fn a_secret_split_over_writes_and_streams_is_replaced() {
    let mut scene = Scene::new();
    scene.take(Stream::Out, &format!("it is {}", &KEY[..5]), 1.0);
    scene.take(Stream::Err, "between\n", 2.0);
    scene.take(Stream::Out, &KEY[5..9], 30.0);
    scene.take(Stream::Out, &format!("{} so\n", &KEY[9..]), 60.0);
    let lines = scene.ended();
    assert_eq!(lines[0], r#"{"at":1,"out":"it is redacted-API_KEY"}"#);
    assert_eq!(lines[1], r#"{"at":2,"err":"between\n"}"#);
    assert_eq!(lines[2], r#"{"at":60,"out":" so\n"}"#);
}

#[test]
fn bytes_that_a_pipe_cut_up_are_one_write_again() {
    let mut scene = Scene::new();
    for part in ["{\"a\":", "\"", "x\"}\n"] {
        scene.take(Stream::Out, part, 1.0);
    }
    assert_eq!(scene.ended()[0], r#"{"at":1,"out":{"a":"x"}}"#);
}

#[test]
fn plain_input_is_one_gate_and_only_if_something_came_before_its_end() {
    let mut scene = Scene::new();
    scene.take(Stream::In, "one\ntwo\n", 1.0);
    scene.take(Stream::Out, "x\n", 2.0);
    scene.take(Stream::In, "three\nfour", 3.0);
    scene.tape.input_ended(Mark::at(4.0));
    scene.take(Stream::Out, "y\n", 5.0);
    assert_eq!(
        scene.ended()[..4],
        [
            r#"{"at":1,"in":"line"}"#,
            r#"{"at":2,"out":"x\n"}"#,
            r#"{"at":4,"in":"eof","note":"one\ntwo\nthree\nfour"}"#,
            r#"{"at":5,"out":"y\n"}"#
        ]
    );
}

#[test]
fn what_follows_a_signal_is_the_answer_to_it_and_a_descendant_goes_on() {
    let mut scene = Scene::new();
    scene.take(Stream::Out, "a\n", 1.0);
    scene.tape.signal("TERM");
    scene.take(Stream::Out, "b\n", 2.0);
    scene.tape.descendant(vec!["stdout"]);
    scene.take(Stream::Out, "c\n", 3.0);
    let lines = scene.ended();
    assert_eq!(
        lines[1..],
        [
            concat!(
                r#"{"on_signal":"TERM","steps":[{"at":2,"out":"b\n"},"#,
                r#"{"child":{"hold":["stdout"],"steps":[{"at":3,"out":"c\n"}]}},{"at":99,"exit":0}]}"#
            ),
            r#"{"hang":true}"#
        ]
    );
    for line in &lines {
        crate::recording::Step::parse(line, 1).unwrap();
    }
}

#[test]
fn a_frame_that_comes_in_parts_is_one_frame_and_holds_nothing_back() {
    let mut scene = Scene::new();
    scene.take(Stream::In, "{\"type\":\"us", 1.0);
    scene.take(Stream::Out, "{\"a\":1}\n", 50.0);
    assert_eq!(scene.on_disk(), [r#"{"at":50,"out":{"a":1}}"#]);
    scene.take(Stream::In, "er\"}\n", 90.0);
    assert!(scene.tape.gates.claimed);
    let step = r#"{"at":90,"in":{"type":"user"},"note":{"type":"user"}}"#;
    assert_eq!(scene.ended()[1], step);
}

#[test]
fn a_part_of_a_line_may_be_answered() {
    let mut scene = Scene::new();
    scene.take(Stream::In, "y", 1.0);
    scene.take(Stream::Out, "thanks\n", 2.0);
    assert_eq!(scene.on_disk(), [r#"{"at":1,"in":"line"}"#, r#"{"at":2,"out":"thanks\n"}"#]);
}

#[test]
fn a_prompt_that_was_piped_in_is_kept_without_secrets_and_a_long_one_is_counted() {
    for (text, note) in [
        (format!("do {KEY}\nnow"), r#","note":"do redacted-API_KEY\nnow""#),
        ("x".repeat(5000), r#","note":{"bytes":5000}"#),
        (String::new(), ""),
    ] {
        let mut scene = Scene::new();
        scene.take(Stream::In, &text, 1.0);
        scene.tape.input_ended(Mark::at(2.0));
        assert_eq!(scene.on_disk(), [format!(r#"{{"at":2,"in":"eof"{note}}}"#)]);
    }
}
