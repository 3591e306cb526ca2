//! A verdict in words, for somebody who sees ringer for the first time, in the log of a test.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

use super::{Left, Mention, SpawnLine, SpawnProblem, Verdict, counted, shown, ways};
use crate::persona::CLIS;

/// How many spawns, problems or recordings are listed before the rest is only counted.
const LISTED: usize = 20;

/// A verdict, to be displayed. Every line but those that belong to the one before begins with
/// `ringer: `, so that they are told from the lines of the test in the same log.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The doubles of the stage, by name, where they are known.
    pub programs: &'a BTreeMap<String, PathBuf>,
    /// Whether the stage is gone after this run.
    pub passing: bool,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let verdict = self.verdict;
        if verdict.spawns.is_empty() {
            self.no_spawn(f)?;
        } else {
            writeln!(f, "ringer: {}", self.headline())?;
            spawns(f, &verdict.spawns)?;
        }
        let mut before = "";
        for problem in verdict.problems.iter().take(LISTED) {
            before = self.problem(f, problem, before)?;
        }
        and_more(f, "ringer: and", verdict.problems.len(), "problems")?;
        if !verdict.left.is_empty() {
            self.left(f)?;
        }
        for mention in verdict.mentions.iter().take(LISTED) {
            mentioned(f, mention)?;
        }
        and_more(f, "ringer: and", verdict.mentions.len(), "remarks")
    }
}

impl Report<'_> {
    fn headline(&self) -> String {
        let verdict = self.verdict;
        let mut text =
            if verdict.good { "as recorded".to_owned() } else { "not as recorded".into() };
        let _ = write!(text, ": {}", counted(verdict.spawns.len() as u64, "spawn"));
        if verdict.recordings_total > 0 {
            let played = verdict.recordings_played();
            let _ = write!(
                text,
                ", {played} of {}",
                counted(verdict.recordings_total as u64, "recording")
            );
            text.push_str(" played");
        }
        if !verdict.problems.is_empty() {
            let _ = write!(text, ", {}", counted(verdict.problems.len() as u64, "problem"));
        }
        text
    }

    fn no_spawn(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let personas = self.personas();
        match self.passing {
            true => writeln!(f, "ringer: no double was started at all, so nothing was played")?,
            false => {
                let state = self.verdict.state.display();
                writeln!(f, "ringer: no double was started with {state}, so nothing was played")?;
            }
        }
        writeln!(
            f,
            "  Either the test never came to start {}, or it started the real program instead\n  of \
             the double, since many clients do not look at PATH. What to give to these:",
            personas.join(" or ")
        )?;
        f.write_str(&ways::lines(&personas, self.programs, self.passing))
    }

    /// The personas that recordings are left for; where that cannot be told, the two CLIs.
    fn personas(&self) -> Vec<String> {
        let mut personas: Vec<String> = Vec::new();
        for left in &self.verdict.left {
            match left.recording.split_once('/') {
                Some((persona, _)) if personas.iter().any(|known| known == persona) => {}
                Some((persona, _)) => personas.push(persona.to_owned()),
                None => {}
            }
        }
        if personas.is_empty() { CLIS.map(str::to_owned).to_vec() } else { personas }
    }

    /// Writes a problem; what it has to say beyond its first line is not repeated where the problem
    /// before it said the same.
    fn problem<'b>(
        &self,
        f: &mut fmt::Formatter,
        problem: &'b SpawnProblem,
        before: &str,
    ) -> Result<&'b str, fmt::Error> {
        let SpawnProblem { spawn, command, kind, message, .. } = problem;
        writeln!(f, "ringer: problem in spawn {spawn} (`{command}`): {kind}")?;
        let (first, more) = message.split_once('\n').unwrap_or((message, ""));
        writeln!(f, "  {first}")?;
        if more != before {
            more.lines().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(more)
    }

    fn left(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let verdict = self.verdict;
        let left = &verdict.left;
        let but = if verdict.unused_allowed { ", which is allowed" } else { "" };
        writeln!(f, "ringer: {} not played{but}:", counted(left.len() as u64, "recording"))?;
        for one in left.iter().take(LISTED) {
            self.left_over(f, one)?;
        }
        and_more(f, "  and", left.len(), "more")?;
        if verdict.unused_allowed || verdict.spawns.is_empty() {
            return Ok(());
        }
        let never = self.never_started();
        if !never.is_empty() {
            writeln!(
                f,
                "  No double of {} was started. If the test did start it, it was the real program \
                 instead\n  of the double, since many clients do not look at PATH. What to give to \
                 these:",
                never.join(" or ")
            )?;
            return f.write_str(&ways::lines(&never, self.programs, self.passing));
        }
        writeln!(
            f,
            "  The test started the program less often than was recorded, or in another way; if that \
             is intended: --allow-unused"
        )
    }

    fn left_over(&self, f: &mut fmt::Formatter, left: &Left) -> fmt::Result {
        let Left { recordings, recording, left, plays } = left;
        let path = shown(&recordings.join(recording));
        if left == plays && *plays == 1 {
            writeln!(f, "  {path}")
        } else {
            writeln!(f, "  {path} ({left} of {plays} plays left)")
        }
    }

    /// Personas with a folder of recordings and no spawn.
    fn never_started(&self) -> Vec<String> {
        let left = self.verdict.left.iter();
        let mut never: Vec<String> = Vec::new();
        for persona in left.filter_map(|left| Some(left.recording.split_once('/')?.0)) {
            let started = self.verdict.spawns.iter().any(|spawn| spawn.program == persona);
            if !started && !never.iter().any(|known| known == persona) {
                never.push(persona.to_owned());
            }
        }
        never
    }
}

fn spawns(f: &mut fmt::Formatter, spawns: &[SpawnLine]) -> fmt::Result {
    let listed = &spawns[..spawns.len().min(LISTED)];
    let width = |text: fn(&SpawnLine) -> &str| {
        listed.iter().map(|line| text(line).chars().count()).max().unwrap_or(0)
    };
    let (commands, got) = (width(|line| &line.command), width(SpawnLine::got));
    let numbers = listed.last().map_or(1, |line| line.spawn.to_string().len());
    for line in listed {
        let SpawnLine { spawn, command, ending, .. } = line;
        writeln!(f, "  {spawn:>numbers$}  {command:<commands$}  {:<got$}  {ending}", line.got())?;
    }
    and_more(f, "  and", spawns.len(), "more (`ringer journal` has them all)")
}

fn mentioned(f: &mut fmt::Formatter, mention: &Mention) -> fmt::Result {
    let mut lines = mention.message.lines();
    let first = lines.next().unwrap_or_default();
    match mention.spawn {
        Some(spawn) => writeln!(f, "ringer: note on spawn {spawn}: {first}")?,
        None => writeln!(f, "ringer: note: {first}")?,
    }
    lines.try_for_each(|line| writeln!(f, "  {line}"))
}

fn and_more(f: &mut fmt::Formatter, and: &str, all: usize, what: &str) -> fmt::Result {
    if all > LISTED { writeln!(f, "{and} {} {what}", all - LISTED) } else { Ok(()) }
}
