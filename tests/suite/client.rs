//! A client of live sessions: the sessions of the real CLIs as they were captured, and a hand that
//! leads a double through one of them, frame by frame.

use std::fs;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;
use serde_json::Value;

use crate::played::Played;
use crate::running::{Done, PATIENCE, Running};
use crate::scene::{Scene, Start};

/// What marks the ids of requests that the captured client did not make.
pub const EXTRA: &str = "\"extra-";

/// What clogs a pipe: a page of it is left.
const CLOG: usize = (64 - 4) << 10;
/// How long the pieces of a line are apart.
const PIECES_APART: Duration = Duration::from_millis(2);
/// When a reader that is late begins.
const LATE: Duration = Duration::from_millis(150);

/// A captured session.
pub struct Session {
    /// The name of the capture.
    pub name: String,
    /// `claude` or `codex`.
    pub program: String,
    /// The version that was captured.
    pub version: String,
    argv: Vec<String>,
    /// What the client sent and the program read, in order.
    pub frames: Vec<Frame>,
    /// How many lines of stdout had come when the client closed stdin.
    pub end_after: usize,
    /// The recorded stdout.
    pub stdout: Vec<u8>,
    /// The exit code.
    pub status: i32,
    /// The client ended the program with a signal, when all of stdout had come.
    terminated: bool,
}

/// A line of the client, without its newline.
#[derive(Clone)]
pub struct Frame {
    /// The line.
    pub line: String,
    /// How many lines of stdout had come before it was sent.
    pub after: usize,
}

impl Frame {
    /// The frame, parsed; null if it cannot be.
    pub fn json(&self) -> Value {
        json(&self.line)
    }

    /// Whether it ends the program, which does not read on.
    pub fn ends_the_program(&self) -> bool {
        self.json()["request"]["subtype"] == "end_session"
    }
}

/// A line, parsed; null if it cannot be.
pub fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

impl Session {
    /// Reads a capture, if it is a session that the client spoke in and got something back.
    pub fn read(folder: &Path) -> Option<Session> {
        let run: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).ok()?).ok()?;
        let stdout = fs::read(folder.join("stdout")).ok()?;
        let argv: Vec<String> = serde_json::from_value(run["argv"].clone()).ok()?;
        let timeline = fs::read_to_string(folder.join("timeline.jsonl")).ok()?;
        let (mut frames, mut end_after, mut written) = (Vec::new(), None, 0);
        let lines = |written: usize| stdout[..written].split(|byte| *byte == b'\n').count() - 1;
        for row in timeline.lines().map(json) {
            let line = row["line"].as_str().unwrap_or_default();
            match row["fd"].as_u64() {
                Some(1) => written += row["n"].as_u64().unwrap_or(0) as usize,
                Some(0) if !line.is_empty() => {
                    let line = line.strip_suffix('\n').unwrap_or(line).to_owned();
                    frames.push(Frame { line, after: lines(written) });
                }
                Some(0) => end_after = Some(lines(written)),
                _ => {}
            }
        }
        let read = frames.iter().position(Frame::ends_the_program);
        let read = read.map_or(frames.len(), |end| end + 1);
        frames.truncate(read);
        if frames.is_empty() || stdout.is_empty() {
            return None;
        }
        let version = folder.parent()?.file_name()?.to_str()?.split_once('-')?.1.to_owned();
        Some(Session {
            name: folder.file_name()?.to_str()?.to_owned(),
            program: run["program"].as_str()?.to_owned(),
            version,
            argv,
            frames,
            end_after: end_after.unwrap_or(lines(stdout.len())),
            status: i32::try_from(run["exit_code"].as_i64()?).ok()?,
            terminated: run["harness_events"].to_string().contains("sent signal 15"),
            stdout,
        })
    }

    /// Starts the double as the real program was started, with the capture as its recording.
    pub fn start(&self) -> Client {
        let (reader, writer) = std::io::pipe().unwrap();
        self.start_into(writer, pieces(reader))
    }

    /// Starts it with a stdout that does not block, has little room left, and is read late.
    pub fn start_clogged(&self) -> Client {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&[b'.'; CLOG]).unwrap();
        fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            std::thread::sleep(LATE);
            reader.read_exact(&mut [0; CLOG]).unwrap();
            pieces(reader).into_iter().try_for_each(|piece| sender.send(piece))
        });
        self.start_into(writer, receiver)
    }

    fn start_into(&self, stdout: PipeWriter, pieces: Receiver<Vec<u8>>) -> Client {
        let scene = Scene::new();
        scene.set(&format!("[{}]\nversion = \"{}\"\n", self.program, self.version));
        scene.raw(&format!("{}/01.jsonl", self.program), &self.stdout);
        let argv: Vec<&str> = self.argv.iter().map(String::as_str).collect();
        let program: fn(&Scene, &[&str]) -> Start =
            if self.program == "claude" { Scene::claude } else { Scene::codex };
        let start = program(&scene, &argv).env("RINGER_ARGS", "lax");
        let running = start.stdout(stdout).talk();
        Client {
            scene,
            running,
            pieces,
            stdout: Vec::new(),
            sent: Vec::new(),
            signal_after: self.terminated.then_some(self.end_after),
        }
    }
}

/// Reads a pipe to its end, aside.
fn pieces(mut reader: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// A client that talks to a double.
pub struct Client {
    pub scene: Scene,
    pub running: Running,
    pieces: Receiver<Vec<u8>>,
    /// What has come so far.
    stdout: Vec<u8>,
    /// The lines that were sent.
    pub sent: Vec<String>,
    /// After how many lines the client ends the program with a signal, if it does.
    signal_after: Option<usize>,
}

impl Client {
    /// Sends lines, in one piece. A double that has ended meanwhile does not read them.
    pub fn send(&mut self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let _ = self.running.stdin().write_all(text.as_bytes());
        self.sent.extend_from_slice(lines);
    }

    /// Sends a line in two pieces, one after the other, with an end of line of two bytes.
    pub fn send_in_pieces(&mut self, line: &str) {
        let text = format!("{line}\r\n");
        let (head, tail) = text.as_bytes().split_at(text.len() / 2);
        for piece in [head, tail] {
            let _ = self.running.stdin().write_all(piece);
            std::thread::sleep(PIECES_APART);
        }
        self.sent.push(format!("{line}\r"));
    }

    /// The whole lines of stdout so far.
    pub fn heard(&self) -> Vec<String> {
        let whole = memchr::memrchr(b'\n', &self.stdout).map_or(0, |at| at + 1);
        lines(&self.stdout[..whole])
    }

    /// Waits until so many lines have come that the captured client's frames brought about.
    pub fn wait_for(&mut self, count: usize) -> Result<(), String> {
        let own = |heard: &[String]| heard.iter().filter(|line| !line.contains(EXTRA)).count();
        self.wait(&format!("line {count}"), |heard| own(heard) >= count)
    }

    /// Waits until what has come is enough, or stdout has ended.
    pub fn wait(&mut self, what: &str, so: impl Fn(&[String]) -> bool) -> Result<(), String> {
        let began = Instant::now();
        while !so(&self.heard()) {
            let left = PATIENCE.saturating_sub(began.elapsed());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.stdout.extend(piece),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    let came = self.heard().join("\n");
                    let at = came.char_indices().nth_back(600).map_or(0, |(at, _)| at);
                    return Err(format!("waited in vain for {what}; last: {}", &came[at..]));
                }
            }
        }
        Ok(())
    }

    /// Ends stdin, or the program if the captured client did that, and waits for the end.
    pub fn end(mut self) -> Result<Played, String> {
        if let Some(count) = self.signal_after {
            self.wait_for(count)?;
            self.running.signal(Signal::TERM);
        }
        self.running.hang_up();
        self.over()
    }

    /// Kills the double and waits for its end.
    pub fn kill(self) -> Result<Played, String> {
        self.running.signal(Signal::KILL);
        self.over()
    }

    fn over(mut self) -> Result<Played, String> {
        self.wait("the end of stdout", |_| false)?;
        let Client { scene, running, stdout, sent, .. } = self;
        let done = Done { stdout, ..running.end() };
        Ok(Played { scene, done, sent })
    }
}

/// Lines, without their newlines.
pub fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}
