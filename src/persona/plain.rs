//! A program of any other name: it plays bytes and has no manners of its own.

use std::path::PathBuf;

use super::Answer;
use super::manners::{Ending, Epipe, Manners, Request, Run, Situation, StdinRule};
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

    fn read(&self, _: &Invocation, _: &Settings) -> Request {
        Request::Run(Run { stdin: StdinRule::Ignore, ..Run::default() })
    }

    fn prompt(&self, run: &Run, stdin: &[u8]) -> Result<String, Answer> {
        let text = String::from_utf8_lossy(stdin).into_owned();
        Ok(run.prompt.clone().unwrap_or(text))
    }

    fn exit_watch(&self) -> ExitWatch {
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
