//! Parses one line as a step.
//!
//! A step is an object with exactly one verb, the keys that go with it, and, in any step, `at`,
//! `note` and `order`. Every key that is not expected is an error, since it is a slip: nothing that
//! an author wrote is passed over in silence.

use super::error::{FormatError, Mistake, listed, quoted};
use super::object::{Keys, Object};
use super::pattern::Pattern;
use super::signal::Signal;
use super::step::{Case, In, Repeat, StdStream, Step, Times, Verb};
use super::value::Field;

mod effect;
mod turn;
mod write;

/// How deep steps may stand in steps. It bounds the stack, here and in the player.
const MOST_NESTED: u32 = 64;

const VERBS: Keys = &[
    "out",
    "err",
    "in",
    "reply",
    "turn",
    "wait_ms",
    "exit",
    "out_base64",
    "out_file",
    "out_fill",
    "err_base64",
    "err_file",
    "err_fill",
    "hang",
    "repeat",
    "on_signal",
    "file",
    "child",
    "close",
    "signal",
];

/// Keys of a step that are not verbs.
const COMPANIONS: Keys = &[
    "at",
    "note",
    "order",
    "split",
    "gap_ms",
    "more",
    "timeout_ms",
    "on_timeout",
    "on_eof",
    "cases",
    "as",
    "steps",
];

/// The verbs and, from [`COMPANIONS`], all keys of a step.
const KEYS: [&str; VERBS.len() + COMPANIONS.len()] = {
    let mut keys = [""; VERBS.len() + COMPANIONS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = if at < VERBS.len() { VERBS[at] } else { COMPANIONS[at - VERBS.len()] };
        at += 1;
    }
    keys
};

/// The keys that go with a verb.
fn companions(verb: &str) -> Keys {
    match verb {
        "in" => &["timeout_ms", "on_timeout", "on_eof", "cases", "as"],
        "on_signal" => &["steps"],
        "reply" => &["split", "gap_ms", "more"],
        verb if verb.starts_with("out") || verb.starts_with("err") => &["split", "gap_ms", "more"],
        _ => &[],
    }
}

impl Step {
    /// Parses the line with this number as a step.
    pub fn parse(line: &str, number: u64) -> Result<Step, FormatError> {
        step(line, At { line: number, depth: 0 }).map_err(|mistake| mistake.on_line(number))
    }
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct At {
    line: u64,
    depth: u32,
}

fn step(source: &str, at: At) -> Result<Step, Mistake> {
    let (mut keys, unknown) =
        Object::parse_line(source, "a step", "{\"out\": \"hello\\n\"}", &KEYS)?;
    let field = the_verb(&mut keys, unknown)?;
    let at_ms = keys.read("at", Field::millis)?;
    keys.take("note");
    let order_unsure = keys.read("order", |field| field.word(&[("unsure", ())]))?.is_some();
    let verb = verb(field, &mut keys, at)?;
    match keys.rest() {
        [] => Ok(Step { at_ms, order_unsure, verb, line: at.line }),
        [stray, ..] => Err(stray_key(stray.key, field.key)),
    }
}

/// Takes the one verb of a step.
fn the_verb<'a>(keys: &mut Object<'a>, unknown: Option<String>) -> Result<Field<'a>, Mistake> {
    let mut verbs = keys.rest().iter().map(|field| field.key).filter(|key| VERBS.contains(key));
    let (first, second) = (verbs.next(), verbs.next());
    let all_verbs = || format!("the verbs are {}", listed(VERBS.iter().copied()));
    match (first, second, unknown) {
        (Some(a), Some(b), _) => {
            Err(Mistake::new(format!("two verbs in one step, `{a}` and `{b}`"))
                .hint("one step does one thing"))
        }
        (Some(verb), _, Some(key)) => Err(stray_key(&key, verb)),
        (Some(verb), _, None) => keys.need(verb, "a step"),
        (None, _, Some(key)) => Err(Mistake::new(format!("unknown verb {}", quoted(&key)))
            .hint(all_verbs())
            .did_you_mean(&key, VERBS.iter().copied())),
        (None, _, None) => Err(Mistake::new("a step without a verb").hint(all_verbs())),
    }
}

/// The mistake of a key that does not go with the step's verb.
fn stray_key(key: &str, verb: &str) -> Mistake {
    let known = || companions(verb).iter().copied().chain(["at", "note", "order"]);
    Mistake::new(format!("unknown key {} beside `{verb}`", quoted(key)))
        .hint(format!("it may have {}", listed(known())))
        .did_you_mean(key, known())
}

fn verb(field: Field, keys: &mut Object, at: At) -> Result<Verb, Mistake> {
    Ok(match field.key {
        "in" => Verb::In(Box::new(input(field, keys, at)?)),
        "reply" => Verb::Reply(write::reply(field, keys)?),
        "turn" => Verb::Turn(Box::new(turn::turn(field)?)),
        "wait_ms" => Verb::Wait(field.millis()?),
        "hang" => match field.source() {
            "true" => Verb::Hang,
            _ => return Err(field.refuse("true")),
        },
        "repeat" => Verb::Repeat(Box::new(repeat(field, at)?)),
        "on_signal" => Verb::OnSignal {
            signal: signal(field, Signal::can_be_caught, "be caught")?,
            steps: keys.read("steps", |field| steps(field, at))?.unwrap_or_default().into(),
        },
        "file" => effect::effect(field)?,
        "child" => child(field, at)?,
        "close" => Verb::Close(field.word(STREAMS)?),
        "exit" => Verb::Exit(field.whole("a whole number from 0 to 255")?),
        "signal" => Verb::Signal(signal(field, Signal::ends_a_process, "end a process")?),
        _ => Verb::Write(write::write(field, keys)?),
    })
}

fn input(field: Field, keys: &mut Object, at: At) -> Result<In, Mistake> {
    let ways = |field: Field| steps(field, at);
    let input = In {
        pattern: Pattern::parse(field)?,
        timeout_ms: keys.read("timeout_ms", Field::millis)?,
        on_timeout: keys.read("on_timeout", ways)?,
        on_eof: keys.read("on_eof", ways)?,
        cases: keys.read("cases", |field| cases(field, at))?.unwrap_or_default(),
        name: keys.read("as", Field::string)?,
    };
    if input.on_timeout.is_some() && input.timeout_ms.is_none() {
        return Err(Mistake::new("`on_timeout` without `timeout_ms`")
            .hint("without a time there is no timeout"));
    }
    if input.name.as_ref().is_some_and(String::is_empty) {
        return Err(Mistake::new("`as` is empty").hint("a name is what `\"$id:NAME\"` refers to"));
    }
    Ok(input)
}

fn cases(field: Field, at: At) -> Result<Vec<Case>, Mistake> {
    const WANT: &str = "a list of {\"match\": PATTERN, \"steps\": [...]}";
    let case = |field: Field| {
        let mut keys = field.object(WANT, &["match", "steps"])?;
        Ok(Case {
            pattern: Pattern::parse_line_pattern(keys.need("match", "cases")?)?,
            steps: steps(keys.need("steps", "cases")?, at)?,
        })
    };
    field.list(WANT)?.into_iter().map(case).collect()
}

fn repeat(field: Field, at: At) -> Result<Repeat, Mistake> {
    const WANT: &str = "an object such as {\"times\": 3, \"steps\": [...]}";
    const COUNT: &str = "a number of times or \"forever\"";
    let mut keys = field.object(WANT, &["times", "every_ms", "until", "steps"])?;
    let times = |field: Field| match field.is_string() {
        true => field.word(&[("forever", Times::Forever)]).map_err(|_| field.refuse(COUNT)),
        false => field.whole(COUNT).map(Times::Count),
    };
    let until = keys.read("until", Pattern::parse_line_pattern)?;
    let times = match keys.read("times", times)? {
        Some(times) => times,
        None if until.is_some() => Times::Forever,
        None => return Err(Mistake::new("`repeat` needs `times` or `until`")),
    };
    let steps = steps(keys.need("steps", "repeat")?, at)?;
    let every_ms = keys.read("every_ms", Field::millis)?;
    if steps.is_empty() && times == Times::Forever && every_ms.unwrap_or(0.0) == 0.0 {
        return Err(Mistake::new("`repeat` does nothing, for ever, without a pause")
            .hint("{\"hang\": true} waits for ever"));
    }
    Ok(Repeat { times, every_ms, until, steps })
}

const STREAMS: &[(&str, StdStream)] =
    &[("stdin", StdStream::Stdin), ("stdout", StdStream::Stdout), ("stderr", StdStream::Stderr)];

fn child(field: Field, at: At) -> Result<Verb, Mistake> {
    const WANT: &str = "an object such as {\"hold\": [\"stdout\"], \"steps\": [...]}";
    let mut keys = field.object(WANT, &["hold", "steps"])?;
    let hold = |field: Field| {
        let streams = field.list("a list of streams")?.into_iter();
        streams.map(|stream| stream.word(STREAMS)).collect::<Result<Vec<_>, _>>()
    };
    let hold = keys.read("hold", hold)?.unwrap_or_default();
    let steps = steps(keys.need("steps", "child")?, at)?;
    if has_turn(&steps) {
        return Err(Mistake::new("a `turn` in a `child`").hint("only the double itself has turns"));
    }
    Ok(Verb::Child { hold, steps })
}

fn has_turn(steps: &[Step]) -> bool {
    steps.iter().any(|step| {
        matches!(step.verb, Verb::Turn(_)) || step.verb.nested().into_iter().any(has_turn)
    })
}

/// A signal that can do what it is wanted for.
pub(super) fn signal(
    field: Field,
    able: fn(Signal) -> bool,
    what: &str,
) -> Result<Signal, Mistake> {
    let name = field.string_or("the name of a signal, such as \"TERM\"")?;
    match Signal::named(&name) {
        Some(signal) if able(signal) => Ok(signal),
        Some(_) => Err(Mistake::new(format!("`{}`: {name} cannot {what}", field.key))),
        None => {
            let bare = name.trim_start_matches("SIG");
            Err(Mistake::new(format!("`{}`: unknown signal {}", field.key, quoted(&name)))
                .hint("signals are named without SIG")
                .did_you_mean(bare, Signal::names()))
        }
    }
}

fn steps(field: Field, at: At) -> Result<Vec<Step>, Mistake> {
    if at.depth == MOST_NESTED {
        return Err(Mistake::new(format!("steps go deeper than {MOST_NESTED} levels")));
    }
    let at = At { depth: at.depth + 1, ..at };
    let mut steps: Vec<Step> = Vec::new();
    for (n, element) in field.list("a list of steps")?.into_iter().enumerate() {
        let place = || format!("step {} of `{}`", n + 1, field.key);
        if steps.last().is_some_and(|step| step.verb.is_end()) {
            return Err(never_played().within(place()));
        }
        steps.push(step(element.source(), at).map_err(|mistake| mistake.within(place()))?);
    }
    Ok(steps)
}

/// The mistake of a step after the end.
pub(super) fn never_played() -> Mistake {
    Mistake::new("this step is never played").hint("the one before it is the end")
}

#[cfg(test)]
mod tests;
