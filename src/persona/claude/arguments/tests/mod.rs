//! The verdicts against the captures of the real CLI, and rule by rule.

mod captures;
mod rules;

use super::{
    Login, Request, StdinRule, StdinSeen, Surroundings, Verdict, check_input, judge, stdin_rule,
    table,
};
use crate::persona::Answer;

/// What every capture was made in, but for a terminal.
fn home() -> Surroundings {
    Surroundings {
        sandbox: true,
        login: Login::Key,
        home: "/home/dev".to_owned(),
        cwd: "/home/dev/project".to_owned(),
        ..Surroundings::default()
    }
}

/// What a spawn comes to once its stdin was read too.
#[derive(Debug)]
enum End {
    Run(Box<Request>),
    Probe(Answer),
    NoAnswer(String),
    Usage(Answer),
}

fn end(version: Option<&str>, words: &[&str], stdin: StdinSeen<'_>, around: &Surroundings) -> End {
    match judge(&table(version), words, version.is_some(), true, around) {
        Verdict::Probe(answer) | Verdict::Help(answer) => End::Probe(answer),
        Verdict::NoAnswer { command } => End::NoAnswer(command),
        Verdict::Usage(answer) => End::Usage(answer),
        Verdict::Run(request) => match stdin_rule(&request, around) {
            StdinRule::Text => match check_input(&request, stdin) {
                Ok(_) => End::Run(request),
                Err(answer) => End::Usage(answer),
            },
            _ => End::Run(request),
        },
    }
}
