//! A new data file from an old one and the differences, for somebody to look through: what is gone
//! or changed stands as a comment, what is new as a line like the others.

use super::help::HelpOption;

/// A change of the data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    New(HelpOption),
    /// A command below the one that the change is of, by its names.
    NewCommand(Vec<String>),
    Gone(&'static str),
    Other {
        line: &'static str,
        what: String,
    },
}

/// The changes, with the commands that they are of.
#[derive(Debug, Default)]
pub(super) struct Changes(Vec<(String, Change)>);

impl Changes {
    pub fn add(&mut self, command: &str, change: Option<Change>) {
        self.0.extend(change.map(|change| (command.to_owned(), change)));
    }

    /// The data file of another version.
    pub fn apply(&self, text: &str, version: &str, source: &str) -> String {
        let mut lines = Vec::new();
        // The file of claude has one section, that of codex a block for each command.
        let sections = text.contains("\n[options]");
        let mut command: Option<String> = None;
        for (index, line) in text.lines().enumerate() {
            let line = if index == 0 { line.replace(source, version) } else { line.to_owned() };
            let ends = if sections { line.starts_with("[commands]") } else { line.is_empty() };
            if ends && let Some(command) = command.take() {
                lines.extend(self.new_lines(&command, sections));
            }
            if sections && line.starts_with("[texts]") {
                self.add_commands(&mut lines);
            }
            if line.starts_with("[options]") {
                command = Some(String::new());
            } else if let Some(path) = line.strip_prefix("command").filter(|_| !sections) {
                command = Some(path.trim().to_owned());
            }
            lines.extend(self.notes(&line));
            let gone = self
                .0
                .iter()
                .any(|(_, change)| matches!(change, Change::Gone(old) if *old == line));
            lines.push(if gone { format!("# gone: {line}") } else { line });
        }
        if let Some(command) = command {
            lines.extend(self.new_lines(&command, sections));
        }
        lines.join("\n") + "\n"
    }

    fn notes(&self, line: &str) -> Vec<String> {
        let about = self.0.iter().filter_map(|(_, change)| match change {
            Change::Other { line: old, what } if *old == line => Some(format!("# changed: {what}")),
            _ => None,
        });
        about.collect()
    }

    fn new_lines(&self, command: &str, sections: bool) -> Vec<String> {
        let of_command = self.0.iter().filter(|(of, _)| of == command);
        let new = of_command.filter_map(|(_, change)| match change {
            Change::New(option) if sections => Some(of_claude(option)),
            Change::New(option) => Some(of_codex(option)),
            Change::NewCommand(names) if !sections => Some(format!("sub {}", names.join(" "))),
            _ => None,
        });
        new.collect()
    }

    /// The new commands of claude, whose section ends here. Those below others are for a reader to
    /// put where they belong.
    fn add_commands(&self, lines: &mut Vec<String>) {
        let gap = lines.pop_if(|line| line.is_empty());
        for (of, change) in &self.0 {
            if let Change::NewCommand(names) = change {
                let note = if of.is_empty() { String::new() } else { format!("# below {of}: ") };
                lines.push(format!("{note}{}", names.join(", ")));
            }
        }
        lines.extend(gap);
    }
}

fn of_claude(option: &HelpOption) -> String {
    let line = option.to_string();
    match option.choices.as_slice() {
        [] => line,
        choices => format!("{line:<47} choices {}", choices.join(", ")),
    }
}

fn of_codex(option: &HelpOption) -> String {
    let verb = if option.takes_value() { "opt" } else { "flag" };
    let mut names = option.names.clone();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut line = format!("{verb} {}", names.join(" "));
    if option.takes_value() {
        line = format!("{line} {}", option.metavar);
    }
    match option.choices.as_slice() {
        [] => line,
        choices => format!("{line} in={}", choices.join(",")),
    }
}
