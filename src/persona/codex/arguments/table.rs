//! The option tables: what each known version of the CLI accepts, as data files under `versions/`
//! (the format is explained at the top of each). A table is never read as a whole: a spawn looks at
//! the blocks of the commands that its arguments name.

use memchr::memmem;
use std::cell::OnceCell;

/// The tables as `(version, contents)`, oldest version first.
static TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/codex_versions.rs"));

/// The versions that have a table, oldest first.
pub fn known_versions() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(version, _)| *version)
}

/// Whether any known version has this option (`--name` or `-n`) on any of its commands.
pub(super) fn any_version_has(option: &str) -> bool {
    TABLES.iter().any(|(_, text)| lines(text).filter_map(Opt::read).any(|opt| opt.is(option)))
}

/// The table for a version; the newest where none is named, the nearest older one (else the oldest)
/// where the named version has no table of its own.
pub fn table(version: Option<&str>) -> Table {
    let newest = TABLES.last().copied().unwrap_or(("0", ""));
    let Some(asked) = version else {
        return Table { version: newest.0.to_owned(), source: newest.0, text: newest.1 };
    };
    let older = |(known, _): &&(&str, &str)| parts(known) <= parts(asked);
    let nearest = TABLES.iter().rfind(older).or(TABLES.first()).copied().unwrap_or(newest);
    Table { version: asked.to_owned(), source: nearest.0, text: nearest.1 }
}

/// The number behind a version, for comparisons.
fn parts(version: &str) -> [u64; 3] {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

/// How one version of the CLI takes its arguments.
#[derive(Clone, Debug)]
pub struct Table {
    version: String,
    source: &'static str,
    text: &'static str,
}

impl Table {
    /// The version that is answered as.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version whose table is used: another than [`version`](Table::version) where that one is
    /// not known.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Whether the table is that of the version itself.
    pub fn is_exact(&self) -> bool {
        self.version == self.source
    }

    /// The name that `--version` prints.
    pub(super) fn name(&self) -> &'static str {
        self.head("name ").unwrap_or("codex-cli")
    }

    /// Whether the fact about stdin holds: `appended`, `alone`, `decoded`.
    pub(super) fn stdin_is(&self, fact: &str) -> bool {
        self.head("stdin ").unwrap_or("").split(' ').any(|word| word == fact)
    }

    /// The lines of the stock answer to a side command, if there is one.
    pub(in crate::persona::codex) fn answer(
        &self,
        command: &str,
    ) -> Option<impl Iterator<Item = (&'static str, &'static str)> + use<>> {
        let rest = block(self.text, &format!("\nanswer {command}\n"))?;
        let fields = rest.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
        Some(fields.take_while(|(word, _)| matches!(*word, "out" | "err" | "exit")))
    }

    /// The feature flags with their stage and state, in the order of the real listing.
    pub(in crate::persona::codex) fn features(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str, bool)> + use<> {
        let fields = self.text.lines().filter_map(|line| line.strip_prefix("feature "));
        fields.filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (stage, state) = rest.rsplit_once(' ')?;
            Some((name, stage, state == "on"))
        })
    }

    /// Whether `--enable` and `--disable` take this name; `None` where the flags are not known.
    pub(super) fn has_feature(&self, name: &str) -> Option<bool> {
        memmem::find(self.text.as_bytes(), b"\nfeature ")?;
        let named = |prefix: &str| {
            self.text.lines().any(|line| {
                line.strip_prefix(prefix).and_then(|rest| rest.split(' ').next()) == Some(name)
            })
        };
        Some(named("feature ") || named("feature-alias "))
    }

    /// The command at this path (`""`, `"exec"`, `"exec resume"`). A command that is only known by
    /// name takes whatever it is given.
    pub(super) fn command(&self, path: &str) -> Command {
        let header =
            if path.is_empty() { "\ncommand\n".to_owned() } else { format!("\ncommand {path}\n") };
        match block(self.text, &header) {
            Some(block) => Command::read(path, self.text, block),
            None => Command { path: path.to_owned(), loose: true, ..Command::default() },
        }
    }

    fn head(&self, word: &str) -> Option<&'static str> {
        self.text.lines().take_while(|line| *line != "command").find_map(|l| l.strip_prefix(word))
    }
}

/// What follows a block's header.
fn block(text: &'static str, header: &str) -> Option<&'static str> {
    let at = memmem::find(text.as_bytes(), header.as_bytes())?;
    text.get(at + header.len()..)
}

/// The lines of a table that are not comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

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
    /// Reads all of a command's block but its options, which most commands of a line never need.
    fn read(path: &str, text: &'static str, block: &'static str) -> Command {
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

/// How many values an occurrence of an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// None: a flag.
    Nothing,
    /// Exactly one.
    One,
    /// One or none.
    AtMostOne,
    /// One and as many as follow.
    OneOrMore,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt {
    /// The long name, without the dashes.
    pub long: &'static str,
    /// The letter.
    pub short: Option<char>,
    /// The value as it is shown, `""` for a flag.
    pub value: &'static str,
    /// What else is known of it.
    pub traits: Traits,
}

impl Opt {
    const HELP: Opt = Opt::built_in("help", 'h');
    const VERSION: Opt = Opt::built_in("version", 'V');

    const fn built_in(long: &'static str, short: char) -> Opt {
        Opt { long, short: Some(short), value: "", traits: Traits("") }
    }

    /// Reads an `opt` or `flag` line; any other line is none.
    fn read(line: &'static str) -> Option<Opt> {
        let takes_value = line.starts_with("opt --");
        let rest = line.strip_prefix("opt --").or_else(|| line.strip_prefix("flag --"))?;
        let (long, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut short = None;
        if let Some(letter) = rest.strip_prefix('-') {
            short = letter.chars().next();
            rest = letter.split_once(' ').map_or("", |(_, rest)| rest);
        }
        let (value, traits) = match takes_value {
            true => rest.split_once(' ').unwrap_or((rest, "")),
            false => ("", rest),
        };
        Some(Opt { long, short, value, traits: Traits(traits) })
    }

    /// How many values it takes.
    pub fn takes(&self) -> Takes {
        match self.value {
            "" => Takes::Nothing,
            value if value.ends_with("...") => Takes::OneOrMore,
            value if value.starts_with('[') => Takes::AtMostOne,
            _ => Takes::One,
        }
    }

    /// How the parser's messages show it: `--model <MODEL>`.
    pub fn shown(&self) -> String {
        let space = if self.value.is_empty() { "" } else { " " };
        format!("--{}{space}{}", self.long, self.value)
    }

    /// Whether this is its long name or an alias.
    pub fn has_long(&self, name: &str) -> bool {
        self.long == name || self.traits.all("alias=").any(|alias| alias == name)
    }

    /// Its long name and its aliases.
    pub fn longs(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.long).chain(self.traits.all("alias="))
    }

    /// Whether this is one of its spellings, dashes included.
    fn is(&self, option: &str) -> bool {
        match option.strip_prefix("--") {
            Some(name) => self.has_long(name),
            None => option.strip_prefix('-').and_then(|o| o.chars().next()) == self.short,
        }
    }

    /// Whether it is one of the two that every command gets from the parser itself.
    pub fn is_built_in(&self) -> bool {
        matches!(self.long, "help" | "version")
    }
}

/// One positional argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Positional {
    /// Its name, without brackets.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What else is known of it.
    pub traits: Traits,
}

impl Positional {
    fn read(line: &'static str) -> Positional {
        let (shown, traits) = line.split_once(' ').unwrap_or((line, ""));
        let name = shown.trim_matches(['[', ']', '<', '>']);
        Positional { name, required: shown.starts_with('<'), traits: Traits(traits) }
    }

    /// How the parser shows it, as one that must be given or need not be.
    pub fn shown(&self, required: bool) -> String {
        if required { format!("<{}>", self.name) } else { format!("[{}]", self.name) }
    }
}

/// The words behind an option or argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits(&'static str);

impl Traits {
    /// Whether the word stands there.
    pub fn has(self, word: &str) -> bool {
        self.0.split(' ').any(|found| found == word)
    }

    /// The entries of `key=A,B`; none where the key is missing.
    pub fn all(self, key: &str) -> impl Iterator<Item = &'static str> + use<> {
        let list = self.0.split(' ').find_map(|word| word.strip_prefix(key));
        list.into_iter().flat_map(|list| list.split(','))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_without_a_table_is_answered_from_the_nearest_older_one() {
        assert_eq!(table(None).version(), "0.171.0");
        assert_eq!(table(Some("0.99.0")).source(), "0.99.0");
        let between = table(Some("0.163.0"));
        assert_eq!((between.version(), between.source()), ("0.163.0", "0.125.0"));
        assert!(!between.is_exact());
        assert_eq!(table(Some("0.1.0")).source(), "0.50.0");
        assert_eq!(table(Some("9.0.0")).source(), "0.171.0");
    }

    #[test]
    fn a_command_has_its_own_options_and_those_of_its_sets() {
        let resume = table(None).command("exec resume");
        assert!(resume.long("experimental-json").is_some());
        assert!(resume.short('c').is_some());
        assert!(resume.short('s').is_none());
        assert_eq!(
            resume.positionals.iter().map(|p| p.name).collect::<Vec<_>>(),
            ["SESSION_ID", "PROMPT"]
        );
    }

    #[test]
    fn every_line_of_every_table_has_a_known_word() {
        for (version, text) in TABLES {
            for line in lines(text).filter(|line| !line.is_empty()) {
                let word = line.split(' ').next().unwrap_or("");
                let known = "name stdin answer out err exit feature feature-alias features set \
                             command usage sub arg flag opt use group version loose";
                assert!(known.split(' ').any(|k| k == word), "{version}: {line}");
            }
        }
    }
}
