//! A double that records or passes through: it stands where a harness finds it, and has the real
//! program do the work.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::effects::Look;
use super::header::Header;
use super::options::{Options, Policy};
use super::partial::{PROBE, Partial};
use super::redact::{Numbers, Redactor};
use super::running::{Ended, Running};
use super::tape::{Tape, Taped};
use super::{lines, real, surroundings, version};
use crate::directory::Pool;
use crate::error::Error;
use crate::invocation::Invocation;
use crate::journal::Exit;
use crate::persona::{Manners, Request, Version};
use crate::settings::{Mode, Sources};

/// What is recorded, and where.
struct Place {
    partial: Partial,
    /// It is an answer to a question, not a model run.
    probe: bool,
    /// The double would refuse these arguments by itself; what the real program does decides.
    usage: bool,
    /// A conversation, which is used up only by a message.
    session: bool,
}

/// Has the real program do the work, if that is what the surroundings ask for; `None`: a recording
/// is to be played.
///
/// # Errors
///
/// There is no real program, or nothing can be recorded.
pub(crate) fn shim(
    manners: &'static dyn Manners,
    invocation: &Invocation,
    sources: &Sources,
) -> Result<Option<Exit>, Error> {
    // A mode that cannot be is for the journal to tell, and there is none yet.
    let Ok(mode) = sources.mode() else { return Ok(None) };
    if mode == Mode::Replay {
        return Ok(None);
    }
    let options = Options::beside(invocation.started_by.as_deref())?;
    if mode == Mode::Passthrough {
        return pass_through(&real_program(manners.name(), invocation, &options)?, invocation);
    }
    let recordings = recording_directory(sources, invocation)?;
    let settings = sources.settle(recordings.clone())?;
    let request = manners.read(invocation, &settings, Version::Settled);
    match choose(manners.name(), &request, &recordings, &options, invocation)? {
        Choice::Replay => Ok(None),
        Choice::PassThrough => {
            pass_through(&real_program(manners.name(), invocation, &options)?, invocation)
        }
        Choice::Record(place) => {
            let program = match real_program(manners.name(), invocation, &options) {
                Ok(program) => program,
                Err(error) => {
                    place.partial.discard();
                    return Err(error);
                }
            };
            record(manners.name(), &program, place, &recordings, &options, invocation).map(Some)
        }
    }
}

fn recording_directory(sources: &Sources, invocation: &Invocation) -> Result<PathBuf, Error> {
    let Some(named) = sources.named_recordings() else {
        return sources.recordings(invocation).map(Path::to_owned);
    };
    fs::create_dir_all(named).map_err(|error| Error::io("cannot make", named, error))?;
    Ok(named.to_owned())
}

fn real_program(
    persona: &str,
    invocation: &Invocation,
    options: &Options,
) -> Result<PathBuf, Error> {
    if let Some(program) = options.programs.get(persona) {
        return Ok(program.clone());
    }
    let own = invocation.var("PATH").map(OsString::as_os_str);
    let recorders = options.path.as_deref().map(OsStr::new);
    real::find(persona, &own.into_iter().chain(recorders).collect::<Vec<_>>())
}

/// The command that the real program is started by. What it starts of its own kind is not recorded:
/// a replay does not start it either.
fn command_of(program: &Path, invocation: &Invocation) -> Command {
    let mut command = Command::new(program);
    command.args(invocation.argv.get(1..).unwrap_or_default());
    for (name, _) in &invocation.env {
        if name.as_encoded_bytes().starts_with(b"RINGER_") {
            command.env_remove(name);
        }
    }
    if let Some(path) = invocation.var("PATH") {
        command.env("PATH", real::without_stages(path));
    }
    command.env("RINGER_MODE", "passthrough");
    command
}

/// Becomes the real program.
fn pass_through(program: &Path, invocation: &Invocation) -> Result<Option<Exit>, Error> {
    let error = command_of(program, invocation).exec();
    Err(Error::io("cannot start", program, error))
}

/// What is done with a spawn.
enum Choice {
    Replay,
    PassThrough,
    Record(Place),
}

fn choose(
    persona: &str,
    request: &Request,
    recordings: &Path,
    options: &Options,
    invocation: &Invocation,
) -> Result<Choice, Error> {
    if options.policy == Policy::None {
        return Ok(Choice::Replay);
    }
    let folder = folder_of(recordings, persona)?;
    let place = |partial, probe| {
        let session = matches!(request, Request::Run(run) if run.is_session());
        let usage = matches!(request, Request::Usage(_));
        Choice::Record(Place { partial, probe, usage, session })
    };
    if matches!(request, Request::Probe(_) | Request::Help(_) | Request::NoAnswer { .. }) {
        let name = probe_name(&invocation.args());
        let known = folder.join(&name).exists();
        if known && options.policy != Policy::All {
            return Ok(match options.policy {
                Policy::Once => Choice::Replay,
                _ => Choice::PassThrough,
            });
        }
        let partial = Partial::named(&folder, &name, true)?;
        return Ok(partial.map_or(Choice::PassThrough, |partial| place(partial, true)));
    }
    let existing = options.existing.get(persona).map(Vec::as_slice).unwrap_or_default();
    let known = existing.get(count(persona, options)?);
    let partial = match (options.policy, known) {
        (Policy::Once, Some(_)) => return Ok(Choice::Replay),
        (Policy::All, Some(name)) => match Partial::named(&folder, name, true)? {
            Some(partial) => partial,
            None => Partial::next_in(&folder)?,
        },
        _ => Partial::next_in(&folder)?,
    };
    Ok(place(partial, false))
}

/// The folder that a persona's recordings go to: where those that are there would be looked for.
fn folder_of(recordings: &Path, persona: &str) -> Result<PathBuf, Error> {
    let pool = Pool::of(recordings, persona)?;
    if !pool.name.is_empty() || !pool.list()?.is_empty() {
        return Ok(pool.path);
    }
    let folder = recordings.join(persona);
    fs::create_dir_all(&folder).map_err(|error| Error::io("cannot make", &folder, error))?;
    Ok(folder)
}

/// How many model runs of the persona there were before in this run of the recorder. The file has a
/// byte for each.
fn count(persona: &str, options: &Options) -> Result<usize, Error> {
    let Some(stage) = &options.stage else { return Ok(0) };
    let path = stage.join(format!("{persona}.runs"));
    let counted = || {
        let mut options = fs::OpenOptions::new();
        let mut file = options.append(true).create(true).mode(0o600).open(&path)?;
        file.lock()?;
        let before = file.metadata()?.len();
        file.write_all(b".")?;
        Ok(usize::try_from(before).unwrap_or(usize::MAX))
    };
    counted().map_err(|error: std::io::Error| Error::io("cannot count in", &path, error))
}

/// A name that says what was asked.
pub(crate) fn probe_name(args: &[String]) -> String {
    let words = args.join("-");
    let letters = words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let text: String = letters.take(60).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    format!("{PROBE}{}.jsonl", parts.join("-"))
}

fn record(
    persona: &str,
    program: &Path,
    place: Place,
    recordings: &Path,
    options: &Options,
    invocation: &Invocation,
) -> Result<Exit, Error> {
    let mut redactor = match redactor(options, invocation) {
        Ok(redactor) => redactor,
        Err(error) => {
            place.partial.discard();
            return Err(error);
        }
    };
    let known = options.versions.get(persona).cloned();
    // Within `ringer record` the version was asked for once, at the start.
    let asks = known.is_none() && options.stage.is_none() && !place.probe;
    let version = if asks { version::ask(program) } else { known };
    let header = Header::new(
        persona,
        version.as_deref(),
        invocation,
        &mut redactor,
        place.probe,
        options.verbatim,
    );
    let look = options.effects.then(|| Look::at(&invocation.cwd, Some(recordings)));
    let watched = [header.cwd.clone(), header.home.clone()];
    let tape = Tape::new(place.partial, redactor, &header.line(), &watched);
    let running = match Running::start(command_of(program, invocation), invocation.stdio, tape) {
        Ok(running) => running,
        Err(failed) => {
            let (error, tape) = *failed;
            tape.discard();
            return Err(Error::io("cannot start", program, error));
        }
    };
    let waited = running.run();
    let (mut tape, ended, at) =
        waited.map_err(|error| Error::io("cannot wait for", program, error))?;
    let exit = match ended {
        Ended::GoesOn(exit) => return Ok(exit),
        Ended::Wholly(exit) => exit,
    };
    let changes = look.map(|look| look.changes_to_now(&mut tape.redactor)).unwrap_or_default();
    let note = changes.note();
    changes.steps.into_iter().for_each(|step| tape.step(step));
    let claimed = tape.gates.claimed;
    let refused = place.usage && tape.seen.stdout_bytes == 0 && exit != Exit::Code(0);
    let Taped { lines: partial, seen, .. } = tape.end(Some(&exit), lines::Mark::at(at));
    if refused {
        partial.discard();
        return Ok(exit);
    }
    // A session without a message uses no recording up when it is replayed.
    partial.finish(&header.finished(&seen, note), place.session && !claimed)?;
    if let (Some(version), None) = (version, &options.stage) {
        version::pin(recordings, persona, &version, false)?;
    }
    Ok(exit)
}

fn redactor(options: &Options, invocation: &Invocation) -> Result<Redactor, Error> {
    let numbers = match &options.stage {
        Some(stage) => Numbers::shared(stage.join("placeholders"), options.salt.clone()),
        None => Numbers::default(),
    };
    surroundings::redactor(&invocation.env, &options.redact, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_is_named_by_its_words() {
        let name =
            |args: &[&str]| probe_name(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["--version"]), "probe-version.jsonl");
        assert_eq!(name(&["mcp", "list", "--json"]), "probe-mcp-list-json.jsonl");
        assert_eq!(name(&["a/../b"]), "probe-a-b.jsonl");
    }
}
