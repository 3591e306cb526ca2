//! Scenarios of `claudeless`, a simulator of `claude` (its scenario reference): TOML or JSON with
//! rules, each a pattern of prompts and what is answered.
//!
//! A rule becomes a recording with a condition on the prompt, to be played any number of times unless
//! the rule has a limit; its follow-ups are further turns of the same session. The answers are turns,
//! written as the real CLI writes them. What the simulator makes up itself is refused: the text of a
//! failure that the scenario does not name.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use super::arguments::escape;
use super::{Made, Reel};
use crate::error::Error;
use crate::record::lines::pause;
use crate::recording::turn::{Tool, Turn, Usage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "these are known, and nothing of a recording")]
struct Scenario {
    #[serde(default)]
    name: String,
    default_model: Option<IgnoredAny>,
    claude_version: Option<IgnoredAny>,
    user_name: Option<IgnoredAny>,
    session_id: Option<IgnoredAny>,
    project_path: Option<IgnoredAny>,
    launch_timestamp: Option<IgnoredAny>,
    working_directory: Option<IgnoredAny>,
    trusted: Option<IgnoredAny>,
    permission_mode: Option<IgnoredAny>,
    #[serde(default)]
    timeouts: BTreeMap<String, u64>,
    #[serde(default)]
    responses: Vec<Rule>,
    default_response: Option<Response>,
    #[serde(default)]
    tool_execution: ToolExecution,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    pattern: Pattern,
    response: Option<Response>,
    failure: Option<Failure>,
    #[serde(default)]
    turns: Vec<FollowUp>,
    max_matches: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FollowUp {
    #[serde(rename = "expect")]
    expect: Pattern,
    response: Response,
    failure: Option<Failure>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Pattern {
    Exact { text: String },
    Contains { text: String },
    Regex { pattern: String },
    Glob { pattern: String },
    Any {},
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Response {
    Text(String),
    Full(Answer),
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    text: String,
    delay_ms: Option<u64>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    usage: Option<Tokens>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolCall {
    tool: String,
    #[serde(default)]
    input: Value,
    result: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

#[derive(Deserialize)]
struct Failure {
    r#type: String,
    message: Option<String>,
}

#[derive(Default, Deserialize)]
struct ToolExecution {
    #[serde(default)]
    tools: BTreeMap<String, ToolRule>,
}

#[derive(Default, Deserialize)]
struct ToolRule {
    result: Option<String>,
    error: Option<String>,
}

/// Reads a scenario.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let scenario = parse(reel)?;
    let note = format!("imported from the scenario {:?} of claudeless", scenario.name);
    let delay = scenario.timeouts.get("response_delay_ms").copied().unwrap_or(0);
    let answers = Answers { delay, tools: &scenario.tool_execution.tools };
    for (index, rule) in scenario.responses.into_iter().enumerate() {
        let place = format!("the rule number {}", index + 1);
        let mut steps = Vec::new();
        answers.steps(rule.response, rule.failure, &place, reel, &mut steps)?;
        for turn in rule.turns {
            if !matches!(turn.expect, Pattern::Any {}) {
                reel.remark("a follow-up comes whatever the prompt is");
            }
            answers.steps(Some(turn.response), turn.failure, &place, reel, &mut steps)?;
        }
        let plays = rule.max_matches.map_or(json!("any"), |most| json!(most));
        made(rule.pattern.regex(), &plays, &note, &steps, reel);
    }
    if let Some(response) = scenario.default_response {
        let mut steps = Vec::new();
        answers.steps(Some(response), None, "the default response", reel, &mut steps)?;
        made(None, &json!("any"), &note, &steps, reel);
    }
    reel.remark(
        "a session plays the recording that its first prompt chose; further prompts need turns there",
    );
    Ok(())
}

fn parse(reel: &Reel) -> Result<Scenario, Error> {
    let text = reel.text()?;
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).map_err(|error| {
            let said = error.to_string();
            let what = said.split(" at line ").next().unwrap_or(&said).to_owned();
            reel.wrong(error.line().max(1) as u64, what)
        });
    }
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        reel.wrong(line, error.message().lines().next().unwrap_or_default())
    })
}

impl Pattern {
    /// The condition on the prompt; none: any prompt.
    fn regex(&self) -> Option<String> {
        match self {
            Pattern::Exact { text } => Some(format!("^{}$", escape(text))),
            Pattern::Contains { text } => Some(escape(text)),
            Pattern::Regex { pattern } => Some(pattern.clone()),
            Pattern::Glob { pattern } => Some(glob(pattern)),
            Pattern::Any {} => None,
        }
    }
}

/// A shell's pattern as a regular expression.
fn glob(pattern: &str) -> String {
    let mut regex = String::from("(?s)^");
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let class = rest.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        match (c, class) {
            ('*', _) => regex.push_str(".*"),
            ('?', _) => regex.push('.'),
            ('[', Some((class, after))) if !class.is_empty() => {
                let (not, class) = match class.strip_prefix('!') {
                    Some(class) => ("^", class),
                    None => ("", class),
                };
                let class = class.replace('\\', "\\\\").replace('[', "\\[").replace('^', "\\^");
                regex.push_str(&format!("[{not}{class}]"));
                rest = after;
                continue;
            }
            _ => regex.push_str(&escape(&c.to_string())),
        }
        rest = &rest[c.len_utf8()..];
    }
    regex.push('$');
    regex
}

/// What all answers of a scenario have in common.
struct Answers<'a> {
    delay: u64,
    tools: &'a BTreeMap<String, ToolRule>,
}

impl Answers<'_> {
    /// Adds the steps of one answer.
    fn steps(
        &self,
        response: Option<Response>,
        failure: Option<Failure>,
        place: &str,
        reel: &Reel,
        steps: &mut Vec<String>,
    ) -> Result<(), Error> {
        let answer = match response {
            Some(Response::Text(text)) => Answer { text, ..Answer::default() },
            Some(Response::Full(answer)) => answer,
            None => Answer::default(),
        };
        let delay = answer.delay_ms.unwrap_or(self.delay);
        if delay > 0 {
            steps.push(pause(delay));
        }
        let turn = match failure {
            None => self.turn(answer, reel)?,
            Some(Failure { r#type, message: Some(message) }) if r#type == "auth_error" => {
                Turn { fail: Some(message), ..Turn::default() }
            }
            Some(Failure { r#type, .. }) => {
                let what = format!(
                    "{place}: what the failure `{type}` writes is not in the scenario; take it out, \
                     and write it with `ringer new --fail`"
                );
                return Err(super::unfit(reel.path, what));
            }
        };
        steps.push(json!({ "turn": turn }).to_string());
        Ok(())
    }

    fn turn(&self, answer: Answer, reel: &Reel) -> Result<Turn, Error> {
        let mut turn = Turn::default();
        for call in answer.tool_calls {
            let rule = self.tools.get(&call.tool);
            let error = rule.and_then(|rule| rule.error.clone());
            let known = call.result.or_else(|| rule.and_then(|rule| rule.result.clone()));
            let is_error = error.is_some();
            let result = error.or(known).and_then(|result| to_raw_value(&result).ok());
            let input = to_raw_value(&with_files(call.input, reel)?).ok();
            turn.tools.push(Tool { name: call.tool, input, result, is_error, ask: false });
        }
        turn.text.extend(Some(answer.text).filter(|text| !text.is_empty()));
        turn.empty = turn.text.is_empty() && turn.tools.is_empty();
        turn.usage = answer.usage.map(|usage| Usage {
            input: usage.input_tokens,
            cached_input: 0,
            output: usage.output_tokens,
            reasoning: 0,
        });
        Ok(turn)
    }
}

/// Puts files in the place of `{"$file": path}`. What was parsed is not nested deeper than its
/// parser allows.
fn with_files(value: Value, reel: &Reel) -> Result<Value, Error> {
    Ok(match value {
        Value::Object(object) => match object.get("$file").and_then(Value::as_str) {
            Some(file) if object.len() == 1 => {
                let path = reel.path.parent().unwrap_or(reel.path).join(file);
                let read = fs::read_to_string(&path);
                let text = read.map_err(|error| Error::io("cannot read", &path, error))?;
                let is_json = file.ends_with(".json");
                let json = is_json.then(|| serde_json::from_str(&text).ok()).flatten();
                json.unwrap_or(Value::String(text))
            }
            _ => {
                let pairs = object.into_iter();
                let pairs = pairs.map(|(key, value)| Ok((key, with_files(value, reel)?)));
                Value::Object(pairs.collect::<Result<Map<_, _>, Error>>()?)
            }
        },
        Value::Array(values) => {
            let values = values.into_iter().map(|value| with_files(value, reel));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        other => other,
    })
}

fn made(prompt: Option<String>, plays: &Value, note: &str, steps: &[String], reel: &mut Reel) {
    let persona = reel.wanted.persona.clone().unwrap_or_else(|| "claude".to_owned());
    let mut header = Map::new();
    header.insert("ringer".into(), 1.into());
    header.insert("program".into(), persona.as_str().into());
    if let Some(prompt) = prompt.filter(|_| !reel.wanted.in_order) {
        header.insert("when".into(), json!({ "prompt": prompt }));
    }
    if *plays != 1 && !reel.wanted.in_order {
        header.insert("plays".into(), plays.clone());
    }
    header.insert("note".into(), note.into());
    let lines = std::iter::once(Value::Object(header).to_string()).chain(steps.iter().cloned());
    let text: String = lines.map(|line| reel.redactor.text(&line) + "\n").collect();
    reel.made.push(Made { persona: Some(persona), name: None, text });
}
