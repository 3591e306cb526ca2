//! What one version of the CLI knows, as lines of a data file that is scanned and never loaded.
//!
//! The format is described at the top of each file in `versions/`.

use memchr::memmem;

/// `(version, contents)` of the data files, oldest version first.
const VERSIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/claude_versions.rs"));

/// The newest known version; a build without any data file fails here.
const NEWEST: (&str, &str) = VERSIONS[VERSIONS.len() - 1];

/// The versions that there is a data file for, oldest first.
pub fn known_versions() -> impl Iterator<Item = &'static str> {
    VERSIONS.iter().map(|(version, _)| *version)
}

/// The data file of a known version, as it stands.
#[cfg(feature = "cli")]
pub(crate) fn data(version: &str) -> &'static str {
    VERSIONS.iter().find(|(known, _)| *known == version).map_or("", |(_, text)| text)
}

/// The table for a version: the newest one by default. For a version that there is no file for, the
/// newest of the older ones, else the oldest; [`Table::is_exact`] tells.
pub fn table(version: Option<&str>) -> Table<'_> {
    let Some(version) = version else {
        return Table::of_file(NEWEST.0, NEWEST);
    };
    let wanted = version_key(version);
    let at_most = VERSIONS.iter().rev().find(|(known, _)| version_key(known) <= wanted);
    Table::of_file(version, *at_most.or(VERSIONS.first()).unwrap_or(&NEWEST))
}

/// A version's numbers, for comparing; what is not a number counts as 0.
fn version_key(version: &str) -> [u64; 3] {
    let mut key = [0; 3];
    for (place, part) in key.iter_mut().zip(version.split('.')) {
        *place = part.parse().unwrap_or(0);
    }
    key
}

/// What a version of the CLI knows, and the version that a double answers as.
#[derive(Clone, Copy, Debug)]
pub struct Table<'v> {
    /// The version that was asked for, which `--version` prints.
    pub version: &'v str,
    /// The version whose facts these are.
    pub facts_of: &'static str,
    options: &'static str,
    commands: &'static str,
    texts: &'static str,
    answers: &'static str,
}

impl<'v> Table<'v> {
    fn of_file(version: &'v str, (facts_of, text): (&'static str, &'static str)) -> Self {
        let (_, rest) = parted(text, "\n[options]");
        let (options, rest) = parted(rest, "\n[commands]");
        let (commands, rest) = parted(rest, "\n[texts]");
        let (texts, answers) = parted(rest, "\n[answers]");
        Table { version, facts_of, options, commands, texts, answers }
    }
}

/// What comes before a heading and what after it.
fn parted(text: &'static str, heading: &str) -> (&'static str, &'static str) {
    match memmem::find(text.as_bytes(), heading.as_bytes()) {
        Some(at) => (&text[..at], &text[at + heading.len()..]),
        None => (text, ""),
    }
}

impl Table<'_> {
    /// Whether there is a data file for this very version.
    pub fn is_exact(&self) -> bool {
        self.version == self.facts_of
    }

    /// The option that a flag, as typed and without a value, is a name of.
    pub fn option(&self, flag: &str) -> Option<OptionSpec> {
        let place = find_name(self.options, flag)?;
        Some(OptionSpec::of_line(line_around(self.options, place)))
    }

    /// All options, in the real order.
    pub fn options(&self) -> impl Iterator<Item = OptionSpec> {
        entries(self.options).map(OptionSpec::of_line)
    }

    /// The command that a first word names, with its aliases.
    pub fn command(&self, word: &str) -> Option<Command> {
        self.commands().find(|command| command.names().any(|name| name == word))
    }

    /// All commands, in the real order.
    pub fn commands(&self) -> impl Iterator<Item = Command> {
        entries(self.commands).map(|line| match line.split_once(" = ") {
            Some((names, subcommands)) => Command { names, subcommands: Some(subcommands) },
            None => Command { names: line, subcommands: None },
        })
    }

    /// The messages of this version.
    pub fn texts(&self) -> Texts {
        Texts(self.texts)
    }

    /// The section with the answers of side commands.
    pub(in crate::persona::claude) fn answers(&self) -> &'static str {
        self.answers
    }
}

/// The lines of a section that are entries.
fn entries(section: &'static str) -> impl Iterator<Item = &'static str> {
    section.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Where in the option lines a flag stands as a name: at the start of a line, or after another one.
fn find_name(options: &str, flag: &str) -> Option<usize> {
    if flag.bytes().any(|byte| byte <= b' ' || byte == b',') {
        return None;
    }
    ["\n", ", "].iter().find_map(|before| {
        let needle = [before, flag].concat();
        let mut places = memmem::find_iter(options.as_bytes(), needle.as_bytes());
        places.find_map(|place| {
            let end = place + needle.len();
            let after = options.as_bytes().get(end).copied().unwrap_or(b'\n');
            matches!(after, b' ' | b',' | b'\n').then_some(place + before.len())
        })
    })
}

/// The whole line around a place in a section.
fn line_around(section: &'static str, place: usize) -> &'static str {
    let start = section[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let end = section[place..].find('\n').map_or(section.len(), |newline| place + newline);
    &section[start..end]
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Nothing.
    Flag,
    /// The next word, whatever it looks like.
    Required,
    /// The next word, if it does not look like an option.
    Optional,
    /// The next word, and those after it that do not look like options.
    Variadic,
}

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its names, as the parser's messages print them.
    flags: &'static str,
    /// What its value is called there, with the brackets.
    metavar: Option<&'static str>,
    notes: &'static str,
}

impl OptionSpec {
    fn of_line(line: &'static str) -> Self {
        let (head, notes) = line.split_once("  ").unwrap_or((line, ""));
        let value = head.find(" <").or_else(|| head.find(" ["));
        OptionSpec {
            flags: value.map_or(head, |at| &head[..at]),
            metavar: value.map(|at| &head[at + 1..]),
            notes: notes.trim_start(),
        }
    }

    /// The names and the value, as in the parser's messages: `-n, --name <name>`.
    pub fn usage(&self) -> String {
        match self.metavar {
            Some(metavar) => format!("{} {metavar}", self.flags),
            None => self.flags.to_owned(),
        }
    }

    /// Its names, the short one first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.flags.split(", ")
    }

    /// The name that it goes by in a request: its first long one.
    pub fn name(&self) -> &'static str {
        self.names().find(|name| name.starts_with("--")).unwrap_or(self.flags)
    }

    /// The name that suggestions offer: its last one, if that is a long one.
    pub fn suggested(&self) -> Option<&'static str> {
        self.names().last().filter(|name| name.starts_with("--"))
    }

    /// What it takes.
    pub fn arity(&self) -> Arity {
        match self.metavar {
            None => Arity::Flag,
            Some(metavar) if metavar.starts_with('[') => Arity::Optional,
            Some(metavar) if metavar.ends_with("...>") => Arity::Variadic,
            Some(_) => Arity::Required,
        }
    }

    /// Whether the help and the suggestions leave it out.
    pub fn is_hidden(&self) -> bool {
        self.note("hidden").is_some()
    }

    /// What a note says after its first word; empty for one that is only that word.
    pub fn note(&self, word: &str) -> Option<&'static str> {
        let mut notes = self.notes.split("; ");
        notes.find_map(|note| match note.strip_prefix(word)? {
            "" => Some(""),
            rest => rest.strip_prefix(' '),
        })
    }
}

/// A first word that is a command of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    names: &'static str,
    subcommands: Option<&'static str>,
}

impl Command {
    /// Its name and its aliases.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.names.split(", ")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.names().next().unwrap_or(self.names)
    }

    /// Its subcommands, where all of them are known.
    pub fn subcommands(self) -> Option<impl Iterator<Item = &'static str>> {
        self.subcommands.map(|names| names.split(", "))
    }
}

/// The messages of a version, by name.
#[derive(Clone, Copy, Debug)]
pub struct Texts(&'static str);

impl Texts {
    /// A message, with its newline; none if this version has no such message.
    pub fn get(&self, name: &str) -> Option<String> {
        self.line(name).map(|line| format!("{line}\n"))
    }

    /// A message with its `${...}` replaced.
    pub fn filled(&self, name: &str, values: &[(&str, &str)]) -> Option<String> {
        let line = self.line(name)?;
        let lookup = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        let mut text = fill(line, lookup).unwrap_or_else(|| line.to_owned());
        text.push('\n');
        Some(text)
    }

    fn line(&self, name: &str) -> Option<&'static str> {
        entries(self.0).find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))
    }
}

/// Replaces each `${name}` of a line; none if one of them has no value.
pub(in crate::persona::claude) fn fill<'v>(
    line: &str,
    lookup: impl Fn(&str) -> Option<&'v str>,
) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, (name, after))) =
        rest.split_once("${").and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(lookup(name)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}
