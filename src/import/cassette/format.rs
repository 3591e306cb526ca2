//! The formats, and what tells them apart.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::{ttyrec, typescript, unfit};
use crate::error::Error;

/// A format that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Terminal casts of asciinema, version 2 and 3.
    Asciinema,
    /// Tapes of `claude-agent-cassette` (PyPI): both directions of a stream-json session.
    ClaudeAgentCassette,
    /// The lines that `claude` wrote, alone: frames files of `claude-agent-cassette`, and what SDKs
    /// with a recorder of stdout write.
    Frames,
    /// Scenarios of `claudeless`.
    Claudeless,
    /// Scenarios of `cli-replay` (Go).
    CliReplay,
    /// Recordings of `commandeer-test` (crates.io).
    Commandeer,
    /// Sessions and cassettes of `ralph-orchestrator`.
    Ralph,
    /// Cassettes of `subprocess-vcr` (PyPI).
    SubprocessVcr,
    /// Recordings of `ttyrec`.
    Ttyrec,
    /// Typescripts of `script` of util-linux.
    Typescript,
}

impl Format {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Format); 10] = [
        ("asciinema", Format::Asciinema),
        ("claude-agent-cassette", Format::ClaudeAgentCassette),
        ("claudeless", Format::Claudeless),
        ("cli-replay", Format::CliReplay),
        ("commandeer-test", Format::Commandeer),
        ("frames", Format::Frames),
        ("ralph", Format::Ralph),
        ("subprocess-vcr", Format::SubprocessVcr),
        ("ttyrec", Format::Ttyrec),
        ("typescript", Format::Typescript),
    ];

    /// The format that a cassette's contents tell.
    ///
    /// # Errors
    ///
    /// They tell none.
    pub fn of(bytes: &[u8], path: &Path) -> Result<Format, Error> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(unfit(path, "is empty"));
        }
        if typescript::is_one(bytes) {
            return Ok(Format::Typescript);
        }
        if ttyrec::is_one(bytes) {
            return Ok(Format::Ttyrec);
        }
        let text = super::text(bytes, path)?;
        if let Some(format) = of_json(&text, path)? {
            return Ok(format);
        }
        let has = |key: &str| text.lines().any(|line| line.starts_with(key));
        if has("interactions:") {
            Ok(Format::SubprocessVcr)
        } else if has("steps:") {
            Ok(Format::CliReplay)
        } else if has("[[responses]]") || has("[default_response]") || has("responses =") {
            Ok(Format::Claudeless)
        } else {
            Err(unfit(path, unknown()))
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = Format::NAMES.iter().find(|(_, format)| format == self);
        f.write_str(name.map_or("an unknown tool", |(name, _)| name))
    }
}

fn unknown() -> String {
    let names: Vec<&str> = Format::NAMES.iter().map(|(name, _)| *name).collect();
    format!("is of no format that is known; name it with --format: {}", names.join(", "))
}

/// Looks at the first line that is JSON, or at all of it.
fn of_json(text: &str, path: &Path) -> Result<Option<Format>, Error> {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if let Ok(first) = serde_json::from_str::<Value>(line)
        && first.is_object()
        && let Some(format) = of_line(&first, path)?
    {
        return Ok(Some(format));
    }
    // One object over many lines: its keys, which stand at the first level, tell.
    let Ok(Value::Object(whole)) = serde_json::from_str::<Value>(text) else { return Ok(None) };
    let has = |key: &str| whole.contains_key(key);
    Ok(if has("commands") {
        Some(Format::Commandeer)
    } else if has("interactions") {
        Some(Format::SubprocessVcr)
    } else if has("steps") {
        Some(Format::CliReplay)
    } else if has("responses") || has("default_response") {
        Some(Format::Claudeless)
    } else {
        None
    })
}

fn of_line(line: &Value, path: &Path) -> Result<Option<Format>, Error> {
    let has = |key: &str| line.get(key).is_some();
    if has("ringer") {
        return Err(unfit(path, "is a recording already; copy it into the recording directory"));
    }
    let of_claude = has("sessionId") && (has("type") || has("message"));
    if of_claude || line["type"] == "session_meta" {
        return Err(unfit(path, "is a session transcript; use `ringer import transcript`"));
    }
    Ok(if line["dir"].is_string() && (has("frame") || has("data")) {
        Some(Format::ClaudeAgentCassette)
    } else if line["version"].is_u64() && (has("width") || has("term") || has("timestamp")) {
        Some(Format::Asciinema)
    } else if line["event"].is_string() && has("ts") && has("data") {
        Some(Format::Ralph)
    } else if line["type"].is_string() {
        Some(Format::Frames)
    } else {
        None
    })
}
