//! The player: what a recording asks for is done to the streams of a spawn.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::claiming::Claimant;
use super::exchange::{Direction, Exchange};
use super::exit_watch::ExitWatch;
use super::input::Read;
use super::live::Inbox;
use super::output::{OutStream, Wrote};
use super::reply::Ids;
use super::shape::{Beginning, Shape};
use super::spawn::Spawn;
use super::stop::{Play, Stop};
use super::waiting::{Listen, READER, Wait, Woke};
use crate::bind::Bindings;
use crate::error::Error;
use crate::journal::{Exit, Problem, ProblemKind};
use crate::persona::performer::Performer;
use crate::persona::{Answer, Ending, Epipe, Manners, Situation};
use crate::recording::{Output, Signal, Step};
use crate::sessions::LastMessage;
use crate::sessions::transcript::Transcript;
use crate::sys;

/// Everything that is settled about how a recording is played.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The program that is stood in for.
    pub manners: &'static dyn Manners,
    /// The version of the program that is pinned.
    pub version: Option<String>,
    /// How fast recorded times pass; 0 skips them.
    pub speed: f64,
    /// What happens when the reader of stdout is gone.
    pub epipe: Epipe,
    /// Recorded values that are replaced by this spawn's own.
    pub bindings: Bindings,
    /// The recording, for messages.
    pub recording: PathBuf,
    /// Whether recorded lines are rendered as the spawn's arguments ask.
    pub render: bool,
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
    /// The same for the exit code after an interrupt, where that hangs on the stream.
    interrupts: Option<ExitWatch>,
    /// Whether everything that goes to stdout is read for that.
    pub(super) watches: bool,
    /// How stdout begins, and the shape that the arguments ask for.
    beginning: Beginning,
    pub asked: Option<Shape>,
    pub(super) began: Instant,
    pub(super) ids: Ids,
    /// Bytes that wait for the next step of the same stream.
    pub(super) held: [Vec<u8>; 2],
    /// What the recording does when a signal comes, the latest last.
    pub(super) handlers: Vec<(Signal, Rc<[Step]>)>,
    /// The program's own voice, where turns are rendered, streams are rendered, or a session is
    /// live.
    pub(super) performer: Option<Box<dyn Performer>>,
    /// Whether a turn is being played.
    pub(super) in_turn: bool,
    /// Whether turns were rendered, so that the voice has last words.
    pub(super) spoke: bool,
    /// Whether the last words are said.
    pub(super) said_last_words: bool,
    /// Whether steps that have something to say are still to come.
    pub more_to_say: bool,
    /// Whether a signal may bring out more at any time.
    pub(super) may_say_more: bool,
    /// A message that an `in` step took and no turn has used.
    pub(super) taken_user: Option<Vec<u8>>,
    /// The warnings of the program that were written.
    pub warned: String,
    /// The file for the last message, unless the recording writes it itself.
    pub(super) last_message: Option<LastMessage>,
    /// The session file that the program would write, where such files are asked for.
    pub(super) transcript: Option<Transcript>,
    /// Whether that file is told of events by the voice, since stdout does not show them.
    pub(super) tells_aside: bool,
    /// A line of stdout that has begun and not ended, for the session file.
    pub(super) untold: Vec<u8>,
    /// A recorded line that has begun and not ended, where recorded lines are rendered.
    pub(super) unrendered: Vec<u8>,
    /// Who claims a recording for a live session, as long as it has none.
    pub(super) claimant: Option<Rc<RefCell<dyn Claimant>>>,
    /// How many turns the recording of a live session has.
    pub(super) turns: Option<u64>,
    pub(super) inbox: Inbox,
    pub(super) exchange: Exchange,
}

/// Why a player's wait is over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// The descriptor is ready.
    Ready,
    /// The time has come.
    Time,
    /// Frames came by stdin and were dealt with.
    Heard,
}

impl Player {
    /// A player that has done nothing yet.
    pub fn new(spawn: Spawn, plan: Plan) -> Player {
        let watch = plan.manners.exit_watch(plan.version.as_deref());
        Player {
            spawn,
            plan,
            watch,
            interrupts: None,
            watches: true,
            beginning: Beginning::default(),
            asked: None,
            began: Instant::now(),
            ids: Ids::default(),
            held: [Vec::new(), Vec::new()],
            handlers: Vec::new(),
            performer: None,
            in_turn: false,
            spoke: false,
            said_last_words: false,
            more_to_say: true,
            may_say_more: false,
            taken_user: None,
            warned: String::new(),
            last_message: None,
            transcript: None,
            tells_aside: false,
            untold: Vec::new(),
            unrendered: Vec::new(),
            claimant: None,
            turns: None,
            inbox: Inbox::default(),
            exchange: Exchange::default(),
        }
    }

    /// Starts the clock of the recording: times in it count from here.
    pub fn begin(&mut self) {
        self.began = Instant::now();
        let version = self.plan.version.as_deref();
        self.interrupts = self.plan.manners.interrupt_watch(version);
    }

    /// Writes a warning of the program.
    pub fn warn(&mut self, text: &str) -> Play<()> {
        self.warned.push_str(text);
        self.send(Output::Stderr, text.as_bytes())
    }

    /// Answers without a recording.
    pub fn answer(&mut self, answer: &Answer) -> Play<()> {
        self.send(Output::Stderr, answer.stderr.as_bytes())?;
        self.send(Output::Stdout, answer.stdout.as_bytes())?;
        Err(Stop::Exit(answer.code))
    }

    /// Reads stdin to its end, before anything else is done. With `first_byte`, goes on without it
    /// if nothing has come by then, and returns true. What was read is kept for whoever needs it, if
    /// `keep`.
    pub fn read_to_end(&mut self, first_byte: Option<Duration>, keep: bool) -> Play<bool> {
        if first_byte.is_some() && self.spawn.stdin.given_up {
            return Ok(true);
        }
        let limit = first_byte.map(|time| Instant::now() + time);
        let mut begun = self.spawn.stdin.pending() > 0;
        loop {
            let until = if begun { None } else { limit };
            match self.spawn.read_stdin(usize::MAX, until, "the end of stdin")? {
                Read::Some => begun = true,
                Read::End => return Ok(false),
                Read::Time => {
                    self.spawn.stdin.given_up = true;
                    return Ok(true);
                }
                Read::Signal(signal) => self.signal(signal)?,
            }
            if !keep {
                self.spawn.stdin.take_all();
            }
        }
    }

    /// After the last step: a session ends by itself only at the end of stdin.
    pub fn after_the_last_step(&mut self, turns: u64) -> Play<()> {
        self.flush()?;
        if self.is_live() {
            return self.no_more_turns(usize::try_from(turns).unwrap_or(usize::MAX));
        }
        if self.plan.session {
            self.read_to_end(None, false)?;
        }
        self.render_the_rest()?;
        self.last_words()
    }

    /// The end that a stop means, after what was held back has gone out.
    pub fn conclude(&mut self, stop: Stop) -> Exit {
        let exit = self.exit_of(stop);
        let stored = self.store_last_message(&exit);
        let told = self.transcript.take().map_or(Ok(()), Transcript::finish);
        if let Err(error) = stored.and(told) {
            return self.exit_of(Stop::Refused(error));
        }
        self.report_turns_left();
        let mismatch = self.asked.and_then(|asked| self.beginning.mismatch(asked));
        self.spawn.entry.mentions.extend(mismatch);
        exit
    }

    /// Turns of a live session that nobody asked for.
    fn report_turns_left(&mut self) {
        if let Some(left @ 1..) = self.spawn.entry.turns_left {
            let message = format!(
                "{left} turns of {} were never asked for",
                self.spawn.entry.recording.as_deref().unwrap_or("the recording")
            );
            self.spawn.problem(Problem { kind: ProblemKind::TurnsLeft, message });
        }
    }

    fn exit_of(&mut self, stop: Stop) -> Exit {
        match stop {
            Stop::Exit(code) => Exit::Code(code),
            Stop::Natural | Stop::Other if self.spoke && !self.plan.session => {
                Exit::Code(self.performer.as_ref().map_or(0, |performer| performer.exit_code()))
            }
            Stop::Natural | Stop::Other => Exit::Code(self.watch.code()),
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
        let direction = match stream {
            Output::Stdout => {
                if self.watches {
                    self.watch.feed(bytes);
                }
                if let Some(interrupts) = &mut self.interrupts {
                    interrupts.feed(bytes);
                }
                self.beginning.feed(bytes);
                Direction::Out
            }
            Output::Stderr => Direction::Err,
        };
        if self.plan.session {
            let t_ms = self.spawn.elapsed_ms();
            self.exchange.bytes(self.spawn.ticket.as_ref(), direction, t_ms, bytes)?;
        }
        let mut rest = bytes;
        while !rest.is_empty() && self.stream(stream).is_open() {
            let fd = Some(self.stream(stream).fd());
            match self.spawn.write(stream, rest)? {
                Wrote::All => return self.was_written(stream, bytes),
                Wrote::Interrupted(count) => {
                    rest = &rest[count..];
                    self.look_up()?;
                }
                Wrote::Full(count) => {
                    rest = &rest[count..];
                    // Frames wait too: their answers would stand in the middle of this line.
                    self.wait(Wait { fd, listen: Listen::No, until: None, what: READER })?;
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

    /// Waits; signals that come meanwhile are dealt with, and so are the frames of a live session.
    pub(super) fn wait(&mut self, wait: Wait) -> Play<Waited> {
        let wait = match wait.listen {
            Listen::No => wait,
            listen if !self.is_live() || self.has_enough(listen) => {
                Wait { listen: Listen::No, ..wait }
            }
            // What was read together with something that had to be answered first.
            listen if self.deal_with_lines(listen)? => return Ok(Waited::Heard),
            _ => wait,
        };
        loop {
            match self.spawn.wait(wait)? {
                Woke::Ready => return Ok(Waited::Ready),
                Woke::Time => return Ok(Waited::Time),
                Woke::Signal(signal) => self.signal(signal)?,
                Woke::Heard => {
                    self.hear(wait.listen)?;
                    return Ok(Waited::Heard);
                }
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
            while self.wait(Wait {
                fd: None,
                listen: Listen::UpToATurn,
                until: Some(until),
                what,
            })? != Waited::Time
            {}
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
        if self.in_turn
            && let Some((pieces, exit)) =
                self.performer.as_mut().and_then(|it| it.signalled(signal))
        {
            self.in_turn = false;
            self.pieces(pieces)?;
            return Err(Stop::Terminated(exit));
        }
        let situation = Situation {
            version: self.plan.version.as_deref(),
            started: self.spawn.stdout.bytes > 0,
            session: self.plan.session,
            interrupted_code: self.interrupts.as_mut().map_or(0, ExitWatch::code),
        };
        match self.plan.manners.on_signal(signal, situation) {
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
