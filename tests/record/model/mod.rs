//! A scripted model on loopback, for the real CLIs: it speaks the Messages API with `claude` and the
//! Responses API with `codex`, and answers by what the last message asks for.
//!
//! It keeps nothing and checks nothing of what it is sent: it is there to make the CLIs talk.

mod messages;
mod responses;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// What the tool is asked to do: something that both CLIs ask leave for.
const COMMAND: &str = "touch made && echo from the tool";

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Text(&'static str),
    /// A call of the CLI's shell tool.
    Tool,
    /// An error that a client tries again after.
    Overloaded,
    /// An error that is final.
    Refused,
    /// A text that does not end until the client goes away.
    Endless,
}

/// The HTTP answer to one request.
struct Reply {
    status: &'static str,
    kind: &'static str,
    body: String,
    /// Whether the connection is closed behind it.
    ends: bool,
}

impl Reply {
    /// A stream of events; one that does not end lacks the last of them.
    fn events(mut events: Vec<Value>, answer: Answer) -> Reply {
        let ends = answer != Answer::Endless;
        if !ends {
            events.retain(|event| !is_end(event));
        }
        let text = events.iter().map(|event| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
        });
        Reply { status: "200 OK", kind: "text/event-stream", body: text.collect(), ends }
    }

    fn json(status: &'static str, body: &Value) -> Reply {
        Reply { status, kind: "application/json", body: body.to_string(), ends: true }
    }
}

/// Whether an event ends a block, an item or the whole.
fn is_end(event: &Value) -> bool {
    let kind = event["type"].as_str().unwrap_or_default();
    ["stop", "done", "completed", "message_delta"].iter().any(|end| kind.ends_with(end))
}

/// Starts a model, which lives as long as the test. Returns its address.
pub fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let overloaded = Arc::new(Mutex::new(BTreeSet::new()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let overloaded = Arc::clone(&overloaded);
            thread::spawn(move || serve(stream, &overloaded));
        }
    });
    format!("http://{address}")
}

/// Answers one request and closes.
fn serve(stream: TcpStream, overloaded: &Mutex<BTreeSet<String>>) {
    let mut reader = BufReader::new(&stream);
    let mut lines = Vec::new();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|read| read > 0) && !line.trim().is_empty() {
        lines.push(std::mem::take(&mut line).to_ascii_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length.and_then(|text| text.trim().parse().ok()).unwrap_or(0)];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let request = lines.first().map(String::as_str).unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
    let reply = match path.rsplit('/').next() {
        Some("messages") => messages::reply(answer(&body["messages"], overloaded), &body),
        Some("responses") => responses::reply(answer(&body["input"], overloaded), &body),
        _ => Reply::json("404 Not Found", &serde_json::json!({ "error": { "message": "no" } })),
    };
    let Reply { status, kind, body, ends } = reply;
    let length = if ends { format!("content-length: {}\r\n", body.len()) } else { String::new() };
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{length}");
    let whole = format!("{head}connection: close\r\n\r\n{body}");
    if (&stream).write_all(whole.as_bytes()).is_ok() && !ends {
        let _ = reader.read_to_end(&mut Vec::new());
    }
}

/// What is asked for since the model spoke last. A call that came back is told of; whoever is to be
/// overloaded is so once.
fn answer(messages: &Value, overloaded: &Mutex<BTreeSet<String>>) -> Answer {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let own =
        |message: &&Value| message["role"] == "assistant" || message["type"] == "function_call";
    let new = messages.iter().rev().take_while(|message| !own(message));
    let last: String = new.map(Value::to_string).collect();
    let asks = |words: &str| last.contains(words);
    if asks("tool_result") || asks("call_output") {
        Answer::Text("The tool has spoken.")
    } else if asks("use the tool") {
        Answer::Tool
    } else if asks("be overloaded") && overloaded.lock().unwrap().insert(last.clone()) {
        Answer::Overloaded
    } else if asks("be refused") {
        Answer::Refused
    } else if asks("go on without end") {
        Answer::Endless
    } else {
        Answer::Text("Gr\u{fc}\u{df} dich, \"world\".\nThat is all.")
    }
}
