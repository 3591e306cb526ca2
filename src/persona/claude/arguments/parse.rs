//! The parser: commander's rules, as the real CLI uses it, over the option table.
//!
//! It goes through the words once. Values are checked as they are read and the version option ends
//! it at once, so both come before anything that the words after them do wrong; a word that is no
//! known option is only put aside, and complained of by the caller in the end.

use std::borrow::Cow;

use super::table::{Arity, OptionSpec, Table};
use super::validate;

/// An option that was given.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub option: OptionSpec,
    /// As it was typed, without a value.
    pub typed: String,
    pub value: Option<Cow<'a, str>>,
    /// The value's place among the words that this mention of the option took, from 0; none for a
    /// value in the same word.
    pub place: Option<usize>,
}

/// What the words came to.
#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    pub given: Vec<Given<'a>>,
    /// The words that are neither options nor values, up to the first unknown option.
    pub operands: Vec<Cow<'a, str>>,
    /// The first unknown option, and all later words that are not known options or their values.
    pub rest: Vec<Cow<'a, str>>,
    /// The command that the first operand names, and the words after it, which are its own.
    pub command: Option<(&'static str, &'a [&'a str])>,
}

/// Why the parser stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The version was asked for.
    Version,
    /// A value is missing or bad; the message for stderr.
    Usage(String),
}

/// How the words are to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Whether a first word may be a command.
    pub commands: bool,
    /// Whether values are checked.
    pub strict: bool,
}

/// Reads the words. Warnings about values are added to `warnings` as they come up.
pub(super) fn parse<'a>(
    table: &Table<'_>,
    words: &'a [&'a str],
    reading: Reading,
    warnings: &mut String,
) -> Result<Parsed<'a>, Stop> {
    let parsed = Parsed::default();
    let mut parser = Parser { table, words, at: 0, bundle: None, reading, warnings, parsed };
    parser.run()?;
    Ok(parser.parsed)
}

struct Parser<'a, 't> {
    table: &'t Table<'t>,
    words: &'a [&'a str],
    at: usize,
    /// What is left of a word of bundled short options, with a dash put before it.
    bundle: Option<String>,
    reading: Reading,
    warnings: &'t mut String,
    parsed: Parsed<'a>,
}

/// Whether a word looks like an option; `-` alone does not.
pub(super) fn looks_like_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

impl<'a> Parser<'a, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        // The variadic option that takes the words as they come, as it was typed, and how many.
        let mut variadic: Option<(OptionSpec, String, usize)> = None;
        while let Some(word) = self.next_word() {
            if word == "--" {
                self.take_literally(word);
                break;
            }
            if let Some((option, typed, taken)) = &mut variadic
                && !looks_like_option(&word)
            {
                *taken += 1;
                let (option, typed, place) = (*option, typed.clone(), Some(*taken));
                self.give(option, typed, Some(word), place)?;
                continue;
            }
            variadic = None;
            if let Some(option) = self.known(&word).filter(|_| looks_like_option(&word)) {
                self.take_option(option, &word)?;
                if option.arity() == Arity::Variadic {
                    variadic = Some((option, word.into_owned(), 0));
                }
            } else if !self.take_bundle(&word)? && !self.take_joined(&word)? && self.put_aside(word)
            {
                break;
            }
        }
        Ok(())
    }

    fn next_word(&mut self) -> Option<Cow<'a, str>> {
        if let Some(bundle) = self.bundle.take() {
            return Some(Cow::Owned(bundle));
        }
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(Cow::Borrowed(word))
    }

    /// The option of a name. Help is no option to the real parser, which looks for it afterwards.
    fn known(&self, flag: &str) -> Option<OptionSpec> {
        self.table.option(flag).filter(|option| option.note("help").is_none())
    }

    /// All words after `--`.
    fn take_literally(&mut self, dashes: Cow<'a, str>) {
        let literal = self.words[self.at..].iter().map(|word| Cow::Borrowed(*word));
        if self.parsed.rest.is_empty() {
            self.parsed.operands.extend(literal);
        } else {
            self.parsed.rest.push(dashes);
            self.parsed.rest.extend(literal);
        }
    }

    /// An option that is a word of its own; its value is the next one.
    fn take_option(&mut self, option: OptionSpec, typed: &str) -> Result<(), Stop> {
        let value = match option.arity() {
            Arity::Flag => None,
            Arity::Required | Arity::Variadic => match self.next_word() {
                None if self.reading.strict => {
                    let usage = option.usage();
                    return Err(Stop::Usage(format!("error: option '{usage}' argument missing\n")));
                }
                value => value,
            },
            Arity::Optional => match self.words.get(self.at) {
                Some(next) if !looks_like_option(next) => self.next_word(),
                _ => None,
            },
        };
        self.give(option, typed.to_owned(), value, Some(0))
    }

    /// A short option with its value, or with further short options, in one word.
    fn take_bundle(&mut self, word: &str) -> Result<bool, Stop> {
        let Some(first) = word.strip_prefix('-').and_then(|letters| letters.chars().next()) else {
            return Ok(false);
        };
        let flag_length = 1 + first.len_utf8();
        if first == '-' || word.len() == flag_length {
            return Ok(false);
        }
        let (flag, others) = word.split_at(flag_length);
        let Some(option) = self.known(flag) else {
            return Ok(false);
        };
        if option.arity() == Arity::Flag {
            self.bundle = Some(format!("-{others}"));
            self.give(option, flag.to_owned(), None, None)?;
        } else {
            self.give(option, flag.to_owned(), Some(Cow::Owned(others.to_owned())), None)?;
        }
        Ok(true)
    }

    /// A long option with its value in one word, `--model=x`.
    fn take_joined(&mut self, word: &str) -> Result<bool, Stop> {
        let Some((flag, value)) = word.split_once('=').filter(|(f, _)| f.starts_with("--")) else {
            return Ok(false);
        };
        let Some(option) = self.known(flag).filter(|option| option.arity() != Arity::Flag) else {
            return Ok(false);
        };
        self.give(option, flag.to_owned(), Some(Cow::Owned(value.to_owned())), None)?;
        Ok(true)
    }

    /// A word that is no option of this version; whether it ends the parsing.
    fn put_aside(&mut self, word: Cow<'a, str>) -> bool {
        let first = self.parsed.operands.is_empty() && self.parsed.rest.is_empty();
        if !self.parsed.rest.is_empty() || looks_like_option(&word) {
            self.parsed.rest.push(word);
            return false;
        }
        if first
            && self.reading.commands
            && let Some(command) = self.table.command(&word)
        {
            self.parsed.command = Some((command.name(), &self.words[self.at..]));
            return true;
        }
        self.parsed.operands.push(word);
        false
    }

    fn give(
        &mut self,
        option: OptionSpec,
        typed: String,
        value: Option<Cow<'a, str>>,
        place: Option<usize>,
    ) -> Result<(), Stop> {
        if option.note("version").is_some() {
            return Err(Stop::Version);
        }
        if self.reading.strict
            && let Some(value) = value.as_deref()
        {
            if let Some(complaint) = validate::complaint(&option, value) {
                let usage = option.usage();
                let message =
                    format!("error: option '{usage}' argument '{value}' is invalid. {complaint}\n");
                return Err(Stop::Usage(message));
            }
            if let Some(choices) = validate::advised(&option, value) {
                let values = [("option", option.name()), ("value", value), ("choices", choices)];
                let warning = self.table.texts().filled("advice", &values);
                self.warnings.push_str(&warning.unwrap_or_default());
            }
        }
        self.parsed.given.push(Given { option, typed, value, place });
        Ok(())
    }
}
