//! Whether a stage was played as recorded, and the whole story where it was not.

use std::fmt::{self, Write as _};
use std::sync::atomic::Ordering;
use std::thread;

use super::stage::Stage;
use crate::error::Error;
use crate::verdict::{Left, Question, Report, Verdict, judge};

/// Why a stage cannot be called played as recorded. It is displayed as the whole story.
pub struct Unverified {
    /// The verdict; none where the state directory cannot be read.
    pub verdict: Option<Box<Verdict>>,
    story: String,
}

impl Stage {
    /// Asserts that everything went as recorded: no spawn met a problem, no recording is left over,
    /// and there were spawns at all.
    ///
    /// A spawn that found no recording is a problem, whatever the program under test made of its
    /// exit code. On a stage without any recordings nothing may be started.
    ///
    /// # Panics
    ///
    /// Otherwise, with the whole story: each spawn with its command and its end, every problem with
    /// the recordings that came closest, what is left, and what to do about it.
    #[track_caller]
    pub fn verify(&self) {
        if let Err(unverified) = self.try_verify() {
            panic!("{unverified}");
        }
    }

    /// Returns whether everything went as recorded; see [`verify`](Stage::verify).
    ///
    /// # Errors
    ///
    /// It did not, or the state directory cannot be read.
    pub fn try_verify(&self) -> Result<(), Unverified> {
        match self.verdict() {
            Ok(verdict) if is_fine(&verdict) => Ok(()),
            Ok(verdict) => {
                let story = self.story(&verdict);
                Err(Unverified { verdict: Some(Box::new(verdict)), story })
            }
            Err(error) => {
                let story = format!("cannot tell whether the doubles played as recorded: {error}");
                Err(Unverified { verdict: None, story })
            }
        }
    }

    /// What the state directory says so far. A stage that was asked for it makes no further fuss
    /// when it is dropped.
    ///
    /// # Errors
    ///
    /// The state directory cannot be read.
    pub fn verdict(&self) -> Result<Verdict, Error> {
        self.judged.store(true, Ordering::Relaxed);
        self.judge()
    }

    /// Recordings with plays left, in order. Those that may be played any number of times, and
    /// answers to probes, are never left over.
    ///
    /// # Panics
    ///
    /// Whenever [`try_remaining`](Stage::try_remaining) has an error.
    #[must_use]
    #[track_caller]
    pub fn remaining(&self) -> Vec<Left> {
        match self.try_remaining() {
            Ok(left) => left,
            Err(error) => panic!("cannot tell what is left to play: {error}"),
        }
    }

    /// Recordings with plays left, in order; see [`remaining`](Stage::remaining).
    ///
    /// # Errors
    ///
    /// The state directory or the recordings cannot be read.
    pub fn try_remaining(&self) -> Result<Vec<Left>, Error> {
        self.judge().map(|verdict| verdict.left)
    }

    /// The spawns so far, for a message.
    pub(super) fn spawns(&self) -> String {
        match self.judge() {
            Ok(verdict) => self.report(&verdict),
            Err(error) => error.to_string(),
        }
    }

    fn judge(&self) -> Result<Verdict, Error> {
        judge(&Question {
            state: self.state().to_owned(),
            recordings: self.layout.recordings.clone(),
            allow_unused: self.allow_unused,
            deny_usage: false,
        })
    }

    fn report(&self, verdict: &Verdict) -> String {
        Report { verdict, programs: &self.layout.programs, passing: true }.to_string()
    }

    fn story(&self, verdict: &Verdict) -> String {
        let mut story = format!("the doubles did not play as recorded\n{}", self.report(verdict));
        // Writing to a String cannot fail.
        for spawn in self.try_invocations().unwrap_or_default() {
            if !spawn.problems().is_empty() {
                let (number, cwd) = (spawn.number(), spawn.cwd().display());
                let _ = writeln!(story, "spawn {number} in {cwd}: {:?}", spawn.argv());
            }
        }
        if verdict.spawns.is_empty() {
            story.push_str("in a Rust test, the path of a double is `Stage::path`\n");
        }
        if !verdict.left.is_empty() && !self.allow_unused {
            story.push_str("in a Rust test, recordings may be left with `allow_unused()`\n");
        }
        let temp = self.temp.path().display();
        let _ = match self.keep {
            true => write!(story, "the stage is kept in {temp}"),
            false => write!(story, "the stage was in {temp}; `keep()` leaves it there"),
        };
        story
    }
}

/// A stage without recordings says that nothing is to be started.
fn is_fine(verdict: &Verdict) -> bool {
    verdict.good || (verdict.spawns.is_empty() && verdict.recordings_total == 0)
}

impl Drop for Stage {
    /// The safety net of [`verify`](Stage::verify), for tests that forget it and for those that
    /// fail before they come to it.
    fn drop(&mut self) {
        if self.judged.load(Ordering::Relaxed) {
            return;
        }
        match self.try_verify() {
            Ok(()) => {}
            // A second panic would end the process, and the first one is the one to read.
            Err(unverified) if thread::panicking() => eprintln!("{unverified}"),
            Err(unverified) => {
                panic!(
                    "{unverified}\n(found as the stage was dropped; call `verify()` to be told where)"
                )
            }
        }
    }
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.story)
    }
}

/// As it is displayed, so that an `unwrap` tells the whole story.
impl fmt::Debug for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.story)
    }
}

impl std::error::Error for Unverified {}
