//! Reads the options and commands out of a help text, as the parsers of both CLIs print them: a line that begins
//! with the names, the description behind it or below it.

use std::fmt;

/// Lines of options begin this far in at most; descriptions stand further in.
const DEEPEST: usize = 8;

/// An option that a help text shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HelpOption {
    pub names: Vec<String>,
    /// How its value is called, with the brackets; empty: it takes none.
    pub metavar: String,
    pub choices: Vec<String>,
}

impl HelpOption {
    /// The name that it goes by: its first long one.
    pub fn name(&self) -> &str {
        let long = self.names.iter().find(|name| name.starts_with("--"));
        long.or(self.names.first()).map_or("", String::as_str)
    }

    pub fn takes_value(&self) -> bool {
        !self.metavar.is_empty()
    }
}

impl fmt::Display for HelpOption {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        if self.takes_value() {
            write!(f, " {}", self.metavar)?;
        }
        Ok(())
    }
}

/// What a help text shows.
#[derive(Debug, Default)]
pub(super) struct Help {
    /// The words of the usage line behind the program's name: the command, then what it takes.
    pub usage: Vec<String>,
    pub options: Vec<HelpOption>,
    /// The commands, each with its names.
    pub commands: Vec<Vec<String>>,
    /// Lines that look like an option and cannot be read.
    pub strange: Vec<String>,
}

impl Help {
    /// Whether it is about the command at this path.
    pub fn is_of(&self, path: &str) -> bool {
        let words = path.split_whitespace();
        let mut usage = self.usage.iter();
        words.into_iter().all(|word| {
            usage.next().is_some_and(|shown| shown.split('|').any(|shown| shown == word))
        })
    }
}

/// Reads a help text.
pub(super) fn read(text: &str) -> Help {
    let (options, strange) = options(text);
    let usage = text.lines().find_map(|line| line.trim_start().strip_prefix("Usage: "));
    let usage = usage.into_iter().flat_map(|usage| usage.split_whitespace().skip(1));
    let usage = usage.map(str::to_owned).collect();
    Help { usage, options, commands: commands(text), strange }
}

/// The commands below the heading of that name. Descriptions stand further in.
fn commands(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines = lines.filter(|line| depth(line) == 2);
    lines
        .filter_map(|line| {
            let names = line.split_whitespace().next()?.split('|').map(str::to_owned);
            let aliases = line.split_once("[aliases: ").and_then(|(_, rest)| rest.split_once(']'));
            let aliases = aliases.map_or("", |(aliases, _)| aliases).split(", ");
            let aliases = aliases.filter(|name| !name.is_empty()).map(str::to_owned);
            Some(names.chain(aliases).collect())
        })
        .collect()
}

/// The options, and the lines that look like one and cannot be read.
fn options(text: &str) -> (Vec<HelpOption>, Vec<String>) {
    let mut options: Vec<HelpOption> = Vec::new();
    let mut strange = Vec::new();
    let mut description = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let depth = line.len() - trimmed.len();
        if trimmed.starts_with('-') && depth > 0 && depth <= DEEPEST {
            settle(options.last_mut(), &description);
            description.clear();
            let (head, rest) = trimmed.split_once("  ").unwrap_or((trimmed, ""));
            match option(head) {
                Some(option) => options.push(option),
                None => strange.push(trimmed.to_owned()),
            }
            description.push_str(rest);
        } else if depth == 0 && !trimmed.is_empty() {
            // A heading ends the description before it.
            settle(options.last_mut(), &description);
            description.clear();
        } else {
            description.push('\n');
            description.push_str(trimmed);
        }
    }
    settle(options.last_mut(), &description);
    (options, strange)
}

/// `-c, --config <key=value>`, `--flag`, `-d [x]`, `--opt=<X>`.
fn option(head: &str) -> Option<HelpOption> {
    let at = head.find(['<', '[']).unwrap_or(head.len());
    let (names, metavar) = head.split_at(at);
    let names: Vec<String> = names
        .split([',', ' ', '='])
        .filter(|name| !name.is_empty())
        .map(|name| name.trim_end_matches("...").to_owned())
        .collect();
    let is_name = |name: &String| {
        let bare = name.trim_start_matches('-');
        let hyphens = name.len() - bare.len();
        let plain = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        (1..=2).contains(&hyphens) && !bare.is_empty() && plain
    };
    let closed = metavar.is_empty() || metavar.trim_end_matches("...").ends_with(['>', ']']);
    let good = !names.is_empty() && names.iter().all(is_name) && closed;
    good.then(|| HelpOption { names, metavar: metavar.to_owned(), choices: Vec::new() })
}

/// The choices that a description lists.
fn settle(option: Option<&mut HelpOption>, description: &str) {
    let Some(option) = option.filter(|option| option.choices.is_empty()) else { return };
    let flat = description.replace('\n', " ");
    for (begin, end) in [("(choices: ", [')', ',']), ("[possible values: ", [']', ','])] {
        if let Some((_, rest)) = flat.split_once(begin) {
            let list = rest.split(end[0]).next().unwrap_or(rest);
            let words = list.split(',').map(|word| word.trim().trim_matches('"').to_owned());
            // A default may stand behind the choices.
            option.choices = words.filter(|word| !word.is_empty() && !word.contains(' ')).collect();
            return;
        }
    }
    if let Some((_, rest)) = description.split_once("Possible values:") {
        let bullets = rest.lines().filter_map(|line| line.trim().strip_prefix("- "));
        let words = bullets.map(|line| line.split(':').next().unwrap_or(line).trim().to_owned());
        option.choices = words.collect();
    }
}
