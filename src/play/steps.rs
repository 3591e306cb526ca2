//! The verbs, one by one.

use std::collections::VecDeque;
use std::io::Read as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::input::Read;
use super::player::{Player, Waited};
use super::stop::{Play, Stop};
use super::waiting::{Listen, Wait};
use crate::error::Error;
use crate::journal::ProblemKind;
use crate::recording::{
    In, Output, Pattern, Repeat, Source, StdStream, Step, Times, Verb, Write, releases_a_turn,
};

/// What is sent at once of a source that may be larger than memory.
const CHUNK: usize = 128 << 10;

/// What an `in` step got.
#[derive(Debug)]
enum Came {
    Line(Vec<u8>),
    Bytes,
    End,
    Late,
}

/// Where the bytes of a step are cut into several writes.
#[derive(Debug)]
struct Cuts {
    /// How far the step has come.
    at: u64,
    left: VecDeque<u64>,
    gap_ms: f64,
}

impl Player {
    /// Plays some steps, in order.
    pub(super) fn steps(&mut self, steps: &[Step]) -> Play<()> {
        let after = self.more_to_say;
        let last = steps.iter().rposition(|step| step.verb.speaks(self.plan.render));
        for (index, step) in steps.iter().enumerate() {
            self.more_to_say = after || last.is_some_and(|last| last > index);
            self.step(step)?;
        }
        self.more_to_say = after;
        Ok(())
    }

    /// Plays one step. After the last one that has something to say comes what the run has left to
    /// say.
    pub fn step(&mut self, step: &Step) -> Play<()> {
        self.verb(step)?;
        if !self.more_to_say && step.verb.speaks(self.plan.render) {
            self.say_the_answer()?;
        }
        Ok(())
    }

    fn verb(&mut self, step: &Step) -> Play<()> {
        self.look_up()?;
        self.keep_to_the_claim()?;
        if let Some(at) = step.at_ms {
            self.wait_for_time(at)?;
        }
        match &step.verb {
            Verb::Write(write) => self.output(write, step.line),
            Verb::Reply(write) => self.reply(write, step.line),
            Verb::In(input) => self.input(input, step.line),
            Verb::Wait(ms) => self.pause(*ms, "a pause of the recording"),
            Verb::Hang => self.hang(),
            Verb::Repeat(repeat) => self.repeat(repeat),
            Verb::File { path, effect } => self.effect(path, effect, step.line),
            Verb::Close(stream) => self.close(*stream),
            Verb::Exit(code) => self.say_the_rest().and(Err(Stop::Exit(*code))),
            Verb::Signal(signal) => self.flush().and(Err(Stop::Signal(*signal))),
            Verb::OnSignal { signal, steps } => {
                self.may_say_more |= steps.iter().any(|it| it.verb.speaks(self.plan.render));
                self.on_signal(*signal, Rc::clone(steps));
                Ok(())
            }
            Verb::Turn(turn) => self.turn(turn, step.line),
            Verb::Child { hold, steps } => self.child(hold, steps),
        }
    }

    /// Lets go of what `more` has held back.
    pub fn flush(&mut self) -> Play<()> {
        for stream in [Output::Stdout, Output::Stderr] {
            let held = std::mem::take(&mut self.held[index(stream)]);
            self.emit(stream, &held)?;
        }
        Ok(())
    }

    /// Plays an `out`, an `err` or one of their kinds.
    pub(super) fn output(&mut self, write: &Write, line: u64) -> Play<()> {
        let mut cuts = Cuts {
            at: 0,
            left: write.split.iter().copied().collect(),
            gap_ms: write.gap_ms.unwrap_or(0.0),
        };
        match &write.source {
            Source::Text(text) => self.whole(write, &mut cuts, text.as_bytes(), false),
            Source::Json(json) => {
                let mut text = Vec::with_capacity(json.get().len() + 1);
                text.extend_from_slice(json.get().as_bytes());
                text.push(b'\n');
                self.whole(write, &mut cuts, &text, true)
            }
            Source::Bytes(bytes) => self.whole(write, &mut cuts, bytes, false),
            Source::Fill { text, times } => self.fill(write, &mut cuts, text.as_bytes(), *times),
            Source::File(path) => self.file(write, &mut cuts, path, line),
        }
    }

    /// Sends bytes that are all there, with this spawn's own values in the place of recorded ones.
    pub(super) fn sends(&mut self, write: &Write, bytes: &[u8], json: bool) -> Play<()> {
        let left = write.split.iter().copied().collect();
        let mut cuts = Cuts { at: 0, left, gap_ms: write.gap_ms.unwrap_or(0.0) };
        self.whole(write, &mut cuts, bytes, json)
    }

    fn whole(&mut self, write: &Write, cuts: &mut Cuts, bytes: &[u8], json: bool) -> Play<()> {
        let bindings = &self.plan.bindings;
        let bound = if bindings.is_empty() {
            bytes.to_vec()
        } else {
            bindings.apply(bytes, json).into_owned()
        };
        self.part(write, cuts, bound, true)
    }

    fn fill(&mut self, write: &Write, cuts: &mut Cuts, text: &[u8], times: u64) -> Play<()> {
        let text = self.plan.bindings.apply(text, false).into_owned();
        let at_once = (CHUNK / text.len().max(1)).max(1) as u64;
        let mut left = times;
        while left > 0 {
            let now = left.min(at_once);
            left -= now;
            self.part(write, cuts, text.repeat(now as usize), left == 0)?;
        }
        Ok(())
    }

    fn file(&mut self, write: &Write, cuts: &mut Cuts, path: &str, line: u64) -> Play<()> {
        let mut file = self.beside(path).map_err(|error| self.unplayable(line, error))?;
        let bindings = self.plan.bindings.clone();
        let mut bound = bindings.stream(false);
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = match file.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(self.unplayable(line, format!("cannot read {path}: {error}")));
                }
            };
            if count == 0 {
                return self.part(write, cuts, bound.finish(), true);
            }
            let part = bound.feed(&buffer[..count]);
            self.part(write, cuts, part, false)?;
        }
    }

    /// Sends a part of a step, cut where the step says; the last part may have to wait for the
    /// next step.
    fn part(&mut self, write: &Write, cuts: &mut Cuts, bytes: Vec<u8>, last: bool) -> Play<()> {
        let held = &mut self.held[index(write.stream)];
        let mut rest = if held.is_empty() { bytes } else { [std::mem::take(held), bytes].concat() };
        while let Some(cut) = cuts.left.front().copied() {
            let Ok(length) = usize::try_from(cut.saturating_sub(cuts.at)) else { break };
            if length >= rest.len() {
                break;
            }
            cuts.left.pop_front();
            cuts.at = cut;
            let after = rest.split_off(length);
            self.emit(write.stream, &rest)?;
            self.pause(cuts.gap_ms, "the gap between two writes")?;
            rest = after;
        }
        cuts.at += rest.len() as u64;
        if write.more && last {
            self.held[index(write.stream)] = rest;
            return Ok(());
        }
        self.emit(write.stream, &rest)
    }

    fn hang(&mut self) -> Play<()> {
        self.say_the_rest()?;
        loop {
            self.keep_to_the_claim()?;
            let what = "a signal (the recording hangs here)";
            self.wait(Wait { fd: None, listen: Listen::All, until: None, what })?;
        }
    }

    fn close(&mut self, stream: StdStream) -> Play<()> {
        self.flush()?;
        match stream {
            StdStream::Stdin => self.spawn.stdin.close(),
            StdStream::Stdout => self.spawn.stdout.close(),
            StdStream::Stderr => self.spawn.stderr.close(),
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Play<()> {
        self.rounds(repeat)?;
        if let Some(until) = &repeat.until {
            self.no_longer_wanted(until);
        }
        Ok(())
    }

    fn rounds(&mut self, repeat: &Repeat) -> Play<()> {
        let mut left = repeat.times;
        let after = self.more_to_say;
        loop {
            match &mut left {
                Times::Count(0) => return Ok(()),
                Times::Count(count) => *count -= 1,
                Times::Forever => {}
            }
            let began = Instant::now();
            self.more_to_say = after || left != Times::Count(0);
            self.steps(&repeat.steps)?;
            self.more_to_say = after;
            if let Some(until) = &repeat.until
                && self.has_come(until, &repeat.steps)?
            {
                return Ok(());
            }
            if let Some(every) = repeat.every_ms {
                let spent = began.elapsed().as_secs_f64() * 1000.0;
                self.pause(every - spent, "the next round of the recording's loop")?;
            }
            self.look_up()?;
        }
    }

    /// Tells whether input that is there already is what a loop goes on until.
    fn has_come(&mut self, until: &Pattern, round: &[Step]) -> Play<bool> {
        if self.is_live() {
            return self.has_come_live(until, round);
        }
        loop {
            while let Some(line) = self.spawn.stdin.take_line() {
                if until.matches_line(&line) {
                    return Ok(true);
                }
            }
            match self.spawn.read_stdin(usize::MAX, Some(Instant::now()), "input")? {
                Read::Some => {}
                Read::End => return Ok(matches!(until, Pattern::Eof)),
                Read::Time => return Ok(false),
                Read::Signal(signal) => self.signal(signal)?,
            }
        }
    }

    /// The same in a live session: what else has come is dealt with as during any wait.
    fn has_come_live(&mut self, until: &Pattern, round: &[Step]) -> Play<bool> {
        loop {
            let read = self.hear(Listen::UpTo(until))?;
            self.keep_to_the_claim()?;
            if let Some(line) = self.take_wanted(until) {
                if is_user(until) {
                    self.taken_user = Some(line);
                }
                return Ok(true);
            }
            match read {
                Read::Some | Read::Signal(_) => {}
                Read::Time => return Ok(false),
                Read::End => {
                    // Messages that came before the end have their turns first.
                    let turns = round.iter().any(|step| step.verb.speaks(false));
                    let over = self.has_heard_all() && !(turns && self.inbox.has_users());
                    return Ok(matches!(until, Pattern::Eof) && over);
                }
            }
        }
    }

    fn input(&mut self, input: &In, line: u64) -> Play<()> {
        self.flush()?;
        match self.await_input(input)? {
            Came::Bytes => Ok(()),
            Came::Line(text) => {
                self.ids.came(&text, input.name.as_deref());
                if self.is_live() && is_user(&input.pattern) {
                    self.taken_user = Some(text.clone());
                }
                let case = input.cases.iter().find(|case| case.pattern.matches_line(&text));
                case.map_or(Ok(()), |case| self.steps(&case.steps))
            }
            Came::End => {
                let case = input.cases.iter().find(|case| matches!(case.pattern, Pattern::Eof));
                let waited_for = matches!(input.pattern, Pattern::Eof);
                match (case, &input.on_eof) {
                    (Some(case), _) => self.steps(&case.steps),
                    (None, Some(steps)) => self.steps(steps),
                    (None, None) if waited_for => Ok(()),
                    (None, None) => Err(self.gone_while_waiting(&input.pattern.to_string(), line)),
                }
            }
            Came::Late => match &input.on_timeout {
                Some(steps) => self.steps(steps),
                None => Err(self.too_late(input, line)),
            },
        }
    }

    fn await_input(&mut self, input: &In) -> Play<Came> {
        if self.is_live() && !matches!(input.pattern, Pattern::Bytes(_)) {
            return self.await_frame(input);
        }
        let until = self.limit(input);
        let what = format!("stdin: {}", input.pattern);
        let mut left = match &input.pattern {
            Pattern::Bytes(count) => *count,
            _ => u64::MAX,
        };
        loop {
            match &input.pattern {
                Pattern::Bytes(_) => {
                    left -= self.spawn.stdin.take_bytes(left);
                    if left == 0 {
                        return Ok(Came::Bytes);
                    }
                }
                Pattern::Eof => drop(self.spawn.stdin.take_all()),
                pattern => {
                    while let Some(line) = self.spawn.stdin.take_line() {
                        if pattern.matches_line(&line) {
                            return Ok(Came::Line(line));
                        }
                    }
                }
            }
            let limit = usize::try_from(left).unwrap_or(usize::MAX);
            match self.spawn.read_stdin(limit, until, &what)? {
                Read::Some => {}
                // The last line may lack its newline; once more round hands it out.
                Read::End if self.has_last_line(&input.pattern) => {}
                Read::End => return Ok(Came::End),
                Read::Time => return Ok(Came::Late),
                Read::Signal(signal) => self.signal(signal)?,
            }
        }
    }

    /// When the time of an `in` step is over.
    fn limit(&self, input: &In) -> Option<Instant> {
        input.timeout_ms.map(|ms| {
            let time = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX);
            Instant::now().checked_add(time).unwrap_or(self.spawn.life + Duration::from_secs(1))
        })
    }

    /// Waits for a frame of a live session; others pass by and are answered as they come.
    fn await_frame(&mut self, input: &In) -> Play<Came> {
        let until = self.limit(input);
        let what = format!("stdin: {}", input.pattern);
        loop {
            self.keep_to_the_claim()?;
            if !self.in_turn {
                self.turn_is_over()?;
            }
            if let Some(line) = self.take_wanted(&input.pattern) {
                self.no_longer_wanted(&input.pattern);
                return Ok(Came::Line(line));
            }
            if self.has_heard_all() {
                return Ok(Came::End);
            }
            let listen = Listen::UpTo(&input.pattern);
            let waited = self.wait(Wait { fd: None, listen, until, what: &what })?;
            if waited == Waited::Time {
                return Ok(Came::Late);
            }
        }
    }

    fn has_last_line(&self, pattern: &Pattern) -> bool {
        matches!(pattern, Pattern::Line | Pattern::Object(_)) && self.spawn.stdin.pending() > 0
    }

    fn too_late(&self, input: &In, line: u64) -> Stop {
        let what = format!(
            "{}: line {line}: {} did not come within {} ms; `on_timeout` says what to do then",
            self.plan.recording.display(),
            input.pattern,
            input.timeout_ms.unwrap_or_default(),
        );
        Stop::Refused(Error::Play { kind: ProblemKind::TimedOut, what })
    }
}

/// Tells whether an `in` step asks for a message that would release a turn.
fn is_user(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Line => true,
        Pattern::Eof | Pattern::Bytes(_) => false,
        Pattern::Object(shape) => releases_a_turn(shape),
    }
}

/// Where a stream's held bytes are kept.
fn index(stream: Output) -> usize {
    match stream {
        Output::Stdout => 0,
        Output::Stderr => 1,
    }
}
