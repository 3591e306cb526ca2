//! Holds conditions against a spawn.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

use super::super::error::{FormatError, quoted, shown};
use super::super::regexes::Regexes;
use super::When;
use crate::invocation::StreamKind;

/// What is known of a spawn.
pub struct Facts<'a> {
    /// The arguments, without `argv[0]`.
    pub arguments: &'a [OsString],
    /// The working directory.
    pub cwd: &'a Path,
    /// Looks up a variable.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// What stdin is.
    pub stdin_kind: StreamKind,
    /// The prompt, empty if there is none; `None`: not known yet.
    pub prompt: Option<&'a str>,
    /// The first line of stdin without its newline, empty if there is none; `None`: not known yet.
    pub stdin_line: Option<&'a str>,
}

/// A fact that costs a wait, and so is fetched only when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// The prompt.
    Prompt,
    /// The first line of stdin.
    Stdin,
}

/// What conditions say of a spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All hold.
    Accepts,
    /// One does not; [`When::misses`] says which.
    Rejects,
    /// All that can be told so far hold; this fact is needed next.
    Needs(Late),
}

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The condition, such as `when.argv`.
    pub condition: String,
    /// What it came up against, such as `"--resume" is not among the arguments`.
    pub reason: String,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.condition, self.reason)
    }
}

/// Gathers what conditions come to, up to the first that fails or to the last.
struct Tally {
    /// Whether failures are to be told; otherwise the first one is enough.
    explain: bool,
    misses: Vec<Miss>,
    failed: bool,
    needs: Option<Late>,
}

impl Tally {
    fn done(&self) -> bool {
        self.failed && !self.explain
    }

    fn miss(&mut self, condition: impl Into<String>, reason: impl FnOnce() -> String) {
        self.failed = true;
        if self.explain {
            self.misses.push(Miss { condition: condition.into(), reason: reason() });
        }
    }

    fn need(&mut self, late: Late) {
        self.needs.get_or_insert(late);
    }
}

impl When {
    /// Says whether the conditions accept a spawn. What is cheap is looked at first, and no regular
    /// expression is touched when that already fails.
    ///
    /// # Errors
    ///
    /// A regular expression that had to be compiled is none.
    pub fn evaluate(&self, facts: &Facts, regexes: &mut Regexes) -> Result<Verdict, FormatError> {
        let tally = self.tally(facts, regexes, false)?;
        Ok(match tally.needs {
            _ if tally.failed => Verdict::Rejects,
            Some(late) => Verdict::Needs(late),
            None => Verdict::Accepts,
        })
    }

    /// All conditions that are known to fail, for the message about a spawn that nothing accepts:
    /// the recording with the fewest came closest.
    ///
    /// # Errors
    ///
    /// A regular expression that had to be compiled is none.
    pub fn misses(&self, facts: &Facts, regexes: &mut Regexes) -> Result<Vec<Miss>, FormatError> {
        Ok(self.tally(facts, regexes, true)?.misses)
    }

    fn tally(
        &self,
        facts: &Facts,
        regexes: &mut Regexes,
        explain: bool,
    ) -> Result<Tally, FormatError> {
        let mut tally = Tally { explain, misses: Vec::new(), failed: false, needs: None };
        self.cheap(facts, &mut tally);
        if !tally.done() {
            self.known(facts, regexes, &mut tally)?;
        }
        let late = [
            (Late::Prompt, "when.prompt", &self.prompt, facts.prompt),
            (Late::Stdin, "when.stdin", &self.stdin, facts.stdin_line),
        ];
        for (late, key, pattern, fact) in late {
            match (pattern, fact) {
                _ if tally.done() => return Ok(tally),
                (Some(_), None) => tally.need(late),
                (Some(pattern), Some(text)) => {
                    self.find(key, pattern, text, regexes, &mut tally)?
                }
                (None, _) => {}
            }
        }
        if let Some(not) = &self.not
            && !tally.done()
        {
            match not.evaluate(facts, regexes)? {
                Verdict::Rejects => {}
                Verdict::Needs(late) => tally.need(late),
                Verdict::Accepts => tally.miss("when.not", || "all that it names is so".into()),
            }
        }
        Ok(tally)
    }

    /// What needs no regular expression.
    fn cheap(&self, facts: &Facts, tally: &mut Tally) {
        for token in &self.argv {
            if !facts.arguments.iter().any(|argument| argument == OsStr::new(token)) {
                tally.miss("when.argv", || format!("{} is not among the arguments", quoted(token)));
            }
        }
        if let Some(kind) = self.stdin_kind
            && kind != facts.stdin_kind
        {
            tally.miss("when.stdin_kind", || {
                format!("stdin is {:?}, not {:?}", facts.stdin_kind.name(), kind.name())
            });
        }
        for (name, pattern) in &self.env {
            let condition = || format!("when.env.{name}");
            match (pattern, (facts.env)(name)) {
                (Some(_), None) => tally.miss(condition(), || "it is not set".into()),
                (None, Some(_)) => tally.miss(condition(), || "it is set".into()),
                _ => {}
            }
        }
    }

    /// Regular expressions on what is known from the start.
    fn known(
        &self,
        facts: &Facts,
        regexes: &mut Regexes,
        tally: &mut Tally,
    ) -> Result<(), FormatError> {
        if let Some(pattern) = &self.argv_regex {
            let (key, joined) = ("when.argv_regex", facts.arguments.join(OsStr::new(" ")));
            if !self.compiled(key, pattern, regexes)?.is_match(&joined.to_string_lossy()) {
                // They may hold secrets; the message that this becomes part of has them, masked.
                let reason = || format!("/{}/ does not match the arguments", shown(pattern));
                tally.miss(key, reason);
            }
        }
        if let Some(pattern) = &self.cwd {
            let cwd = facts.cwd.to_string_lossy();
            self.find("when.cwd", pattern, &cwd, regexes, tally)?;
        }
        for (name, pattern) in &self.env {
            if let Some(pattern) = pattern
                && let Some(value) = (facts.env)(name)
                && !self
                    .compiled(&format!("when.env.{name}"), pattern, regexes)?
                    .is_match(&value.to_string_lossy())
            {
                // The value may be a secret, and stays out of messages.
                let reason = || format!("/{}/ does not match its value", shown(pattern));
                tally.miss(format!("when.env.{name}"), reason);
            }
        }
        Ok(())
    }

    fn find(
        &self,
        key: &str,
        pattern: &str,
        text: &str,
        regexes: &mut Regexes,
        tally: &mut Tally,
    ) -> Result<(), FormatError> {
        if !tally.done() && !self.compiled(key, pattern, regexes)?.is_match(text) {
            tally.miss(key, || format!("/{}/ does not match {}", shown(pattern), quoted(text)));
        }
        Ok(())
    }
}
