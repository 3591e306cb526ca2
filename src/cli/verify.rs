//! `ringer verify`: the verdict.

use std::path::PathBuf;

use clap::Args;

use super::{Outcome, output, state};
use crate::verdict::{Question, Report, judge};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The state directory [default: RINGER_STATE, else .ringer of RINGER_RECORDINGS]
    state: Option<PathBuf>,
    #[command(flatten)]
    asked: Asked,
    /// Say it as JSON
    #[arg(long)]
    json: bool,
}

/// What makes a verdict bad.
#[derive(Args, Debug)]
pub(super) struct Asked {
    /// Let recordings have plays left
    #[arg(long)]
    pub allow_unused: bool,
    /// Count arguments that the real program refuses as problems
    #[arg(long)]
    pub deny_usage: bool,
}

/// Prints the verdict on a state directory.
pub(super) fn verify(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let state = state::find(arguments.state.as_deref(), "verify")?;
    let verdict = judge(&Question {
        state: state.clone(),
        recordings: state::recordings(),
        allow_unused: arguments.asked.allow_unused,
        deny_usage: arguments.asked.deny_usage,
    })?;
    if arguments.json {
        output::print(&output::pretty(&verdict)?)?;
    } else {
        let programs = state::doubles(&state);
        output::print(
            &Report { verdict: &verdict, programs: &programs, passing: false }.to_string(),
        )?;
    }
    Ok(if verdict.good { Outcome::Fine } else { Outcome::No })
}
