//! A double at work, from its start to its end. This module knows the order; what the steps are is
//! in the modules it calls.
//!
//! A double takes no orders from its arguments: every one of them belongs to the program it stands
//! in for. It writes nothing of its own to stdout, and to stderr only what ends with exit code 97.

mod answers;
mod chooser;
mod desk;
mod first_entry;
mod first_message;
mod messages;
mod opened;
mod performance;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::rc::Rc;

use crate::error::{EXIT_RINGER, Error};
use crate::invocation::Invocation;
use crate::journal::Exit;
use crate::persona::{self, Manners};
use crate::record;
use crate::recording::Signal;
use crate::settings::Sources;
use crate::state::StateDir;
use crate::sys;
use desk::Desk;
pub(crate) use messages::complain;

/// The signals that a double enters in the journal before they take effect.
const NOTICED: [i32; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2, libc::SIGTERM];

/// Stands in for the program of this name, and does not return.
pub fn run(program: &str) -> ! {
    crate::stage::mark();
    let manners = persona::named(program);
    never_panic_aloud(manners.name());
    match spawn(manners) {
        Ok(Exit::Code(code)) => sys::exit_now(code),
        Ok(Exit::Signal(name)) => match Signal::named(&name) {
            Some(signal) => sys::die_by(signal.number()),
            None => sys::exit_now(EXIT_RINGER),
        },
        Err(error) => {
            let message = complain(manners.name(), &error);
            let _ = rustix::io::write(sys::standard(2), message.as_bytes());
            sys::exit_now(EXIT_RINGER)
        }
    }
}

/// The name under which this process was started, if that makes it a double: that of its executable,
/// links not resolved, whatever the client put into argv[0].
///
/// ```no_run
/// // An executable that plays any program that it is linked as.
/// let program = ringer::started_as().expect("start this under the name of a program");
/// ringer::run(&program)
/// ```
#[must_use]
pub fn started_as() -> Option<String> {
    match sys::started_by() {
        Some(path) => program_of(Path::new(OsStr::from_bytes(path.to_bytes()))),
        None => program_of(Path::new(&std::env::args_os().next()?)),
    }
}

/// The name under which an executable was started, if that makes it a double: the last part of
/// its path, unless it is `ringer` itself.
#[must_use]
pub fn program_of(argv0: &Path) -> Option<String> {
    let name = argv0.file_name()?.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    (name != "ringer").then(|| name.to_owned())
}

/// One spawn. What goes wrong before it has an entry in the journal is returned; everything later
/// is in the journal.
fn spawn(manners: &'static dyn Manners) -> Result<Exit, Error> {
    let invocation = Rc::new(Invocation::of_this_process());
    let sources = Sources::gather(&invocation)?;
    if let Some(exit) = record::shim(manners, &invocation, &sources)? {
        return Ok(exit);
    }
    for number in NOTICED {
        sys::notice(number, number == libc::SIGINT);
    }
    let Some((state, inside_recordings)) = sources.state() else {
        return sources.recordings(&invocation).map(|_| Exit::Code(EXIT_RINGER));
    };
    if inside_recordings {
        // A state directory is never made inside a recording directory that is not there.
        sources.recordings(&invocation)?;
    }
    let state = StateDir::open(state, inside_recordings)?;
    let (mut player, stop) = match Desk::prepare(manners, &invocation, &state, &sources) {
        Ok(desk) => desk.run(&state)?,
        Err(error) => {
            let refused = desk::Script::Refused(error);
            let (player, script) = desk::enter(manners, &invocation, &state, None, |_, _| refused)?;
            (player, script.refusal())
        }
    };
    let exit = player.conclude(stop);
    player.spawn.end(exit.clone())?;
    Ok(exit)
}

/// A defect of ringer must not look like output of the program it stands in for.
fn never_panic_aloud(program: &str) {
    let program = program.to_owned();
    std::panic::set_hook(Box::new(move |defect| {
        let message =
            format!("ringer({program}): a defect of ringer, please report it: {defect}\n");
        let _ = rustix::io::write(sys::standard(2), message.as_bytes());
        sys::exit_now(EXIT_RINGER);
    }));
}
