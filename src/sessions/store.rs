//! The sessions that the spawns of one state directory have made: one small file a session, below
//! `sessions/`, replaced as a whole.
//!
//! There is no index and no lock. A spawn writes the file of its own session only, and of two that
//! write the same one the later holds, as with the real CLIs' own files. A file that cannot be read
//! or makes no sense counts for a session that was never there.

use std::ffi::OsStr;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// The version of the files' format.
const FORMAT: u32 = 1;

/// How long an encoded id may be before it is cut; with what goes round it, a name stays within the
/// 255 bytes that file systems allow.
const LONGEST: usize = 120;

/// A session that a spawn has made or taken up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The format's version, 1.
    pub ringer: u32,
    /// The program: `claude`, `codex`.
    pub program: String,
    /// The session's or thread's id, as the program spells it.
    pub id: String,
    /// The working directory that it was made in.
    pub cwd: String,
    /// The number of the last spawn that had it.
    pub spawn: u64,
    /// The title that it was given (`--name`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What adds up over the session, in the persona's own shape.
    #[serde(default)]
    pub carried: Value,
    /// Whether the real CLI would have kept nothing of it, so that it cannot be taken up.
    #[serde(default)]
    pub ephemeral: bool,
}

/// The sessions of a state directory.
#[derive(Clone, Debug)]
pub struct Sessions {
    dir: PathBuf,
}

impl Sessions {
    /// The sessions of the state directory at this path. Nothing is looked for or made yet.
    #[must_use]
    pub fn of(state: &Path) -> Sessions {
        Sessions { dir: state.join("sessions") }
    }

    /// Writes a session down for later spawns, in place of what was known of it.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn record(&self, session: &Session) -> Result<(), Error> {
        let mut made = DirBuilder::new();
        let made = made.recursive(true).mode(0o700).create(&self.dir);
        made.map_err(|error| Error::io("cannot make", &self.dir, error))?;
        let path = self.path(&session.program, &session.id);
        let mut line = serde_json::to_vec(&Session { ringer: FORMAT, ..session.clone() })
            .map_err(|error| Error::io("cannot write", &path, io::Error::from(error)))?;
        line.push(b'\n');
        // The name is this process's own, so no other one writes into it.
        let scratch = self.dir.join(format!(".{}-{}", session.spawn, std::process::id()));
        let written = create(&scratch).and_then(|mut file| file.write_all(&line));
        let done = written.and_then(|()| std::fs::rename(&scratch, &path));
        done.map_err(|error| {
            // What was half written is of no use to anybody.
            let _ = std::fs::remove_file(&scratch);
            Error::io("cannot write", &path, error)
        })
    }

    /// The session of this id. Ids are compared as they are spelt (s05_m_resume_uppercase).
    #[must_use]
    pub fn find(&self, program: &str, id: &str) -> Option<Session> {
        let session = read(&self.path(program, id))?;
        (session.program == program && session.id == id).then_some(session)
    }

    /// The session that was had last, of those made in this directory, if one is named; by the
    /// spawns' numbers, since clocks and file times may stand still. Those that were not kept do
    /// not count.
    #[must_use]
    pub fn latest(&self, program: &str, cwd: Option<&Path>) -> Option<Session> {
        let cwd = cwd.map(Path::to_string_lossy);
        let here = |session: &Session| cwd.as_ref().is_none_or(|cwd| session.cwd == *cwd);
        self.kept(program).filter(here).max_by_key(|session| session.spawn)
    }

    /// The session of this title; of several the one that was had last.
    #[must_use]
    pub fn titled(&self, program: &str, title: &str) -> Option<Session> {
        let titled = |session: &Session| session.title.as_deref() == Some(title);
        self.kept(program).filter(titled).max_by_key(|session| session.spawn)
    }

    /// The ids of all sessions of a program that can be taken up, in the order of their last
    /// spawns.
    #[must_use]
    pub fn known_ids(&self, program: &str) -> Vec<String> {
        let mut sessions: Vec<_> = self.kept(program).collect();
        sessions.sort_by_key(|session| session.spawn);
        sessions.into_iter().map(|session| session.id).collect()
    }

    /// All sessions of a program that the real CLI would have kept.
    fn kept(&self, program: &str) -> impl Iterator<Item = Session> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let prefix = format!("{}-", encoded(program));
        entries
            .filter(move |entry| entry.file_name().as_bytes().starts_with(prefix.as_bytes()))
            .filter(|entry| Path::new(&entry.file_name()).extension() == Some(OsStr::new("json")))
            .filter_map(|entry| read(&entry.path()))
            .filter(move |session| session.program == program && !session.ephemeral)
    }

    fn path(&self, program: &str, id: &str) -> PathBuf {
        self.dir.join(format!("{}-{}.json", encoded(program), encoded(id)))
    }
}

fn read(path: &Path) -> Option<Session> {
    let session: Session = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (session.ringer == FORMAT).then_some(session)
}

fn create(path: &Path) -> io::Result<std::fs::File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// A text as part of a file name: ids come from arguments, which may hold anything. What is not a
/// letter, a digit, `_` or `-` is written as `%2F` and the like; a long text is cut, and a hash of
/// the whole tells it from others.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    if out.len() > LONGEST {
        let hash = Sha256::digest(text.as_bytes());
        out.truncate(LONGEST);
        out.push('%');
        hash.iter().take(16).for_each(|byte| out.push_str(&format!("{byte:02x}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn session(id: &str, cwd: &str, spawn: u64) -> Session {
        Session {
            program: "claude".to_owned(),
            id: id.to_owned(),
            cwd: cwd.to_owned(),
            spawn,
            ringer: FORMAT,
            ..Session::default()
        }
    }

    #[test]
    fn what_is_recorded_is_found_by_program_and_id() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        assert_eq!(sessions.find("claude", "a"), None);
        let written = Session {
            title: Some("t".to_owned()),
            carried: serde_json::json!({"usd": 0.1}),
            ..session("a", "/w", 3)
        };
        sessions.record(&written).unwrap();
        assert_eq!(sessions.find("claude", "a"), Some(written));
        assert_eq!(sessions.find("codex", "a"), None);
        assert_eq!(sessions.find("claude", "A"), None);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state.path().join("sessions")), 0o700);
        assert_eq!(mode(&state.path().join("sessions/claude-a.json")), 0o600);
    }

    #[test]
    fn the_latest_is_the_one_with_the_highest_spawn_number_in_its_directory() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        for (id, cwd, spawn) in [("b", "/w", 12), ("c", "/w", 9), ("d", "/x", 13)] {
            sessions.record(&session(id, cwd, spawn)).unwrap();
        }
        let latest = |cwd: Option<&str>| {
            sessions.latest("claude", cwd.map(Path::new)).map(|session| session.id)
        };
        assert_eq!(latest(Some("/w")).as_deref(), Some("b"));
        assert_eq!(latest(None).as_deref(), Some("d"));
        assert_eq!(latest(Some("/elsewhere")), None);
        assert_eq!(sessions.known_ids("claude"), ["c", "b", "d"]);
    }

    #[test]
    fn a_session_that_was_not_kept_is_never_the_latest() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        sessions.record(&session("a", "/w", 1)).unwrap();
        sessions.record(&Session { ephemeral: true, ..session("b", "/w", 2) }).unwrap();
        assert_eq!(sessions.latest("claude", None).map(|session| session.id).as_deref(), Some("a"));
        assert_eq!(sessions.known_ids("claude"), ["a"]);
        assert!(sessions.find("claude", "b").is_some_and(|session| session.ephemeral));
    }

    #[test]
    fn broken_files_and_half_written_ones_are_passed_over() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        sessions.record(&session("a", "/w", 1)).unwrap();
        let dir = state.path().join("sessions");
        for (name, text) in [
            ("claude-b.json", "{\"ringer\":1,\"pro"),
            ("claude-c.json", "\u{0}"),
            (
                "claude-d.json",
                "{\"ringer\":2,\"program\":\"claude\",\"id\":\"d\",\"cwd\":\"/w\",\"spawn\":9}",
            ),
            (".9-1", "{"),
            ("claude-e", "{}"),
        ] {
            std::fs::write(dir.join(name), text).unwrap();
        }
        std::fs::create_dir(dir.join("claude-f.json")).unwrap();
        assert_eq!(sessions.known_ids("claude"), ["a"]);
        assert_eq!(sessions.find("claude", "b"), None);
        sessions.record(&session("b", "/w", 2)).unwrap();
        assert_eq!(sessions.known_ids("claude"), ["a", "b"]);
    }

    #[test]
    fn no_id_leads_out_of_the_directory_or_to_another_ones_file() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        let ids = ["../../x", "a/b", "a%2Fb", "", ".", "ä", &"x".repeat(5000), &"x".repeat(5001)];
        for (spawn, id) in (1..).zip(ids) {
            sessions.record(&session(id, "/w", spawn)).unwrap();
        }
        assert_eq!(sessions.known_ids("claude"), ids);
        assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 1);
    }

    #[test]
    fn spawns_at_the_same_time_leave_whole_files() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        std::thread::scope(|scope| {
            for spawn in 1..=8 {
                let sessions = &sessions;
                scope.spawn(move || sessions.record(&session("same", "/w", spawn)).unwrap());
            }
        });
        assert!(sessions.find("claude", "same").is_some());
        assert_eq!(std::fs::read_dir(state.path().join("sessions")).unwrap().count(), 1);
    }
}
