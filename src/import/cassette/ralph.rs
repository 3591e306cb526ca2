//! Sessions that `ralph-orchestrator` records (`ralph run --record-session`) and cassettes of its
//! `ralph-e2e mock-cli`: a line for each record, `{"ts": ms, "event": "ux.terminal.write", "data":
//! {"bytes": base64, "stdout": true, "offset_ms": 0}}` among others.
//!
//! What was written becomes one recording, at the times of `ts`, as its own player has it. What the
//! orchestrator noted for itself (`bus.*`, `_meta.*`) is nothing that its backend did; neither is
//! the program named nor how it ended.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::Reel;
use super::call::Call;
use super::jsonl::{lines, of_json};
use crate::error::Error;
use crate::record::lines::Mark;
use crate::record::tape::Stream;

#[derive(Deserialize)]
struct Record {
    ts: u64,
    event: String,
    data: Value,
}

#[derive(Deserialize)]
struct Write {
    bytes: String,
    stdout: bool,
}

/// Reads a session.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let text = reel.text()?;
    let note = "imported from a session of ralph-orchestrator; how it ended is not known";
    let mut call = Call { note: note.to_owned(), ..Call::default() };
    let (mut begin, mut iterations, mut commands) = (None, 0, 0);
    for (line, number) in lines(&text) {
        let record: Record = serde_json::from_str(line).map_err(|error| {
            reel.wrong(number, format_args!("no record, {}", of_json(&error, &text, number)))
        })?;
        let at = record.ts.saturating_sub(*begin.get_or_insert(record.ts));
        match record.event.as_str() {
            "ux.terminal.write" => {
                // Some versions wrap the data up once more.
                let mut data = record.data;
                if let Some(inner) = data.get_mut("data") {
                    data = inner.take();
                }
                let write = serde_json::from_value::<Write>(data).ok();
                let bytes = write
                    .and_then(|write| Some((STANDARD.decode(write.bytes).ok()?, write.stdout)));
                let Some((bytes, is_out)) = bytes else {
                    let what = "a write has `bytes` in base64 and says whether it is `stdout`";
                    return Err(reel.wrong(number, what));
                };
                let stream = if is_out { Stream::Out } else { Stream::Err };
                // A session lasts days at most, which a float counts exactly.
                call.writes.push((Mark::at(at as f64), stream, bytes));
            }
            "_meta.iteration" => iterations += 1,
            "bus.publish" if record.data.get("command").is_some() => commands += 1,
            _ => {}
        }
    }
    if call.writes.is_empty() {
        return Ok(());
    }
    if iterations > 1 {
        reel.remark(format!(
            "the session has {iterations} iterations, but does not tell what each wrote: it is one \
             recording"
        ));
    }
    if commands > 0 {
        reel.remark(format!("left out {commands} commands that `mock-cli` would run"));
    }
    reel.take(call);
    Ok(())
}
