//! `ringer run`: a command with doubles on its PATH, and the verdict afterwards.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use tempfile::TempDir;

use super::settings::StageOptions;
use super::verify::Asked;
use super::{Outcome, output, state};
use crate::error::EXIT_RINGER;
use crate::journal::{Journal, Life};
use crate::stage::{Layout, make};
use crate::state::StateDir;
use crate::verdict::{Question, Report, Verdict, judge};

pub(super) mod foreground;

/// How long doubles may take to end after the command has.
const GRACE: Duration = Duration::from_millis(500);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Args, Debug)]
#[command(
    after_help = "The verdict goes to stderr. Streams, terminal and signals are the command's; \
    the exit code too, but 1 instead of 0 if the verdict is bad."
)]
pub(super) struct Arguments {
    /// The recording directory [default: RINGER_RECORDINGS]
    #[arg(value_name = "R")]
    recordings: Option<PathBuf>,
    /// The command to run, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    #[command(flatten)]
    asked: Asked,
    /// Keep the stage, with its journal, and say where it is
    #[arg(long)]
    keep: bool,
    /// Say the verdict as one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: StageOptions,
}

/// Runs a command on a fresh stage and says what came of it.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let Some(recordings) = arguments.recordings.clone().or_else(state::recordings) else {
        super::usage(
            "run",
            "no recording directory is named; write `ringer run R -- COMMAND`, or set \
             RINGER_RECORDINGS",
        )
    };
    let mut place = temporary()?;
    place.disable_cleanup(arguments.keep);
    let layout = make(&arguments.options.plan(place.path().join("stage"), Some(recordings)))?;
    let state_goes = layout.state.starts_with(place.path());
    if !arguments.keep && state_goes {
        StateDir::open(layout.state.clone(), false)?.mark_temporary()?;
    }
    let earlier = Journal::of(&layout.state)?.numbers()?.len();
    let code = match foreground::run(&arguments.command, &layout.envs()) {
        Ok(code) => code,
        Err(error) => return Ok(Outcome::Code(not_started(&arguments.command, &error))),
    };
    let ended = doubles_end(&layout.state);
    // A double that goes on writes to the stage still.
    let kept = arguments.keep || (state_goes && matches!(ended, Ok(false)));
    place.disable_cleanup(kept);
    let judged = ended.and_then(|_| {
        judge(&Question {
            state: layout.state.clone(),
            recordings: layout.recordings.clone(),
            allow_unused: arguments.asked.allow_unused,
            deny_usage: arguments.asked.deny_usage,
        })
        .map_err(anyhow::Error::from)
    });
    match judged {
        Ok(verdict) => {
            say(arguments, &verdict, &layout, earlier)?;
            say_where(kept, state_goes, &layout, &verdict, arguments);
            Ok(Outcome::Code(exit_code(code, &verdict, arguments)))
        }
        Err(error) => {
            output::complain(&error);
            Ok(Outcome::Code(if code == 0 { EXIT_RINGER } else { code }))
        }
    }
}

/// Returns the command's exit code, or 1 where that would hide a bad verdict; then it says so.
fn exit_code(code: u8, verdict: &Verdict, arguments: &Arguments) -> u8 {
    if code != 0 || verdict.good {
        return code;
    }
    if !arguments.json {
        let no = super::EXIT_NO;
        output::say(&format!("ringer: exit {no} for the above; the command itself ended with 0\n"));
    }
    super::EXIT_NO
}

fn say(
    arguments: &Arguments,
    verdict: &Verdict,
    layout: &Layout,
    earlier: usize,
) -> anyhow::Result<()> {
    if arguments.json {
        output::say(&output::line(verdict)?);
        return Ok(());
    }
    output::say(&Report { verdict, programs: &layout.programs, passing: true }.to_string());
    if earlier > 0 {
        output::say(&format!(
            "ringer: note: {earlier} of these spawns {} in {} before this run\n",
            if earlier == 1 { "was" } else { "were" },
            layout.state.display()
        ));
    }
    Ok(())
}

/// Says where the stage is, or how to have it kept.
fn say_where(
    kept: bool,
    state_goes: bool,
    layout: &Layout,
    verdict: &Verdict,
    arguments: &Arguments,
) {
    if arguments.json {
        return;
    }
    let (stage, state) = (layout.dir.display(), layout.state.display());
    if kept {
        let why = if arguments.keep { "" } else { ", since doubles still use it" };
        output::say(&format!("ringer: kept the stage {stage}{why}\n"));
    }
    if kept || !state_goes {
        output::say(&format!("ringer: to look closer: ringer journal {state}\n"));
    } else if !verdict.good && !verdict.spawns.is_empty() {
        output::say(
            "ringer: to look closer, run it again with its journal kept: ringer run --keep ...\n",
        );
    }
}

/// Gives the doubles a moment to end, as clients often end first; tells whether all have.
fn doubles_end(state: &Path) -> anyhow::Result<bool> {
    let until = Instant::now() + GRACE;
    let journal = Journal::of(state)?;
    loop {
        let records = journal.records()?;
        if records.iter().all(|record| record.life != Life::Running) {
            return Ok(true);
        }
        if until <= Instant::now() {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
}

/// Says why a command could not be started, and returns the exit code that shells have for it.
pub(super) fn not_started(command: &[OsString], error: &std::io::Error) -> u8 {
    let name = command.first().map(|name| name.display().to_string()).unwrap_or_default();
    let missing = error.kind() == std::io::ErrorKind::NotFound;
    let why = if missing { "it is not there, nor on PATH".to_owned() } else { error.to_string() };
    output::say(&format!("ringer: cannot start the command {name}: {why}\n"));
    if missing { 127 } else { 126 }
}

/// Makes a directory for one run, which goes with it and is nobody else's.
pub(super) fn temporary() -> anyhow::Result<TempDir> {
    let folder = std::env::temp_dir();
    let private = Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().prefix("ringer-").permissions(private).tempdir_in(&folder);
    made.with_context(|| format!("cannot make a directory in {}", folder.display()))
}
