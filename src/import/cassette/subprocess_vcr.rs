//! Cassettes of `subprocess-vcr` (PyPI, its README and version 0.1): calls of Python's `subprocess`
//! as YAML, in order, each with its arguments, what it wrote and its return code.
//!
//! There a call gets the next interaction whose arguments are the same; so does a spawn here, by a
//! condition on all of its arguments. What its filters put in (`<TMP>`, `<CWD>`) matches anything.
//! The library takes control characters and spaces at the ends of lines out of what it records;
//! these are lost. A duration is that of the whole call, so it is when the call ended.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

use super::arguments::{self, Argument};
use super::call::{Call, exit_of};
use super::{Reel, yaml};
use crate::error::Error;
use crate::record::lines::Mark;

#[derive(Deserialize)]
struct Cassette {
    interactions: Vec<Spanned<Interaction>>,
}

#[derive(Deserialize)]
struct Interaction {
    args: Args,
    kwargs: Option<Kwargs>,
    stdout: Option<Text>,
    stderr: Option<Text>,
    returncode: Option<i64>,
    duration: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Args {
    List(Vec<String>),
    Shell(String),
}

#[derive(Deserialize)]
struct Kwargs {
    cwd: Option<String>,
    #[serde(flatten)]
    _others: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Text(String),
    Binary { data: String },
}

impl Text {
    fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Text::Text(text) => Some(text.into_bytes()),
            Text::Binary { data } => {
                STANDARD.decode(data.split_whitespace().collect::<String>()).ok()
            }
        }
    }
}

/// Reads a cassette.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let cassette: Cassette = yaml::read(reel)?;
    for interaction in cassette.interactions {
        let line = yaml::line(&interaction);
        let Interaction { args, kwargs, stdout, stderr, returncode, duration } = interaction.value;
        let words = match args {
            Args::List(words) => words,
            Args::Shell(command) => match arguments::shell_words(&command) {
                Some(words) => words,
                None => {
                    reel.leave_out("a shell");
                    continue;
                }
            },
        };
        let Some((program, words)) = words.split_first() else {
            return Err(reel.wrong(line, "`args` is empty; take the interaction out"));
        };
        let mut call = Call {
            program: Some(arguments::program_of(program)),
            arguments: Some(words.iter().map(|word| filtered(word)).collect()),
            cwd: kwargs.and_then(|kwargs| kwargs.cwd),
            note: "imported from a cassette of subprocess-vcr".to_owned(),
            ..Call::default()
        };
        let bytes = |text: Option<Text>| text.map_or(Some(Vec::new()), Text::bytes);
        let (Some(out), Some(err)) = (bytes(stdout), bytes(stderr)) else {
            return Err(reel.wrong(line, "`data` is no base64; record the interaction again"));
        };
        call.wrote(&out, &err);
        let mark = duration.filter(|duration| duration.is_finite() && *duration >= 0.0);
        let mark = mark.map_or(Mark::default(), |duration| Mark::at(duration * 1000.0));
        call.exit = returncode.and_then(exit_of).map(|exit| (mark, exit));
        if call.exit.is_none() {
            call.note.push_str("; how it ended is not known");
        }
        reel.take(call);
    }
    Ok(())
}

/// An argument; what a filter has put in is not what a spawn will have.
fn filtered(word: &str) -> Argument {
    let (mut pattern, mut rest, mut found) = (String::new(), word, false);
    while let Some(start) = rest.find('<') {
        let inner = &rest[start + 1..];
        let end = inner.find('>').filter(|&end| {
            end > 0 && inner[..end].bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        });
        let Some(end) = end else {
            pattern.push_str(&arguments::escape(&rest[..=start]));
            rest = inner;
            continue;
        };
        pattern.push_str(&arguments::escape(&rest[..start]));
        pattern.push_str(".*");
        rest = &inner[end + 1..];
        found = true;
    }
    pattern.push_str(&arguments::escape(rest));
    let shown = word.to_owned();
    if found { Argument::Regex { regex: pattern, shown } } else { Argument::Exact(shown) }
}
