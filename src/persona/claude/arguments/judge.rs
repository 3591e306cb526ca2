//! The verdict on a spawn's arguments.

use super::checks;
use super::parse::{Parsed, Reading, Stop, looks_like_option, parse};
use super::request::{Request, Words};
use super::stdin::{StdinRule, StdinSeen, check_input, stdin_rule};
use super::suggest::did_you_mean;
use super::surroundings::Surroundings;
use super::table::{Table, known_versions, table};
use crate::persona::Answer;
use crate::persona::claude::probes;

/// What the real CLI would do with a spawn's arguments.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It runs, as far as the arguments tell; [`check_input`] has the last word once stdin is read.
    Run(Box<Request>),
    /// It answers a question about itself and ends.
    Probe(Answer),
    /// It prints its help, or that of a command.
    Help(Answer),
    /// It does something of its own, of which no answer was captured.
    NoAnswer {
        /// The command, without its arguments.
        command: String,
    },
    /// It refuses the arguments.
    Usage(Answer),
}

/// Judges a spawn by its arguments (without the program's name). `pinned` says whether the version
/// was asked for: if it was not, or is one that there is no table for, an option that may belong to
/// a version that is not known is let through. Without `strict` nothing is refused.
pub fn judge(
    table: &Table<'_>,
    words: &[&str],
    pinned: bool,
    strict: bool,
    around: &Surroundings,
) -> Verdict {
    // `-V` is known only alone, and then like the other two without a look at anything else.
    if let ["-v" | "-V" | "--version"] = words {
        return Verdict::Probe(probes::version(table));
    }
    if strict && let Some(stderr) = checks::before_parsing(table, words) {
        return Verdict::Usage(refused(stderr));
    }
    // Commands are not even known to the real CLI when it is asked to print.
    let prints = words.iter().take_while(|w| **w != "--").any(|w| matches!(*w, "-p" | "--print"));
    let mut warnings = String::new();
    let reading = Reading { commands: !prints, strict };
    let verdict = match parse(table, words, reading, &mut warnings) {
        Err(Stop::Version) => Verdict::Probe(probes::version(table)),
        Err(Stop::Usage(stderr)) => Verdict::Usage(refused(stderr)),
        Ok(parsed) => judge_parsed(table, parsed, Strictness { prints, pinned, strict }, around),
    };
    warned(verdict, warnings, around)
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
) -> Verdict {
    if let Some((command, tail)) = parsed.command {
        return probes::command(table, command, tail, how.strict, around);
    }
    if parsed.rest.iter().any(|word| word == "-h" || word == "--help") {
        return Verdict::Help(probes::help(table, how.prints));
    }
    if how.strict
        && let Some(word) = refused_word(table, &parsed, how.pinned)
    {
        return Verdict::Usage(refused(unknown_option(table, word)));
    }
    if !how.prints
        && let Some(answer) = probes::word(table, &parsed.operands, around)
    {
        return Verdict::Probe(answer);
    }
    let words = Words::of(&parsed);
    let mut request = Request::new(table, parsed, words, around);
    request.strict = how.strict;
    if how.strict
        && let Some(stderr) = checks::before_stdin(&request)
    {
        return Verdict::Usage(refused(stderr));
    }
    Verdict::Run(Box::new(request))
}

/// Puts the warnings before all else on stderr, and makes the checks of a run that reads no text
/// from stdin: nothing keeps them waiting.
fn warned(verdict: Verdict, warnings: String, around: &Surroundings) -> Verdict {
    let before = |mut answer: Answer| {
        answer.stderr.insert_str(0, &warnings);
        answer
    };
    match verdict {
        Verdict::Usage(answer) => Verdict::Usage(before(answer)),
        Verdict::Probe(answer) => Verdict::Probe(before(answer)),
        Verdict::Help(answer) => Verdict::Help(before(answer)),
        Verdict::Run(mut request) => {
            request.warnings = warnings;
            let refusal = match stdin_rule(&request, around) {
                StdinRule::Text => None,
                StdinRule::Unread => check_input(&request, StdinSeen::default()).err(),
                StdinRule::Lines => request.check_without_text().err(),
            };
            refusal.map_or(Verdict::Run(request), Verdict::Usage)
        }
        verdict => verdict,
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
