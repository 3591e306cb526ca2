//! What an `in` step waits for, and what happens when it does not come.

use std::time::Duration;

use serde_json::{Value, json};

use super::line::{Line, list_of, millis};
use super::recording::{Recording, Steps};

/// A wait for input, for [`Recording::input`].
///
/// ```
/// use std::time::Duration;
/// use ringer::{Recording, json};
/// use ringer::author::Input;
///
/// let choosy = Recording::new()
///     .input(
///         Input::line()
///             .timeout(Duration::from_secs(5))
///             .on_timeout(|steps| steps.err("nobody said anything\n").exit(1))
///             .on_eof(|steps| steps.exit(0))
///             .case(json!({"type": "user"}), |steps| steps.turn("hello"))
///             .case("eof", |steps| steps.exit(2)),
///     )
///     .exit(0);
/// assert!(choosy.to_bytes().is_ok());
/// ```
#[derive(Clone, Debug)]
#[must_use = "an input is waited for once it is given to `Recording::input`"]
pub struct Input {
    pub(super) line: Line,
    cases: Vec<Line>,
    pub(super) fault: Option<String>,
}

/// A pattern as the format has it: an object that the line contains, `"line"`, `"eof"`.
impl From<Value> for Input {
    fn from(pattern: Value) -> Input {
        Input { line: Line::of("in", &pattern), cases: Vec::new(), fault: None }
    }
}

impl Input {
    /// Any line.
    pub fn line() -> Input {
        Input::from(json!("line"))
    }

    /// The end of stdin.
    pub fn eof() -> Input {
        Input::from(json!("eof"))
    }

    /// Exactly so many bytes, at least one.
    pub fn bytes(count: u64) -> Input {
        Input::from(json!({ "bytes": count }))
    }

    /// A line that is JSON and contains this object: objects are compared key by key, lists whole,
    /// numbers by value.
    pub fn json(object: Value) -> Input {
        Input::from(object)
    }

    /// `timeout_ms`: how long it waits; without this, without limit.
    pub fn timeout(mut self, limit: Duration) -> Input {
        self.line.set("timeout_ms", &millis(limit));
        self
    }

    /// `on_timeout`: what is done when the time is over, before it goes on. Without this the
    /// spawn fails with 97, and the verdict says so.
    pub fn on_timeout(self, steps: impl FnOnce(Steps) -> Steps) -> Input {
        self.way("on_timeout", steps)
    }

    /// `on_eof`: what is done at the end of stdin, before it goes on. Without this the end of
    /// stdin is the end as the real CLI makes it.
    pub fn on_eof(self, steps: impl FnOnce(Steps) -> Steps) -> Input {
        self.way("on_eof", steps)
    }

    /// `cases`: what is done if this pattern fits what came; the first that fits is taken.
    pub fn case(mut self, pattern: impl Into<Value>, steps: impl FnOnce(Steps) -> Steps) -> Input {
        let mut case = Line::of("match", &pattern.into());
        case.set_steps("steps", &self.inner(steps));
        self.cases.push(case);
        self.line.set_source("cases", list_of(&self.cases));
        self
    }

    /// `as`: a name, by which a later [`reply`](Recording::reply) calls the id that came.
    pub fn named(mut self, name: &str) -> Input {
        self.line.set("as", name);
        self
    }

    fn way(mut self, key: &'static str, steps: impl FnOnce(Steps) -> Steps) -> Input {
        let steps = self.inner(steps);
        self.line.set_steps(key, &steps);
        self
    }

    fn inner(&mut self, steps: impl FnOnce(Steps) -> Steps) -> Vec<Line> {
        let inner = steps(Recording::empty());
        self.fault = self.fault.take().or(inner.fault);
        inner.steps
    }
}
