//! The options and positional arguments of an option table.

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
    /// What the parser itself adds to every command.
    pub const HELP: Opt = Opt::built_in("help", 'h');
    /// What the parser itself adds to the commands that have a version.
    pub const VERSION: Opt = Opt::built_in("version", 'V');

    const fn built_in(long: &'static str, short: char) -> Opt {
        Opt { long, short: Some(short), value: "", traits: Traits("") }
    }

    /// Reads an `opt` or `flag` line; any other line is none.
    pub fn read(line: &'static str) -> Option<Opt> {
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
    pub fn is(&self, option: &str) -> bool {
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
    pub fn read(line: &'static str) -> Positional {
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
