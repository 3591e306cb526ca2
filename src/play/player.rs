//! The player: what a recording asks for is done to the streams of a spawn.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::exit_watch::ExitWatch;
use super::input::Read;
use super::output::{OutStream, Wrote};
use super::reply::Ids;
use super::spawn::Spawn;
use super::stop::{Play, Stop};
use super::waiting::{Wait, Woke};
use crate::bind::Bindings;
use crate::error::Error;
use crate::journal::{Exit, Problem, ProblemKind};
use crate::persona::{Answer, Ending, Epipe, Manners, Situation};
use crate::recording::{Output, Signal, Step};
use crate::sys;

/// Everything that is settled about how a recording is played.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The program that is stood in for.
    pub manners: &'static dyn Manners,
    /// How fast recorded times pass; 0 skips them.
    pub speed: f64,
    /// What happens when the reader of stdout is gone.
    pub epipe: Epipe,
    /// Recorded values that are replaced by this spawn's own.
    pub bindings: Bindings,
    /// The recording, for messages.
    pub recording: PathBuf,
    /// Whether the spawn holds a conversation over stdin, so that the end of stdin ends it.
    pub session: bool,
    /// The working directory of the spawn.
    pub cwd: PathBuf,
    /// Its home directory.
    pub home: PathBuf,
    /// The persona's configuration directory.
    pub config_dir: PathBuf,
}

/// Plays one recording.
#[derive(Debug)]
pub(crate) struct Player {
    pub spawn: Spawn,
    pub plan: Plan,
    pub(super) watch: ExitWatch,
    pub(super) began: Instant,
    pub(super) ids: Ids,
    /// Bytes that wait for the next step of the same stream.
    pub(super) held: [Vec<u8>; 2],
    /// What the recording does when a signal comes, the latest last.
    handlers: Vec<(Signal, Rc<[Step]>)>,
}

impl Player {
    /// A player that has done nothing yet.
    pub fn new(spawn: Spawn, plan: Plan) -> Player {
        let watch = plan.manners.exit_watch();
        Player {
            spawn,
            plan,
            watch,
            began: Instant::now(),
            ids: Ids::default(),
            held: [Vec::new(), Vec::new()],
            handlers: Vec::new(),
        }
    }

    /// Starts the clock of the recording: times in it count from here.
    pub fn begin(&mut self) {
        self.began = Instant::now();
    }

    /// Answers without a recording.
    pub fn answer(&mut self, answer: &Answer) -> Play<()> {
        self.send(Output::Stderr, answer.stderr.as_bytes())?;
        self.send(Output::Stdout, answer.stdout.as_bytes())?;
        Err(Stop::Exit(answer.code))
    }

    /// Reads stdin to its end, before anything else is done. With `first_byte`, goes on without it
    /// if nothing has come by then. What was read is kept for whoever needs it, if `keep`.
    pub fn read_to_end(&mut self, first_byte: Option<Duration>, keep: bool) -> Play<()> {
        let limit = first_byte.map(|time| Instant::now() + time);
        let mut begun = self.spawn.stdin.pending() > 0;
        loop {
            let until = if begun { None } else { limit };
            match self.spawn.read_stdin(usize::MAX, until, "the end of stdin")? {
                Read::Some => begun = true,
                Read::End | Read::Time => return Ok(()),
                Read::Signal(signal) => self.signal(signal)?,
            }
            if !keep {
                self.spawn.stdin.take_all();
            }
        }
    }

    /// A session ends by itself only at the end of stdin.
    pub fn wait_for_the_end_of_a_session(&mut self) -> Play<()> {
        if self.plan.session { self.read_to_end(None, false) } else { Ok(()) }
    }

    /// The end that a stop means, after what was held back has gone out.
    pub fn conclude(&mut self, stop: Stop) -> Exit {
        match stop {
            Stop::Exit(code) => Exit::Code(code),
            Stop::Natural => Exit::Code(self.watch.code()),
            Stop::Signal(signal) => Exit::Signal(signal.name().to_owned()),
            Stop::Terminated(exit) => {
                self.spawn.entry.terminated = true;
                exit
            }
            Stop::Refused(error) => {
                let refused = crate::double::complain(self.plan.manners.name(), &error);
                self.spawn.stderr.write(refused.as_bytes());
                if let Some(kind) = error.problem() {
                    self.spawn.problem(Problem { kind, message: error.to_string() });
                }
                Exit::Code(crate::error::EXIT_RINGER)
            }
        }
    }

    /// Writes bytes to a stream, all of them by one call where the system takes them so.
    pub(super) fn send(&mut self, stream: Output, bytes: &[u8]) -> Play<()> {
        if stream == Output::Stdout {
            self.watch.feed(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() && self.stream(stream).is_open() {
            let out = self.stream(stream);
            let fd = Some(out.fd());
            match out.write(rest) {
                Wrote::All => return Ok(()),
                Wrote::Interrupted(count) => {
                    rest = &rest[count..];
                    self.look_up()?;
                }
                Wrote::Full(count) => {
                    rest = &rest[count..];
                    self.wait(Wait { fd, until: None, what: "a reader that takes its output" })?;
                }
                Wrote::NoReader => return self.reader_gone(stream),
                Wrote::Failed(errno) => {
                    let message = format!("cannot write to {}: {errno}", name(stream));
                    self.spawn.problem(Problem { kind: ProblemKind::WriteFailed, message });
                }
            }
        }
        Ok(())
    }

    pub(super) fn stream(&mut self, stream: Output) -> &mut OutStream {
        match stream {
            Output::Stdout => &mut self.spawn.stdout,
            Output::Stderr => &mut self.spawn.stderr,
        }
    }

    fn reader_gone(&mut self, stream: Output) -> Play<()> {
        if stream == Output::Stderr {
            return Ok(());
        }
        match self.plan.epipe.clone() {
            Epipe::Silent => Ok(()),
            Epipe::Exit { code, stderr } => {
                self.send(Output::Stderr, stderr.as_bytes())?;
                Err(Stop::Exit(code))
            }
            Epipe::Die => Err(Signal::named("PIPE").map_or(Stop::Exit(141), Stop::Signal)),
        }
    }

    /// Waits; signals that come meanwhile are dealt with. True if the descriptor is ready, false
    /// if the time has come.
    pub(super) fn wait(&mut self, wait: Wait) -> Play<bool> {
        loop {
            match self.spawn.wait(wait)? {
                Woke::Ready => return Ok(true),
                Woke::Time => return Ok(false),
                Woke::Signal(signal) => self.signal(signal)?,
            }
        }
    }

    /// Deals with what may have come up since the last look: signals, the end of a double's life.
    pub(super) fn look_up(&mut self) -> Play<()> {
        while sys::signal_pending() {
            if let Some(signal) = self.spawn.take_signal()? {
                self.signal(signal)?;
            }
        }
        self.spawn.check_life(Instant::now())
    }

    /// A pause of the recording.
    pub(super) fn pause(&mut self, ms: f64, what: &str) -> Play<()> {
        let scale = if self.plan.speed > 0.0 { self.plan.speed } else { 1.0 };
        self.wait_until(Instant::now(), ms / scale, what)
    }

    /// Waits for the time at which a step was recorded.
    pub(super) fn wait_for_time(&mut self, at_ms: f64) -> Play<()> {
        if self.plan.speed == 0.0 {
            return Ok(());
        }
        self.wait_until(self.began, at_ms / self.plan.speed, "the time of the next step")
    }

    fn wait_until(&mut self, from: Instant, ms: f64, what: &str) -> Play<()> {
        // A time beyond any clock is as good as for ever: the life limit ends it.
        let length = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX);
        let until = from.checked_add(length).unwrap_or(self.spawn.life + Duration::from_secs(1));
        if until > Instant::now() {
            self.wait(Wait { fd: None, until: Some(until), what })?;
        }
        Ok(())
    }

    /// From here on the recording answers a signal with these steps.
    pub(super) fn on_signal(&mut self, signal: Signal, steps: Rc<[Step]>) {
        sys::notice(signal.number(), true);
        self.handlers.retain(|(known, _)| *known != signal);
        self.handlers.push((signal, steps));
    }

    pub(super) fn signal(&mut self, signal: Signal) -> Play<()> {
        let handler = self.handlers.iter().find(|(known, _)| *known == signal);
        if let Some(steps) = handler.map(|(_, steps)| Rc::clone(steps)) {
            return self.steps(&steps);
        }
        let situation = Situation {
            started: self.spawn.stdout.bytes > 0,
            stdin_ended: self.spawn.stdin.ended(),
        };
        match self.plan.manners.on_signal(signal, situation) {
            Ending::GoesOn => Ok(()),
            Ending::Exits(code) => Err(Stop::Terminated(Exit::Code(code))),
            Ending::Dies => Err(Stop::Terminated(Exit::Signal(signal.name().to_owned()))),
        }
    }

    /// An error in the recording itself that shows only while it is played.
    pub(super) fn unplayable(&self, line: u64, what: impl std::fmt::Display) -> Stop {
        Stop::Refused(Error::Recording {
            path: self.plan.recording.clone(),
            what: format!("line {line}: {what}"),
        })
    }
}

fn name(stream: Output) -> &'static str {
    match stream {
        Output::Stdout => "stdout",
        Output::Stderr => "stderr",
    }
}
