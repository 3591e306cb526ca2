//! What arguments mean, against the captures of the real CLI, and rule by rule.

mod captures;
mod rules;

use super::{
    Login, Request, StdinRule, StdinSeen, Surroundings, check_input, judge, stdin_rule, table,
};
use crate::persona::{Answer, Meaning};

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
        Meaning::Probe(answer) | Meaning::Help(answer) => End::Probe(answer),
        Meaning::NoAnswer { command } => End::NoAnswer(command),
        Meaning::Usage(answer) => End::Usage(answer),
        Meaning::Run(request) => match stdin_rule(&request, around) {
            StdinRule::Text => match check_input(&request, stdin) {
                Ok(_) => End::Run(request),
                Err(answer) => End::Usage(answer),
            },
            _ => End::Run(request),
        },
    }
}
