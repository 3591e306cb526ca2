//! What the doubles claim, from the data files of the personas.

use super::help::{Help, HelpOption};
use super::update::Change;
use crate::persona::{claude, codex};

/// What is claimed of a CLI.
pub(super) struct Facts {
    /// The version that is answered as.
    pub version: String,
    /// The version whose facts these are.
    pub source: String,
    /// The data file.
    pub text: &'static str,
    pub commands: Vec<Known>,
}

/// What is claimed of a command.
pub(super) struct Known {
    /// Its words; empty for the program itself.
    pub path: String,
    /// Its options; `None`: they are not known.
    pub options: Option<Vec<KnownOption>>,
    /// The commands below it; `None`: they are not known.
    pub commands: Option<Vec<KnownCommand>>,
}

/// What is claimed of a command's name.
#[derive(Debug)]
pub(super) struct KnownCommand {
    pub names: Vec<String>,
    pub hidden: bool,
}

/// What is claimed of an option.
#[derive(Debug)]
pub(super) struct KnownOption {
    pub names: Vec<String>,
    pub takes_value: bool,
    pub choices: Vec<String>,
    pub hidden: bool,
    /// Its line in the data file.
    pub line: &'static str,
}

impl Facts {
    pub fn of(persona: &str, version: Option<&str>) -> Option<Facts> {
        match persona {
            "claude" => {
                let table = claude::arguments::table(version);
                let text = claude::arguments::data(table.facts_of);
                let options = section(text, "[options]").filter(|line| line.starts_with('-'));
                let options = Some(options.filter_map(of_claude).collect());
                let lines: Vec<&str> = section(text, "[commands]").collect();
                let names = lines.iter().map(|line| line.split(" = ").next().unwrap_or(line));
                let commands = Some(names.map(|names| command(words(names))).collect());
                let below = lines.iter().filter_map(|line| line.split_once(" = "));
                let below = below.map(|(name, below)| Known {
                    path: words(name).swap_remove(0),
                    options: None,
                    commands: Some(
                        words(below).into_iter().map(|name| command(vec![name])).collect(),
                    ),
                });
                let program = Known { path: String::new(), options, commands };
                Some(Facts {
                    version: table.version.to_owned(),
                    source: table.facts_of.to_owned(),
                    text,
                    commands: std::iter::once(program).chain(below).collect(),
                })
            }
            "codex" => {
                let table = codex::arguments::table(version);
                let text = codex::arguments::data(table.source());
                let paths = text.lines().filter_map(|line| line.strip_prefix("command"));
                let paths = paths.filter(|path| path.is_empty() || path.starts_with(' '));
                let commands = paths.filter_map(|path| of_command(text, path.trim()));
                Some(Facts {
                    version: table.version().to_owned(),
                    source: table.source().to_owned(),
                    text,
                    commands: commands.collect(),
                })
            }
            _ => None,
        }
    }
}

/// The lines of a section of claude's data file.
fn section(text: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().skip_while(move |line| *line != name).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn command(names: Vec<String>) -> KnownCommand {
    KnownCommand { names, hidden: false }
}

fn of_claude(line: &'static str) -> Option<KnownOption> {
    let (head, notes) = line.split_once("  ").unwrap_or((line, ""));
    let names = names(head);
    let notes: Vec<&str> = notes.split("; ").map(str::trim).collect();
    let choices = notes.iter().find_map(|note| note.strip_prefix("choices "));
    (!names.is_empty()).then(|| KnownOption {
        names,
        takes_value: head.contains(['<', '[']),
        choices: words(choices.unwrap_or("")),
        hidden: notes.contains(&"hidden"),
        line,
    })
}

fn names(head: &str) -> Vec<String> {
    let words = head.split([',', ' ']).filter(|word| word.starts_with('-') && word.len() > 1);
    words.map(str::to_owned).collect()
}

fn words(list: &str) -> Vec<String> {
    list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// A command of codex's data file; none: only its name is known.
fn of_command(text: &'static str, path: &str) -> Option<Known> {
    let header = ["command", path].join(" ");
    let (mut options, mut commands) = (Vec::new(), Vec::new());
    for line in block(text, header.trim_end())? {
        if let Some(set) = line.strip_prefix("use ") {
            let lines = block(text, &format!("set {set}")).into_iter().flatten();
            options.extend(lines.filter_map(of_codex));
        } else if let Some(names) = line.strip_prefix("sub ") {
            let (marks, names): (Vec<&str>, _) =
                names.split(' ').partition(|word| word.starts_with('+'));
            let names = names.into_iter().map(str::to_owned).collect();
            commands.push(KnownCommand { names, hidden: marks.contains(&"+hidden") });
        } else if line == "loose" {
            return None;
        } else {
            options.extend(of_codex(line));
        }
    }
    Some(Known { path: path.to_owned(), options: Some(options), commands: Some(commands) })
}

fn block(text: &'static str, header: &str) -> Option<Vec<&'static str>> {
    let mut lines = text.lines().skip_while(|line| *line != header);
    lines.next()?;
    Some(lines.take_while(|line| !line.is_empty()).collect())
}

fn of_codex(line: &'static str) -> Option<KnownOption> {
    let mut fields = line.split(' ');
    if !matches!(fields.next()?, "flag" | "opt") {
        return None;
    }
    let fields: Vec<&str> = fields.collect();
    let choices = fields.iter().find_map(|field| field.strip_prefix("in="));
    Some(KnownOption {
        names: names(line),
        takes_value: line.starts_with("opt "),
        choices: words(choices.unwrap_or("")),
        hidden: fields.contains(&"hidden"),
        line,
    })
}

impl Known {
    /// What is different in a help text, and how the data file would have to change.
    pub fn compare(&self, shown: &Help) -> Vec<(String, Option<Change>)> {
        let mut found = Vec::new();
        if let Some(options) = &self.options {
            compare_options(options, &shown.options, &mut found);
        }
        if let Some(commands) = &self.commands {
            compare_commands(commands, &shown.commands, &mut found);
        }
        found
    }
}

fn compare_options(
    options: &[KnownOption],
    shown: &[HelpOption],
    found: &mut Vec<(String, Option<Change>)>,
) {
    // Every parser of these has these two by itself.
    let own = ["--help", "--version"];
    for option in shown.iter().filter(|option| !own.contains(&option.name())) {
        match options.iter().find(|known| known.names.iter().any(|name| name == option.name())) {
            None => {
                found.push((format!("new option {option}"), Some(Change::New(option.clone()))));
            }
            Some(known) => found.extend(known.compare(option)),
        }
    }
    for known in options.iter().filter(|known| !known.hidden) {
        let is_shown =
            |option: &HelpOption| known.names.iter().any(|name| option.names.contains(name));
        let is_own = known.names.iter().any(|name| own.contains(&name.as_str()));
        if !is_own && !shown.iter().any(is_shown) {
            let what = format!("{} is gone from --help", known.names.join(", "));
            found.push((what, Some(Change::Gone(known.line))));
        }
    }
}

fn compare_commands(
    commands: &[KnownCommand],
    shown: &[Vec<String>],
    found: &mut Vec<(String, Option<Change>)>,
) {
    // Every parser of these has this one by itself.
    let is_own = |names: &[String]| names.iter().any(|name| name == "help");
    let joins = |a: &[String], b: &[String]| a.iter().any(|name| b.contains(name));
    for names in shown.iter().filter(|names| !is_own(names)) {
        if !commands.iter().any(|known| joins(&known.names, names)) {
            let change = Change::NewCommand(names.clone());
            found.push((format!("new command {}", names.join(", ")), Some(change)));
        }
    }
    for known in commands.iter().filter(|known| !known.hidden && !is_own(&known.names)) {
        if !shown.iter().any(|names| joins(&known.names, names)) {
            found.push((format!("command {} is gone from --help", known.names.join(", ")), None));
        }
    }
}

impl KnownOption {
    fn compare(&self, shown: &HelpOption) -> Vec<(String, Option<Change>)> {
        let mut found = Vec::new();
        let name = shown.name();
        let mut changed = |what: String| {
            let change = Change::Other { line: self.line, what: what.clone() };
            found.push((what, Some(change)));
        };
        if self.hidden {
            changed(format!("{name} is not hidden any more"));
        }
        if self.takes_value != shown.takes_value() {
            let now =
                if shown.takes_value() { "takes a value now" } else { "takes no value any more" };
            changed(format!("{name} {now}"));
        }
        for new in shown.names.iter().filter(|name| !self.names.contains(name)) {
            changed(format!("{name} has the new name {new}"));
        }
        let (mut ours, mut theirs) = (self.choices.clone(), shown.choices.clone());
        ours.sort();
        theirs.sort();
        // A help text need not list what is taken; what it lists must be what is claimed.
        if !theirs.is_empty() && ours != theirs {
            changed(format!("{name} takes {}, not {}", theirs.join(", "), list(&ours)));
        }
        found
    }
}

fn list(words: &[String]) -> String {
    if words.is_empty() { "any value".to_owned() } else { words.join(", ") }
}
