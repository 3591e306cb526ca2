//! `ringer import`: recordings from captures, session transcripts and terminal casts.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::{Outcome, output};
use crate::import::{Capture, capture, cast, transcript};
use crate::journal::Exit;

#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The streams of a run, as files
    Capture {
        /// The recording to write
        recording: PathBuf,
        /// What went to stdout
        #[arg(long, value_name = "FILE")]
        stdout: Option<PathBuf>,
        /// What went to stderr
        #[arg(long, value_name = "FILE")]
        stderr: Option<PathBuf>,
        /// The exit code
        #[arg(long, value_name = "CODE", conflicts_with = "signal")]
        exit: Option<u8>,
        /// The signal that ended it, without SIG
        #[arg(long, value_name = "NAME", value_parser = signal)]
        signal: Option<String>,
        /// The program and its arguments
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// Session transcripts of claude (`projects/**.jsonl`) or codex (`sessions/**.jsonl`), as turns
    Transcript {
        /// The recording directory
        dir: PathBuf,
        /// The transcripts
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write a recording for each turn, instead of one for each session
        #[arg(long)]
        split: bool,
    },
    /// A terminal cast of asciinema, version 2 or 3
    Cast {
        /// The recording to write
        recording: PathBuf,
        /// The cast
        file: PathBuf,
    },
}

fn signal(name: &str) -> Result<String, String> {
    let signal = crate::recording::Signal::named(name).filter(|signal| signal.ends_a_process());
    signal
        .map(|signal| signal.name().to_owned())
        .ok_or("no signal of this name ends a process".into())
}

/// Imports.
pub(super) fn import(arguments: &Arguments) -> anyhow::Result<Outcome> {
    match &arguments.what {
        What::Capture { recording, stdout, stderr, exit, signal, command } => {
            let read = |path: &Option<PathBuf>| path.as_deref().map_or(Ok(Vec::new()), bytes);
            let exit = exit.map(Exit::Code).or_else(|| signal.clone().map(Exit::Signal));
            let (program, argv) = match command.split_first() {
                Some((program, argv)) => (Some(program.clone()), argv.to_vec()),
                None => (None, Vec::new()),
            };
            let run = Capture { program, argv, stdout: read(stdout)?, stderr: read(stderr)?, exit };
            write(recording, &capture(&run))?;
        }
        What::Cast { recording, file } => write(recording, &cast(&text(file)?, file)?)?,
        What::Transcript { dir, files, split } => {
            for (index, file) in files.iter().enumerate() {
                output::progress(index, files.len(), &file.display().to_string());
                let imported = transcript(&text(file)?, file)?;
                let folder = dir.join(imported.program);
                fs::create_dir_all(&folder)
                    .with_context(|| format!("cannot make {}", folder.display()))?;
                let recordings = if *split { imported.split() } else { vec![imported.session()] };
                for recording in recordings {
                    crate::record::add(&folder, &recording)?;
                }
            }
            output::progress_done();
        }
    }
    Ok(Outcome::Fine)
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn text(path: &Path) -> anyhow::Result<String> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// Writes a recording that is not there yet.
fn write(path: &Path, recording: &str) -> anyhow::Result<()> {
    let opened = fs::File::options().write(true).create_new(true).mode(0o600).open(path);
    let mut file = opened.with_context(|| format!("cannot make {}", path.display()))?;
    file.write_all(recording.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}
