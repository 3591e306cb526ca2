//! Which recording a spawn gets: what is known of the spawn, held against the pool, under the lock
//! of the state directory. When it is asked, and what becomes of the answer, is the desk's.

use std::rc::Rc;

use super::desk::Script;
use super::messages;
use super::opened::Opened;
use crate::directory::Pool;
use crate::error::Error;
use crate::invocation::{Invocation, StreamKind};
use crate::journal::{Entry, Kind};
use crate::persona::{Manners, ModelRun, Request, StdinRule};
use crate::play::Spawn;
use crate::recording::{Facts, Regexes, StdinMode};
use crate::settings::Settings;
use crate::state::{Choice, Ledger, Pick, StateDir};

/// What choosing a recording depends on.
#[derive(Debug)]
pub(super) struct Chooser {
    pub manners: &'static dyn Manners,
    pub invocation: Rc<Invocation>,
    pub settings: Rc<Settings>,
    pub request: Request,
    pub pool: Pool,
    pub regexes: Regexes,
    state: Rc<StateDir>,
}

/// What is known of prompt and stdin.
pub(super) struct Late {
    pub prompt: Option<String>,
    pub stdin_line: Option<String>,
}

impl Late {
    /// Nothing is known yet.
    pub const UNKNOWN: Late = Late { prompt: None, stdin_line: None };

    /// There is no prompt, and nothing comes by stdin.
    pub fn nothing() -> Late {
        Late { prompt: Some(String::new()), stdin_line: Some(String::new()) }
    }
}

impl Chooser {
    /// Looks at the pool that a spawn's program draws from.
    ///
    /// # Errors
    ///
    /// There are no recordings, or they cannot be read.
    pub fn new(
        manners: &'static dyn Manners,
        invocation: &Rc<Invocation>,
        settings: &Rc<Settings>,
        state: &StateDir,
        request: Request,
    ) -> Result<Chooser, Error> {
        Ok(Chooser {
            manners,
            invocation: Rc::clone(invocation),
            pool: Pool::of(&settings.recordings, manners.name())?,
            settings: Rc::clone(settings),
            request,
            regexes: Regexes::default(),
            state: Rc::new(state.for_a_life(invocation.clock, settings.max_life)),
        })
    }

    /// Finds the recording that the spawn would get.
    pub fn look(
        &mut self,
        ledger: &mut Ledger,
        late: &Late,
    ) -> Result<Choice<Result<Opened, Error>>, Error> {
        let (invocation, regexes) = (&self.invocation, &mut self.regexes);
        let repeat_last = self.settings.repeat_last;
        ledger.choose(&self.pool, self.manners.name(), repeat_last, &mut |path, depth| {
            facts(invocation, late, |facts| Opened::weigh(path, depth, facts, regexes))
        })
    }

    /// Finds the recording that the spawn gets, or says what it does without one.
    pub fn choose(&mut self, ledger: &mut Ledger, entry: &mut Entry, late: &Late) -> Script {
        match self.look(ledger, late) {
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
                    &self.state,
                ))
            }
            Err(error) => Script::Refused(error),
        }
    }

    /// Claims a recording for a spawn that is in the journal already.
    ///
    /// # Errors
    ///
    /// The state directory cannot be read or written.
    pub fn claim(&mut self, spawn: &mut Spawn, late: &Late) -> Result<Script, Error> {
        let state = Rc::clone(&self.state);
        // The wait for the lock has the timer for itself.
        spawn.stop_watching();
        let mut ledger = state.lock()?;
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

    /// What a live session does at its start. Real clients open sessions just to ask something and
    /// close them, so it claims nothing unless its recording says so.
    pub fn open_session(&mut self, ledger: &mut Ledger) -> Script {
        match self.look(ledger, &Late::UNKNOWN) {
            Ok(Choice::Found(pick)) if pick.item.as_ref().is_ok_and(|it| it.claims_at_start()) => {
                Script::Recording(pick)
            }
            Ok(Choice::Found(pick)) => Script::Session(Some(pick)),
            Ok(Choice::Needs(_) | Choice::Nothing(_)) => Script::Session(None),
            Err(error) => Script::Refused(error),
        }
    }

    /// What is known of prompt and stdin before stdin is read.
    pub fn known_at_start(&self, run: &dyn ModelRun) -> Late {
        let reads = run.stdin() != StdinRule::Ignore
            && !matches!(self.invocation.stdio[0], StreamKind::Tty | StreamKind::Closed);
        let empty = (!reads).then(String::new);
        let prompt = run.prompt_argument().map(str::to_owned);
        Late { prompt: prompt.or(empty.clone()), stdin_line: empty }
    }

    /// Whether the program's own rule for stdin comes before the claim: where the run hangs on what
    /// comes, unless the recording says itself how stdin is read.
    pub fn must_read_first(
        &mut self,
        run: &dyn ModelRun,
        pick: &Pick<Result<Opened, Error>>,
    ) -> bool {
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
}

/// Calls with what is known of a spawn.
pub(super) fn facts<T>(invocation: &Invocation, late: &Late, then: impl FnOnce(&Facts) -> T) -> T {
    then(&Facts {
        arguments: invocation.arguments(),
        cwd: &invocation.cwd,
        env: &|name| invocation.var(name).cloned(),
        stdin_kind: invocation.stdio[0],
        prompt: late.prompt.as_deref(),
        stdin_line: late.stdin_line.as_deref(),
    })
}
