//! What a spawn does: at its start, once its stdin has been read, and when it is over.

use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;

use super::chooser::{Chooser, Late};
use super::first_entry::first_entry;
use super::messages;
use super::opened::Opened;
use crate::bind::Bindings;
use crate::error::Error;
use crate::invocation::Invocation;
use crate::journal::secrets::EnvMode;
use crate::journal::{Entry, JournaledText, Kind, Problem, ProblemKind};
use crate::persona::performer::SessionMark;
use crate::persona::{Answer, Manners, ModelRun, Request, StdinRule, StdinSeen, Version};
use crate::play::{Plan, Play, Player, Spawn, Stop};
use crate::sessions::{Around, Resolved, Sessions};
use crate::settings::{Sessions as SessionsRule, Settings, Sources, Strictness};
use crate::state::{Ledger, Pick, StateDir, checksum};

/// What the surroundings and the arguments of a spawn come to.
pub(super) struct Desk {
    pub manners: &'static dyn Manners,
    pub invocation: Rc<Invocation>,
    pub settings: Rc<Settings>,
    pub session: Resolved,
    /// Shared with the player of a live session, which claims in the middle of playing.
    pub chooser: Rc<RefCell<Chooser>>,
    sessions: Sessions,
    seed: String,
    request: Request,
}

/// What a spawn is going to do.
#[derive(Debug)]
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
    let max_life = settings.map_or(Settings::MAX_LIFE, |settings| settings.max_life);
    let state = state.for_a_life(invocation.clock, max_life);
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

impl Desk {
    /// Looks at settings and arguments.
    ///
    /// # Errors
    ///
    /// Settings that cannot be, or no recordings: this is for the journal to tell.
    pub fn prepare(
        manners: &'static dyn Manners,
        invocation: &Rc<Invocation>,
        state: &StateDir,
        sources: &Sources,
    ) -> Result<Desk, Error> {
        let recordings = sources.recordings(invocation)?;
        sources.mode()?;
        let settings = Rc::new(sources.settle(recordings.to_owned())?);
        let request = manners.read(invocation, &settings, Version::Settled);
        let chooser = Chooser::new(manners, invocation, &settings, state, request.clone())?;
        Ok(Desk {
            manners,
            invocation: Rc::clone(invocation),
            session: Resolved::default(),
            sessions: Sessions::of(state.path()),
            seed: format!("{:016x}", seed(invocation.arguments())),
            request,
            settings,
            chooser: Rc::new(RefCell::new(chooser)),
        })
    }

    /// Enters the spawn and plays what it gets; returns the player and how it ends.
    ///
    /// # Errors
    ///
    /// The state directory cannot be read or written.
    pub fn run(mut self, state: &StateDir) -> Result<(Player, Stop), Error> {
        let (invocation, settings) = (Rc::clone(&self.invocation), Rc::clone(&self.settings));
        let (mut player, script) =
            enter(self.manners, &invocation, state, Some(&settings), |ledger, entry| {
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
                let mut chooser = self.chooser.borrow_mut();
                let answer = chooser.as_recorded(ledger).unwrap_or(answer);
                chooser.probe(ledger, Ok(answer))
            }
            Request::Help(answer) => self.chooser.borrow_mut().help(ledger, entry, answer),
            Request::NoAnswer { command } => {
                entry.kind = Kind::Probe;
                let error = messages::no_answer(self.manners.name(), &command);
                self.chooser.borrow_mut().probe(ledger, Err(error))
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
                let mut chooser = self.chooser.borrow_mut();
                if run.is_session() {
                    return chooser.open_session(ledger);
                }
                let late = chooser.known_at_start(run.as_ref());
                match chooser.choose(ledger, entry, &late) {
                    // What comes by stdin decides whether the real CLI runs at all: nothing may be
                    // used up before that is known.
                    Script::Recording(pick) if chooser.must_read_first(run.as_ref(), &pick) => {
                        entry.kind = Kind::Run;
                        Script::AfterStdin
                    }
                    Script::Refused(_) if run.hangs_on_stdin() => Script::AfterStdin,
                    script => script,
                }
            }
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
        let late = Late { prompt: Some(prompt), stdin_line: Some(stdin_line) };
        Ok(self.chooser.borrow_mut().claim(&mut player.spawn, &late)?)
    }

    pub(super) fn seed(&self) -> u64 {
        seed(self.invocation.arguments())
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
