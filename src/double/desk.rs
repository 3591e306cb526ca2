//! Where a spawn gets its recording: at its start, or once its stdin has been read.

use std::ffi::OsString;

use super::first_entry::first_entry;
use super::messages;
use super::opened::Opened;
use crate::bind::Bindings;
use crate::directory::Pool;
use crate::error::Error;
use crate::invocation::{Invocation, StreamKind};
use crate::journal::secrets::EnvMode;
use crate::journal::{Entry, JournaledText, Kind, Problem, ProblemKind};
use crate::persona::{Answer, Epipe, Manners, Request, Run, StdinRule};
use crate::play::{Plan, Play, Player, Spawn, Stop};
use crate::recording::{
    BindName, Facts, Kind as RecordingKind, OnEpipe, Regexes, StdinMode, Steps, Summary,
};
use crate::settings::{Settings, Sources, Strictness};
use crate::state::{Choice, Ledger, Pick, StateDir};

/// What the surroundings and the arguments of a spawn come to.
pub(super) struct Desk<'a> {
    manners: &'static dyn Manners,
    invocation: &'a Invocation,
    state: &'a StateDir,
    arguments: &'a [OsString],
    settings: Settings,
    request: Request,
    pool: Pool,
    regexes: Regexes,
}

/// What a spawn is going to do.
pub(super) enum Script {
    /// Ringer refuses it.
    Refused(Error),
    /// It answers without a recording.
    Answer(Answer),
    /// It plays this recording.
    Recording(Pick<Result<Opened, Error>>),
    /// It reads stdin first, by the program's own rule, and is then given a recording.
    AfterStdin,
}

impl Script {
    /// The end of a script that refuses the spawn.
    pub fn refusal(self) -> Stop {
        match self {
            Script::Refused(error) => Stop::Refused(error),
            Script::Answer(_) | Script::Recording(_) | Script::AfterStdin => Stop::Natural,
        }
    }
}

/// What is known of prompt and stdin.
struct Late {
    prompt: Option<String>,
    stdin_line: Option<String>,
}

/// Enters a spawn into the journal, with the recording that it claims at its start, and returns
/// what it does.
///
/// # Errors
///
/// The state directory cannot be read or written.
pub(super) fn enter(
    manners: &'static dyn Manners,
    invocation: &Invocation,
    state: &StateDir,
    settings: Option<&Settings>,
    script: impl FnOnce(&mut Ledger, &mut Entry) -> Script,
) -> Result<(Player, Script), Error> {
    let env = settings.map_or(EnvMode::Masked, |settings| settings.set.journal_env);
    let (mut entry, masker) = first_entry(manners.name(), invocation, env);
    entry.recordings = settings.map(|found| JournaledText::of(found.recordings.as_os_str()));
    let mut ledger = state.lock()?;
    let ticket = ledger.ticket()?;
    let script = script(&mut ledger, &mut entry);
    let pick = match &script {
        Script::Recording(pick) => Some(pick),
        _ => None,
    };
    if matches!(script, Script::Refused(_)) {
        entry.kind = Kind::Refused;
    }
    let ticket = ledger.enter(ticket, &mut entry, pick)?;
    drop(ledger);
    let max_life = settings.map_or(Settings::MAX_LIFE, |settings| settings.max_life);
    let mut spawn = Spawn::new(invocation, ticket, entry, masker, max_life);
    spawn.keeps_stdin = settings.is_none_or(|settings| settings.set.journal_stdin);
    let plan = Plan {
        manners,
        speed: 0.0,
        epipe: manners.epipe(),
        bindings: Bindings::default(),
        recording: invocation.cwd.clone(),
        session: false,
        cwd: invocation.cwd.clone(),
        home: invocation.home(),
        config_dir: manners.config_dir(invocation),
    };
    Ok((Player::new(spawn, plan), script))
}

impl<'a> Desk<'a> {
    /// Looks at settings and arguments.
    ///
    /// # Errors
    ///
    /// Settings that cannot be, or no recordings: this is for the journal to tell.
    pub fn prepare(
        manners: &'static dyn Manners,
        invocation: &'a Invocation,
        state: &'a StateDir,
        sources: &Sources,
    ) -> Result<Desk<'a>, Error> {
        let recordings = sources.recordings(invocation)?;
        let settings = sources.settle(recordings.to_owned())?;
        Ok(Desk {
            manners,
            invocation,
            state,
            arguments: invocation.argv.get(1..).unwrap_or_default(),
            request: manners.read(invocation, &settings),
            pool: Pool::of(recordings, manners.name())?,
            settings,
            regexes: Regexes::default(),
        })
    }

    /// Enters the spawn and plays what it gets; returns the player and how it ends.
    ///
    /// # Errors
    ///
    /// The state directory cannot be read or written.
    pub fn run(mut self) -> Result<(Player, Stop), Error> {
        let settings = self.settings.clone();
        let (manners, invocation, state) = (self.manners, self.invocation, self.state);
        let (mut player, script) =
            enter(manners, invocation, state, Some(&settings), |ledger, entry| {
                self.first_script(ledger, entry)
            })?;
        player.plan.session = self.model_run().session;
        let stop = self.act(&mut player, script).err().unwrap_or(Stop::Natural);
        Ok((player, stop))
    }

    /// What the spawn does, as far as it can be told at its start.
    fn first_script(&mut self, ledger: &mut Ledger, entry: &mut Entry) -> Script {
        match self.request.clone() {
            Request::Usage(answer) => {
                entry.kind = Kind::Usage;
                Script::Answer(answer)
            }
            Request::Probe(answer) => {
                entry.kind = Kind::Probe;
                self.probe(ledger, Ok(answer))
            }
            Request::NoAnswer { command } => {
                entry.kind = Kind::Probe;
                let error = messages::no_answer(self.manners.name(), &command);
                self.probe(ledger, Err(error))
            }
            Request::Run(run) => {
                entry.problems = run.unknown.iter().map(|name| unknown_option(name)).collect();
                if self.must_read_first(&run) {
                    return Script::AfterStdin;
                }
                let late = self.known_at_start(&run);
                self.choose(ledger, entry, late)
            }
        }
    }

    /// Without a prompt among the arguments, what comes by stdin decides whether the real CLI runs
    /// at all; nothing may be used up before that is known.
    fn must_read_first(&self, run: &Run) -> bool {
        let strict = self.settings.args == Strictness::Strict;
        strict && run.prompt.is_none() && matches!(run.stdin, StdinRule::ToEnd { .. })
    }

    fn known_at_start(&self, run: &Run) -> Late {
        let reads = run.stdin != StdinRule::Ignore
            && !matches!(self.invocation.stdio[0], StreamKind::Tty | StreamKind::Closed);
        let empty = (!reads).then(String::new);
        Late { prompt: run.prompt.clone().or(empty.clone()), stdin_line: empty }
    }

    fn probe(&mut self, ledger: &mut Ledger, stock: Result<Answer, Error>) -> Script {
        let late = Late { prompt: Some(String::new()), stdin_line: Some(String::new()) };
        let (invocation, arguments, regexes) = (self.invocation, self.arguments, &mut self.regexes);
        let chosen = ledger.choose_probe(&self.pool, &mut |path, depth| {
            facts(invocation, arguments, &late, |facts| Opened::weigh(path, depth, facts, regexes))
        });
        match (chosen, stock) {
            (Ok(Some(pick)), _) => Script::Recording(pick),
            (Ok(None), Ok(answer)) => Script::Answer(answer),
            (Ok(None), Err(error)) | (Err(error), _) => Script::Refused(error),
        }
    }

    fn choose(&mut self, ledger: &mut Ledger, entry: &mut Entry, late: Late) -> Script {
        let (invocation, arguments, regexes) = (self.invocation, self.arguments, &mut self.regexes);
        let (name, repeat_last) = (self.manners.name(), self.settings.repeat_last);
        let chosen = ledger.choose(&self.pool, name, repeat_last, &mut |path, depth| {
            facts(invocation, arguments, &late, |facts| Opened::weigh(path, depth, facts, regexes))
        });
        match chosen {
            Ok(Choice::Found(pick)) => {
                if pick.play.is_none() {
                    entry.kind = Kind::Probe;
                }
                Script::Recording(pick)
            }
            Ok(Choice::Needs(_)) => Script::AfterStdin,
            Ok(Choice::Nothing(shortage)) => Script::Refused(messages::shortage(
                &shortage,
                name,
                &entry.argv,
                &self.pool,
                self.state,
            )),
            Err(error) => Script::Refused(error),
        }
    }

    fn act(&mut self, player: &mut Player, script: Script) -> Play<()> {
        match script {
            Script::Refused(error) => Err(error.into()),
            Script::Answer(answer) => player.answer(&answer),
            Script::Recording(pick) => self.play(player, pick.item),
            Script::AfterStdin => {
                let script = self.script_after_stdin(player)?;
                self.act(player, script)
            }
        }
    }

    /// Reads stdin as the program would, then finds a recording.
    fn script_after_stdin(&mut self, player: &mut Player) -> Play<Script> {
        let run = self.model_run();
        if let StdinRule::ToEnd { first_byte } = run.stdin {
            player.read_to_end(first_byte, true)?;
        }
        let prompt = match self.manners.prompt(&run, player.spawn.stdin.pending_bytes()) {
            Err(answer) if self.settings.args == Strictness::Strict => {
                player.spawn.entry.kind = Kind::Usage;
                return Ok(Script::Answer(answer));
            }
            prompt => prompt.unwrap_or_default(),
        };
        let stdin_line = String::from_utf8_lossy(player.spawn.stdin.first_line()).into_owned();
        let late = Late { prompt: Some(prompt), stdin_line: Some(stdin_line) };
        let mut ledger = self.state.lock()?;
        let spawn = &mut player.spawn;
        let script = self.choose(&mut ledger, &mut spawn.entry, late);
        match (&script, &spawn.ticket) {
            (Script::Recording(pick), Some(ticket)) => {
                ledger.claim_later(ticket, &mut spawn.entry, pick)?;
            }
            (Script::Refused(_), _) => spawn.entry.kind = Kind::Refused,
            _ => {}
        }
        Ok(script)
    }

    fn model_run(&self) -> Run {
        match &self.request {
            Request::Run(run) => run.clone(),
            _ => Run::default(),
        }
    }

    /// Plays a recording that was claimed.
    fn play(&mut self, player: &mut Player, opened: Result<Opened, Error>) -> Play<()> {
        let checked = opened.and_then(|mut opened| {
            let summary = match opened.kind {
                RecordingKind::Raw => Summary::default(),
                RecordingKind::Steps => opened.check(&mut self.regexes)?,
            };
            Ok((opened, summary))
        });
        let (mut opened, summary) = checked.inspect_err(|_| {
            player.spawn.entry.kind = Kind::Refused;
        })?;
        self.settle_plan(&mut player.plan, &opened);
        player.spawn.outlives_parent = opened.header.orphan;
        player.begin();
        match self.stdin_rule(&opened, &summary) {
            StdinRule::ToEnd { first_byte } => player.read_to_end(first_byte, false)?,
            StdinRule::Ignore | StdinRule::Lines => {}
        }
        match opened.kind {
            RecordingKind::Raw => player.raw(&opened.start, opened.rest),
            RecordingKind::Steps => {
                let path = opened.path.clone();
                for step in Steps::new(opened.reader()?) {
                    let step = step.map_err(|error| Error::Recording {
                        path: path.clone(),
                        what: format!("{error}; it was changed while it was being played"),
                    })?;
                    player.step(&step)?;
                }
                player.flush()?;
                player.wait_for_the_end_of_a_session()
            }
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
            StdinMode::Auto => self.model_run().stdin,
        }
    }

    fn settle_plan(&self, plan: &mut Plan, opened: &Opened) {
        let header = &opened.header;
        plan.recording = opened.path.clone();
        let settings = &self.settings;
        plan.speed = settings.speed.or(header.speed).or(settings.set.speed).unwrap_or(0.0);
        plan.epipe = match header.on_epipe {
            OnEpipe::Auto => self.manners.epipe(),
            OnEpipe::Ignore => Epipe::Silent,
            OnEpipe::Sigpipe => Epipe::Die,
            OnEpipe::Exit(code) => Epipe::Exit { code, stderr: String::new() },
        };
        let own = header.bind.iter().filter_map(|(name, recorded)| {
            let own = match name {
                BindName::Cwd => plan.cwd.to_string_lossy().into_owned(),
                BindName::Home => plan.home.to_string_lossy().into_owned(),
                BindName::SessionId | BindName::ThreadId => return None,
            };
            Some((recorded.clone(), own))
        });
        plan.bindings = Bindings::new(own.collect());
    }
}

/// Calls with what is known of a spawn.
fn facts<T>(
    invocation: &Invocation,
    arguments: &[OsString],
    late: &Late,
    then: impl FnOnce(&Facts) -> T,
) -> T {
    then(&Facts {
        arguments,
        cwd: &invocation.cwd,
        env: &|name| invocation.var(name).cloned(),
        stdin_kind: invocation.stdio[0],
        prompt: late.prompt.as_deref(),
        stdin_line: late.stdin_line.as_deref(),
    })
}

fn unknown_option(name: &str) -> Problem {
    Problem {
        kind: ProblemKind::UnknownOption,
        message: format!(
            "no known version has the option {name}; pin a version in ringer.toml to have it \
             refused, or set RINGER_ARGS=lax to let any argument pass"
        ),
    }
}
