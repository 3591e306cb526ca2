//! The parser: assigns each word of the command line as clap does, in clap's order of complaints.
//! What an option's value then means is not looked at here.

use super::complaint::Complaint;
use super::matches::{Arg, Given, Level};
use super::option::{Opt, Takes};
use super::surplus::drop_positional;
use super::table::Table;
use super::{usage, validate};

/// What the parser lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leniency {
    /// Nothing that the real parser refuses.
    Strict,
    /// Options that no known version has.
    NewOptions,
    /// Everything.
    Lax,
}

/// Why parsing ended early.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// The arguments are refused.
    Refused(Complaint),
    /// The help of the command at this path is asked for.
    Help(String),
    /// The command at this path needs arguments and has none: its help goes to stderr.
    HelpNeeded(String),
    /// The version of the command at this path is asked for.
    Version(String),
}

impl From<Complaint> for Stop {
    fn from(complaint: Complaint) -> Stop {
        Stop::Refused(complaint)
    }
}

/// The whole command line: a level for each command in it, and the options that were let pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    /// The program itself, then its subcommand, and so on.
    pub levels: Vec<Level>,
    /// Options that no known version has, as they were spelt.
    pub unknown: Vec<String>,
}

/// Assigns the arguments (without the program's name).
pub(super) fn parse(table: &Table, args: &[&str], leniency: Leniency) -> Result<Parsed, Stop> {
    let mut parser = Parser { table, args, next: 0, leniency, unknown: Vec::new() };
    let mut levels = Vec::with_capacity(3);
    parser.command(String::new(), &mut levels)?;
    levels.reverse();
    Ok(Parsed { levels, unknown: parser.unknown })
}

pub(super) struct Parser<'a> {
    pub(super) table: &'a Table,
    pub(super) args: &'a [&'a str],
    pub(super) next: usize,
    pub(super) leniency: Leniency,
    pub(super) unknown: Vec<String>,
}

/// A command while its arguments are being assigned.
#[derive(Default)]
pub(super) struct Open {
    pub(super) level: Level,
    /// An argument whose values are complete only when the next one begins.
    pending: Option<Given>,
    /// The pending option takes the next word.
    hungry: bool,
    /// The place of the next positional word.
    pub(super) positional: usize,
    /// `--` was seen: all that follows is positional.
    pub(super) trailing: bool,
    /// The last word was an option that nobody knows: the next may be its value.
    pub(super) after_unknown: bool,
    /// A positional that may be an unknown option's value.
    doubtful: Option<usize>,
}

impl<'a> Parser<'a> {
    /// Reads a command's arguments; pushes its subcommand's level, then its own.
    fn command(&mut self, path: String, levels: &mut Vec<Level>) -> Result<(), Stop> {
        let command = self.table.command(&path);
        let mut open = Open { level: Level { command, given: Vec::new() }, ..Open::default() };
        if open.level.command.loose {
            return self.loose(open.level, levels);
        }
        let mut subcommand = None;
        while let Some(word) = self.take() {
            let after_unknown = std::mem::take(&mut open.after_unknown);
            if !open.trailing {
                if !open.hungry
                    && let Some(name) = open.level.command.subcommand(word)
                {
                    subcommand = Some(name);
                    break;
                }
                if self.option(&mut open, word)? {
                    continue;
                }
            }
            self.positional(&mut open, word, after_unknown)?;
        }
        if let Some(name) = subcommand {
            if name == "help" {
                return Err(self.help_command(&path));
            }
            self.command(within(&path, name), levels)?;
        }
        self.resolve(&mut open)?;
        if self.leniency != Leniency::Lax {
            validate::validate(&open.level, subcommand.is_some())?;
        }
        levels.push(open.level);
        Ok(())
    }

    /// Takes whatever is left, for a command of which only the name is known.
    fn loose(&mut self, level: Level, levels: &mut Vec<Level>) -> Result<(), Stop> {
        let rest = self.args.get(self.next..).unwrap_or_default();
        if let Some(name) = rest.first().and_then(|word| level.command.subcommand(word)) {
            self.next += 1;
            self.command(within(&level.command.path, name), levels)?;
            levels.push(level);
            return Ok(());
        }
        self.next = self.args.len();
        if matches!(rest.first(), Some(&"--help" | &"-h" | &"help")) {
            return Err(Stop::Help(level.command.path));
        }
        levels.push(level);
        Ok(())
    }

    /// Handles a word that is an option, `--`, or an option's value; says whether it was one.
    fn option(&mut self, open: &mut Open, word: &str) -> Result<bool, Stop> {
        if word == "--" {
            open.trailing = true;
            open.hungry = false;
        } else if let Some(long) = word.strip_prefix("--") {
            self.long(open, long)?;
        } else if word.len() > 1 && word.starts_with('-') {
            self.shorts(open, &word[1..])?;
        } else if open.hungry {
            if let Some(pending) = &mut open.pending {
                pending.values.push(word.to_owned());
            }
            open.hungry = self.takes(open) == Takes::OneOrMore;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// How many values the pending option takes.
    fn takes(&self, open: &Open) -> Takes {
        match open.pending.as_ref().map(|pending| pending.arg) {
            Some(Arg::Option(at)) => {
                open.level.command.option(at).map_or(Takes::Nothing, Opt::takes)
            }
            _ => Takes::Nothing,
        }
    }

    fn long(&mut self, open: &mut Open, word: &str) -> Result<(), Stop> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let Some(at) = open.level.command.long(name) else {
            return self.unknown_long(open, name, value.is_some());
        };
        if open.level.command.option(at).is_some_and(|opt| opt.takes() != Takes::Nothing) {
            return self.begin(open, at, value);
        }
        match value.filter(|_| self.leniency != Leniency::Lax) {
            None => self.flag(open, at),
            Some(value) => {
                let mut used = open.level.visible();
                used.push(Arg::Option(at));
                let groups = validate::groups(&open.level);
                let usage = usage::with_groups(&open.level, &used, &[], &groups);
                let arg = Arg::Option(at);
                Err(Complaint::too_many(&open.level, value, arg, usage).into())
            }
        }
    }

    fn shorts(&mut self, open: &mut Open, letters: &str) -> Result<(), Stop> {
        for (at, letter) in letters.char_indices() {
            let Some(option) = open.level.command.short(letter) else {
                return self.unknown_short(open, letter);
            };
            let takes = open.level.command.option(option).map_or(Takes::Nothing, Opt::takes);
            if takes == Takes::Nothing {
                self.flag(open, option)?;
                continue;
            }
            let rest = &letters[at + letter.len_utf8()..];
            let value = rest.strip_prefix('=').or((!rest.is_empty()).then_some(rest));
            return self.begin(open, option, value);
        }
        Ok(())
    }

    /// An option with a value: the attached one, or the words that follow.
    fn begin(&mut self, open: &mut Open, at: usize, value: Option<&str>) -> Result<(), Stop> {
        self.resolve(open)?;
        let values = value.map(str::to_owned).into_iter().collect();
        open.pending = Some(Given { arg: Arg::Option(at), values });
        open.hungry = value.is_none();
        if value.is_some() { self.resolve(open) } else { Ok(()) }
    }

    fn flag(&mut self, open: &mut Open, at: usize) -> Result<(), Stop> {
        self.resolve(open)?;
        match open.level.command.option(at).map_or("", |opt| opt.long) {
            "help" => Err(Stop::Help(open.level.command.path.clone())),
            "version" => Err(Stop::Version(open.level.command.path.clone())),
            _ => {
                open.pending = Some(Given { arg: Arg::Option(at), values: Vec::new() });
                self.resolve(open)
            }
        }
    }

    /// Ends the pending argument: its values are counted, split, looked at and kept.
    pub(super) fn resolve(&mut self, open: &mut Open) -> Result<(), Stop> {
        open.hungry = false;
        let Some(given) = open.pending.take() else { return Ok(()) };
        let lax = self.leniency == Leniency::Lax;
        validate::accept(&mut open.level, given, lax).map_err(Stop::from)
    }

    fn positional(&mut self, open: &mut Open, word: &str, doubtful: bool) -> Result<(), Stop> {
        if open.positional >= open.level.command.positionals.len() {
            let _ = self.resolve(open);
            let Some(at) = open.doubtful.take() else {
                return match self.leniency {
                    Leniency::Lax => Ok(()),
                    _ if doubtful => Ok(()),
                    _ => Err(self.too_many_words(open, word).into()),
                };
            };
            drop_positional(open, at);
        }
        self.resolve(open)?;
        let at = open.positional;
        open.pending = Some(Given { arg: Arg::Positional(at), values: vec![word.to_owned()] });
        open.positional += 1;
        if doubtful {
            open.doubtful = Some(at);
        }
        Ok(())
    }

    /// `help` and the names of commands after it.
    fn help_command(&mut self, path: &str) -> Stop {
        let mut command = self.table.command(path);
        while let Some(word) = self.take() {
            let Some(name) = command.subcommand(word) else {
                if self.leniency == Leniency::Lax {
                    break;
                }
                if command.path.ends_with("help") {
                    return Complaint::beyond_help(&command, word).into();
                }
                let level = Level { command, given: Vec::new() };
                return Complaint::unknown_subcommand(&level, word, &[]).into();
            };
            command = self.table.command(&within(&command.path, name));
        }
        Stop::Help(command.path)
    }

    fn take(&mut self) -> Option<&'a str> {
        let word = self.args.get(self.next).copied();
        self.next += 1;
        word
    }
}

/// The path of a command's subcommand.
pub(super) fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path} {name}") }
}
