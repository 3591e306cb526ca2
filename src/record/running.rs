//! A real program while it runs: everything passes through, and onto the tape.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, kill_process};

use super::flow::{Flow, Got};
use super::lines::Mark;
use super::tape::{Stream, Tape};
use super::terminal::{Wiring, adds_returns};
use crate::invocation::StreamKind;
use crate::journal::Exit;
use crate::recording::Signal;
use crate::sys::{self, Forked};

/// Signals that are passed on to the program.
const PASSED_ON: [i32; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];
/// A program that closes a stream and goes on for this long has done so on purpose.
const LIVES_ON_MS: f64 = 100.0;
/// How long a look at the descriptors lasts at most. Signals interrupt it.
const LOOK: Duration = Duration::from_millis(200);

/// A real program that runs.
pub(super) struct Running {
    child: Child,
    wiring: Wiring,
    pub tape: Tape,
    began: Instant,
}

/// What a look at a flow's descriptors showed.
struct Ready {
    readable: bool,
    reader_gone: bool,
}

/// How it went on after the program's end.
pub(super) enum Ended {
    /// All its streams have ended.
    Wholly(Exit),
    /// A descendant holds some of its streams. This process ends now, as the program did, and
    /// another one goes on recording.
    GoesOn(Exit),
}

impl Running {
    /// Starts the program.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn start(
        mut command: Command,
        kinds: [StreamKind; 3],
        tape: Tape,
    ) -> Result<Running, Box<(io::Error, Tape)>> {
        for number in PASSED_ON {
            sys::notice(number, false);
        }
        for number in [libc::SIGCHLD, libc::SIGWINCH, libc::SIGALRM] {
            sys::notice(number, true);
        }
        let wired = Wiring::of(&mut command, kinds);
        let wiring = match wired {
            Ok(wiring) => wiring,
            Err(error) => return Err(Box::new((error, tape))),
        };
        let began = Instant::now();
        let spawned = command.spawn();
        // The command holds the program's ends of all pipes.
        drop(command);
        match spawned {
            Ok(child) => Ok(Running { child, wiring, tape, began }),
            Err(error) => {
                wiring.restore();
                Err(Box::new((error, tape)))
            }
        }
    }

    /// Passes everything on until the program has ended.
    ///
    /// # Errors
    ///
    /// The program cannot be waited for.
    pub fn run(mut self) -> io::Result<(Tape, Ended, f64)> {
        let mut status = None;
        loop {
            self.turn();
            self.signals();
            if status.is_none() {
                status = self.child.try_wait()?;
            }
            let Some(status) = status else { continue };
            // What the program wrote is in the pipes by now; a stream that is neither ended nor has
            // anything to read is held by somebody else.
            let outputs = || self.wiring.flows.iter().filter(|flow| flow.stream != Stream::In);
            if outputs().any(|flow| flow.is_full() || flow.is_readable()) {
                continue;
            }
            let held: Vec<_> = outputs().filter(|flow| !flow.is_over()).collect();
            let held: Vec<_> = held.iter().map(|flow| flow.stream.name()).collect();
            self.wiring.restore();
            let (exit, at) = (exit_of(status), self.now());
            if held.is_empty() || self.has_terminal() {
                return Ok((self.tape, Ended::Wholly(exit), at));
            }
            return Ok(self.leave(held, exit, at));
        }
    }

    /// Ends now, as the program did, and leaves it to a second process to go on with what a
    /// descendant writes.
    fn leave(mut self, held: Vec<&'static str>, exit: Exit, at: f64) -> (Tape, Ended, f64) {
        match sys::fork() {
            Ok(Forked::Parent(_)) => return (self.tape, Ended::GoesOn(exit), at),
            Ok(Forked::Child) => {}
            Err(_) => return (self.tape, Ended::Wholly(exit), at),
        }
        self.wiring.flows.retain(|flow| flow.stream != Stream::In);
        self.tape.descendant(held);
        while self.wiring.flows.iter().any(|flow| !flow.is_over()) {
            self.turn();
            // Who wants to end the program wants this to end too.
            if sys::take_signal().is_some_and(|number| number != libc::SIGCHLD) {
                break;
            }
        }
        (self.tape, Ended::Wholly(exit), at)
    }

    /// A pseudo-terminal hangs up with its session: nobody holds it.
    fn has_terminal(&self) -> bool {
        self.wiring.flows.iter().any(|flow| flow.terminal)
    }

    /// Milliseconds since the start.
    fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    /// Waits for something to happen on the descriptors and passes it on.
    fn turn(&mut self) {
        let ready = self.wait();
        let (now, flows) = (self.now(), &mut self.wiring.flows);
        let outputs = flows
            .iter()
            .zip(&ready)
            .filter(|(flow, ready)| flow.stream != Stream::In && !flow.is_full() && ready.readable);
        let unsure = outputs.count() > 1;
        for (flow, ready) in flows.iter_mut().zip(ready) {
            if ready.reader_gone {
                flow.cut();
                continue;
            }
            flow.send();
            if ready.readable && !flow.is_full() {
                let unsure = unsure && flow.stream != Stream::In;
                pass(flow, &mut self.tape, Mark { at: Some(now), unsure });
            }
            let lives_on = flow.ended.is_some_and(|ended| now - ended > LIVES_ON_MS);
            if lives_on && flow.stream != Stream::In {
                self.tape.closed(flow.stream, Mark { at: flow.ended.take(), unsure: false });
            }
            flow.close_if_over();
        }
    }

    /// Waits, and tells of each flow whether there is something to read and whether its reader is
    /// gone.
    fn wait(&self) -> Vec<Ready> {
        let mut fds = Vec::new();
        let mut places = Vec::new();
        for flow in &self.wiring.flows {
            let full = flow.is_full();
            let from = flow.from.fd().filter(|_| !full);
            places.push((
                from.map(|_| fds.len()),
                flow.to.fd().map(|_| fds.len() + usize::from(from.is_some())),
            ));
            fds.extend(from.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            // Without anything to write, it is still noticed that a reader is gone.
            let wanted = if full { PollFlags::OUT } else { PollFlags::empty() };
            fds.extend(flow.to.fd().map(|fd| PollFd::from_borrowed_fd(fd, wanted)));
        }
        let time = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        // After a failure, an interruption for one, nothing is ready.
        let _ = poll(&mut fds, Some(&time));
        let came = |place: Option<usize>| place.map_or(PollFlags::empty(), |at| fds[at].revents());
        places
            .into_iter()
            .map(|(from, to)| Ready {
                readable: !came(from).is_empty(),
                reader_gone: came(to).intersects(PollFlags::ERR | PollFlags::NVAL),
            })
            .collect()
    }

    /// Passes on the signals that came.
    fn signals(&mut self) {
        while let Some(number) = sys::take_signal() {
            match number {
                libc::SIGCHLD => {}
                libc::SIGWINCH => self.wiring.resize(),
                number => self.pass_on(number),
            }
        }
    }

    fn pass_on(&mut self, number: i32) {
        if self.wiring.shares_group && sys::came_from_terminal(number) {
            return;
        }
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let signal = rustix::process::Signal::from_named_raw(number);
        if let (Some(pid), Some(signal), Some(name)) = (pid, signal, Signal::numbered(number)) {
            self.tape.signal(name.name());
            let _ = kill_process(pid, signal);
        }
    }
}

/// Reads what is there, passes it on at once, and then onto the tape.
fn pass(flow: &mut Flow, tape: &mut Tape, mark: Mark) {
    match flow.read() {
        Got::Nothing => {}
        Got::Bytes(bytes) => {
            flow.send();
            let bytes = if flow.terminal { plain(flow, bytes) } else { bytes };
            tape.take(flow.stream, &bytes, mark);
        }
        Got::End => {
            flow.end(mark.at.unwrap_or(0.0));
            if flow.stream == Stream::In {
                tape.input_ended(mark);
            }
        }
    }
}

/// What came through a terminal, without what the terminal made of it.
fn plain(flow: &Flow, bytes: Vec<u8>) -> Vec<u8> {
    if flow.stream == Stream::In {
        return bytes.into_iter().map(|byte| if byte == b'\r' { b'\n' } else { byte }).collect();
    }
    if !adds_returns(&flow.from) {
        return bytes;
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    plain
}

fn exit_of(status: ExitStatus) -> Exit {
    let signal = status.signal().and_then(Signal::numbered);
    match (status.code(), signal) {
        (Some(code), _) => Exit::Code(u8::try_from(code & 0xff).unwrap_or(u8::MAX)),
        (None, Some(signal)) => Exit::Signal(signal.name().to_owned()),
        (None, None) => Exit::Code(u8::MAX),
    }
}
