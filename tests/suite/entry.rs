//! A journal entry, as a reader from outside sees it.

use std::fs;
use std::ops::Index;
use std::path::Path;

use serde_json::Value;

/// A journal entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry(Value);

impl Entry {
    /// Reads an entry.
    #[track_caller]
    pub fn read(path: &Path) -> Entry {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Entry(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}")))
    }

    /// The recording that was claimed.
    pub fn recording(&self) -> Option<&str> {
        self["recording"].as_str()
    }

    /// The text at a key.
    pub fn text(&self, key: &str) -> &str {
        self[key].as_str().unwrap_or_default()
    }

    /// The exit code, or the name of the signal that it died of, or nothing yet.
    pub fn exit(&self) -> String {
        match (&self["exit"]["code"], &self["exit"]["signal"]) {
            (Value::Number(code), Value::Null) => code.to_string(),
            (Value::Null, Value::String(signal)) => signal.clone(),
            _ => String::new(),
        }
    }

    /// The kinds of its problems.
    pub fn problems(&self) -> Vec<&str> {
        let problems = self["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["kind"].as_str().unwrap()).collect()
    }

    /// The names of its keys.
    pub fn keys(&self) -> Vec<&str> {
        self.0.as_object().unwrap().keys().map(String::as_str).collect()
    }
}

impl Index<&str> for Entry {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        &self.0[key]
    }
}
