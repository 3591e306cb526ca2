//! Has a recorded run with the real program again: sends what was sent, where it was sent.
//!
//! A line is sent once the program has said as much as it had said then, told by kind of event.
//! Ids that the program makes up are other ones now; what was sent with an old one in it is sent
//! with the new one. Nothing is waited for without limit.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::stream::kind_of;

/// How long a program may be silent before it is taken for stuck.
const PATIENCE: Duration = Duration::from_secs(120);

/// What was sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sent {
    /// A frame, after so many bytes of stdout.
    Frame { frame: Value, after: usize },
    /// Text, from the start.
    Text(String),
    /// The end of the input, after so many bytes of stdout.
    End { after: usize },
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Heard {
    pub stdout: Vec<u8>,
    /// The exit code, or the number of the signal.
    pub status: Option<ExitStatus>,
    /// Where it got stuck.
    pub stuck: Option<String>,
}

/// Runs a command and talks with it as was recorded: `stdout` is what it said then.
///
/// # Errors
///
/// It cannot be started or waited for.
pub(super) fn talk(command: &mut Command, sent: &[Sent], stdout: &[u8]) -> io::Result<Heard> {
    talk_within(PATIENCE, command, sent, stdout)
}

fn talk_within(
    patience: Duration,
    command: &mut Command,
    sent: &[Sent],
    stdout: &[u8],
) -> io::Result<Heard> {
    let stdin = if sent.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut talk = Talk {
        patience,
        stdin: child.stdin.take(),
        chunks: chunks_of(&mut child),
        heard: Vec::new(),
        ended: false,
        stuck: None,
    };
    for sent in sent {
        if talk.stuck.is_none() {
            talk.send(sent, stdout);
        }
    }
    talk.stdin = None;
    while talk.stuck.is_none() && talk.listen() {}
    if talk.stuck.is_some() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let status = talk.stuck.is_none().then_some(status);
    Ok(Heard { stdout: talk.heard, status, stuck: talk.stuck })
}

/// Reads a program's stdout beside whatever else is done. Its end is the end of the channel.
fn chunks_of(child: &mut Child) -> Receiver<Vec<u8>> {
    let (to, chunks) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                if to.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
    }
    chunks
}

/// A conversation that goes on.
struct Talk {
    patience: Duration,
    stdin: Option<ChildStdin>,
    chunks: Receiver<Vec<u8>>,
    heard: Vec<u8>,
    ended: bool,
    stuck: Option<String>,
}

impl Talk {
    fn send(&mut self, sent: &Sent, stdout: &[u8]) {
        match sent {
            Sent::Text(text) => self.write(text.as_bytes()),
            Sent::End { after } => {
                self.wait_for(&stdout[..*after]);
                self.stdin = None;
            }
            Sent::Frame { frame, after } => {
                let said = &stdout[..*after];
                self.wait_for(said);
                let frame = with_ids_of_now(frame, &changed_texts(said, &self.heard));
                self.write(format!("{frame}\n").as_bytes());
            }
        }
    }

    /// A program that does not read any more has ended, or is about to; that shows otherwise.
    fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes);
        }
    }

    /// Waits until the program has said as many events of the kind that came last.
    fn wait_for(&mut self, said: &[u8]) {
        let events = events(said);
        let Some((kind, number, _)) = events.last() else { return };
        let has_said = |heard: &[u8]| {
            self::events(heard).iter().any(|(said, so_many, _)| said == kind && so_many == number)
        };
        while !has_said(&self.heard) && self.listen() {}
        if let Some(stuck) = &mut self.stuck {
            *stuck = format!("{kind} did not come, and nothing else for so long: {stuck}");
        }
    }

    /// Listens for more; tells whether there may be still more.
    fn listen(&mut self) -> bool {
        if self.ended {
            return false;
        }
        match self.chunks.recv_timeout(self.patience) {
            Ok(chunk) => self.heard.extend(chunk),
            Err(RecvTimeoutError::Disconnected) => self.ended = true,
            Err(RecvTimeoutError::Timeout) => {
                self.ended = true;
                self.stuck = Some(format!("{} s", self.patience.as_secs()));
            }
        }
        !self.ended
    }
}

/// The events in a stdout, each with its kind and which one of that kind it is.
fn events(stdout: &[u8]) -> Vec<(String, usize, Value)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let whole = memchr::memrchr(b'\n', stdout).map_or(&[][..], |end| &stdout[..end]);
    let frames = whole.split(|byte| *byte == b'\n');
    let frames = frames.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    frames
        .filter(Value::is_object)
        .map(|event| {
            let kind = kind_of(&event);
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            (kind, *count, event)
        })
        .collect()
}

/// Texts that stand in the same places of both streams and are not the same: ids, for the most.
fn changed_texts(recorded: &[u8], heard: &[u8]) -> HashMap<String, String> {
    let now: HashMap<_, _> =
        events(heard).into_iter().map(|(kind, number, event)| ((kind, number), event)).collect();
    let mut changed = HashMap::new();
    for (kind, number, event) in events(recorded) {
        if let Some(heard) = now.get(&(kind, number)) {
            pair(&event, heard, &mut changed);
        }
    }
    changed
}

fn pair(recorded: &Value, heard: &Value, changed: &mut HashMap<String, String>) {
    match (recorded, heard) {
        (Value::String(recorded), Value::String(heard)) if recorded != heard => {
            changed.insert(recorded.clone(), heard.clone());
        }
        (Value::Object(recorded), Value::Object(heard)) => {
            for (key, value) in recorded {
                if let Some(heard) = heard.get(key) {
                    pair(value, heard, changed);
                }
            }
        }
        (Value::Array(recorded), Value::Array(heard)) => {
            recorded.iter().zip(heard).for_each(|(recorded, heard)| pair(recorded, heard, changed));
        }
        _ => {}
    }
}

fn with_ids_of_now(frame: &Value, changed: &HashMap<String, String>) -> Value {
    match frame {
        Value::String(text) => changed.get(text).unwrap_or(text).as_str().into(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), with_ids_of_now(value, changed)))
            .collect(),
        Value::Array(elements) => {
            elements.iter().map(|element| with_ids_of_now(element, changed)).collect()
        }
        other => other.clone(),
    }
}

/// How a program ended, for messages.
pub(super) fn spelled(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, signal) => {
            let signal = signal.and_then(crate::recording::Signal::numbered);
            format!("death by {}", signal.map_or("a signal", |signal| signal.name()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_line_is_sent_where_it_was_sent_with_the_ids_of_now() {
        let script = r#"echo '{"type":"hello","id":"new-1"}'; read -r line; echo "$line"; cat"#;
        let recorded = b"{\"type\":\"hello\",\"id\":\"old-1\"}\n";
        let after = recorded.len();
        let frame = json!({ "to": "old-1", "x": ["old"] });
        let sent = [Sent::Frame { frame, after }, Sent::End { after }];
        let heard = talk(&mut sh(script), &sent, recorded).unwrap();
        let text = String::from_utf8(heard.stdout).unwrap();
        assert!(text.ends_with("\n{\"to\":\"new-1\",\"x\":[\"old\"]}\n"), "{text}");
        assert_eq!((heard.status.map(spelled), heard.stuck), (Some("exit code 0".into()), None));
    }

    #[test]
    fn a_program_that_says_nothing_more_is_stuck_and_ended() {
        let after = b"{\"type\":\"a\"}\n{\"type\":\"b\"}\n";
        let sent = [Sent::End { after: after.len() }];
        let patience = Duration::from_millis(300);
        let mut command = sh("echo '{\"type\":\"a\"}'; exec sleep 60");
        let heard = talk_within(patience, &mut command, &sent, after).unwrap();
        assert!(heard.stuck.unwrap().starts_with("b did not come"));
        assert_eq!(heard.status, None);
    }
}
