//! What the arguments amount to, command by command, before anybody asks whether that is allowed.

use super::command::Command;
use super::option::Traits;

/// An option or positional argument of a command, by its place in the command's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    /// An option.
    Option(usize),
    /// A positional argument.
    Positional(usize),
}

/// An argument that was given, with its values over all its occurrences.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Which one.
    pub arg: Arg,
    /// Its values; none for a flag.
    pub values: Vec<String>,
}

/// One command of the invocation and what was given to it.
#[derive(Clone, Debug, Default)]
pub(in crate::persona::codex) struct Level {
    /// The command.
    pub(super) command: Command,
    /// What was given, in the order of the first occurrences.
    pub(super) given: Vec<Given>,
}

impl Level {
    /// The words that lead to the command.
    pub fn path(&self) -> &str {
        &self.command.path
    }

    /// Whether the argument was given.
    pub(super) fn has(&self, arg: Arg) -> bool {
        self.given.iter().any(|given| given.arg == arg)
    }

    /// The values of the argument with this name: an option's long name or a positional's name.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        let given = self.given.iter().find(|given| self.name(given.arg) == name)?;
        Some(&given.values)
    }

    /// The single value of the argument with this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name)?.last().map(String::as_str)
    }

    /// The argument's name: an option's long name or a positional's name.
    pub(super) fn name(&self, arg: Arg) -> &'static str {
        match arg {
            Arg::Option(at) => self.command.option(at).map_or("", |opt| opt.long),
            Arg::Positional(at) => self.command.positionals.get(at).map_or("", |p| p.name),
        }
    }

    /// What is known of the argument.
    pub(super) fn traits(&self, arg: Arg) -> Option<Traits> {
        match arg {
            Arg::Option(at) => self.command.option(at).map(|opt| opt.traits),
            Arg::Positional(at) => self.command.positionals.get(at).map(|p| p.traits),
        }
    }

    /// How messages show the argument.
    pub(super) fn shown(&self, arg: Arg) -> String {
        match arg {
            Arg::Option(at) => self.command.option(at).map_or(String::new(), |o| o.shown()),
            Arg::Positional(at) => {
                self.command.positionals.get(at).map_or(String::new(), |p| p.shown(p.required))
            }
        }
    }

    /// The argument with this name.
    pub(super) fn find(&self, name: &str) -> Option<Arg> {
        let option = self.command.options().iter().position(|opt| opt.long == name);
        let positional = || self.command.positionals.iter().position(|p| p.name == name);
        option.map(Arg::Option).or_else(|| positional().map(Arg::Positional))
    }

    /// What was given and is not hidden, in order: what usage lines are made of.
    pub(super) fn visible(&self) -> Vec<Arg> {
        self.given.iter().map(|given| given.arg).filter(|arg| self.is_visible(*arg)).collect()
    }

    /// Whether help and usage lines show the argument.
    pub(super) fn is_visible(&self, arg: Arg) -> bool {
        self.traits(arg).is_some_and(|traits| !traits.has("hidden"))
    }
}
