//! What the parser does with words that find no place: options that the command does not have, and
//! words too many.

use super::command::Command;
use super::complaint::Complaint;
use super::matches::Arg;
use super::option::Opt;
use super::parser::{Leniency, Open, Parser, Stop, within};
use super::similar::similar;
use super::table::any_version_has;
use super::usage;

impl Parser<'_> {
    pub(super) fn unknown_long(
        &mut self,
        open: &mut Open,
        name: &str,
        has_value: bool,
    ) -> Result<(), Stop> {
        let _ = self.resolve(open);
        let option = format!("--{name}");
        if self.lets_pass(&option) {
            self.pass(open, option, !has_value);
            return Ok(());
        }
        let command = &open.level.command;
        let near = similar(name, command.options().iter().flat_map(Opt::longs)).pop();
        let mut tips = Vec::new();
        let mut used = open.level.visible();
        if let Some(near) = near {
            tips.push(format!("a similar argument exists: '--{near}'"));
            let arg = command.long(near).map(Arg::Option);
            used.extend(arg.filter(|arg| open.level.is_visible(*arg) && !open.level.has(*arg)));
        } else if let Some((subcommand, near)) = self.on_a_subcommand(command, name) {
            tips.push(format!("'{subcommand} --{near}' exists"));
        } else if !command.positionals.is_empty() {
            tips.push(format!("to pass '{option}' as a value, use '-- {option}'"));
        }
        let usage = usage::made_of(&open.level, &used, &[]);
        Err(Complaint::unexpected(&option, tips, usage).into())
    }

    /// A similar option of a subcommand whose name comes later, the earliest such subcommand.
    fn on_a_subcommand(
        &self,
        command: &Command,
        name: &str,
    ) -> Option<(&'static str, &'static str)> {
        let later = self.args.get(self.next..).unwrap_or_default();
        let candidates = command.subcommands.iter().filter_map(|sub| {
            let place = later.iter().position(|word| *word == sub.name())?;
            let command = self.table.command(&within(&command.path, sub.name()));
            let near = similar(name, command.options().iter().flat_map(Opt::longs)).pop()?;
            Some((place, sub.name(), near))
        });
        candidates.min_by_key(|(place, ..)| *place).map(|(_, sub, near)| (sub, near))
    }

    pub(super) fn unknown_short(&mut self, open: &mut Open, letter: char) -> Result<(), Stop> {
        let _ = self.resolve(open);
        let option = format!("-{letter}");
        if self.lets_pass(&option) {
            self.pass(open, option, true);
            return Ok(());
        }
        let tip = (!open.level.command.positionals.is_empty())
            .then(|| format!("to pass '{option}' as a value, use '-- {option}'"));
        let usage = usage::general(&open.level);
        Err(Complaint::unexpected(&option, tip.into_iter().collect(), usage).into())
    }

    fn lets_pass(&self, option: &str) -> bool {
        match self.leniency {
            Leniency::Strict => false,
            Leniency::NewOptions => !any_version_has(option),
            Leniency::Lax => true,
        }
    }

    fn pass(&mut self, open: &mut Open, option: String, may_take_value: bool) {
        self.unknown.push(option);
        open.after_unknown = may_take_value;
    }

    pub(super) fn too_many_words(&self, open: &Open, word: &str) -> Complaint {
        let command = &open.level.command;
        let usage = usage::general(&open.level);
        if open.trailing && command.subcommand(word).is_some() {
            let tip = format!("subcommand '{word}' exists; to use it, remove the '--' before it");
            return Complaint::unexpected(word, vec![tip], usage);
        }
        if !command.subcommands.is_empty() {
            let near = similar(word, command.subcommand_names());
            if !near.is_empty() || command.positionals.is_empty() {
                return Complaint::unknown_subcommand(&open.level, word, &near);
            }
        }
        Complaint::unexpected(word, Vec::new(), usage)
    }
}

/// Takes a positional word out again, since it was an unknown option's value.
pub(super) fn drop_positional(open: &mut Open, at: usize) {
    open.level.given.retain(|given| given.arg != Arg::Positional(at));
    for given in &mut open.level.given {
        match &mut given.arg {
            Arg::Positional(place) if *place > at => *place -= 1,
            _ => {}
        }
    }
    open.positional = open.positional.saturating_sub(1);
}
