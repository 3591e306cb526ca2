//! The steps of a recording, one method a verb of the format.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::input::Input;
use super::line::{Line, list_of, millis};
use super::recording::{Recording, Steps};
use super::repeat::Repeat;
use crate::recording::StdStream;
use crate::recording::turn::Turn;

/// Steps, in a recording and inside other steps.
impl<Part> Recording<Part> {
    /// `turn`: one model turn, rendered into the event stream of the persona and the output format
    /// that the spawn asked for.
    ///
    /// ```
    /// use ringer::{Recording, Turn};
    ///
    /// let talk = Recording::new().turn("hello").turn(Turn::new().thinking("hm").text("bye"));
    /// assert!(talk.to_bytes().is_ok());
    /// ```
    pub fn turn(self, turn: impl Into<Turn>) -> Self {
        self.step("turn", &turn.into())
    }

    /// `out`: writes to stdout. A string goes out verbatim, nothing added; any other JSON value as
    /// one compact line.
    ///
    /// ```
    /// use ringer::{Recording, json};
    ///
    /// let both = Recording::new().out("no newline").out(json!({"type": "result"}));
    /// assert!(both.to_string().ends_with("{\"out\": \"no newline\"}\n{\"out\": {\"type\":\"result\"}}\n"));
    /// ```
    pub fn out(self, value: impl Into<Value>) -> Self {
        self.step("out", &value.into())
    }

    /// `out`: writes JSON source to stdout, to the byte, as one line: spaces, the order of keys and
    /// the spelling of numbers stay.
    ///
    /// ```
    /// use ringer::Recording;
    ///
    /// let odd = Recording::new().out_json(r#"{ "cost": 1.50, "cost": 1e3 }"#);
    /// assert!(odd.to_string().ends_with("{\"out\": { \"cost\": 1.50, \"cost\": 1e3 }}\n"));
    /// let cut = Recording::new().out_json(r#"{"type": "#).to_bytes().unwrap_err();
    /// assert_eq!(cut, r#"`out_json` takes one JSON value on one line, not "{\"type\": ""#);
    /// ```
    pub fn out_json(mut self, source: &str) -> Self {
        let trimmed = source.trim();
        let is_json = serde_json::from_str::<&RawValue>(trimmed).is_ok();
        if !is_json || trimmed.contains(['\n', '\r']) {
            self.blame(format!("`out_json` takes one JSON value on one line, not {source:?}"));
            return self;
        }
        let mut line = Line::default();
        line.set_source("out", trimmed.to_owned());
        self.push(line)
    }

    /// `out_base64`: writes bytes to stdout, as a string where they are text.
    ///
    /// ```
    /// use ringer::Recording;
    ///
    /// let cut = Recording::new().out_bytes(b"caf\xc3");
    /// assert!(cut.to_string().ends_with("{\"out_base64\": \"Y2Fmww==\"}\n"));
    /// ```
    pub fn out_bytes(self, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes("out", "out_base64", bytes.as_ref())
    }

    /// `out_file`: writes a file to stdout that stands beside the recording, where
    /// [`beside`](Recording::beside) puts it.
    pub fn out_file(self, name: &str) -> Self {
        self.step("out_file", name)
    }

    /// `out_fill`: writes a text to stdout so many times, in one piece.
    pub fn out_fill(self, text: &str, times: u64) -> Self {
        self.step("out_fill", &json!({"text": text, "times": times}))
    }

    /// `err`: writes to stderr, at this place in the order; values as in
    /// [`out`](Recording::out).
    pub fn err(self, value: impl Into<Value>) -> Self {
        self.step("err", &value.into())
    }

    /// `err_base64`: writes bytes to stderr, as a string where they are text.
    pub fn err_bytes(self, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes("err", "err_base64", bytes.as_ref())
    }

    /// `err_file`: writes a file to stderr that stands beside the recording.
    pub fn err_file(self, name: &str) -> Self {
        self.step("err_file", name)
    }

    /// `err_fill`: writes a text to stderr so many times, in one piece.
    pub fn err_fill(self, text: &str, times: u64) -> Self {
        self.step("err_fill", &json!({"text": text, "times": times}))
    }

    /// `split`: cuts what the last step writes into several writes, at these byte offsets.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ringer::Recording;
    ///
    /// let slow = Recording::new().out("one two\n").split([3, 4]).gap(Duration::from_millis(40));
    /// assert!(slow.to_string().ends_with(r#"{"out": "one two\n", "split": [3,4], "gap_ms": 40}
    /// "#));
    /// ```
    pub fn split(self, offsets: impl IntoIterator<Item = u64>) -> Self {
        let offsets: Vec<u64> = offsets.into_iter().collect();
        self.extend_last("split", &json!(offsets))
    }

    /// `gap_ms`: the pause between the pieces of the last step.
    pub fn gap(self, pause: Duration) -> Self {
        self.extend_last("gap_ms", &millis(pause))
    }

    /// `more`: what the last step writes leaves in one write with the next of the same stream.
    pub fn more(self) -> Self {
        self.extend_last("more", &json!(true))
    }

    /// `at`: when the last step was recorded, counted from the start. It is waited for at a speed
    /// above 0.
    pub fn at(self, since_start: Duration) -> Self {
        self.extend_last("at", &millis(since_start))
    }

    /// `note`: whatever there is to say about the last step. Nothing depends on it.
    pub fn step_note(self, text: &str) -> Self {
        self.extend_last("note", &json!(text))
    }

    /// `in`: waits for input: an object that the line contains, or an [`Input`].
    ///
    /// ```
    /// use ringer::{Recording, json};
    /// use ringer::author::Input;
    ///
    /// let polite = Recording::new()
    ///     .input(json!({"type": "user"}))
    ///     .out(json!({"type": "result"}))
    ///     .input(Input::eof())
    ///     .exit(0);
    /// assert!(polite.to_bytes().is_ok());
    /// ```
    pub fn input(mut self, input: impl Into<Input>) -> Self {
        let Input { line, fault, .. } = input.into();
        if let Some(fault) = fault {
            self.blame(fault);
        }
        self.push(line)
    }

    /// `reply`: an `out` in which the string `"$id"` is the id of the last request that came, and
    /// `"$id:NAME"` that of the [`Input`] of this name.
    ///
    /// ```
    /// use ringer::{Recording, json};
    ///
    /// let server = Recording::new()
    ///     .input(json!({"method": "initialize"}))
    ///     .reply(json!({"id": "$id", "result": {}}));
    /// assert!(server.to_bytes().is_ok());
    /// ```
    pub fn reply(self, value: impl Into<Value>) -> Self {
        self.step("reply", &value.into())
    }

    /// `wait_ms`: a pause.
    pub fn wait(self, pause: Duration) -> Self {
        self.step("wait_ms", &millis(pause))
    }

    /// `hang`: goes on living, silent, with its streams open, until a signal or the life limit.
    pub fn hang(self) -> Self {
        self.step("hang", &true)
    }

    /// `repeat`: a loop, so many times or as a [`Repeat`] says.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ringer::Recording;
    /// use ringer::author::Repeat;
    ///
    /// let drip = Recording::new()
    ///     .repeat(3, |round| round.out("tick\n"))
    ///     .repeat(Repeat::forever().every(Duration::from_secs(1)), |round| round.err(".\n"));
    /// assert!(drip.to_bytes().is_ok());
    /// ```
    pub fn repeat(mut self, repeat: impl Into<Repeat>, round: impl FnOnce(Steps) -> Steps) -> Self {
        let Repeat { line: mut keys } = repeat.into();
        let round = self.inner(round);
        keys.set_steps("steps", &round);
        let mut line = Line::default();
        line.set_source("repeat", keys.to_string());
        self.push(line)
    }

    /// `on_signal`: what is done from here on when the signal comes. Signals are named without
    /// `SIG`.
    ///
    /// ```
    /// let tidy = ringer::Recording::new()
    ///     .on_signal("TERM", |steps| steps.err("saving\n").exit(143))
    ///     .ignore_signal("INT")
    ///     .hang();
    /// assert!(tidy.to_bytes().is_ok());
    /// ```
    pub fn on_signal(mut self, signal: &str, steps: impl FnOnce(Steps) -> Steps) -> Self {
        let steps = self.inner(steps);
        let mut line = Line::of("on_signal", signal);
        line.set_steps("steps", &steps);
        self.push(line)
    }

    /// `on_signal` without steps: the signal is ignored from here on.
    pub fn ignore_signal(self, signal: &str) -> Self {
        self.step("on_signal", signal)
    }

    /// `file`: the file then holds this. Its path is relative to the spawn's working directory, or
    /// begins with `${home}/` or `${config_dir}/`.
    ///
    /// ```
    /// let edits = ringer::Recording::new()
    ///     .file_mkdir("src")
    ///     .file_write("src/a.rs", "fn a() {}\n")
    ///     .file_append("log.txt", "wrote a\n")
    ///     .file_remove("old.rs");
    /// assert!(edits.to_bytes().is_ok());
    /// assert!(ringer::Recording::new().file_remove("../x").to_bytes().is_err());
    /// ```
    pub fn file_write(self, path: &str, contents: impl AsRef<[u8]>) -> Self {
        self.effect("write", path, Some(contents.as_ref()))
    }

    /// `file`: the file then ends with this.
    pub fn file_append(self, path: &str, contents: impl AsRef<[u8]>) -> Self {
        self.effect("append", path, Some(contents.as_ref()))
    }

    /// `file`: the file is gone then.
    pub fn file_remove(self, path: &str) -> Self {
        self.effect("remove", path, None)
    }

    /// `file`: the directory is there then.
    pub fn file_mkdir(self, path: &str) -> Self {
        self.effect("mkdir", path, None)
    }

    /// `child`: a descendant that inherits these streams, does these steps and may outlive the
    /// double.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ringer::Recording;
    /// use ringer::recording::StdStream;
    ///
    /// let leak = Recording::new()
    ///     .child([StdStream::Stdout], |child| child.wait(Duration::from_secs(2)).out("late\n"))
    ///     .exit(0);
    /// assert!(leak.to_bytes().is_ok());
    /// ```
    pub fn child(
        mut self,
        hold: impl IntoIterator<Item = StdStream>,
        steps: impl FnOnce(Steps) -> Steps,
    ) -> Self {
        let hold: Vec<&str> = hold.into_iter().map(stream_word).collect();
        let mut keys = Line::of("hold", &hold);
        let steps = self.inner(steps);
        keys.set_source("steps", list_of(&steps));
        let mut line = Line::default();
        line.set_source("child", keys.to_string());
        self.push(line)
    }

    /// `close`: closes a stream and lives on.
    pub fn close(self, stream: StdStream) -> Self {
        self.step("close", stream_word(stream))
    }

    /// `exit`: the end, with this exit code.
    pub fn exit(self, code: u8) -> Self {
        self.step("exit", &code)
    }

    /// `signal`: the end, a real death by this signal, named without `SIG`.
    pub fn signal(self, name: &str) -> Self {
        self.step("signal", name)
    }

    fn step(self, verb: &'static str, value: &(impl serde::Serialize + ?Sized)) -> Self {
        self.push(Line::of(verb, &value))
    }

    fn push(mut self, line: Line) -> Self {
        self.steps.push(line);
        self
    }

    fn bytes(self, text_verb: &'static str, base64_verb: &'static str, bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.step(text_verb, text),
            Err(_) => self.step(base64_verb, &STANDARD.encode(bytes)),
        }
    }

    fn effect(self, effect: &'static str, path: &str, contents: Option<&[u8]>) -> Self {
        let mut keys = Line::of(effect, path);
        match contents.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
            None => {}
            Some((_, Ok(text))) => keys.set("text", text),
            Some((bytes, Err(_))) => keys.set("base64", &STANDARD.encode(bytes)),
        }
        let mut line = Line::default();
        line.set_source("file", keys.to_string());
        self.push(line)
    }

    fn extend_last(mut self, key: &'static str, value: &Value) -> Self {
        match self.steps.last_mut() {
            Some(line) => line.set(key, value),
            None => {
                self.blame(format!("`{key}` says something about the last step: there is none"))
            }
        }
        self
    }

    /// The steps inside one of these, whose faults are this recording's too.
    fn inner(&mut self, steps: impl FnOnce(Steps) -> Steps) -> Vec<Line> {
        let inner = steps(Steps::empty());
        if let Some(fault) = inner.fault {
            self.blame(fault);
        }
        inner.steps
    }
}

fn stream_word(stream: StdStream) -> &'static str {
    match stream {
        StdStream::Stdin => "stdin",
        StdStream::Stdout => "stdout",
        StdStream::Stderr => "stderr",
    }
}
