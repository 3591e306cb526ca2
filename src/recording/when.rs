//! `when`: which spawns a recording is for.

use super::error::{FormatError, Mistake};
use super::object::Keys;
use super::regexes::Regexes;
use super::value::Field;
use crate::invocation::StreamKind;

pub use evaluate::{Facts, Late, Miss, Verdict};

mod evaluate;

/// The conditions of a recording. All that are there must hold.
#[derive(Clone, Debug, Default)]
pub struct When {
    line: u64,
    /// Tokens that must all occur among the arguments.
    argv: Vec<String>,
    argv_regex: Option<String>,
    prompt: Option<String>,
    cwd: Option<String>,
    stdin: Option<String>,
    /// A variable's name and what its value must match; `None`: it must not be set.
    env: Vec<(String, Option<String>)>,
    stdin_kind: Option<StreamKind>,
    /// Conditions that, taken together, must not hold.
    not: Option<Box<When>>,
}

const KEYS: Keys = &["argv", "argv_regex", "prompt", "cwd", "stdin", "env", "stdin_kind", "not"];

/// Nobody needs a `not` in a `not` in a `not`; the bound keeps the stack in bounds.
const MOST_NESTED: u32 = 16;

impl When {
    /// Parses conditions that stand on this line.
    pub(super) fn parse(field: Field, line: u64) -> Result<When, Mistake> {
        parse(field, line, 0)
    }

    /// Whether the prompt or the first line of stdin is asked for, at any depth.
    pub fn needs(&self, late: Late) -> bool {
        let here = match late {
            Late::Prompt => self.prompt.is_some(),
            Late::Stdin => self.stdin.is_some(),
        };
        here || self.not.as_ref().is_some_and(|not| not.needs(late))
    }

    /// Checks that all regular expressions are such.
    pub fn check(&self, regexes: &mut Regexes) -> Result<(), FormatError> {
        let plain = [
            ("when.argv_regex", &self.argv_regex),
            ("when.prompt", &self.prompt),
            ("when.cwd", &self.cwd),
            ("when.stdin", &self.stdin),
        ];
        for (key, pattern) in plain {
            if let Some(pattern) = pattern {
                self.compiled(key, pattern, regexes)?;
            }
        }
        for (name, pattern) in &self.env {
            if let Some(pattern) = pattern {
                self.compiled(&format!("when.env.{name}"), pattern, regexes)?;
            }
        }
        self.not.as_ref().map_or(Ok(()), |not| not.check(regexes))
    }

    fn compiled<'r>(
        &self,
        key: &str,
        pattern: &str,
        regexes: &'r mut Regexes,
    ) -> Result<&'r regex::Regex, FormatError> {
        regexes.get(pattern).map_err(|mistake| mistake.within(key).on_line(self.line))
    }
}

fn parse(field: Field, line: u64, depth: u32) -> Result<When, Mistake> {
    if depth > MOST_NESTED {
        return Err(Mistake::new(format!("`not` goes deeper than {MOST_NESTED} levels")));
    }
    let mut keys = field.object("an object of conditions", KEYS)?;
    let texts = |field: Field| {
        let tokens = field.list("a list of arguments")?.into_iter();
        tokens.map(|token| token.string_or("a list of strings")).collect::<Result<_, _>>()
    };
    let regex = |field: Field| field.string_or("a regular expression");
    Ok(When {
        line,
        argv: keys.read("argv", texts)?.unwrap_or_default(),
        argv_regex: keys.read("argv_regex", regex)?,
        prompt: keys.read("prompt", regex)?,
        cwd: keys.read("cwd", regex)?,
        stdin: keys.read("stdin", regex)?,
        env: keys.read("env", variables)?.unwrap_or_default(),
        stdin_kind: keys.read("stdin_kind", |field| field.word(StreamKind::NAMES))?,
        not: keys.read("not", |field| parse(field, line, depth + 1).map(Box::new))?,
    })
}

/// Variables and their values; null says that one is not set.
pub(super) fn variables(field: Field) -> Result<Vec<(String, Option<String>)>, Mistake> {
    let pairs = field.pairs("an object of variables")?.into_iter();
    pairs
        .map(|(name, raw)| {
            let value = match raw.get() {
                "null" => None,
                _ => Some(Field { key: &name, raw }.string_or("a string or null")?),
            };
            Ok((name, value))
        })
        .collect()
}

#[cfg(test)]
mod tests;
