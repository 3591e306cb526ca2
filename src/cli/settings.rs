//! Options on what a stage is, the same for `stage` and `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::stage::names::check_name;
use crate::stage::{Mode, StagePlan, StageSettings, Strictness};

#[derive(Args, Debug)]
pub(super) struct StageOptions {
    /// Add a double of this name to `claude`, `codex` and those with a folder of recordings
    #[arg(long = "as", value_name = "NAME", value_parser = name_of_a_double)]
    names: Vec<String>,
    /// Keep the state (what was handed out, the journal) in this directory
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Let the last recording answer all further spawns
    #[arg(long)]
    repeat_last: bool,
    /// Whether arguments that the real program would refuse are refused
    #[arg(long, value_enum)]
    args: Option<ArgsOption>,
    /// How fast recorded times pass: 0 skips them, 1 as recorded, 10 ten times faster
    #[arg(long, allow_negative_numbers = true, value_parser = speed)]
    speed: Option<f64>,
    /// A fault laid over whatever is played, such as `cut@line:3`
    // Not shown while a double refuses every fault.
    #[arg(long, hide = true)]
    fault: Option<String>,
    /// Play, record the real program, or pass through to it
    #[arg(long, value_enum)]
    mode: Option<ModeOption>,
    /// Seconds after which a double ends itself
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    max_life: Option<Duration>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArgsOption {
    Strict,
    Lax,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeOption {
    Replay,
    Record,
    Passthrough,
}

impl StageOptions {
    /// The plan of a stage in this place.
    pub fn plan(&self, dir: PathBuf, recordings: Option<PathBuf>) -> StagePlan {
        StagePlan {
            recordings,
            names: self.names.clone(),
            state: self.state.clone(),
            settings: StageSettings {
                speed: self.speed,
                args: self.args.map(|args| match args {
                    ArgsOption::Strict => Strictness::Strict,
                    ArgsOption::Lax => Strictness::Lax,
                }),
                mode: self.mode.map(|mode| match mode {
                    ModeOption::Replay => Mode::Replay,
                    ModeOption::Record => Mode::Record,
                    ModeOption::Passthrough => Mode::Passthrough,
                }),
                repeat_last: self.repeat_last.then_some(true),
                fault: self.fault.clone(),
                max_life: self.max_life,
            },
            ..StagePlan::new(dir)
        }
    }
}

/// Takes a name that a double can have.
pub(super) fn name_of_a_double(name: &str) -> Result<String, String> {
    check_name(name).map(|()| name.to_owned())
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    speed.ok_or_else(|| "it takes a number from 0 up, such as 0, 1 or 10".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|life| !life.is_zero())
        .ok_or_else(|| "it takes a number of seconds above 0".to_owned())
}
