//! Conditions, as a test writes them.

use std::fmt;

use serde_json::Value;

use super::line::Line;
use crate::invocation::StreamKind;

/// Which spawns a recording is for. All conditions must hold; most are regular expressions, which
/// must match somewhere.
///
/// ```
/// use ringer::{Recording, When};
///
/// let conditions = When::new()
///     .argv(["--model", "haiku"])
///     .prompt_contains("a+b")
///     .env("CI", "^(1|true)$")
///     .env_unset("ANTHROPIC_API_KEY")
///     .not(When::new().cwd("/tmp/"));
/// assert_eq!(
///     conditions.to_string(),
///     r#"{"argv": ["--model","haiku"], "prompt": "a\\+b", "env": {"CI": "^(1|true)$", "ANTHROPIC_API_KEY": null}, "not": {"cwd": "/tmp/"}}"#
/// );
/// assert!(Recording::from("yes").when(conditions).to_bytes().is_ok());
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "conditions hold once they are given to `Recording::when`"]
pub struct When {
    keys: Line,
    env: Line,
}

impl When {
    /// No condition: any spawn.
    pub fn new() -> When {
        When::default()
    }

    /// `argv`: these arguments must all occur, each as a whole, in any order.
    pub fn argv<'a>(self, tokens: impl IntoIterator<Item = &'a str>) -> When {
        let tokens: Vec<&str> = tokens.into_iter().collect();
        self.with("argv", tokens.into())
    }

    /// `argv_regex`: must match in the arguments, joined by spaces.
    pub fn argv_regex(self, regex: &str) -> When {
        self.with("argv_regex", regex.into())
    }

    /// `prompt`: must match in the prompt.
    pub fn prompt(self, regex: &str) -> When {
        self.with("prompt", regex.into())
    }

    /// `prompt`: the prompt must contain this text, taken literally.
    pub fn prompt_contains(self, text: &str) -> When {
        self.with("prompt", regex::escape(text).into())
    }

    /// `cwd`: must match in the working directory.
    pub fn cwd(self, regex: &str) -> When {
        self.with("cwd", regex.into())
    }

    /// `stdin`: must match in the first line of standard input.
    pub fn stdin(self, regex: &str) -> When {
        self.with("stdin", regex.into())
    }

    /// `env`: the variable must be set, and this must match in its value.
    pub fn env(self, name: &str, regex: &str) -> When {
        self.variable(name, regex.into())
    }

    /// `env`: the variable must not be set.
    pub fn env_unset(self, name: &str) -> When {
        self.variable(name, Value::Null)
    }

    /// `stdin_kind`: what standard input must be connected to.
    pub fn stdin_kind(self, kind: StreamKind) -> When {
        self.with("stdin_kind", kind.name().into())
    }

    /// `not`: these conditions, taken together, must not hold.
    pub fn not(mut self, conditions: When) -> When {
        self.keys.set_source("not", conditions.to_string());
        self
    }

    fn with(mut self, key: &'static str, value: Value) -> When {
        self.keys.set(key, &value);
        self
    }

    fn variable(mut self, name: &str, value: Value) -> When {
        self.env.set(name.to_owned(), &value);
        self.keys.set_source("env", self.env.to_string());
        self
    }
}

impl fmt::Display for When {
    /// Shows the conditions as a recording's header has them.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.keys.fmt(f)
    }
}
