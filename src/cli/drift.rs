//! `ringer drift`: what the doubles claim beside the real program on this machine.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::{Outcome, output};
use crate::drift::{drift as compare, rerun};

#[derive(Args, Debug)]
#[command(after_help = "Exit code 1 if something differs.")]
pub(super) struct Arguments {
    /// The programs to look at [default: those of claude and codex that are there]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
    /// The version that the doubles answer as [default: the newest known]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    version: Option<String>,
    /// Run the commands of these recordings again, and compare the streams; this costs what the
    /// runs cost
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Write a new data file of options into this directory, to be looked through; what becomes of
    /// it, docs/versions.md says
    #[arg(long, value_name = "DIR")]
    update: Option<PathBuf>,
}

fn version(text: &str) -> Result<String, String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if text.split('.').count() == 3 && text.split('.').all(is_number) {
        return Ok(text.to_owned());
    }
    Err("it takes a version such as 2.1.332".to_owned())
}

/// Compares, and says what differs in one screen.
pub(super) fn drift(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let (mut differs, mut compared) = (false, 0);
    let both = ["claude".to_owned(), "codex".to_owned()];
    let named = !arguments.programs.is_empty();
    let programs = if named { &arguments.programs[..] } else { &both };
    for (index, persona) in programs.iter().enumerate() {
        output::progress(index, programs.len(), persona);
        let mut drift = match compare(persona, arguments.version.as_deref()) {
            Ok(drift) => drift,
            // Of those that nobody named, one may well be missing, but not both.
            Err(error) if !named && (compared > 0 || index + 1 < programs.len()) => {
                output::progress_done();
                output::say(&format!("ringer: {error}\n"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        compared += 1;
        if let Some(recordings) = &arguments.run {
            let found = rerun(persona, &drift.program, recordings, |number, all, name| {
                output::progress(number - 1, all, name);
            })?;
            drift.differences.extend(found);
        }
        output::progress_done();
        output::print(&drift.to_string())?;
        differs |= !drift.differences.is_empty();
        if let Some(folder) = &arguments.update {
            let version = drift.real.as_deref().unwrap_or("unknown");
            let path = folder.join(format!("{persona}-{version}.options"));
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the directory {}", folder.display()))?;
            std::fs::write(&path, &drift.update)
                .with_context(|| format!("cannot write {}", path.display()))?;
            output::say(&format!("ringer: wrote {}, to be looked through\n", path.display()));
        }
    }
    Ok(if differs { Outcome::No } else { Outcome::Fine })
}
