//! The parser's messages, worded and laid out as clap does.

use super::command::Command;
use super::matches::{Arg, Level};
use super::similar::similar;
use super::usage;

/// A usage error: the text for stderr. The exit code is 2.
#[derive(Clone, Debug)]
pub(super) struct Complaint(pub String);

impl Complaint {
    fn new(message: &str, tips: &[String], usage: Option<String>) -> Complaint {
        let mut text = format!("error: {message}");
        if !tips.is_empty() {
            text.push('\n');
        }
        for tip in tips {
            text.push_str("\n  tip: ");
            text.push_str(tip);
        }
        if let Some(usage) = usage {
            text.push_str("\n\n");
            text.push_str(&usage);
        }
        text.push_str("\n\nFor more information, try '--help'.\n");
        Complaint(text)
    }

    /// An option that the command does not have, or a word too many. `similar` is an option of the
    /// same command, or a subcommand with its option.
    pub fn unexpected(arg: &str, tips: Vec<String>, usage: String) -> Complaint {
        Complaint::new(&format!("unexpected argument '{arg}' found"), &tips, Some(usage))
    }

    /// The same argument twice.
    pub fn repeated(level: &Level, arg: Arg) -> Complaint {
        let message = format!("the argument '{}' cannot be used multiple times", level.shown(arg));
        Complaint::new(&message, &[], Some(usage::general(level)))
    }

    /// Arguments that exclude each other.
    pub fn conflict(level: &Level, arg: Arg, others: &[Arg], usage: String) -> Complaint {
        let mut message = format!("the argument '{}' cannot be used with", level.shown(arg));
        match others {
            [other] => message.push_str(&format!(" '{}'", level.shown(*other))),
            others => {
                message.push(':');
                for other in others {
                    message.push_str(&format!("\n  {}", level.shown(*other)));
                }
            }
        }
        Complaint::new(&message, &[], Some(usage))
    }

    /// A value for an option that takes none.
    pub fn too_many(level: &Level, value: &str, arg: Arg, usage: String) -> Complaint {
        let message = format!(
            "unexpected value '{value}' for '{}' found; no more were expected",
            level.shown(arg)
        );
        Complaint::new(&message, &[], Some(usage))
    }

    /// No value, or none of the choices.
    pub fn not_a_choice(level: &Level, value: &str, arg: Arg, choices: &[&str]) -> Complaint {
        let shown = level.shown(arg);
        let mut message = if value.is_empty() {
            format!("a value is required for '{shown}' but none was supplied")
        } else {
            format!("invalid value '{value}' for '{shown}'")
        };
        if !choices.is_empty() {
            message.push_str(&format!("\n  [possible values: {}]", choices.join(", ")));
        }
        let near = similar(value, choices.iter().copied()).pop();
        let tip = near.map(|near| format!("a similar value exists: '{near}'"));
        Complaint::new(&message, tip.as_slice(), None)
    }

    /// A value that cannot be understood.
    pub fn invalid(level: &Level, value: &str, arg: Arg, why: &str) -> Complaint {
        let message = format!("invalid value '{value}' for '{}': {why}", level.shown(arg));
        Complaint::new(&message, &[], None)
    }

    /// Arguments that are missing, as the usage line shows them.
    pub fn missing(shown: &[String], usage: String) -> Complaint {
        let mut message = "the following required arguments were not provided:".to_owned();
        for arg in shown {
            message.push_str(&format!("\n  {arg}"));
        }
        Complaint::new(&message, &[], Some(usage))
    }

    /// A command that needs a subcommand and has none.
    pub fn no_subcommand(level: &Level) -> Complaint {
        let names: Vec<&str> = level.command.subcommand_names().collect();
        let message = format!(
            "'{}' requires a subcommand but one was not provided\n  [subcommands: {}]",
            level.command.full_name(),
            names.join(", ")
        );
        Complaint::new(&message, &[], Some(usage::general(level)))
    }

    /// A word that is no subcommand, with the subcommands that it resembles.
    pub fn unknown_subcommand(level: &Level, word: &str, similar: &[&str]) -> Complaint {
        let quoted: Vec<String> = similar.iter().map(|name| format!("'{name}'")).collect();
        let tip = match quoted.as_slice() {
            [] => None,
            [one] => Some(format!("a similar subcommand exists: {one}")),
            many => Some(format!("some similar subcommands exist: {}", many.join(", "))),
        };
        let message = format!("unrecognized subcommand '{word}'");
        Complaint::new(&message, tip.as_slice(), Some(usage::general(level)))
    }

    /// A word after `help help`: that command knows no other and has no help itself.
    pub fn beyond_help(command: &Command, word: &str) -> Complaint {
        let name = command.full_name();
        let usage = format!("Usage: {name} [COMMAND]...");
        Complaint(format!("error: unrecognized subcommand '{word}'\n\n{usage}\n"))
    }
}
