//! Every capture of the real CLIs, replayed: the streams apart, and both on one pipe. Where the
//! captures are not there is nothing to do; where they are, this must run.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::running::{Done, Running};
use crate::scene::{Scene, Start, shared};

/// How many captures are replayed at once.
const AT_ONCE: usize = 4;

/// What happened in a captured run, in order.
enum Event {
    /// The client wrote this to stdin.
    Send(Vec<u8>),
    /// The client closed stdin.
    HangUp,
    /// This went to stdout (1) or stderr (2).
    Out(u8, Vec<u8>),
}

/// A captured run, with the recording made of it.
struct Capture {
    name: String,
    program: String,
    argv: Vec<String>,
    recording: String,
    events: Vec<Event>,
    /// The exit code, or the signal's number, negative.
    status: i32,
}

#[test]
fn every_capture_of_the_real_clis_is_replayed_to_the_byte_apart_and_merged() {
    let Some(shared) = shared() else { return };
    let captures: Vec<Capture> =
        runs(&shared.join("truth")).iter().filter_map(|p| read(p)).collect();
    assert!(captures.len() > 800, "only {} captures were found", captures.len());
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(capture) = captures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(difference) = compare(capture) {
                        wrong.lock().unwrap().push(format!("{}: {difference}", capture.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), captures.len(), wrong.join("\n"));
}

fn compare(capture: &Capture) -> Option<String> {
    let wanted = Done {
        stdout: capture.written(|stream| stream == 1),
        stderr: capture.written(|stream| stream == 2),
        status: capture.status,
    };
    let apart = capture.play(false);
    if apart != wanted {
        return Some(format!("\n   got {apart:?}\nwanted {wanted:?}"));
    }
    let merged = capture.play(true);
    (merged.stdout != capture.written(|_| true)).then(|| format!("the order differs: {merged:?}"))
}

impl Capture {
    fn written(&self, which: impl Fn(u8) -> bool) -> Vec<u8> {
        let parts = self.events.iter().filter_map(|event| match event {
            Event::Out(stream, bytes) if which(*stream) => Some(bytes.as_slice()),
            _ => None,
        });
        parts.collect::<Vec<_>>().concat()
    }

    fn play(&self, merged: bool) -> Done {
        let scene = Scene::new();
        scene.raw(&format!("{}/01.jsonl", self.program), &self.recording);
        let args: Vec<&str> = self.argv.iter().map(String::as_str).collect();
        let program: fn(&Scene, &[&str]) -> Start =
            if self.program == "claude" { Scene::claude } else { Scene::codex };
        let mut start = program(&scene, &args).env("RINGER_ARGS", "lax");
        if self.events.iter().any(|event| !matches!(event, Event::Out(..))) {
            start = start.stdin(std::process::Stdio::piped());
        }
        if merged {
            let (reader, writer) = std::io::pipe().unwrap();
            let running = start.stdout(writer.try_clone().unwrap()).stderr(writer).go();
            return self.converse(running, reader, |_| true);
        }
        let (reader, writer) = std::io::pipe().unwrap();
        self.converse(start.stdout(writer).go(), reader, |stream| stream == 1)
    }

    /// Sends what the client had sent, each time after what had come before it.
    fn converse(
        &self,
        mut running: Running,
        mut reader: std::io::PipeReader,
        heard: impl Fn(u8) -> bool,
    ) -> Done {
        use std::io::Write as _;
        let mut stdout = Vec::new();
        let mut wanted = 0;
        let mut buffer = [0; 1 << 16];
        for event in &self.events {
            if let Event::Out(stream, bytes) = event {
                wanted += if heard(*stream) { bytes.len() } else { 0 };
                continue;
            }
            while stdout.len() < wanted {
                match reader.read(&mut buffer).unwrap() {
                    0 => break,
                    count => stdout.extend_from_slice(&buffer[..count]),
                }
            }
            match event {
                // A run that ended meanwhile does not read it, as in the capture.
                Event::Send(bytes) => drop(running.stdin().write_all(bytes)),
                _ => running.hang_up(),
            }
        }
        reader.read_to_end(&mut stdout).unwrap();
        Done { stdout, ..running.end() }
    }
}

/// The folders of all runs.
fn runs(truth: &Path) -> Vec<PathBuf> {
    let list = |path: &Path| -> Vec<PathBuf> {
        let found = fs::read_dir(path).into_iter().flatten();
        found.map(|entry| entry.unwrap().path()).collect()
    };
    let mut runs: Vec<PathBuf> = list(truth).iter().flat_map(|version| list(version)).collect();
    runs.retain(|run| run.join("timeline.jsonl").exists() && run.join("stdout").exists());
    runs.sort();
    runs
}

/// Reads a run; nothing if its end is not known.
fn read(path: &Path) -> Option<Capture> {
    let bytes = |name: &str| fs::read(path.join(name)).unwrap_or_default();
    let run: Value = serde_json::from_slice(&bytes("run.json")).unwrap();
    let timeline = String::from_utf8(bytes("timeline.jsonl")).unwrap();
    let rows: Vec<Value> = timeline.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let argv: Vec<String> = serde_json::from_value(run["argv"].clone()).unwrap();
    let (end, status) = end(&run)?;
    let mut header = json!({"ringer": 1});
    if is_probe(&argv) {
        header["probe"] = true.into();
        header["when"] = json!({"argv": argv});
    }
    let (stdin, before) = how_stdin_was_sent(&rows, bytes("stdin"));
    header["stdin"] = stdin.into();
    let mut left = [bytes("stdout"), bytes("stderr")];
    let mut lines = vec![header.to_string()];
    let mut events = before;
    for row in &rows {
        let count = row["n"].as_u64().unwrap_or(0) as usize;
        match row["fd"].as_u64() {
            Some(fd @ (1 | 2)) if count > 0 => {
                let left = &mut left[fd as usize - 1];
                let chunk: Vec<u8> = left.drain(..count.min(left.len())).collect();
                lines.push(out_step(fd, &chunk));
                events.push(Event::Out(fd as u8, chunk));
            }
            Some(0) if stdin == "lines" && count > 0 => {
                lines.push(r#"{"in":"line"}"#.to_owned());
                events.push(Event::Send(row["line"].as_str().unwrap().as_bytes().to_vec()));
            }
            Some(0) if stdin == "lines" && row["eof"] == true => {
                lines.push(r#"{"in":"eof"}"#.to_owned());
                events.push(Event::HangUp);
            }
            _ => {}
        }
    }
    lines.push(end);
    Some(Capture {
        name: path.strip_prefix(path.ancestors().nth(2)?).ok()?.display().to_string(),
        program: run["program"].as_str()?.to_owned(),
        argv,
        recording: lines.join("\n"),
        events,
        status,
    })
}

/// The mode of stdin, and what happens before the first output.
fn how_stdin_was_sent(rows: &[Value], whole: Vec<u8>) -> (&'static str, Vec<Event>) {
    let mut sent =
        rows.iter().filter(|row| row["fd"] == 0 && row["n"].as_u64() > Some(0)).peekable();
    let is_line = |row: &Value| {
        let line = row["line"].as_str().unwrap_or_default();
        line.ends_with('\n') && line.matches('\n').count() == 1 && line.len() < 4000
    };
    if sent.peek().is_some() && sent.all(is_line) {
        ("lines", Vec::new())
    } else if whole.is_empty() {
        ("ignore", Vec::new())
    } else {
        ("eof", vec![Event::Send(whole), Event::HangUp])
    }
}

fn out_step(fd: u64, chunk: &[u8]) -> String {
    let verb = if fd == 1 { "out" } else { "err" };
    match std::str::from_utf8(chunk) {
        Ok(text) => json!({ verb: text }).to_string(),
        Err(_) => json!({ format!("{verb}_base64"): STANDARD.encode(chunk) }).to_string(),
    }
}

/// The last step and the status that it means.
fn end(run: &Value) -> Option<(String, i32)> {
    match &run["signal"] {
        Value::Null => {
            let code = run["exit_code"].as_i64()?;
            Some((json!({ "exit": code }).to_string(), code as i32))
        }
        signal => {
            let known = [("HUP", 1), ("INT", 2), ("QUIT", 3), ("KILL", 9), ("TERM", 15)];
            let is = |(name, number): &&(&str, i32)| {
                *signal == *number || signal.as_str().is_some_and(|text| text.ends_with(name))
            };
            let (name, number) = known.iter().find(is).unwrap_or_else(|| panic!("{signal}"));
            Some((json!({ "signal": name }).to_string(), -number))
        }
    }
}

/// Probes and side commands claim nothing, so their captures are made probe recordings.
fn is_probe(argv: &[String]) -> bool {
    const SIDE: &str = " mcp auth agents doctor plugin update config help setup-token install login \
                        logout features completion debug apply cloud sandbox generate-json-schema \
                        generate-ts version ";
    // Short flags may come in a bundle, as in `-pv`.
    let is_bundle = |arg: &str| {
        let letters = arg.strip_prefix('-').unwrap_or_default();
        letters.ends_with(['v', 'V', 'h']) && letters.chars().all(|letter| "pvVh".contains(letter))
    };
    let is_flag = |arg: &String| ["--version", "--help"].contains(&arg.as_str()) || is_bundle(arg);
    let words = argv.iter().filter(|arg| !arg.starts_with('-')).take(2);
    argv.iter().any(is_flag) || words.into_iter().any(|word| SIDE.contains(&format!(" {word} ")))
}
