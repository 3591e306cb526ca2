//! `ringer completions`: for shells.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Outcome, output};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions of a shell.
pub(super) fn completions(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "ringer", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
