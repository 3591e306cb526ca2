//! What the recorded program gets for its streams: of each kind what this process has.
//!
//! A terminal on our side is a terminal on the program's side, another one, whose master we read.
//! If input and output are both terminals, the program leads a session on its own one, and ours is
//! made raw, so that keys reach it as they are. Files, `/dev/null` and a terminal that is only read
//! from are handed on as they are: nothing that a replay could wait for comes from them.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Signal, ioctl_tiocsctty, set_parent_process_death_signal, setsid};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    OptionalActions, OutputModes, Termios, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
};

use super::flow::{End, Flow};
use super::tape::Stream;
use crate::invocation::StreamKind;
use crate::sys;

/// Our side of the program's streams.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub flows: Vec<Flow>,
    /// Masters of the program's terminals, whose size follows ours.
    masters: Vec<(u8, OwnedFd)>,
    /// How our terminal was set before it was made raw.
    before: Option<Termios>,
    /// Whether the program is in our process group, so that keys of the terminal reach it.
    pub shares_group: bool,
}

impl Wiring {
    /// Gives a command its streams.
    ///
    /// # Errors
    ///
    /// What the system says to pipes and terminals.
    pub fn of(command: &mut Command, kinds: [StreamKind; 3]) -> io::Result<Wiring> {
        let mut wiring = Wiring::default();
        let leads = kinds[0] == StreamKind::Tty && kinds[1] == StreamKind::Tty;
        let mut outputs = Vec::new();
        for (fd, stream) in [(1u8, Stream::Out), (2, Stream::Err)] {
            let kind = kinds[usize::from(fd)];
            let (ours, theirs) = match kind {
                StreamKind::Tty => wiring.terminal(fd, leads)?,
                StreamKind::Socket => sockets()?,
                _ => pipe()?,
            };
            outputs.push(theirs);
            let from = End::Own(not_blocking(ours)?);
            let flow = Flow::new(stream, from, End::Standard(fd), kind == StreamKind::Tty);
            wiring.flows.push(flow);
        }
        let stdin = wiring.input(kinds[0], leads, &outputs)?;
        let slave = if leads { Some(outputs[0].try_clone()?) } else { None };
        wiring.shares_group = kinds[0] == StreamKind::Tty && !leads;
        prepare(command, slave, wiring.shares_group, kinds.map(|kind| kind == StreamKind::Closed));
        let mut outputs = outputs.into_iter().map(Stdio::from);
        command.stdin(stdin);
        command.stdout(outputs.next().unwrap_or_else(Stdio::null));
        command.stderr(outputs.next().unwrap_or_else(Stdio::null));
        Ok(wiring)
    }

    /// The program's stdin.
    fn input(&mut self, kind: StreamKind, leads: bool, outputs: &[OwnedFd]) -> io::Result<Stdio> {
        let (theirs, ours) = match kind {
            StreamKind::Tty if leads => {
                let master = self.masters.first().map(|(_, master)| master.try_clone());
                let (Some(slave), Some(master)) = (outputs.first(), master) else {
                    return Ok(Stdio::inherit());
                };
                self.make_raw();
                (slave.try_clone()?, master?)
            }
            StreamKind::Socket => sockets()?,
            StreamKind::Pipe => pipe()?,
            _ => return Ok(Stdio::inherit()),
        };
        let to = End::Own(not_blocking(ours)?);
        self.flows.push(Flow::new(Stream::In, End::Standard(0), to, leads));
        Ok(Stdio::from(theirs))
    }

    /// A terminal for an output: its master and its other side, set as ours is. Where ours is not
    /// made raw, ours is the one that treats what is written.
    fn terminal(&mut self, fd: u8, leads: bool) -> io::Result<(OwnedFd, OwnedFd)> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave = ioctl_tiocgptpeer(&master, flags)?;
        if let Ok(mut set) = tcgetattr(sys::standard(fd)) {
            if !leads {
                set.output_modes -= OutputModes::OPOST;
            }
            let _ = tcsetattr(&slave, OptionalActions::Now, &set);
        }
        self.masters.push((fd, master.try_clone()?));
        self.resize();
        Ok((master, slave))
    }

    fn make_raw(&mut self) {
        if let Ok(before) = tcgetattr(sys::standard(0)) {
            let mut raw = before.clone();
            raw.make_raw();
            let _ = tcsetattr(sys::standard(0), OptionalActions::Now, &raw);
            self.before = Some(before);
        }
    }

    /// Gives the program's terminals the size of ours.
    pub fn resize(&self) {
        for (fd, master) in &self.masters {
            if let Ok(size) = tcgetwinsize(sys::standard(*fd)) {
                let _ = tcsetwinsize(master, size);
            }
        }
    }

    /// Sets our terminal as it was before.
    pub fn restore(&self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(sys::standard(0), OptionalActions::Drain, before);
        }
    }
}

/// Whether the program's terminal writes `\r\n` for `\n`, as a terminal on the other side of a
/// replay will again.
pub(super) fn adds_returns(master: &End) -> bool {
    let set = master.fd().and_then(|fd| tcgetattr(fd).ok());
    set.is_some_and(|set| set.output_modes.contains(OutputModes::OPOST | OutputModes::ONLCR))
}

/// What the new process does before it becomes the program: it dies with us; it leads a session on
/// its own terminal, or is in a group of its own, so that what is sent to our group reaches it once,
/// through us; and what was closed for us is closed for it.
fn prepare(command: &mut Command, slave: Option<OwnedFd>, shares_group: bool, closed: [bool; 3]) {
    sys::before_exec(command, move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if let Some(slave) = &slave {
            setsid()?;
            ioctl_tiocsctty(slave)?;
        } else if !shares_group {
            rustix::process::setpgid(None, None)?;
        }
        if closed[0] {
            sys::close_standard(0);
        }
        Ok(())
    });
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

fn sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}

/// The other side of each of these is a descriptor of its own, which this does not touch.
fn not_blocking(fd: OwnedFd) -> io::Result<OwnedFd> {
    fcntl_setfl(fd.as_fd(), fcntl_getfl(fd.as_fd())? | OFlags::NONBLOCK)?;
    Ok(fd)
}
