//! One command of an option table.

use super::option::{Opt, Positional};
use super::table::block;
use std::cell::OnceCell;

/// One command with what it accepts.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    /// The words that lead to it, `""` for the program itself.
    pub path: String,
    /// Usage lines that replace the ones made from the options.
    pub usage: Vec<&'static str>,
    /// Positional arguments, in order.
    pub positionals: Vec<Positional>,
    /// Subcommands, without the generated `help`.
    pub subcommands: Vec<Subcommand>,
    /// Names that usage lines show as one.
    pub groups: Vec<&'static str>,
    /// Nothing is known of its options.
    pub loose: bool,
    /// One of its own options must be given. (A set never holds such an option.)
    pub has_required_options: bool,
    text: &'static str,
    block: &'static str,
    options: OnceCell<Vec<Opt>>,
}

impl Command {
    /// A command of which only the name is known.
    pub fn unknown(path: &str) -> Command {
        Command { path: path.to_owned(), loose: true, ..Command::default() }
    }

    /// Reads all of a command's block but its options, which most commands of a line never need.
    pub fn read(path: &str, text: &'static str, block: &'static str) -> Command {
        let mut command = Command { path: path.to_owned(), text, block, ..Command::default() };
        for line in block.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "" => break,
                "arg" => command.positionals.push(Positional::read(rest)),
                "sub" => command.subcommands.push(Subcommand { line: rest }),
                "usage" => command.usage.push(rest),
                "group" => command.groups.push(rest),
                "opt" => command.has_required_options |= rest.ends_with(" required"),
                "loose" => command.loose = true,
                _ => {}
            }
        }
        command
    }

    /// Its options, those of the sets that it uses included, in the parser's order.
    pub fn options(&self) -> &[Opt] {
        self.options.get_or_init(|| {
            let mut options = Vec::with_capacity(40);
            if !self.loose {
                options.push(Opt::HELP);
            }
            for line in self.block.lines().take_while(|line| !line.is_empty()) {
                if let Some(set) = line.strip_prefix("use ") {
                    let set = block(self.text, &format!("\nset {set}\n")).unwrap_or("");
                    options.extend(set.lines().map_while(Opt::read));
                } else if line == "version" {
                    options.push(Opt::VERSION);
                } else {
                    options.extend(Opt::read(line));
                }
            }
            options
        })
    }

    /// The option at a place of [`options`](Command::options).
    pub fn option(&self, at: usize) -> Option<&Opt> {
        self.options().get(at)
    }

    /// The whole command, as usage lines and messages name it.
    pub fn full_name(&self) -> String {
        if self.path.is_empty() { "codex".to_owned() } else { format!("codex {}", self.path) }
    }

    /// The option with this long name or alias, without the dashes.
    pub fn long(&self, name: &str) -> Option<usize> {
        self.options().iter().position(|opt| opt.has_long(name))
    }

    /// The option with this letter.
    pub fn short(&self, letter: char) -> Option<usize> {
        self.options().iter().position(|opt| opt.short == Some(letter))
    }

    /// The subcommand that a word names, by its own name or an alias; `help` among them.
    pub fn subcommand(&self, word: &str) -> Option<&'static str> {
        let named = self.subcommands.iter().find(|sub| sub.names().any(|name| name == word));
        let help = (word == "help" && !self.subcommands.is_empty()).then_some("help");
        named.map(Subcommand::name).or(help)
    }

    /// All names and aliases of subcommands.
    pub fn subcommand_names(&self) -> impl Iterator<Item = &'static str> {
        let help = (!self.subcommands.is_empty()).then_some("help");
        self.subcommands.iter().flat_map(Subcommand::names).chain(help)
    }

    /// Whether it cannot be called without a subcommand.
    pub fn needs_subcommand(&self) -> bool {
        self.subcommands.iter().any(|sub| sub.line.contains(" +required"))
    }
}

/// A subcommand's name and aliases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subcommand {
    line: &'static str,
}

impl Subcommand {
    /// Its own name.
    pub fn name(&self) -> &'static str {
        self.line.split(' ').next().unwrap_or("")
    }

    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.line.split(' ').filter(|word| !word.starts_with('+'))
    }

    /// Whether help does not show it.
    pub fn is_hidden(&self) -> bool {
        self.line.contains(" +hidden")
    }
}
