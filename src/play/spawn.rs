//! The spawn while it runs: its place in the journal, its streams, its clock.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::input::Input;
use super::output::OutStream;
use super::waiting::Writing;
use crate::error::Error;
use crate::invocation::{Invocation, StreamKind};
use crate::journal::secrets::{Masker, without_tokens};
use crate::journal::{Entry, Exit, JournaledStream, Problem, ReaderGone, SignalAt, State};
use crate::recording::Signal;
use crate::state::Ticket;
use crate::sys;

/// One start of a double, from its entry in the journal to its end.
#[derive(Debug)]
pub(crate) struct Spawn {
    /// Its place in the journal; a descendant has none.
    pub ticket: Option<Ticket>,
    pub entry: Entry,
    masker: Masker,
    pub stdout: OutStream,
    pub stderr: OutStream,
    pub stdin: Input,
    pub clock: Instant,
    /// When it must have ended.
    pub life: Instant,
    pub max_life: Duration,
    /// Whether the journal keeps what comes by stdin.
    pub keeps_stdin: bool,
    /// How it stands with a write that may take long.
    pub(super) writing: Writing,
    /// Whether it goes on when the process that started it is gone.
    pub outlives_parent: bool,
}

impl Spawn {
    /// A spawn that is in the journal.
    pub fn new(
        invocation: &Invocation,
        ticket: Ticket,
        entry: Entry,
        masker: Masker,
        max_life: Duration,
    ) -> Spawn {
        let [stdin, stdout, stderr] = invocation.stdio;
        sys::interrupt_after(max_life);
        Spawn {
            ticket: Some(ticket),
            entry,
            masker,
            stdout: OutStream::new(1, stdout),
            stderr: OutStream::new(2, stderr),
            stdin: Input::new(stdin),
            clock: invocation.clock,
            life: invocation.clock + max_life,
            max_life,
            keeps_stdin: true,
            writing: Writing::Unwatched,
            outlives_parent: false,
        }
    }

    /// Milliseconds since the start.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Adds a problem to the entry; it is written with the next change. Its message may quote what
    /// the spawn was given.
    pub fn problem(&mut self, problem: Problem) {
        let message = without_tokens(&problem.message).into_owned();
        let problem = Problem { message, ..problem };
        if !self.entry.problems.contains(&problem) {
            self.entry.problems.push(problem);
        }
    }

    /// Writes the entry as things stand now.
    pub fn save(&mut self) -> Result<(), Error> {
        self.entry.stdin = self.stdin.journaled();
        if !self.keeps_stdin {
            self.entry.stdin.text = None;
        }
        if let Some(text) = &mut self.entry.stdin.text {
            *text = self.masker.text(text).into_owned();
            self.entry.masked = self.masker.masked().cloned();
        }
        self.entry.stdout = journaled(&self.stdout);
        self.entry.stderr = journaled(&self.stderr);
        self.entry.lines_read = self.stdout.lines_read();
        let gone = ReaderGone { stdout: self.stdout.gone, stderr: self.stderr.gone };
        self.entry.reader_gone = (gone != ReaderGone::default()).then_some(gone);
        self.ticket.as_ref().map_or(Ok(()), |ticket| ticket.write(&self.entry))
    }

    /// Takes a signal that came and enters it; the entry is written at once, since the next signal
    /// may be one that cannot be caught.
    pub fn take_signal(&mut self) -> Result<Option<Signal>, Error> {
        let Some(signal) = sys::take_signal().and_then(Signal::numbered) else { return Ok(None) };
        let t_ms = self.elapsed_ms();
        self.entry.signals.push(SignalAt { signal: signal.name().to_owned(), t_ms });
        // The handler's short timer has done its work.
        if self.writing != Writing::Stuck {
            self.writing = Writing::Unwatched;
        }
        sys::interrupt_after(self.life.saturating_duration_since(Instant::now()).max(MOMENT));
        self.save()?;
        Ok(Some(signal))
    }

    /// Enters the end.
    pub fn end(&mut self, exit: Exit) -> Result<(), Error> {
        self.entry.exit = Some(exit);
        self.entry.waiting_for = None;
        self.entry.ended_at = Some(Timestamp::now());
        self.entry.wall_ms = Some(self.elapsed_ms());
        self.entry.state = State::Ended;
        self.save()
    }
}

/// The shortest time that the timer takes.
pub(super) const MOMENT: Duration = Duration::from_millis(1);

fn journaled(stream: &OutStream) -> JournaledStream {
    JournaledStream { kind: stream.kind, bytes: stream.bytes, lines: stream.lines }
}

/// A stream on which nothing has happened yet.
pub(crate) fn untouched(kind: StreamKind) -> JournaledStream {
    JournaledStream { kind, bytes: 0, lines: 0 }
}
