//! The `ringer` command: arguments in, words and exit codes out. What the subcommands do is in the
//! library's modules; here is what they are asked and how they answer.

mod check_secrets;
mod completions;
mod drift;
mod import;
mod journal;
mod new;
mod output;
mod place;
mod record;
mod reset;
mod run;
mod settings;
mod stage;
mod state;
mod status;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::error::EXIT_RINGER;

/// The answer is no.
const EXIT_NO: u8 = 1;

/// Doubles of `claude` and `codex` that play recordings, for tests of programs that start these.
#[derive(Debug, Parser)]
#[command(name = "ringer", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 the answer is no, 2 usage, 97 ringer could not do its \
    job; `ringer run` exits as its command does, and with 1 instead of 0 if the verdict is bad.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command with doubles on its PATH, then say what was played and what went wrong
    Run(run::Arguments),
    /// Run a command and record what the real programs that it starts do
    Record(record::Arguments),
    /// Make a directory to put on PATH: the doubles and the state of one test
    Stage(stage::Arguments),
    /// Say whether everything went as recorded: problems, recordings left over
    Verify(verify::Arguments),
    /// Show what each double does now, and what it waits for
    Status(status::Arguments),
    /// Show the journal: one line a spawn, or everything of one
    Journal(journal::Arguments),
    /// Start a state directory anew: all recordings can be played again
    Reset(reset::Arguments),
    /// Write a recording: texts, tool calls, failures, or turns as JSON
    New(new::Arguments),
    /// Make recordings of captures, session transcripts, terminal casts and other tools' cassettes
    Import(import::Arguments),
    /// Find what in recordings still looks like a secret
    CheckSecrets(check_secrets::Arguments),
    /// Compare what the doubles claim with the real programs on this machine
    Drift(drift::Arguments),
    /// Print what a shell needs to complete ringer's arguments
    Completions(completions::Arguments),
}

/// How a subcommand ends that could do its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is fine.
    Fine,
    /// The answer is no.
    No,
    /// With a command's own exit code.
    Code(u8),
}

/// Runs the command with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Record(arguments) => record::record(&arguments),
        Command::Stage(arguments) => stage::stage(&arguments),
        Command::Verify(arguments) => verify::verify(&arguments),
        Command::Status(arguments) => status::status(&arguments),
        Command::Journal(arguments) => journal::journal(&arguments),
        Command::Reset(arguments) => reset::reset(&arguments),
        Command::New(arguments) => new::new(&arguments),
        Command::Import(arguments) => import::import(&arguments),
        Command::CheckSecrets(arguments) => check_secrets::check_secrets(&arguments),
        Command::Drift(arguments) => drift::drift(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
    };
    match done {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(EXIT_NO),
        Ok(Outcome::Code(code)) => ExitCode::from(code),
        // Whoever reads has seen enough.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(EXIT_RINGER)
        }
    }
}

/// Ends with a message on how a subcommand is used, and exit code 2.
fn usage(subcommand: &str, message: &str) -> ! {
    let mut command = Arguments::command();
    command.build();
    let found = command.find_subcommand_mut(subcommand);
    let error = clap::error::ErrorKind::MissingRequiredArgument;
    match found {
        Some(found) => found.error(error, message).exit(),
        None => command.error(error, message).exit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }
}
