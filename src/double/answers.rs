//! What a spawn answers without a recording of its own: probes, and refusals as the real CLI's.

use super::chooser::{Chooser, Late, facts};
use super::desk::Script;
use super::opened::Opened;
use crate::error::Error;
use crate::journal::{Entry, Kind};
use crate::persona::{Answer, Request, Version};
use crate::settings::Strictness;
use crate::state::{Choice, Ledger};

impl Chooser {
    /// The answer to a probe of the CLI that the next recording was made with, where that is known
    /// and no version is pinned.
    pub(super) fn as_recorded(&mut self, ledger: &mut Ledger) -> Option<Answer> {
        if self.settings.set.versions.contains_key(self.manners.name()) {
            return None;
        }
        let Ok(Choice::Found(pick)) = self.look(ledger, &Late::UNKNOWN) else {
            return None;
        };
        let version = pick.item.ok()?.header.origin.cli_version?;
        match self.manners.read(&self.invocation, &self.settings, Version::Recorded(&version)) {
            Request::Probe(answer) | Request::Help(answer) => Some(answer),
            _ => None,
        }
    }

    /// Answers a question for the help text. A capture of that text is played if it is next in line:
    /// it can serve nothing else, and would otherwise be left over, or given to a model run. So it
    /// is claimed like any other; without one the question is a probe.
    pub(super) fn help(&mut self, ledger: &mut Ledger, entry: &mut Entry, own: Answer) -> Script {
        let program = self.manners.name();
        match self.look(ledger, &Late::nothing()) {
            Ok(Choice::Found(pick))
                if pick.item.as_ref().is_ok_and(|it| it.is_help_of(program)) =>
            {
                Script::Recording(pick)
            }
            _ => {
                entry.kind = Kind::Probe;
                let answer = self.as_recorded(ledger).unwrap_or(own);
                self.probe(ledger, Ok(answer))
            }
        }
    }

    /// Answers a probe: by a recording that is there for it, else with the stock answer.
    pub(super) fn probe(&mut self, ledger: &mut Ledger, stock: Result<Answer, Error>) -> Script {
        let late = Late::nothing();
        let (invocation, regexes) = (&self.invocation, &mut self.regexes);
        let chosen = ledger.choose_probe(&self.pool, &mut |path, depth| {
            facts(invocation, &late, |facts| Opened::weigh(path, depth, facts, regexes))
        });
        match (chosen, stock) {
            (Ok(Some(pick)), _) => Script::Recording(pick),
            (Ok(None), Ok(answer)) => Script::Answer(answer),
            (Ok(None), Err(error)) | (Err(error), _) => Script::Refused(error),
        }
    }

    /// What the real CLI says of options that no known version has. They pass as long as there is
    /// something to play, since the CLI may be newer than ringer; where there is not, its refusal
    /// tells more than that the recordings have run out.
    pub(super) fn refusal_of_unknown_options(&self) -> Option<Answer> {
        let strict = self.settings.args == Strictness::Strict;
        let Request::Run(run) = &self.request else { return None };
        if !strict || run.unknown().is_empty() {
            return None;
        }
        match self.manners.read(&self.invocation, &self.settings, Version::Known) {
            Request::Usage(answer) => Some(answer),
            _ => None,
        }
    }
}
