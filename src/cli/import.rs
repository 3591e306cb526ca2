//! `ringer import`: recordings from captures, session transcripts, terminal casts and the cassettes
//! of other tools. Everything is read first; what is written then is written whole, or nothing is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{ArgGroup, Args, Subcommand};

use super::place::{self, Existing};
use super::{Outcome, output};
use crate::import::{Capture, Format, Wanted, capture, cassette, cast, transcript};
use crate::journal::Exit;
use crate::record::{New, add_all};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The streams of a run, as files
    #[command(group = ArgGroup::new("run").required(true).multiple(true).args(["stdout", "stderr", "exit", "signal"]))]
    Capture {
        /// The recording to write; a directory takes the next free number (`rec/claude/`)
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
        /// The recording to write; a directory takes the next free number (`rec/claude/`)
        recording: PathBuf,
        /// The cast
        file: PathBuf,
    },
    /// What another tool recorded, or its scenarios for doubles of its own
    #[command(after_help = CASSETTES)]
    Cassette(Cassettes),
}

#[derive(Args, Debug)]
struct Cassettes {
    /// The recording directory
    dir: PathBuf,
    /// The cassettes
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Their format, instead of what their contents tell
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = format())]
    format: Option<Format>,
    /// Take the calls of this program [default: claude and codex]; where the format names none,
    /// whose recordings they are [default: anybody's]
    #[arg(long, value_name = "NAME", value_parser = persona)]
    persona: Option<String>,
    /// Make recordings without conditions, to be handed out in order whatever the arguments are
    #[arg(long)]
    in_order: bool,
    /// The timing file of a typescript
    #[arg(long, value_name = "FILE")]
    timing: Option<PathBuf>,
}

const CASSETTES: &str = "Formats: asciinema (terminal casts), claude-agent-cassette (tapes), \
    claudeless (scenarios), cli-replay (scenarios), commandeer-test (recordings), frames (stdout of a \
    stream-json session, a line each), ralph (sessions of ralph-orchestrator), subprocess-vcr \
    (cassettes), ttyrec, typescript (of script, of util-linux).";

fn format() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::NAMES.map(|(name, _)| name)).try_map(|name| {
        let known = Format::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, format)| *format).ok_or("no such format")
    })
}

fn persona(name: &str) -> Result<String, String> {
    let is_name = !name.is_empty() && !name.contains('/') && !name.starts_with(['.', '_']);
    if is_name { Ok(name.to_owned()) } else { Err("this is no name of a program".into()) }
}

fn signal(name: &str) -> Result<String, String> {
    let signal = crate::recording::Signal::named(name).filter(|signal| signal.ends_a_process());
    signal
        .map(|signal| signal.name().to_owned())
        .ok_or("no signal of this name ends a process".into())
}

/// What becomes of a recording that is there where one is to be written.
const KEPT: Existing = Existing::Kept { way_out: "remove it, or name another" };

/// Imports, and prints the paths of the recordings that it has made.
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
            place::write(recording, capture(&run).as_bytes(), KEPT)?;
        }
        What::Cast { recording, file } => {
            place::write(recording, cast(&text(file)?, file)?.as_bytes(), KEPT)?;
        }
        What::Transcript { dir, files, split } => transcripts(dir, files, *split)?,
        What::Cassette(cassettes) => play_in(cassettes)?,
    }
    Ok(Outcome::Fine)
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn text(path: &Path) -> anyhow::Result<String> {
    let bytes = bytes(path)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn transcripts(dir: &Path, files: &[PathBuf], split: bool) -> anyhow::Result<()> {
    let mut recordings = Vec::new();
    let mut unreadable = Vec::new();
    for (index, file) in files.iter().enumerate() {
        output::progress(index, files.len(), &file.display().to_string());
        let imported = transcript(&text(file)?, file)?;
        unreadable.extend(imported.unreadable.iter().map(|line| (file, *line)));
        let folder = dir.join(imported.program);
        let texts = if split { imported.split() } else { vec![imported.session()] };
        let new = |text| New { folder: folder.clone(), name: None, text };
        recordings.extend(texts.into_iter().map(new));
    }
    output::progress_done();
    add(&recordings)?;
    for (file, line) in unreadable {
        output::say(&format!("ringer: {}: line {line}: left out: not JSON\n", file.display()));
    }
    Ok(())
}

fn play_in(cassettes: &Cassettes) -> anyhow::Result<()> {
    let timing = match &cassettes.timing {
        None => None,
        Some(_) if cassettes.files.len() > 1 => {
            anyhow::bail!("a timing file belongs to one typescript; import them one by one")
        }
        Some(path) => Some((path.clone(), bytes(path)?)),
    };
    let wanted = Wanted {
        format: cassettes.format,
        persona: cassettes.persona.clone(),
        in_order: cassettes.in_order,
        timing,
    };
    let mut recordings = Vec::new();
    let mut remarks = Vec::new();
    for (index, file) in cassettes.files.iter().enumerate() {
        output::progress(index, cassettes.files.len(), &file.display().to_string());
        let cassette = cassette(&bytes(file)?, file, &wanted)?;
        remarks.extend(cassette.remarks.into_iter().map(|remark| (file, remark)));
        for made in cassette.recordings {
            let folder = match &made.persona {
                Some(persona) => cassettes.dir.join(persona),
                None => cassettes.dir.clone(),
            };
            recordings.push(New { folder, name: made.name, text: made.text });
        }
    }
    output::progress_done();
    add(&recordings)?;
    for (file, remark) in remarks {
        output::say(&format!("ringer: {}: {remark}\n", file.display()));
    }
    Ok(())
}

/// Adds recordings to their folders, which are made where they are not there, and says what they
/// are called.
fn add(recordings: &[New]) -> anyhow::Result<()> {
    let folders: BTreeSet<&PathBuf> = recordings.iter().map(|new| &new.folder).collect();
    for folder in folders {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let names = add_all(recordings)?;
    let paths = recordings.iter().zip(&names).map(|(new, name)| new.folder.join(name));
    output::print(&paths.map(|path| format!("{}\n", path.display())).collect::<String>())
}
