//! The checking pass: a recording is checked whole before its first byte goes out.

use std::collections::HashSet;
use std::io::BufRead;

use super::error::{FormatError, Mistake, quoted};
use super::header::{Header, StdinMode};
use super::parse::never_played;
use super::pattern::{Pattern, Shape};
use super::read::Steps;
use super::regexes::Regexes;
use super::signal::Signal;
use super::step::{In, Output, Source, StdStream, Step, Times, Verb, Write};

/// What the check needs of its surroundings.
pub struct Surroundings<'a> {
    /// Says whether a file beside the recording can be played, by its path as written; the error is
    /// a lowercase fragment. The path is relative and without `..`; links are for this to follow.
    pub file: &'a dyn Fn(&str) -> Result<(), String>,
    /// Regular expressions that are compiled already.
    pub regexes: &'a mut Regexes,
}

/// What a player wants to know before it starts. Steps in `on_signal` and `child` are checked, but
/// count for none of this except [`files`](Summary::files).
#[derive(Debug, Default)]
pub struct Summary {
    /// The header.
    pub header: Header,
    /// How many steps there are, nested ones not counted.
    pub steps: u64,
    /// How many `turn` steps there are, nested ones counted once.
    pub turns: u64,
    /// How many `in` steps there are, nested ones counted once; `until` counts as one.
    pub inputs: u64,
    /// The `in` steps that a user message could satisfy, nested ones counted once: those that ask
    /// for a user line, for what starts a turn of codex, or for any line.
    pub user_inputs: u64,
    /// How many steps stand before the first one that has an `in` or `turn` in it.
    pub before_input: u64,
    /// How many steps stand before the first one that has a turn or a user input in it: what a
    /// live session plays before it claims.
    pub opening: u64,
    /// How many steps there are up to the last one that has a turn in it.
    pub to_last_turn: u64,
    /// The same for one that has a turn or something for stdout in it.
    pub to_last_output: u64,
    /// Whether anything goes to stderr.
    pub writes_stderr: bool,
    /// Whether there are `reply` steps.
    pub replies: bool,
    /// Whether it has effects on disk.
    pub files: bool,
    /// Whether it has a step that goes on for ever: a `hang`, or a `repeat` without end.
    pub endless: bool,
    /// What its `in` steps wait for, bytes and the end of stdin aside.
    pub awaited: Vec<Awaited>,
    /// How it ends, if it says so.
    pub end: Option<End>,
}

/// What an `in` step waits for.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// A line.
    pub pattern: Pattern,
    /// Whether it is waited for again and again.
    pub loops: bool,
}

/// How a recording says that it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By an exit code.
    Exit(u8),
    /// By a signal.
    Signal(Signal),
}

/// Checks a steps recording, from its first byte to its last.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn check(reader: impl BufRead, around: &mut Surroundings) -> Result<Summary, FormatError> {
    let mut steps = Steps::new(reader);
    let header = steps.header()?;
    if let Some(when) = &header.when {
        when.check(around.regexes)?;
    }
    let mut checker = Checker {
        file: around.file,
        never_reads: header.stdin == Some(StdinMode::Ignore),
        loops: 0,
        names: HashSet::new(),
        called: Vec::new(),
        summary: Summary { header, ..Summary::default() },
    };
    for step in steps {
        let step = step?;
        let line = step.line;
        checker.top_level(&step).map_err(|mistake| mistake.on_line(line))?;
    }
    checker.finish()
}

struct Checker<'a> {
    file: &'a dyn Fn(&str) -> Result<(), String>,
    /// The header says that stdin is never read.
    never_reads: bool,
    /// How many loops are around the step that is looked at.
    loops: u32,
    /// The names of `in` steps.
    names: HashSet<String>,
    /// The names that replies call, with their lines.
    called: Vec<(String, u64)>,
    summary: Summary,
}

/// Who plays a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// The double, in the order of the lines.
    Main,
    /// The double, when a signal comes.
    Aside,
    /// A child, which reads stdin only if it holds it.
    Child { reads: bool },
}

impl Checker<'_> {
    fn top_level(&mut self, step: &Step) -> Result<(), Mistake> {
        if self.summary.end.is_some() {
            return Err(never_played());
        }
        let (inputs, turns) = (self.summary.inputs, self.summary.turns);
        let users = self.summary.user_inputs;
        self.step(step, Flow::Main)?;
        let summary = &mut self.summary;
        // As long as nothing was counted, every step is one before the first that is.
        if inputs + turns == 0 && summary.inputs + summary.turns == 0 {
            summary.before_input += 1;
        }
        if users + turns == 0 && summary.user_inputs + summary.turns == 0 {
            summary.opening += 1;
        }
        summary.steps += 1;
        if step.verb.speaks(false) {
            summary.to_last_turn = summary.steps;
        }
        if step.verb.speaks(true) {
            summary.to_last_output = summary.steps;
        }
        summary.end = match step.verb {
            Verb::Exit(code) => Some(End::Exit(code)),
            Verb::Signal(signal) => Some(End::Signal(signal)),
            _ => None,
        };
        Ok(())
    }

    fn step(&mut self, step: &Step, flow: Flow) -> Result<(), Mistake> {
        let main = flow == Flow::Main;
        let mut inner = flow;
        match &step.verb {
            Verb::Write(write) => self.write(write, main)?,
            Verb::Reply(write) => {
                self.summary.replies |= main;
                self.calls(&write.source, step.line);
            }
            Verb::In(input) => self.input(input, flow)?,
            Verb::Turn(_) => self.summary.turns += u64::from(main),
            Verb::Hang => self.summary.endless |= main,
            Verb::Repeat(repeat) => {
                self.summary.endless |=
                    main && repeat.times == Times::Forever && repeat.until.is_none();
                if let Some(until) = &repeat.until {
                    self.reads("until", flow)?;
                    self.count(until, main);
                }
            }
            Verb::File { .. } => self.summary.files = true,
            Verb::OnSignal { .. } if main => inner = Flow::Aside,
            Verb::Child { hold, .. } => {
                inner = Flow::Child { reads: hold.contains(&StdStream::Stdin) };
            }
            _ => {}
        }
        let loops = u32::from(matches!(step.verb, Verb::Repeat(_)));
        self.loops += loops;
        for steps in step.verb.nested() {
            for step in steps {
                self.step(step, inner)?;
            }
        }
        self.loops -= loops;
        Ok(())
    }

    fn write(&mut self, write: &Write, main: bool) -> Result<(), Mistake> {
        self.summary.writes_stderr |= main && write.stream == Output::Stderr;
        if let Source::File(path) = &write.source {
            (self.file)(path).map_err(|why| Mistake::new(format!("{}: {why}", quoted(path))))?;
        }
        Ok(())
    }

    fn input(&mut self, input: &In, flow: Flow) -> Result<(), Mistake> {
        self.reads("in", flow)?;
        if let Some(name) = &input.name {
            self.names.insert(name.clone());
        }
        self.count(&input.pattern, flow == Flow::Main);
        Ok(())
    }

    fn count(&mut self, pattern: &Pattern, main: bool) {
        self.summary.inputs += u64::from(main);
        self.summary.user_inputs += u64::from(main && takes_user_message(pattern));
        if main && matches!(pattern, Pattern::Line | Pattern::Object(_)) {
            let loops = self.loops > 0;
            self.summary.awaited.push(Awaited { pattern: pattern.clone(), loops });
        }
    }

    /// Refuses to wait for input that can never come.
    fn reads(&self, key: &str, flow: Flow) -> Result<(), Mistake> {
        match flow {
            Flow::Child { reads: false } => {
                Err(Mistake::new(format!("`{key}` in a child that does not hold stdin"))
                    .hint("add \"stdin\" to its `hold`"))
            }
            Flow::Main | Flow::Aside if self.never_reads => {
                Err(Mistake::new(format!("`{key}` waits for stdin, which is never read"))
                    .hint("the header says \"stdin\": \"ignore\""))
            }
            _ => Ok(()),
        }
    }

    /// Notes the names that a reply calls, to be looked up when all are known.
    fn calls(&mut self, source: &Source, line: u64) {
        let text = match source {
            Source::Text(text) => text.as_str(),
            Source::Json(raw) => raw.get(),
            _ => return,
        };
        for (at, mark) in text.match_indices("\"$id:") {
            let rest = &text[at + mark.len()..];
            // A name with an escape in it is left to the player.
            if let Some((name, _)) = rest.split_once('"')
                && !name.contains('\\')
            {
                self.called.push((name.to_owned(), line));
            }
        }
    }

    fn finish(self) -> Result<Summary, FormatError> {
        match self.called.into_iter().find(|(name, _)| !self.names.contains(name)) {
            None => Ok(self.summary),
            Some((name, line)) => {
                let what = format!("`reply` calls {}, and no `in` has that name", quoted(&name));
                let mistake = Mistake::new(what).hint("name the `in` by its key `as`");
                Err(mistake
                    .did_you_mean(&name, self.names.iter().map(String::as_str))
                    .on_line(line))
            }
        }
    }
}

/// The type of a line of `claude` that is a message of the user.
pub(crate) const USER_LINE: &str = "user";
/// The methods of codex that start a turn (`06-turn`, `06-review`).
pub(crate) const STARTS_A_TURN: [&str; 2] = ["turn/start", "review/start"];

/// Whether only a line that releases a turn is waited for.
pub(crate) fn releases_a_turn(shape: &Shape) -> bool {
    shape.string("type") == Some(USER_LINE)
        || shape.string("method").is_some_and(|method| STARTS_A_TURN.contains(&method))
}

/// Whether a message of the user could be what is waited for.
fn takes_user_message(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Line => true,
        Pattern::Eof | Pattern::Bytes(_) => false,
        Pattern::Object(shape) => shape.is_empty() || releases_a_turn(shape),
    }
}

#[cfg(test)]
mod tests;
