//! A program of any other name: it plays bytes and has no manners of its own.

use std::path::PathBuf;
use std::rc::Rc;

use super::Answer;
use super::manners::{
    Circumstances, Ending, Epipe, Manners, ModelRun, Request, Situation, StdinRule, StdinSeen,
    Version,
};
use super::performer::Performer;
use crate::invocation::Invocation;
use crate::play::ExitWatch;
use crate::recording::Signal;
use crate::settings::Settings;

/// A program that nothing is known of.
#[derive(Debug)]
pub(crate) struct Plain {
    /// Its name.
    pub name: String,
}

impl Manners for Plain {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, _: &Invocation, _: &Settings, _: Version) -> Request {
        Request::Run(Rc::new(PlainRun))
    }

    fn exit_watch(&self, _: Option<&str>) -> ExitWatch {
        ExitWatch::new(None, |_| None)
    }

    fn on_signal(&self, _: Signal, _: Situation) -> Ending {
        Ending::Dies
    }

    fn epipe(&self) -> Epipe {
        Epipe::Die
    }

    fn config_dir(&self, invocation: &Invocation) -> PathBuf {
        invocation.home().join(".config").join(&self.name)
    }
}

/// A run of a program that nothing is known of.
#[derive(Debug)]
struct PlainRun;

impl ModelRun for PlainRun {
    fn prompt_argument(&self) -> Option<&str> {
        None
    }

    fn stdin(&self) -> StdinRule {
        StdinRule::Ignore
    }

    fn prompt(&self, stdin: StdinSeen) -> Result<String, Answer> {
        Ok(String::from_utf8_lossy(stdin.bytes).into_owned())
    }

    fn performer(&self, _: &Circumstances) -> Option<Box<dyn Performer>> {
        None
    }

    fn session_id(&self, _: &Circumstances) -> Option<String> {
        None
    }
}
