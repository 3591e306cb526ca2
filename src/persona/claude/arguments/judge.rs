//! What a spawn's arguments mean.

use super::checks;
use super::parse::{Parsed, Reading, Stop, looks_like_option, parse};
use super::request::{Request, Words};
use super::stdin::{StdinRule, StdinSeen, check_input, stdin_rule};
use super::suggest::did_you_mean;
use super::surroundings::Surroundings;
use super::table::{Table, known_versions, table};
use crate::persona::claude::probes;
use crate::persona::{Answer, Meaning};

/// Judges a spawn by its arguments (without the program's name). `pinned` says whether the version
/// was asked for: if it was not, or is one that there is no table for, an option that may belong to
/// a version that is not known is let through. Without `strict` nothing is refused.
pub fn judge(
    table: &Table<'_>,
    words: &[&str],
    pinned: bool,
    strict: bool,
    around: &Surroundings,
) -> Meaning<Box<Request>> {
    // `-V` is known only alone, and then like the other two without a look at anything else.
    if let ["-v" | "-V" | "--version"] = words {
        return Meaning::Probe(probes::version(table));
    }
    if strict && let Some(stderr) = checks::before_parsing(table, words) {
        return Meaning::Usage(refused(stderr));
    }
    // Commands are not even known to the real CLI when it is asked to print.
    let prints = words.iter().take_while(|w| **w != "--").any(|w| matches!(*w, "-p" | "--print"));
    let mut warnings = String::new();
    let reading = Reading { commands: !prints, strict };
    let meaning = match parse(table, words, reading, &mut warnings) {
        Err(Stop::Version) => Meaning::Probe(probes::version(table)),
        Err(Stop::Usage(stderr)) => Meaning::Usage(refused(stderr)),
        Ok(parsed) => judge_parsed(table, parsed, Strictness { prints, pinned, strict }, around),
    };
    warned(meaning, warnings, around)
}

struct Strictness {
    prints: bool,
    pinned: bool,
    strict: bool,
}

fn judge_parsed(
    table: &Table<'_>,
    parsed: Parsed<'_>,
    how: Strictness,
    around: &Surroundings,
) -> Meaning<Box<Request>> {
    if let Some((command, tail)) = parsed.command {
        return probes::command(table, command, tail, how.strict, around);
    }
    if parsed.rest.iter().any(|word| word == "-h" || word == "--help") {
        return Meaning::Help(probes::help(table, how.prints));
    }
    if how.strict
        && let Some(word) = refused_word(table, &parsed, how.pinned)
    {
        return Meaning::Usage(refused(unknown_option(table, word)));
    }
    if !how.prints
        && let Some(answer) = probes::word(table, &parsed.operands, around)
    {
        return Meaning::Probe(answer);
    }
    let words = Words::of(&parsed);
    let mut request = Request::new(table, parsed, words, around);
    request.strict = how.strict;
    if how.strict
        && let Some(stderr) = checks::before_stdin(&request)
    {
        return Meaning::Usage(refused(stderr));
    }
    Meaning::Run(Box::new(request))
}

/// Puts the warnings before all else on stderr, and makes the checks of a run that reads no text
/// from stdin: nothing keeps them waiting.
fn warned(
    meaning: Meaning<Box<Request>>,
    warnings: String,
    around: &Surroundings,
) -> Meaning<Box<Request>> {
    let before = |mut answer: Answer| {
        answer.stderr.insert_str(0, &warnings);
        answer
    };
    match meaning {
        Meaning::Usage(answer) => Meaning::Usage(before(answer)),
        Meaning::Probe(answer) => Meaning::Probe(before(answer)),
        Meaning::Help(answer) => Meaning::Help(before(answer)),
        Meaning::Run(mut request) => {
            request.warnings = warnings;
            let refusal = match stdin_rule(&request, around) {
                StdinRule::Text => None,
                StdinRule::Unread => check_input(&request, StdinSeen::default()).err(),
                StdinRule::Lines => request.check_without_text().err(),
            };
            refusal.map_or(Meaning::Run(request), Meaning::Usage)
        }
        meaning => meaning,
    }
}

/// The word that is complained of as an unknown option: the first one, or the first that cannot be
/// an option of another version either.
fn refused_word<'p>(table: &Table<'_>, parsed: &'p Parsed<'_>, pinned: bool) -> Option<&'p str> {
    let sure = pinned && table.is_exact();
    let mut unknown = parsed.rest.iter().map(|word| &**word).take_while(|word| *word != "--");
    unknown.find(|word| looks_like_option(word) && (sure || !could_be_new(table, word)))
}

fn refused(stderr: String) -> Answer {
    Answer { stderr, code: 1, ..Answer::default() }
}

/// Whether a word that no option matches may be one of a version that is not known: it has the form
/// of an option, and is not a known one used in a wrong way.
fn could_be_new(judged_by: &Table<'_>, word: &str) -> bool {
    let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
    let name = flag.strip_prefix("--").or(flag.strip_prefix('-')).unwrap_or(flag);
    let formed = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let known = if judged_by.is_exact() {
        known_versions().any(|version| table(Some(version)).option(flag).is_some())
    } else {
        judged_by.option(flag).is_some()
    };
    formed && !known
}

fn unknown_option(table: &Table<'_>, word: &str) -> String {
    let hint = if word.starts_with("--") {
        let offered = table.options().filter(|option| !option.is_hidden());
        did_you_mean(word, offered.filter_map(|option| option.suggested()))
    } else {
        String::new()
    };
    format!("error: unknown option '{word}'{hint}\n")
}
