//! Scenarios of `cli-replay` (Go, its README and JSON Schema): steps of what a command line has to be
//! and what is answered.
//!
//! A step becomes a recording with a condition on all of its arguments and as many plays as it has
//! calls at most. There the steps are in strict order; here a spawn gets the first that accepts it,
//! so that the order of steps which differ is not asked for, as in one of its groups. Variables get
//! the values that the scenario gives them: the environment, which goes first there, is another one
//! at another time.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

use super::arguments::{self, Argument, program_of};
use super::call::Call;
use super::template::{self, Part, Variables};
use super::{Reel, yaml};
use crate::error::Error;
use crate::journal::Exit;
use crate::record::lines::Mark;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    meta: Meta,
    steps: Vec<Spanned<Element>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    name: String,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default)]
    vars: BTreeMap<String, String>,
    #[serde(default, rename = "security")]
    _security: Option<IgnoredAny>,
    #[serde(default, rename = "session")]
    _session: Option<IgnoredAny>,
}

/// A step or a group of steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Element {
    r#match: Option<Match>,
    respond: Option<Respond>,
    calls: Option<Calls>,
    when: Option<String>,
    group: Option<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    argv: Vec<String>,
    stdin: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Respond {
    #[serde(default)]
    exit: u8,
    stdout: Option<String>,
    stderr: Option<String>,
    stdout_file: Option<String>,
    stderr_file: Option<String>,
    delay: Option<String>,
    #[serde(default)]
    capture: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calls {
    min: Option<u64>,
    max: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    #[serde(rename = "mode")]
    _mode: String,
    #[serde(default, rename = "name")]
    _name: Option<String>,
    steps: Vec<Spanned<Element>>,
}

/// Reads a scenario.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let scenario: Scenario = yaml::read(reel)?;
    let mut variables: Variables = scenario.meta.vars;
    for element in scenario.steps {
        let line = yaml::line(&element);
        match element.value.group {
            None => step(element.value, line, &scenario.meta.name, &mut variables, reel)?,
            Some(group) => {
                for element in group.steps {
                    let line = yaml::line(&element);
                    step(element.value, line, &scenario.meta.name, &mut variables, reel)?;
                }
            }
        }
    }
    Ok(())
}

fn step(
    element: Element,
    line: u64,
    name: &str,
    variables: &mut Variables,
    reel: &mut Reel,
) -> Result<(), Error> {
    let Element { r#match: Some(asked), respond: Some(respond), calls, when: None, group: None } =
        element
    else {
        let what = "a step has `match` and `respond`, and none of `when` and a group in a group \
                    can be kept; take the step out";
        return Err(reel.wrong(line, what));
    };
    let (call, captured) =
        answer(asked, respond, variables).map_err(|what| reel.wrong(line, what))?;
    let (mut call, files) = call;
    let read = |file: Option<String>| match file {
        None => Ok(None),
        Some(file) => {
            let path = reel.path.parent().unwrap_or(reel.path).join(&file);
            let failed = |error| reel.wrong(line, format_args!("cannot read {file:?}: {error}"));
            fs::read(&path).map(Some).map_err(failed)
        }
    };
    let [(out, out_file), (err, err_file)] = files;
    let (out, err) = (read(out_file)?.unwrap_or(out), read(err_file)?.unwrap_or(err));
    call.wrote(&out, &err);
    call.note = format!("imported from the scenario {name:?} of cli-replay");
    if let Some(calls) = calls {
        let least = calls.min.unwrap_or(1);
        let most = calls.max.unwrap_or(least.max(1));
        if most == 0 || least > most {
            return Err(
                reel.wrong(line, "`calls` has no `max` of 1 or more that is not below `min`")
            );
        }
        call.plays = Some(most);
        if least < most {
            call.note = format!("{}; {least} calls are enough", call.note);
            reel.remark("some recordings need not be played: verify with --allow-unused");
        }
    }
    if call.stdin.as_ref().is_some_and(|stdin| stdin.contains('\n')) {
        reel.remark("of a stdin that is asked for, the first line alone is a condition");
    }
    call.stdin = call.stdin.map(|stdin| stdin.lines().next().unwrap_or_default().to_owned());
    variables.extend(captured);
    reel.take(call);
    Ok(())
}

/// Bytes for a stream, or the file that they are in.
type Written = (Vec<u8>, Option<String>);

/// A call, with what it writes beside it, and what later steps may refer to.
type Answered = ((Call, [Written; 2]), Vec<(String, String)>);

fn answer(asked: Match, respond: Respond, variables: &Variables) -> Result<Answered, String> {
    let Some((program, words)) = asked.argv.split_first() else {
        return Err("`argv` is empty".to_owned());
    };
    if respond.stdout.is_some() && respond.stdout_file.is_some()
        || respond.stderr.is_some() && respond.stderr_file.is_some()
    {
        return Err("a stream is given both as text and as a file; take one out".to_owned());
    }
    let words = words.iter().map(|word| argument(word, variables));
    let text = |text: Option<String>| match text {
        None => Ok(Vec::new()),
        Some(text) => template::text(&text, variables).map(String::into_bytes),
    };
    let delay = respond.delay.as_deref().map(|delay| {
        duration(delay).ok_or_else(|| format!("the delay {delay:?} is no duration such as `1.5s`"))
    });
    let call = Call {
        program: Some(program_of(&template::text(program, variables)?)),
        arguments: Some(words.collect::<Result<_, _>>()?),
        stdin: asked.stdin.map(|stdin| stdin.trim_end().to_owned()),
        delay: delay.transpose()?,
        exit: Some((Mark::default(), Exit::Code(respond.exit))),
        ..Call::default()
    };
    let written = [
        (text(respond.stdout)?, respond.stdout_file),
        (text(respond.stderr)?, respond.stderr_file),
    ];
    let captured = respond.capture.into_iter();
    let captured = captured.map(|(name, value)| (format!("capture.{name}"), value)).collect();
    Ok(((call, written), captured))
}

fn argument(word: &str, variables: &Variables) -> Result<Argument, String> {
    let parts = template::parts(word, variables)?;
    if let [Part::Any] = parts[..] {
        return Ok(Argument::Any);
    }
    let is_text = |part: &Part| matches!(part, Part::Text(_));
    if parts.iter().all(is_text) {
        return Ok(Argument::Exact(template::text(word, variables)?));
    }
    let alone = parts.len() == 1;
    let regexes = parts.into_iter().map(|part| match part {
        Part::Text(text) => Ok(arguments::escape(&text)),
        Part::Any => Ok(".*".to_owned()),
        Part::Regex(regex) => {
            arguments::whole(&regex).map(|whole| format!("(?:{whole})")).ok_or_else(|| {
                let place = if alone { "its middle" } else { "the middle of an argument" };
                format!("the regular expression {regex:?} has anchors in {place}; write it without")
            })
        }
    });
    Ok(Argument::Regex { regex: regexes.collect::<Result<_, _>>()?, shown: word.to_owned() })
}

/// A duration as Go spells it: `1m30s`, `2.5s`, `100ms`.
fn duration(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let factor = match &rest[..unit] {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        seconds += number * factor;
        rest = &rest[unit..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_spells_them() {
        for (text, ms) in [("100ms", 100), ("1m1.5s", 61_500), ("2h", 7_200_000), ("0s", 0)] {
            assert_eq!(duration(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "5", "s", "1x", "1..2s", "-1s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
