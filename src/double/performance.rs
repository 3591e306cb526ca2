//! A spawn plays the recording that it got.

use std::cell::RefCell;
use std::io::Read as _;
use std::rc::Rc;

use super::desk::Desk;
use super::first_message::FirstMessage;
use super::opened::Opened;
use crate::bind::Bindings;
use crate::error::Error;
use crate::invocation::StreamKind;
use crate::journal::Kind;
use crate::persona::{Circumstances, Epipe, ModelRun, StdinRule, StdinSeen};
use crate::play::{Play, Player, Stop};
use crate::recording::{BindName, Kind as RecordingKind, OnEpipe, StdinMode, Steps, Summary};
use crate::settings::Strictness;
use crate::state::Pick;

/// A recording that was checked, ready to be played.
pub(super) struct Ready {
    opened: Opened,
    summary: Summary,
}

/// Where a recording is played from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// Its first line.
    Start,
    /// Behind what comes before the first message: another recording's opening was played.
    BehindItsOpening,
}

impl Desk {
    /// Plays a recording that was claimed.
    pub(super) fn play(&mut self, player: &mut Player, opened: Result<Opened, Error>) -> Play<()> {
        let ready = self.ready(opened).inspect_err(|_| player.spawn.entry.kind = Kind::Refused)?;
        self.perform(player, ready, From::Start)
    }

    /// Plays a live session that has claimed nothing yet. If its first message claims another
    /// recording than the one whose opening was played, that is played from there on.
    pub(super) fn session(
        &mut self,
        player: &mut Player,
        peeked: Option<Pick<Result<Opened, Error>>>,
    ) -> Play<()> {
        // A broken recording is found out when it is claimed.
        let peeked = peeked.and_then(|pick| Some((pick.recording, self.ready(pick.item).ok()?)));
        let (name, ready) = peeked.unzip();
        let claim = Rc::new(RefCell::new(FirstMessage::new(Rc::clone(&self.chooser), name)));
        player.claims_by(claim.clone());
        let played = match ready {
            Some(ready) if ready.has_opening() => self.perform(player, ready, From::Start),
            ready => player.wait_for_the_claim().and_then(|()| match ready {
                Some(ready) => self.perform(player, ready, From::Start),
                None => Ok(()),
            }),
        };
        let other = claim.borrow_mut().other.take();
        match (played, other) {
            (Err(Stop::Other), Some(opened)) => {
                let ready =
                    self.ready(opened).inspect_err(|_| player.spawn.entry.kind = Kind::Refused)?;
                player.change_over()?;
                self.perform(player, ready, From::BehindItsOpening)
            }
            (ended, _) => ended,
        }
    }

    fn ready(&mut self, opened: Result<Opened, Error>) -> Result<Ready, Error> {
        let mut opened = opened?;
        let summary = match opened.kind {
            RecordingKind::Raw => Summary::default(),
            RecordingKind::Steps => opened.check(&mut self.chooser.borrow_mut().regexes)?,
        };
        Ok(Ready { opened, summary })
    }

    fn perform(&mut self, player: &mut Player, ready: Ready, from: From) -> Play<()> {
        let Ready { mut opened, summary } = ready;
        self.settle_plan(player, &opened);
        if let Some(launcher) = &opened.header.launcher {
            player.launch(launcher)?;
        }
        if let Some((path, told)) = self.model_run().as_deref().and_then(|run| run.last_message()) {
            player.keep_last_message(path, told)?;
        }
        player.asked = self.model_run().and_then(|run| run.shape());
        player.begin();
        self.read_input(player, &opened, &summary)?;
        match opened.kind {
            RecordingKind::Raw if player.is_live() => self.raw_session(player, opened, from),
            RecordingKind::Raw => {
                let rest = (!opened.whole).then_some(opened.rest);
                player.raw(&opened.start, rest)
            }
            RecordingKind::Steps => self.steps(player, &mut opened, summary, from),
        }
    }

    fn raw_session(&mut self, player: &mut Player, mut opened: Opened, from: From) -> Play<()> {
        let mut bytes = std::mem::take(&mut opened.start);
        opened
            .rest
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io("cannot read the recording", &opened.path, error))?;
        let mut session = player.raw_session(bytes);
        if from == From::BehindItsOpening {
            player.pass_over_opening(&mut session);
        }
        // No step of it asks for what those of another recording may have asked for.
        player.wants(Vec::new())?;
        player.play_raw_session(&mut session)
    }

    fn steps(
        &mut self,
        player: &mut Player,
        opened: &mut Opened,
        summary: Summary,
        from: From,
    ) -> Play<()> {
        let path = opened.path.clone();
        let turns = summary.turns;
        let passed_over = if from == From::BehindItsOpening { summary.opening } else { 0 };
        let last_said =
            if player.plan.render { summary.to_last_output } else { summary.to_last_turn };
        player.wants(summary.awaited)?;
        if player.is_live() && turns > 0 {
            player.expect_turns(turns);
        }
        if player.is_live() && summary.inputs + turns == 0 && !opened.claims_at_start() {
            // The first message releases all of it.
            player.use_first_user()?;
        }
        for (step, played) in Steps::new(opened.reader()?).zip(1..) {
            let step = step.map_err(|error| Error::Recording {
                path: path.clone(),
                what: format!("{error}; it was changed while it was being played"),
            })?;
            if played <= passed_over {
                continue;
            }
            player.more_to_say = played < last_said;
            player.step(&step)?;
        }
        player.after_the_last_step(turns)
    }

    /// Reads stdin before the first step, where that is how it goes, and gives the player the
    /// program's voice if the recording needs one.
    fn read_input(&self, player: &mut Player, opened: &Opened, summary: &Summary) -> Play<()> {
        let needs_voice = summary.turns > 0 || player.plan.render;
        let rule = self.stdin_rule(opened, summary);
        let gave_up = self.read_text(player, rule, summary, needs_voice)?;
        let Some(run) = self.model_run() else { return Ok(()) };
        if player.is_live() || !needs_voice {
            return Ok(self.keep_transcript(player, run.as_ref(), None)?);
        }
        let seen = StdinSeen { bytes: player.spawn.stdin.pending_bytes(), gave_up };
        let prompt = match run.prompt(seen) {
            Ok(prompt) => prompt,
            Err(answer) if self.settings.args == Strictness::Strict && rule == run.stdin() => {
                player.spawn.entry.kind = Kind::Usage;
                return player.answer(&answer.after(&player.warned));
            }
            Err(_) => run.prompt_argument().unwrap_or_default().to_owned(),
        };
        let around = self.circumstances(player, prompt);
        self.keep_transcript(player, run.as_ref(), Some(&around.prompt))?;
        player.lend_voice(run.performer(&around));
        // The session is there from its start: whoever takes it up may come before its end.
        match player.session_mark() {
            Some(mark) => Ok(self.remember(player, &mark)?),
            None => Ok(()),
        }
    }

    /// Reads stdin to its end if that is the rule, and returns whether it was waited for in vain.
    /// Where turns are rendered, the program's warnings come at their times; other recordings say
    /// all that is to be said.
    fn read_text(
        &self,
        player: &mut Player,
        rule: StdinRule,
        summary: &Summary,
        keep: bool,
    ) -> Play<bool> {
        let run = self.model_run().filter(|_| summary.turns > 0 && player.warned.is_empty());
        let warnings = run.map(|run| run.warnings()).unwrap_or_default();
        player.warn(&warnings.at_start)?;
        let StdinRule::ToEnd { first_byte } = rule else { return Ok(false) };
        let gave_up = player.read_to_end(first_byte, keep)?;
        if gave_up {
            player.warn(&warnings.no_stdin)?;
        }
        Ok(gave_up)
    }

    /// Starts the session file that the program would write, where the set asks for such files.
    fn keep_transcript(
        &self,
        player: &mut Player,
        run: &dyn ModelRun,
        prompt: Option<&str>,
    ) -> Result<(), Error> {
        if !self.settings.set.transcripts {
            return Ok(());
        }
        let prompt = prompt.or(run.prompt_argument()).unwrap_or_default().to_owned();
        let around = self.circumstances(player, prompt);
        player.keep_transcript(run.transcript(&around), &around.prompt)
    }

    /// A live session has its voice from the start: it answers before it has a recording.
    pub(super) fn prepare_session(&self, player: &mut Player) {
        let Some(run) = self.model_run().filter(|run| run.is_session()) else { return };
        player.plan.session = true;
        let around = self.circumstances(player, String::new());
        player.lend_voice(run.performer(&around));
    }

    fn circumstances(&self, player: &Player, prompt: String) -> Circumstances {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        Circumstances {
            spawn: player.spawn.entry.spawn,
            seed: self.seed(),
            cwd: text(&player.plan.cwd),
            home: text(&player.plan.home),
            config_dir: text(&player.plan.config_dir),
            started: self.invocation.started_at,
            stdio: self.invocation.stdio,
            prompt,
            session: self.session.clone(),
            others: self.other_sessions(),
        }
    }

    /// How stdin is read: as the recording says, else the set, else as the program would. Where a
    /// recording has `in` steps and nothing else is said, these read it.
    fn stdin_rule(&self, opened: &Opened, summary: &Summary) -> StdinRule {
        let said = opened.header.stdin.or(self.settings.set.stdin);
        match said.unwrap_or(StdinMode::Auto) {
            StdinMode::Ignore => StdinRule::Ignore,
            StdinMode::Eof => StdinRule::ToEnd { first_byte: None },
            StdinMode::Lines => StdinRule::Lines,
            StdinMode::Auto if summary.inputs > 0 => StdinRule::Lines,
            StdinMode::Auto if self.invocation.stdio[0] == StreamKind::Tty => StdinRule::Ignore,
            StdinMode::Auto => self.model_run().map_or(StdinRule::Ignore, |run| run.stdin()),
        }
    }

    fn settle_plan(&self, player: &mut Player, opened: &Opened) {
        let (header, settings) = (&opened.header, &self.settings);
        let around = self.circumstances(player, String::new());
        let session_id = self.model_run().and_then(|run| run.session_id(&around));
        let own = header.bind.iter().filter_map(|(name, recorded)| {
            let own = match name {
                BindName::Cwd => around.cwd.clone(),
                BindName::Home => around.home.clone(),
                BindName::SessionId | BindName::ThreadId => session_id.clone()?,
            };
            Some((recorded.clone(), own))
        });
        let plan = &mut player.plan;
        plan.bindings = Bindings::new(own.collect());
        plan.recording = opened.path.clone();
        plan.speed = settings.speed.or(header.speed).or(settings.set.speed).unwrap_or(0.0);
        plan.render = header.render.or(settings.set.render).unwrap_or(false);
        plan.epipe = match header.on_epipe {
            OnEpipe::Auto => self.manners.epipe(),
            OnEpipe::Ignore => Epipe::Silent,
            OnEpipe::Sigpipe => Epipe::Die,
            OnEpipe::Exit(code) => Epipe::Exit { code, stderr: String::new() },
        };
        player.spawn.outlives_parent = header.orphan;
    }
}

impl Ready {
    /// Whether it says something before the first message of a session.
    fn has_opening(&self) -> bool {
        match self.opened.kind {
            RecordingKind::Raw => true,
            RecordingKind::Steps => self.summary.inputs + self.summary.turns > 0,
        }
    }
}
