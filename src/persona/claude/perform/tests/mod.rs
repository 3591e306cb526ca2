//! The voice against the captures: every recorded session is played to the client that it was
//! recorded with, and to clients that send the same in another way.

mod cues;
mod driver;
mod requests;
mod sessions;
mod turns;

use super::{Circumstances, ClaudeVoice, LiveOptions};
use crate::persona::Piece;
use crate::persona::claude::render::{Output, Spawn};
use std::path::{Path, PathBuf};

/// The spawn of a live session.
fn spawn(version: &str) -> Spawn {
    Spawn {
        version: version.to_owned(),
        output: Output::StreamJson,
        verbose: true,
        live: true,
        permission_prompts: true,
        ..Spawn::default()
    }
}

fn options(version: &str) -> LiveOptions {
    LiveOptions {
        version: version.to_owned(),
        api_key_source: "ANTHROPIC_API_KEY".to_owned(),
        config_dir: "/home/dev/.claude".to_owned(),
        persists: true,
        ..LiveOptions::default()
    }
}

/// A voice that answers as a version.
fn voice(version: &str) -> ClaudeVoice {
    ClaudeVoice::new(spawn(version), options(version))
}

/// What pieces write to stdout.
fn text(pieces: &[Piece]) -> String {
    let bytes = pieces.iter().flat_map(|piece| match piece {
        Piece::Out(bytes) | Piece::Ask { line: bytes, .. } => bytes.clone(),
        _ => Vec::new(),
    });
    String::from_utf8(bytes.collect()).unwrap()
}

/// A session of the real CLI.
struct Capture {
    name: String,
    version: String,
    argv: Vec<String>,
    exit_code: Option<u8>,
    stdin: Vec<Vec<u8>>,
    stdout: Vec<Vec<u8>>,
    stderr: String,
}

/// The captured live sessions, of both versions; none where the captures are not at hand.
fn captures() -> Vec<Capture> {
    let shared = std::env::var_os("RINGER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut captures = Vec::new();
    for version in ["2.1.197", "2.1.332"] {
        let Ok(runs) = shared.join(format!("truth/claude-{version}")).read_dir() else { continue };
        for run in runs {
            captures.extend(capture(&run.unwrap().path(), version));
        }
    }
    captures.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    captures
}

fn capture(folder: &Path, version: &str) -> Option<Capture> {
    let run = std::fs::read(folder.join("run.json")).ok()?;
    let run: serde_json::Value = serde_json::from_slice(&run).ok()?;
    let words = run["argv"].as_array()?.iter();
    let argv: Vec<String> = words.map(|word| word.as_str().unwrap().to_owned()).collect();
    let reads = |option: &str| {
        let given = argv.iter().position(|word| word == option);
        given.is_some_and(|at| argv.get(at + 1).is_some_and(|value| value == "stream-json"))
    };
    let live = reads("--input-format") && reads("--output-format");
    let stdin = std::fs::read(folder.join("stdin")).ok().filter(|_| live)?;
    let stdout = std::fs::read(folder.join("stdout")).unwrap_or_default();
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec()).collect()
    };
    Some(Capture {
        name: folder.file_name()?.to_str()?.to_owned(),
        version: version.to_owned(),
        argv,
        exit_code: run["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok()),
        stdin: lines(&stdin),
        stdout: lines(&stdout),
        stderr: std::fs::read_to_string(folder.join("stderr")).unwrap_or_default(),
    })
}
