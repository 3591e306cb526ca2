//! The usage lines of messages: the general one, and the one made of what was given.

use super::matches::{Arg, Level};

/// The command's general usage line, `Usage: ` included.
pub(super) fn general(level: &Level) -> String {
    made_of(level, &[], &[])
}

/// The usage line that names the given arguments; the general one if there are none. Arguments in
/// `required` are shown as well, in front.
pub(super) fn made_of(level: &Level, used: &[Arg], required: &[Arg]) -> String {
    with_groups(level, used, required, &[])
}

/// The same with groups in place of their members.
pub(super) fn with_groups(
    level: &Level,
    used: &[Arg],
    required: &[Arg],
    groups: &[&'static str],
) -> String {
    let command = &level.command;
    if !command.usage.is_empty() {
        return format!("Usage: {}", command.usage.join("\n       "));
    }
    let mut line = format!("Usage: {}", command.full_name());
    let general = used.is_empty() && groups.is_empty();
    if general && has_free_options(level) {
        line.push_str(" [OPTIONS]");
    }
    let members: Vec<Arg> = groups
        .iter()
        .flat_map(|group| group.split(' '))
        .filter_map(|name| level.find(name))
        .collect();
    let mut named: Vec<Arg> = always_required(level);
    named.extend(required.iter().chain(used));
    named.retain(|arg| !members.contains(arg));
    let mut written: Vec<Arg> = Vec::new();
    for arg in named.iter().filter(|arg| matches!(arg, Arg::Option(_))) {
        if !written.contains(arg) {
            written.push(*arg);
            line.push(' ');
            line.push_str(&level.shown(*arg));
        }
    }
    for group in groups {
        line.push_str(&format!(" <{}>", group_members(level, group)));
    }
    for (at, positional) in command.positionals.iter().enumerate() {
        let arg = Arg::Positional(at);
        if !members.contains(&arg) {
            line.push(' ');
            line.push_str(&positional.shown(named.contains(&arg)));
        }
    }
    if command.needs_subcommand() {
        line.push_str(" <COMMAND>");
    } else if general && command.subcommands.iter().any(|sub| !sub.is_hidden()) {
        line.push_str(" [COMMAND]");
    }
    line
}

/// The arguments that the command cannot do without.
pub(super) fn always_required(level: &Level) -> Vec<Arg> {
    let command = &level.command;
    let options = if command.has_required_options { command.options() } else { &[] };
    let options = options.iter().enumerate().filter(|(_, opt)| opt.traits.has("required"));
    let positionals = command.positionals.iter().enumerate().filter(|(_, arg)| arg.required);
    let positionals = positionals.map(|(at, _)| Arg::Positional(at));
    options.map(|(at, _)| Arg::Option(at)).chain(positionals).collect()
}

fn has_free_options(level: &Level) -> bool {
    level
        .command
        .options()
        .iter()
        .any(|opt| !opt.is_built_in() && !opt.traits.has("hidden") && !opt.traits.has("required"))
}

fn group_members(level: &Level, group: &str) -> String {
    let shown = group.split(' ').filter_map(|name| match level.find(name)? {
        Arg::Positional(_) => Some(name.to_owned()),
        option => Some(level.shown(option)),
    });
    shown.collect::<Vec<_>>().join("|")
}
