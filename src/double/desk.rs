//! Where a spawn gets its recording: at its start, or once its stdin has been read.

use std::ffi::OsString;
use std::rc::Rc;

use super::first_entry::first_entry;
use super::messages;
use super::opened::Opened;
use crate::bind::Bindings;
use crate::directory::Pool;
use crate::error::Error;
use crate::invocation::{Invocation, StreamKind};
use crate::journal::secrets::EnvMode;
use crate::journal::{Entry, JournaledText, Kind, Problem, ProblemKind};
use crate::persona::performer::SessionMark;
use crate::persona::{Answer, Manners, ModelRun, Request, StdinRule, StdinSeen, Version};
use crate::play::{Plan, Play, Player, Spawn, Stop};
use crate::recording::{Facts, Regexes, StdinMode};
use crate::sessions::{Around, Resolved, Sessions};
use crate::settings::{Sessions as SessionsRule, Settings, Sources, Strictness};
use crate::state::{Choice, Ledger, Pick, StateDir, checksum};

/// What the surroundings and the arguments of a spawn come to.
pub(super) struct Desk<'a> {
    pub manners: &'static dyn Manners,
    pub invocation: &'a Invocation,
    pub settings: Settings,
    pub regexes: Regexes,
    pub session: Resolved,
    sessions: Sessions,
    seed: String,
    pub arguments: &'a [OsString],
    pub pool: Pool,
    state: &'a StateDir,
    request: Request,
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
    /// It is a live session: it claims at its first message, and until then plays the opening of
    /// this recording, if there is one that it would get now.
    Session(Option<Pick<Result<Opened, Error>>>),
}

impl Script {
    /// The end of a script that refuses the spawn.
    pub fn refusal(self) -> Stop {
        match self {
            Script::Refused(error) => Stop::Refused(error),
            _ => Stop::Natural,
        }
    }
}

/// What is known of prompt and stdin.
pub(super) struct Late {
    pub prompt: Option<String>,
    pub stdin_line: Option<String>,
}

impl Late {
    /// That of a spawn which has no prompt and reads no stdin.
    pub fn nothing() -> Late {
        Late { prompt: Some(String::new()), stdin_line: Some(String::new()) }
    }
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
    entry.spawn = ticket.number();
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
    let pinned = settings.and_then(|settings| settings.set.versions.get(manners.name()));
    let plan = Plan {
        manners,
        version: pinned.cloned(),
        speed: 0.0,
        epipe: manners.epipe(),
        bindings: Bindings::default(),
        recording: invocation.cwd.clone(),
        render: false,
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
        sources.mode()?;
        let settings = sources.settle(recordings.to_owned())?;
        let arguments = invocation.argv.get(1..).unwrap_or_default();
        Ok(Desk {
            manners,
            invocation,
            session: Resolved::default(),
            sessions: Sessions::of(state.path()),
            seed: format!("{:016x}", seed(arguments)),
            state,
            arguments,
            request: manners.read(invocation, &settings, Version::Settled),
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
        self.prepare_session(&mut player);
        let stop = self.act(&mut player, script).err().unwrap_or(Stop::Natural);
        if let Some(mark) = player.session_mark() {
            self.remember(&player, &mark)?;
        }
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
                let answer = self.as_recorded(ledger).unwrap_or(answer);
                self.probe(ledger, Ok(answer))
            }
            Request::Help(answer) => self.help(ledger, entry, answer),
            Request::NoAnswer { command } => {
                entry.kind = Kind::Probe;
                let error = messages::no_answer(self.manners.name(), &command);
                self.probe(ledger, Err(error))
            }
            Request::Run(run) => {
                match run.take_up(&self.around(entry.spawn)) {
                    Ok(session) => self.session = session,
                    Err(answer) => {
                        entry.kind = Kind::Usage;
                        return Script::Answer(answer);
                    }
                }
                if self.settings.args == Strictness::Strict {
                    let unknown = run.unknown().iter();
                    entry.problems = unknown.map(|name| unknown_option(name)).collect();
                }
                if run.is_session() {
                    return self.open_session(ledger);
                }
                let late = self.known_at_start(run.as_ref());
                let script = self.choose(ledger, entry, late);
                match script {
                    // What comes by stdin decides whether the real CLI runs at all: nothing may be
                    // used up before that is known.
                    Script::Recording(pick) if self.must_read_first(run.as_ref(), &pick) => {
                        entry.kind = Kind::Run;
                        Script::AfterStdin
                    }
                    Script::Refused(_) if run.hangs_on_stdin() => Script::AfterStdin,
                    script => script,
                }
            }
        }
    }

    /// Whether the program's own rule for stdin comes before the claim: where the run hangs on what
    /// comes, unless the recording says itself how stdin is read.
    fn must_read_first(&mut self, run: &dyn ModelRun, pick: &Pick<Result<Opened, Error>>) -> bool {
        if !run.hangs_on_stdin() || !matches!(run.stdin(), StdinRule::ToEnd { .. }) {
            return false;
        }
        let Ok(opened) = &pick.item else { return false };
        let said = opened.header.stdin.or(self.settings.set.stdin);
        match said {
            None | Some(StdinMode::Auto) => !opened.reads_by_itself(&mut self.regexes),
            Some(StdinMode::Ignore | StdinMode::Eof | StdinMode::Lines) => false,
        }
    }

    fn known_at_start(&self, run: &dyn ModelRun) -> Late {
        let reads = run.stdin() != StdinRule::Ignore
            && !matches!(self.invocation.stdio[0], StreamKind::Tty | StreamKind::Closed);
        let empty = (!reads).then(String::new);
        let prompt = run.prompt_argument().map(str::to_owned);
        Late { prompt: prompt.or(empty.clone()), stdin_line: empty }
    }

    pub(super) fn look(
        &mut self,
        ledger: &mut Ledger,
        late: &Late,
    ) -> Result<Choice<Result<Opened, Error>>, Error> {
        let (invocation, arguments, regexes) = (self.invocation, self.arguments, &mut self.regexes);
        let repeat_last = self.settings.repeat_last;
        ledger.choose(&self.pool, self.manners.name(), repeat_last, &mut |path, depth| {
            facts(invocation, arguments, late, |facts| Opened::weigh(path, depth, facts, regexes))
        })
    }

    fn choose(&mut self, ledger: &mut Ledger, entry: &mut Entry, late: Late) -> Script {
        match self.look(ledger, &late) {
            Ok(Choice::Found(pick)) => {
                if pick.play.is_none() {
                    entry.kind = Kind::Probe;
                }
                Script::Recording(pick)
            }
            Ok(Choice::Needs(_)) => Script::AfterStdin,
            Ok(Choice::Nothing(shortage)) => {
                if let Some(answer) = self.refusal_of_unknown_options() {
                    entry.kind = Kind::Usage;
                    entry.problems.clear();
                    return Script::Answer(answer);
                }
                let name = self.manners.name();
                Script::Refused(messages::shortage(
                    &shortage,
                    name,
                    &entry.argv,
                    &self.pool,
                    self.state,
                ))
            }
            Err(error) => Script::Refused(error),
        }
    }

    /// What a live session does at its start. Real clients open sessions just to ask something and
    /// close them, so it claims nothing unless its recording says so.
    fn open_session(&mut self, ledger: &mut Ledger) -> Script {
        let nothing_known = Late { prompt: None, stdin_line: None };
        match self.look(ledger, &nothing_known) {
            Ok(Choice::Found(pick)) if pick.item.as_ref().is_ok_and(|it| it.claims_at_start()) => {
                Script::Recording(pick)
            }
            Ok(Choice::Found(pick)) => Script::Session(Some(pick)),
            Ok(Choice::Needs(_) | Choice::Nothing(_)) => Script::Session(None),
            Err(error) => Script::Refused(error),
        }
    }

    fn act(&mut self, player: &mut Player, script: Script) -> Play<()> {
        match script {
            Script::Refused(error) => Err(error.into()),
            Script::Answer(answer) => player.answer(&answer),
            Script::Recording(pick) => {
                player.claimed();
                self.play(player, pick.item)
            }
            Script::Session(peeked) => self.session(player, peeked),
            Script::AfterStdin => {
                let script = self.script_after_stdin(player)?;
                self.act(player, script)
            }
        }
    }

    /// Reads stdin as the program would, then finds a recording.
    fn script_after_stdin(&mut self, player: &mut Player) -> Play<Script> {
        let Some(run) = self.model_run() else { return Ok(Script::Session(None)) };
        let mut gave_up = false;
        if let StdinRule::ToEnd { first_byte } = run.stdin() {
            gave_up = player.read_to_end(first_byte, true)?;
        }
        let seen = StdinSeen { bytes: player.spawn.stdin.pending_bytes(), gave_up };
        let prompt = match run.prompt(seen) {
            Ok(prompt) => prompt,
            Err(answer) if self.settings.args == Strictness::Strict => {
                player.spawn.entry.kind = Kind::Usage;
                return Ok(Script::Answer(answer));
            }
            Err(_) => String::new(),
        };
        let stdin_line = String::from_utf8_lossy(player.spawn.stdin.first_line()).into_owned();
        self.claim(player, Late { prompt: Some(prompt), stdin_line: Some(stdin_line) })
    }

    /// Claims a recording for a spawn that is in the journal already.
    pub(super) fn claim(&mut self, player: &mut Player, late: Late) -> Play<Script> {
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

    pub(super) fn seed(&self) -> u64 {
        seed(self.arguments)
    }

    /// What finding the session of this spawn depends on.
    fn around(&self, spawn: u64) -> Around<'_> {
        Around {
            sessions: &self.sessions,
            version: self.settings.set.versions.get(self.manners.name()).map(String::as_str),
            cwd: &self.invocation.cwd,
            strict: self.settings.set.sessions == SessionsRule::Strict,
            seed: &self.seed,
            spawn,
        }
    }

    /// The sessions of earlier spawns, for a live session, whose client may name one of them.
    pub(super) fn other_sessions(&self) -> Vec<SessionMark> {
        let is_session = self.model_run().is_some_and(|run| run.is_session());
        let program = self.manners.name();
        let ids = if is_session { self.sessions.known_ids(program) } else { Vec::new() };
        let known = ids.iter().filter_map(|id| self.sessions.find(program, id));
        known.map(|session| SessionMark { id: session.id, carried: session.carried }).collect()
    }

    /// Keeps what the next spawn that takes the session up must know.
    pub(super) fn remember(&self, player: &Player, mark: &SessionMark) -> Result<(), Error> {
        let around = self.around(player.spawn.entry.spawn);
        let carried = mark.carried.clone();
        self.sessions.record(&self.session.session(self.manners.name(), &mark.id, &around, carried))
    }

    pub(super) fn model_run(&self) -> Option<Rc<dyn ModelRun>> {
        match &self.request {
            Request::Run(run) => Some(Rc::clone(run)),
            _ => None,
        }
    }
}

/// The same for the same arguments, in whatever place they are given.
fn seed(arguments: &[OsString]) -> u64 {
    checksum(arguments.join(std::ffi::OsStr::new("\u{1f}")).as_encoded_bytes())
}

/// Calls with what is known of a spawn.
pub(super) fn facts<T>(
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

fn unknown_option(option: &str) -> Problem {
    // A value may be a secret.
    let name = option.split('=').next().unwrap_or(option);
    Problem {
        kind: ProblemKind::UnknownOption,
        message: format!(
            "no known version has the option {name}; pin a version in ringer.toml to have it \
             refused, or set RINGER_ARGS=lax to let any argument pass"
        ),
    }
}
