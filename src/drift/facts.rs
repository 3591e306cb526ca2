//! What the doubles claim, from the data files of the personas.

use super::HelpOption;
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
    pub options: Vec<KnownOption>,
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

/// The commands of codex that clients use.
const CODEX_COMMANDS: [&str; 5] = ["", "exec", "exec resume", "app-server", "review"];

impl Facts {
    pub fn of(persona: &str, version: Option<&str>) -> Option<Facts> {
        match persona {
            "claude" => {
                let table = claude::arguments::table(version);
                let text = claude::arguments::data(table.facts_of);
                let options = section(text).filter_map(of_claude).collect();
                Some(Facts {
                    version: table.version.to_owned(),
                    source: table.facts_of.to_owned(),
                    text,
                    commands: vec![Known { path: String::new(), options }],
                })
            }
            "codex" => {
                let table = codex::arguments::table(version);
                let text = codex::arguments::data(table.source());
                let commands = CODEX_COMMANDS.iter().filter_map(|path| of_command(text, path));
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

/// The lines of claude's section of options.
fn section(text: &'static str) -> impl Iterator<Item = &'static str> {
    let options = text.split_once("\n[options]").map_or("", |(_, rest)| rest);
    let options = options.split("\n[").next().unwrap_or("");
    options.lines().filter(|line| line.starts_with('-'))
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

/// A command of codex's data file; none: this version does not have it.
fn of_command(text: &'static str, path: &str) -> Option<Known> {
    let header = ["command", path].join(" ");
    let mut options = Vec::new();
    for line in block(text, header.trim_end())? {
        match line.strip_prefix("use ") {
            Some(set) => {
                let lines = block(text, &format!("set {set}")).into_iter().flatten();
                options.extend(lines.filter_map(of_codex));
            }
            None if line == "loose" => return None,
            None => options.extend(of_codex(line)),
        }
    }
    Some(Known { path: path.to_owned(), options })
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
    pub fn compare(&self, shown: &[HelpOption]) -> Vec<(String, Option<Change>)> {
        let mut found = Vec::new();
        for option in shown {
            let name = option.name();
            // Every parser of these has these two by itself.
            if ["--help", "--version"].contains(&name) {
                continue;
            }
            match self.options.iter().find(|known| known.names.iter().any(|known| known == name)) {
                None => {
                    found.push((format!("new option {option}"), Some(Change::New(option.clone()))))
                }
                Some(known) => found.extend(known.compare(option)),
            }
        }
        for known in self.options.iter().filter(|known| !known.hidden) {
            let is_shown =
                |option: &HelpOption| known.names.iter().any(|name| option.names.contains(name));
            let own = ["--help", "--version"];
            if !shown.iter().any(is_shown)
                && !known.names.iter().any(|name| own.contains(&name.as_str()))
            {
                let what = format!("{} is gone from --help", known.names.join(", "));
                found.push((what, Some(Change::Gone(known.line))));
            }
        }
        found
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
