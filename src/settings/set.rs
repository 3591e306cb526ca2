//! `ringer.toml`: what belongs to a set of recordings rather than to one of them or to a test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Strictness;
use crate::error::Error;
use crate::journal::secrets::EnvMode;
use crate::recording::{STDIN_MODES, StdinMode};

/// The keys that the file may have beside one table a persona.
const KEYS: &str = "repeat_last, args, speed, stdin, render, sessions, transcripts, [journal], \
    [<persona>] version, [claude.initialize]";

/// What `ringer.toml` says; everything is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Set {
    /// Whether the last recording answers on when all are played.
    pub repeat_last: Option<bool>,
    /// Arguments: refused or passed.
    pub args: Option<Strictness>,
    /// How fast recorded times pass.
    pub speed: Option<f64>,
    /// How recordings without a word of their own read stdin.
    pub stdin: Option<StdinMode>,
    /// Whether recorded streams are rendered by the spawn's arguments.
    pub render: Option<bool>,
    /// Whether unknown session ids are refused.
    pub sessions: Sessions,
    /// Whether session files are written where the real CLI keeps them.
    pub transcripts: bool,
    /// The CLI versions that the personas answer as.
    pub versions: BTreeMap<String, String>,
    /// What `claude` says of itself when a client initializes a session, beside what it always
    /// says or instead of it: keys (`commands`, `models`, `agents`, `account`, ...) and JSON.
    pub initialize: Vec<(String, String)>,
    /// How the journal keeps the environment.
    pub journal_env: EnvMode,
    /// Whether the journal keeps what comes by stdin: the bytes, and the text in the entry.
    pub journal_stdin: bool,
}

/// Whether session ids that no spawn has made are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sessions {
    /// Any id is taken as known.
    #[default]
    Lax,
    /// Unknown ids are refused with the real text.
    Strict,
}

impl Set {
    /// Reads `ringer.toml` of a recording directory; without the file nothing is said.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is not TOML, or has a key or value that it cannot have.
    pub fn read(recordings: &Path) -> Result<Set, Error> {
        let path = recordings.join("ringer.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Reader { path, text: &text }.set(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Set { journal_stdin: true, ..Set::default() })
            }
            Err(error) => Err(Error::io("cannot read", &path, error)),
        }
    }
}

struct Reader<'a> {
    path: PathBuf,
    text: &'a str,
}

impl Reader<'_> {
    fn set(&self) -> Result<Set, Error> {
        let table: Table = self.text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| self.line_at(span.start));
            self.error(line, error.message())
        })?;
        let mut set = Set { journal_stdin: true, ..Set::default() };
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("repeat_last", value) => set.repeat_last = Some(self.boolean(key, value)?),
                ("render", value) => set.render = Some(self.boolean(key, value)?),
                ("transcripts", value) => set.transcripts = self.boolean(key, value)?,
                ("speed", value) => set.speed = Some(self.speed(value)?),
                ("args", value) => {
                    let kinds = [("strict", Strictness::Strict), ("lax", Strictness::Lax)];
                    set.args = Some(self.one_of(key, value, &kinds)?);
                }
                ("stdin", value) => set.stdin = Some(self.one_of(key, value, STDIN_MODES)?),
                ("sessions", value) => {
                    let kinds = [("strict", Sessions::Strict), ("lax", Sessions::Lax)];
                    set.sessions = self.one_of(key, value, &kinds)?;
                }
                ("journal", Value::Table(table)) => self.journal(table, &mut set)?,
                (persona, Value::Table(table)) => self.persona(persona, table, &mut set)?,
                _ => return Err(self.unknown(key)),
            }
        }
        Ok(set)
    }

    fn journal(&self, table: &Table, set: &mut Set) -> Result<(), Error> {
        for (key, value) in table {
            match key.as_str() {
                "env" => {
                    let kinds = [
                        ("masked", EnvMode::Masked),
                        ("names", EnvMode::Names),
                        ("all", EnvMode::All),
                    ];
                    set.journal_env = self.one_of(key, value, &kinds)?;
                }
                "stdin" => set.journal_stdin = self.boolean(key, value)?,
                _ => return Err(self.wrong(key, "[journal] takes `env` and `stdin`")),
            }
        }
        Ok(())
    }

    fn persona(&self, persona: &str, table: &Table, set: &mut Set) -> Result<(), Error> {
        for (key, value) in table {
            match (key.as_str(), value) {
                ("version", Value::String(version)) => {
                    self.version(persona, version)?;
                    set.versions.insert(persona.to_owned(), version.clone());
                }
                ("initialize", Value::Table(answer)) if persona == "claude" => {
                    set.initialize = self.json_of(answer)?;
                }
                ("initialize", _) if persona == "claude" => {
                    return Err(self.wrong(key, "it takes a table, [claude.initialize]"));
                }
                _ => {
                    let what = "takes `version`, a string such as \"2.1.332\"";
                    return Err(self.wrong(key, &format!("[{persona}] {what}")));
                }
            }
        }
        Ok(())
    }

    /// Refuses a version that can be none: every persona would take it for its oldest.
    fn version(&self, persona: &str, version: &str) -> Result<(), Error> {
        if version.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok(());
        }
        let known = crate::persona::known_versions(persona);
        let known = match known.as_slice() {
            [] => "such as \"2.1.332\"".to_owned(),
            known => format!("known are {}", known.join(", ")),
        };
        let what =
            format!("version: {version:?} is no version, which begins with a digit; {known}");
        Err(self.error(self.line_in(persona, "version"), &what))
    }

    /// The line of a key in a table.
    fn line_in(&self, table: &str, key: &str) -> usize {
        let bare = |line: &str| line.replace([' ', '\t', '"', '\''], "");
        let mut within = false;
        for (line, number) in self.text.lines().map(bare).zip(1..) {
            if line.starts_with('[') {
                within = line.starts_with(&format!("[{table}]"));
            }
            let dotted = line.starts_with(&format!("{table}.{key}="));
            let inline = line.starts_with(&format!("{table}={{"));
            if dotted || inline || (within && line.starts_with(&format!("{key}="))) {
                return number;
            }
        }
        1
    }

    /// The values of a table as JSON.
    fn json_of(&self, table: &Table) -> Result<Vec<(String, String)>, Error> {
        let each = table.iter().map(|(key, value)| {
            if has_datetime(value) {
                return Err(self.wrong(key, "JSON has no dates; write it as a string"));
            }
            let source = serde_json::to_string(value);
            let source = source.map_err(|error| self.wrong(key, &error.to_string()))?;
            Ok((key.clone(), source))
        });
        each.collect()
    }

    fn boolean(&self, key: &str, value: &Value) -> Result<bool, Error> {
        value.as_bool().ok_or_else(|| self.wrong(key, "it takes true or false"))
    }

    fn speed(&self, value: &Value) -> Result<f64, Error> {
        #[allow(clippy::cast_precision_loss)] // A speed with more than 53 bits is no speed.
        let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        number
            .filter(|speed| speed.is_finite() && *speed >= 0.0)
            .ok_or_else(|| self.wrong("speed", "it takes a number from 0 up, such as 0, 1 or 10"))
    }

    fn one_of<T: Copy>(&self, key: &str, value: &Value, kinds: &[(&str, T)]) -> Result<T, Error> {
        let found = kinds.iter().find(|(name, _)| value.as_str() == Some(*name));
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<_> = kinds.iter().map(|(name, _)| format!("{name:?}")).collect();
            self.wrong(key, &format!("it takes one of {}", names.join(", ")))
        })
    }

    fn unknown(&self, key: &str) -> Error {
        self.wrong(key, &format!("no such key; there are {KEYS}"))
    }

    fn wrong(&self, key: &str, what: &str) -> Error {
        let starts =
            |line: &str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(key);
        let line = self.text.lines().position(starts).map_or(1, |index| index + 1);
        self.error(line, &format!("{key}: {what}"))
    }

    fn error(&self, line: usize, what: &str) -> Error {
        Error::Setting {
            place: self.path.display().to_string(),
            what: format!("line {line}: {what}"),
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }
}

fn has_datetime(value: &Value) -> bool {
    match value {
        Value::Datetime(_) => true,
        Value::Array(values) => values.iter().any(has_datetime),
        Value::Table(table) => table.values().any(has_datetime),
        _ => false,
    }
}
