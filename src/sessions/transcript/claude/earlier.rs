//! What a session has behind it: its own file, or the file of the session that it is a fork of.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sessions::transcript::file::lines_of;

/// What comes before the lines of this spawn.
#[derive(Debug)]
pub(super) struct Earlier {
    /// The ids of the lines before, in their order.
    pub ids: Vec<String>,
    /// The lines that a fork takes over; they are to be written first.
    pub copied: Vec<Value>,
}

impl Earlier {
    /// Reads what there is. A fork takes over only into a file that does not exist yet.
    pub fn read(folder: &Path, id: &str, origin: Option<String>) -> Earlier {
        let own = lines_of(&session_path(folder, id));
        let origin = origin.filter(|origin| own.is_empty() && origin != id && is_file_name(origin));
        let copied = origin.map(|origin| copy_of(lines_of(&session_path(folder, &origin)), id));
        let copied = copied.unwrap_or_default();
        let lines = own.iter().chain(&copied);
        let ids = lines.filter_map(|line| Some(line["uuid"].as_str()?.to_owned())).collect();
        Earlier { ids, copied }
    }
}

/// Where the session of an id has its file.
pub(super) fn session_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

/// Whether an id can stand in a file's name.
pub(super) fn is_file_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= 200 && !id.starts_with('.') && !id.contains(['/', '\0'])
}

/// The lines of a session as those of its fork.
fn copy_of(mut lines: Vec<Value>, id: &str) -> Vec<Value> {
    for line in &mut lines {
        if let Some(session) = line.get_mut("sessionId") {
            *session = Value::from(id);
        }
    }
    lines
}
