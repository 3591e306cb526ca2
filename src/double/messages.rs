//! What a double says on stderr when it cannot do its job: to somebody who sees ringer for the
//! first time, in the log of a test.

use std::fmt::Write as _;

use crate::directory::Pool;
use crate::error::Error;
use crate::journal::JournaledText;
use crate::journal::secrets::without_tokens;
use crate::state::{Shortage, StateDir};

/// How many recordings are named that came closest.
const NEAR: usize = 3;
/// How much of a command is shown, in characters.
const SHOWN: usize = 200;

/// The message for an error, with the double's name in front. It may quote what the spawn was given,
/// and ends in the log of a test.
pub(crate) fn complain(program: &str, error: &Error) -> String {
    let message = format!("ringer({program}): {error}\n");
    without_tokens(&message).into_owned()
}

/// The error for a spawn that no recording is left for.
pub(super) fn shortage(
    shortage: &Shortage,
    program: &str,
    argv: &[JournaledText],
    pool: &Pool,
    state: &StateDir,
) -> Error {
    let asked = command(program, argv);
    let unmatched = !shortage.near.is_empty();
    let mut what = if unmatched {
        format!("no recording accepts `{asked}`")
    } else {
        format!("no recording is left for `{asked}`")
    };
    let last = shortage.last_play.as_deref().unwrap_or("some time ago");
    let (spent, recordings) = (shortage.spent, shortage.recordings);
    let _ = match (spent, recordings) {
        // None of them is ever used up, or can be played at all.
        (_, 0) => write!(what, "\n  none was played"),
        (0, _) => write!(what, "\n  0 of {recordings} played"),
        _ => write!(what, "\n  {spent} of {recordings} played, the last at {last}"),
    };
    let _ = write!(what, ", in {}", pool.path.display());
    let mut near: Vec<_> = shortage.near.iter().collect();
    near.sort_by_key(|(_, misses)| misses.len());
    for (recording, misses) in near.iter().take(NEAR) {
        let _ = write!(what, "\n  {recording} is not for it: {}", misses.join("; "));
    }
    if near.len() > NEAR {
        let _ = write!(what, "\n  and {} more with conditions that fail", near.len() - NEAR);
    }
    let _ = write!(
        what,
        "\n  the program under test started {program} once more than was recorded, or otherwise \
         than was recorded; "
    );
    let state_path = state.path().display();
    // What `ringer run` makes for one run is gone by the time that anybody reads this.
    let _ = if state.is_temporary() {
        write!(
            what,
            "what it did is kept by `ringer run --keep ...`, or by `--state DIR`\n  the next `ringer \
             run` plays from the start again"
        )
    } else {
        write!(
            what,
            "what it did is in {state_path}\n  to play from the start again: ringer reset \
             {state_path}"
        )
    };
    Error::NoRecording { unmatched, what }
}

/// The error for a command that has no answer.
pub(super) fn no_answer(program: &str, command: &str) -> Error {
    // What follows the first two words is seldom part of the command's name.
    let words: Vec<&str> = command.split(' ').take(2).collect();
    Error::NoRecording {
        unmatched: true,
        what: format!(
            "`{program} {command}` is no model run, and ringer has no answer to it\n  give it one \
             by a recording that begins {{\"ringer\": 1, \"probe\": true, \"when\": {{\"argv\": \
             {}}}}}",
            serde_json::json!(words)
        ),
    }
}

/// A command as a person would type it, cut. Secrets in the arguments are masked already.
fn command(program: &str, argv: &[JournaledText]) -> String {
    let mut text = program.to_owned();
    for arg in argv.iter().skip(1) {
        let arg = arg.as_str().unwrap_or("(not UTF-8)");
        let plain =
            !arg.is_empty() && arg.chars().all(|c| c.is_alphanumeric() || "-_./=:,@".contains(c));
        text.push(' ');
        if plain {
            text.push_str(arg);
        } else {
            let _ = write!(text, "{arg:?}");
        }
    }
    if text.chars().count() > SHOWN {
        text = text.chars().take(SHOWN).collect::<String>() + "...";
    }
    text
}
