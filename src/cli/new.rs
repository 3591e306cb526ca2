//! `ringer new`: a recording from the words of the command line, ready to be played or edited. It
//! knows the words that most recordings need; the rest of the format is for an editor.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};

use super::place::{self, Existing};
use super::{Outcome, output};
use crate::author::{Recording, Tool, Turn, When};
use json::{json, object, plain, turns};

mod json;

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The file to write; a directory takes the next free number (`rec/claude/`); `-` is stdout
    file: PathBuf,
    /// Overwrite the file if it is there
    #[arg(long)]
    force: bool,
    /// How often it may be played, a number or `any` [default: 1]
    #[arg(long, value_name = "N")]
    plays: Option<String>,
    /// Only for spawns with this argument; may be given several times
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
    when_argv: Vec<String>,
    /// Only for prompts in which this matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    when_prompt: Option<String>,
    /// Only for spawns in whose working directory this matches
    #[arg(long, value_name = "REGEX")]
    when_cwd: Option<String>,
    /// Only for spawns with this variable in which this matches; may be given several times
    #[arg(long, value_name = "NAME=REGEX")]
    when_env: Vec<String>,
    /// Whatever there is to say about it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    words: Words,
}

const AFTER_HELP: &str = "The steps come in the order of their options. Options of a turn that stand \
    together are one turn, which shows its thinking, then its tools, then its text; `--turn` begins \
    another.\n\n\
    Examples:\n  \
    ringer new rec/claude/ --text 'It is 42.'\n  \
    ringer new rec/codex/ --tool Bash --input '{\"command\": \"ls\"}' --result a.rs --text Done.\n  \
    ringer new - --stderr 'warning: slow' --wait-ms 200 --fail 'API Error: 529 Overloaded'\n  \
    echo '{\"text\": \"one\"} {\"text\": \"two\"}' | ringer new rec/claude/ --turns -";

/// The options that say what is done: name, value, help.
const WORDS: &[(&str, Option<&str>, &str)] = &[
    ("turn", None, "Begin another turn"),
    ("text", Some("TEXT"), "Turn: a block of the answer"),
    ("thinking", Some("TEXT"), "Turn: what the model thought"),
    ("tool", Some("NAME"), "Turn: a tool call, such as Bash"),
    ("input", Some("JSON"), "The last tool's input, an object"),
    ("result", Some("TEXT"), "The last tool's result"),
    ("is-error", None, "The last tool failed"),
    ("ask", None, "The last tool asks for permission first"),
    ("fail", Some("MESSAGE"), "Turn: it goes wrong with this message"),
    ("error", Some("MESSAGE"), "Turn: a retry notice or stream error before its end"),
    ("stop", Some("REASON"), "Turn: why it ends"),
    ("structured", Some("JSON"), "Turn: its structured output"),
    ("empty", None, "Turn: no text and no tool call at all"),
    ("turns", Some("FILE"), "Turns as JSON, one a line or an array; `-` is stdin"),
    ("out", Some("LINE"), "A line on stdout, as it stands"),
    ("stderr", Some("LINE"), "A line on stderr"),
    ("wait-ms", Some("N"), "A pause in milliseconds"),
    ("ignore-signal", Some("NAME"), "Ignore this signal from here on, such as TERM"),
    ("hang", None, "Go on living, silent, until a signal"),
    ("exit", Some("N"), "The end, with this exit code"),
    ("signal", Some("NAME"), "The end, a death by this signal, such as KILL"),
];

const STOPS: [&str; 6] =
    ["end_turn", "max_tokens", "refusal", "max_turns", "budget", "interrupted"];

/// The options that say what is done, in their order.
#[derive(Debug)]
struct Words(Vec<Word>);

#[derive(Debug)]
struct Word {
    name: &'static str,
    value: String,
}

/// Made by hand, since a derived parser forgets the order of different options.
impl Args for Words {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(WORDS.iter().map(|(name, value, help)| {
            let arg = Arg::new(*name).long(*name).help(*help).action(ArgAction::Append);
            let arg = arg.help_heading("Steps, in this order");
            match value {
                None => arg.num_args(0).default_missing_value(""),
                Some(value) if *name == "stop" => {
                    arg.value_name(*value).value_parser(PossibleValuesParser::new(STOPS))
                }
                Some(value) => arg.value_name(*value).allow_hyphen_values(true),
            }
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Words::augment_args(command)
    }
}

impl FromArgMatches for Words {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Words, clap::Error> {
        let mut found = Vec::new();
        for (name, ..) in WORDS {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<String>(name).into_iter().flatten();
            found.extend(places.zip(values.map(|value| Word { name, value: value.clone() })));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(Words(found.into_iter().map(|(_, word)| word).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Words::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Writes a recording, and says where it is and how it is played.
pub(super) fn new(arguments: &Arguments) -> anyhow::Result<Outcome> {
    if arguments.words.0.is_empty() {
        super::usage("new", "it would do nothing; say what it does, such as `--text 'Hello.'`");
    }
    let composed = compose(arguments)?.and_then(|recording| recording.to_bytes());
    let bytes = composed.unwrap_or_else(|what| super::usage("new", &what));
    if arguments.file == Path::new("-") {
        output::print(&String::from_utf8_lossy(&bytes))?;
        return Ok(Outcome::Fine);
    }
    let existing = match arguments.force {
        true => Existing::Replaced,
        false => Existing::Kept { way_out: "--force overwrites it" },
    };
    place::write(&arguments.file, &bytes, existing)?;
    Ok(Outcome::Fine)
}

/// The recording that the options describe, or what is wrong with them.
fn compose(arguments: &Arguments) -> anyhow::Result<Result<Recording, String>> {
    let mut draft = match header(arguments) {
        Ok(recording) => Draft { recording, turn: None },
        Err(what) => return Ok(Err(what)),
    };
    for Word { name, value } in &arguments.words.0 {
        let done = match *name {
            "turns" => turns(&read(value)?)
                .map(|turns| draft.all(turns))
                .map_err(|what| format!("{}: {what}", if value == "-" { "stdin" } else { value })),
            _ => draft.add(name, value),
        };
        if let Err(what) = done {
            return Ok(Err(format!("--{name}: {what}")));
        }
    }
    Ok(Ok(draft.finish()))
}

fn header(arguments: &Arguments) -> Result<Recording, String> {
    let mut when = When::new();
    if !arguments.when_argv.is_empty() {
        when = when.argv(arguments.when_argv.iter().map(String::as_str));
    }
    if let Some(regex) = &arguments.when_prompt {
        when = when.prompt(regex);
    }
    if let Some(regex) = &arguments.when_cwd {
        when = when.cwd(regex);
    }
    for condition in &arguments.when_env {
        let pair = condition.split_once('=');
        let (name, regex) = pair.ok_or("--when-env takes NAME=REGEX")?;
        when = when.env(name, regex);
    }
    let mut recording = Recording::new();
    if when.to_string() != When::new().to_string() {
        recording = recording.when(when);
    }
    recording = match arguments.plays.as_deref() {
        None => recording,
        Some("any") => recording.plays_any(),
        Some(times) => recording.plays(number(times).map_err(|what| format!("--plays: {what}"))?),
    };
    Ok(match &arguments.note {
        Some(note) => recording.note(note),
        None => recording,
    })
}

/// A recording with the turn that is being put together at its end.
struct Draft {
    recording: Recording,
    turn: Option<Turn>,
}

impl Draft {
    /// Does what one option says.
    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        if self.describes_turn(name, value)? {
            return Ok(());
        }
        self.end_turn();
        let recording = std::mem::take(&mut self.recording);
        self.recording = match name {
            "out" => recording.out(format!("{value}\n")),
            "stderr" => recording.err(format!("{value}\n")),
            "wait-ms" => recording.wait(Duration::from_millis(number(value)?)),
            "ignore-signal" => recording.ignore_signal(value),
            "hang" => recording.hang(),
            "exit" => recording.exit(exit_code(value)?),
            "signal" => recording.signal(value),
            // `turn`: the next option of a turn begins one.
            _ => recording,
        };
        Ok(())
    }

    /// Adds what an option says of a turn; false: it says nothing of one.
    fn describes_turn(&mut self, name: &str, value: &str) -> Result<bool, String> {
        if let "input" | "result" | "is-error" | "ask" = name {
            let tool = self.turn.as_mut().and_then(|turn| turn.tools.last_mut());
            let tool = tool.ok_or("it says something of a tool; put --tool NAME before it")?;
            match name {
                "input" => tool.input = Some(object(value)?),
                "result" => *tool = tool.clone().result(value),
                "is-error" => tool.is_error = true,
                _ => tool.ask = true,
            }
            return Ok(true);
        }
        let turn = self.turn.take();
        let before = turn.clone();
        let turn = turn.unwrap_or_default();
        self.turn = Some(match name {
            "text" => turn.text(value),
            "thinking" => turn.thinking(value),
            "tool" => turn.tool(Tool::new(value)),
            "fail" => turn.fail(value),
            "error" => turn.error(value),
            "empty" => turn.empty(),
            "structured" => Turn { structured: Some(json(value)?), ..turn },
            "stop" => turn.stop(serde_json::from_value(value.into()).map_err(plain)?),
            _ => {
                self.turn = before;
                return Ok(false);
            }
        });
        Ok(true)
    }

    fn all(&mut self, turns: Vec<Turn>) {
        self.end_turn();
        for turn in turns {
            self.turn = Some(turn);
            self.end_turn();
        }
    }

    fn end_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.recording = std::mem::take(&mut self.recording).turn(turn);
        }
    }

    fn finish(mut self) -> Recording {
        self.end_turn();
        self.recording
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text:?} is no whole number from 0 up"))
}

fn exit_code(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| format!("{text:?} is no exit code, a number from 0 to 255"))
}

fn read(path: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    match path {
        "-" => io::stdin().read_to_string(&mut text).map(|_| text).context("cannot read stdin"),
        _ => fs::read_to_string(path).with_context(|| format!("cannot read {path}")),
    }
}
