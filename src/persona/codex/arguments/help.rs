//! What `--help` prints. The real help texts are the vendor's; here the table is shown in words of
//! our own, with the names that a client may look for.

use super::command::Command;
use super::matches::Level;
use super::option::Opt;
use super::table::Table;
use super::usage;
use crate::persona::Answer;

/// The help of a command, on stdout.
pub(super) fn answer(table: &Table, command: &Command) -> Answer {
    Answer { stdout: text(table, command), stderr: String::new(), code: 0 }
}

/// The help of a command that cannot do without arguments and has none, on stderr.
pub(super) fn needed(table: &Table, command: &Command) -> Answer {
    Answer { stdout: String::new(), stderr: text(table, command), code: 2 }
}

fn text(table: &Table, command: &Command) -> String {
    let level = Level { command: command.clone(), given: Vec::new() };
    let name = command.full_name();
    let mut text = format!(
        "This is ringer, standing in for {name} {}. It plays recordings.\n\n{}\n",
        table.version(),
        usage::general(&level)
    );
    let visible = command.subcommands.iter().filter(|sub| !sub.is_hidden());
    let names = visible.map(|sub| sub.names().collect::<Vec<_>>().join(", "));
    section(&mut text, "Commands", names.chain(help_command(command)));
    section(&mut text, "Arguments", command.positionals.iter().map(|p| p.shown(p.required)));
    let options = command.options().iter().filter(|opt| !opt.traits.has("hidden"));
    section(&mut text, "Options", options.map(option));
    text
}

fn help_command(command: &Command) -> Option<String> {
    (!command.subcommands.is_empty()).then(|| "help".to_owned())
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    text.push_str(&format!("\n{title}:\n"));
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
}

fn option(opt: &Opt) -> String {
    let short = opt.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
    let choices: Vec<&str> = opt.traits.all("in=").collect();
    let choices = match choices.as_slice() {
        [] => String::new(),
        some => format!("  (one of {})", some.join(", ")),
    };
    format!("{short}{}{choices}", opt.shown())
}
