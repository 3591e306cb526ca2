//! What of a recording is looked for in the bytes while they go by: ids that become bindings, and
//! texts that do.

use serde_json::Value;

/// What a recording turned out to hold.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The session's id, as the program announced it.
    pub session_id: Option<String>,
    /// The thread's id.
    pub thread_id: Option<String>,
    /// How much was written to stdout.
    pub stdout_bytes: usize,
    /// Texts that are watched for, and whether they were written.
    watched: Vec<(String, bool)>,
}

impl Seen {
    /// Nothing yet; these texts are watched for.
    pub fn watching(texts: &[String]) -> Seen {
        let watched = texts.iter().map(|text| (text.clone(), false)).collect();
        Seen { watched, ..Seen::default() }
    }

    /// Whether a text that is watched for was written.
    pub fn wrote(&self, text: &str) -> bool {
        self.watched.iter().any(|(watched, seen)| watched == text && *seen)
    }

    /// Looks at what was written.
    pub fn look(&mut self, bytes: &[u8]) {
        for (text, seen) in &mut self.watched {
            *seen = *seen || memchr::memmem::find(bytes, text.as_bytes()).is_some();
        }
        let wanted = self.session_id.is_none() || self.thread_id.is_none();
        if !wanted || !bytes.starts_with(b"{") {
            return;
        }
        let has = |key: &[u8]| memchr::memmem::find(bytes, key).is_some();
        if !has(b"\"session_id\"") && !has(b"\"thread") {
            return;
        }
        let Ok(event) = serde_json::from_slice::<Value>(bytes) else { return };
        let text = |path: &str| event.pointer(path).and_then(Value::as_str).map(str::to_owned);
        self.session_id = self.session_id.take().or_else(|| text("/session_id"));
        let thread = text("/thread_id").or_else(|| text("/result/thread/id"));
        self.thread_id = self.thread_id.take().or(thread);
    }
}
