//! The rules beyond the single word: values, repetition, conflicts, what must be there.

use super::complaint::Complaint;
use super::matches::{Arg, Given, Level};
use super::option::Takes;
use super::parser::Stop;
use super::usage;

/// Takes an argument with its values into the level. With `lax`, whatever they are.
pub(super) fn accept(level: &mut Level, mut given: Given, lax: bool) -> Result<(), Complaint> {
    let Some(traits) = level.traits(given.arg) else { return Ok(()) };
    let choices: Vec<&str> = traits.all("in=").collect();
    if let Arg::Option(at) = given.arg {
        let takes = level.command.option(at).map_or(Takes::Nothing, |opt| opt.takes());
        let too_few = given.values.is_empty() && matches!(takes, Takes::One | Takes::OneOrMore);
        if too_few && !lax {
            return Err(Complaint::not_a_choice(level, "", given.arg, &choices));
        }
    }
    if traits.has("comma") {
        let split = given.values.iter().flat_map(|value| value.split(','));
        given.values = split.map(str::to_owned).collect();
    }
    // A refused argument counts as given in what else is said of the command line, a repeated one
    // as not given at all.
    if let Some(at) = level.given.iter().position(|other| other.arg == given.arg) {
        if !lax && !traits.has("many") {
            level.given.remove(at);
            return Err(Complaint::repeated(level, given.arg));
        }
        if let Some(earlier) = level.given.get_mut(at) {
            earlier.values.extend(given.values.iter().cloned());
        }
    } else {
        level.given.push(given.clone());
    }
    let mut values = given.values.iter().filter(|_| !lax);
    values.try_for_each(|value| check_value(level, given.arg, value, &choices))
}

fn check_value(level: &Level, arg: Arg, value: &str, choices: &[&str]) -> Result<(), Complaint> {
    let Some(traits) = level.traits(arg) else { return Ok(()) };
    let empty_path = traits.has("path") && value.is_empty();
    let no_choice = !choices.is_empty() && !choices.contains(&value);
    if empty_path || no_choice {
        return Err(Complaint::not_a_choice(level, value, arg, choices));
    }
    let why = if traits.has("number") {
        value.parse::<u64>().err().map(|error| error.to_string())
    } else if traits.has("listen") {
        why_not_an_address(value)
    } else {
        None
    };
    why.map_or(Ok(()), |why| Err(Complaint::invalid(level, value, arg, &why)))
}

/// Why the app server cannot listen there; the text of the option tables.
fn why_not_an_address(value: &str) -> Option<String> {
    let known = matches!(value, "stdio://" | "off") || value.starts_with("unix://");
    if known || value.starts_with("ws://") {
        return None;
    }
    Some(format!(
        "unsupported --listen URL `{value}`; expected `stdio://`, `unix://`, `unix://PATH`, \
         `ws://IP:PORT`, or `off`"
    ))
}

/// Checks a level whose arguments are all assigned.
pub(super) fn validate(level: &Level, has_subcommand: bool) -> Result<(), Stop> {
    if !has_subcommand && level.command.needs_subcommand() {
        return Err(match level.given.is_empty() {
            true => Stop::HelpNeeded(level.command.path.clone()),
            false => Complaint::no_subcommand(level).into(),
        });
    }
    conflicts(level)?;
    // The program itself is the only command that may go without what it requires when a
    // subcommand follows, and it requires nothing.
    required(level)
}

fn conflicts(level: &Level) -> Result<(), Stop> {
    for given in &level.given {
        let others = in_conflict(level, given.arg);
        if others.is_empty() {
            continue;
        }
        let used: Vec<Arg> =
            level.visible().into_iter().filter(|arg| !others.contains(arg)).collect();
        let needed: Vec<Arg> = used
            .iter()
            .flat_map(|arg| needs(level, *arg))
            .filter(|arg| !used.contains(arg) && !others.contains(arg))
            .collect();
        let named: Vec<Arg> = needed.into_iter().chain(used).collect();
        let usage = usage::made_of(level, &named, &[]);
        return Err(Complaint::conflict(level, given.arg, &others, usage).into());
    }
    Ok(())
}

/// The given arguments that cannot stand beside this one.
fn in_conflict(level: &Level, arg: Arg) -> Vec<Arg> {
    let excludes = |one: Arg, other: Arg| {
        let name = level.name(other);
        level.traits(one).is_some_and(|traits| traits.all("not=").any(|not| not == name))
    };
    let others = level.given.iter().map(|given| given.arg).filter(|other| *other != arg);
    others.filter(|other| excludes(arg, *other) || excludes(*other, arg)).collect()
}

/// The arguments that this one needs beside it.
fn needs(level: &Level, arg: Arg) -> Vec<Arg> {
    let names = level.traits(arg).into_iter().flat_map(|traits| traits.all("needs="));
    names.filter_map(|name| level.find(name)).collect()
}

fn required(level: &Level) -> Result<(), Stop> {
    let mut required = usage::always_required(level);
    for given in &level.given {
        for needed in needs(level, given.arg) {
            if !required.contains(&needed) {
                required.push(needed);
            }
        }
    }
    let is_missing = |arg: &Arg| !level.has(*arg) && in_conflict(level, *arg).is_empty();
    let missing: Vec<Arg> = required.iter().copied().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut shown: Vec<String> = Vec::new();
    for arg in required.iter().filter(|arg| !level.has(**arg)) {
        match arg {
            Arg::Option(_) => shown.push(level.shown(*arg)),
            Arg::Positional(_) => {}
        }
    }
    for arg in required.iter().filter(|arg| !level.has(**arg)) {
        if let Arg::Positional(at) = arg {
            shown.extend(level.command.positionals.get(*at).map(|p| p.shown(true)));
        }
    }
    let used: Vec<Arg> = level.visible().into_iter().chain(missing).collect();
    Err(Complaint::missing(&shown, usage::made_of(level, &used, &required)).into())
}

/// The groups that have a member among what was given.
pub(super) fn groups(level: &Level) -> Vec<&'static str> {
    let names: Vec<&str> = level.given.iter().map(|given| level.name(given.arg)).collect();
    let groups = level.command.groups.iter().copied();
    groups.filter(|group| group.split(' ').any(|name| names.contains(&name))).collect()
}
