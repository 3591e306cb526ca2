//! What the real CLI reads from stdin before it runs, and what it makes of that and the arguments.

use std::time::Duration;

use super::checks;
use super::request::{Format, Request, is_blank};
use super::surroundings::Surroundings;
use crate::persona::Answer;

/// How long the real CLI waits for the first byte of a text on stdin (`s06_stdin_open_text_prompt`:
/// it goes on after 3.0 s, `s06_stdin_open_late_data`: not once a byte came).
pub const FIRST_BYTE_WAIT: Duration = Duration::from_secs(3);

/// The most bytes of text on stdin that the real CLI takes.
pub const STDIN_LIMIT: usize = 10 * 1024 * 1024;

/// What is read from stdin before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinRule {
    /// Nothing: stdin is a terminal.
    Unread,
    /// All of it, with a prompt among the arguments too (`s06_stdin_open_late_data`); but nothing if
    /// no byte comes within [`FIRST_BYTE_WAIT`] (`s06_stdin_open_text_prompt`). Reading may end
    /// behind [`STDIN_LIMIT`].
    Text,
    /// Lines of JSON as the session goes, waited for without limit (`s06_stdin_open_sj_never`).
    Lines,
}

/// What the real CLI reads from stdin, by its arguments.
pub fn stdin_rule(request: &Request, around: &Surroundings) -> StdinRule {
    match request.input {
        Format::StreamJson => StdinRule::Lines,
        _ if around.stdin_tty => StdinRule::Unread,
        _ => StdinRule::Text,
    }
}

/// What was read from stdin by [`StdinRule::Text`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StdinSeen<'b> {
    /// The bytes; those behind [`STDIN_LIMIT`] need not be there, but for one.
    pub bytes: &'b [u8],
    /// Whether no byte came in time.
    pub gave_up: bool,
}

/// Makes the checks that follow the reading of stdin, and the prompt as the model gets it: the
/// argument, a newline, and what stdin held (`s06_stdin_open_late_data`).
///
/// # Errors
///
/// What the real CLI answers when it does not run: no prompt (`s06_no_prompt_null`,
/// `s06_empty_prompt_arg`), one that is only white space (`s06_ws_prompt_arg`), one that a variadic
/// option took (`s07_add_dir_swallow`), too much on stdin, and what it only looks at now, such as
/// `--verbose` (`s01_stream_json_no_verbose`). Of a spawn whose arguments were taken as they are
/// nothing is refused.
pub fn check_input(request: &Request, stdin: StdinSeen<'_>) -> Result<String, Answer> {
    let mut stderr = request.warnings.clone();
    if stdin.gave_up {
        stderr.push_str(&request.texts.get("slow-stdin").unwrap_or_default());
    }
    if request.strict && stdin.bytes.len() > STDIN_LIMIT {
        stderr.push_str(&request.texts.get("big-stdin").unwrap_or_default());
        return Err(Answer { stderr, code: 1, ..Answer::default() });
    }
    let prompt = whole_prompt(request, stdin.bytes);
    if request.strict
        && let Some(refusal) = checks::after_stdin(request, Some(&prompt))
    {
        stderr.push_str(&refusal.stderr);
        return Err(Answer { stderr, code: refusal.code, ..Answer::default() });
    }
    Ok(prompt)
}

fn whole_prompt(request: &Request, stdin: &[u8]) -> String {
    let stdin = String::from_utf8_lossy(stdin);
    match request.prompt.as_deref().filter(|prompt| !prompt.is_empty()) {
        None => stdin.into_owned(),
        Some(prompt) if stdin.is_empty() => prompt.to_owned(),
        Some(prompt) => format!("{prompt}\n{stdin}"),
    }
}

impl Request {
    /// Whether stdin has to be read before it is known if the real CLI runs at all: a run of which
    /// this is not true can be refused for nothing but too much on stdin.
    pub fn hangs_on_stdin(&self) -> bool {
        let text = self.input != Format::StreamJson;
        let prompt = self.prompt.as_deref().unwrap_or_default();
        let unsure = is_blank(prompt) || checks::after_stdin(self, Some(prompt)).is_some();
        text && self.strict && unsure
    }

    /// Makes the checks of [`check_input`] for a session whose input is lines, before the first one.
    pub(super) fn check_without_text(&self) -> Result<(), Answer> {
        match checks::after_stdin(self, None).filter(|_| self.strict) {
            None => Ok(()),
            Some(refusal) => {
                let stderr = format!("{}{}", self.warnings, refusal.stderr);
                Err(Answer { stderr, code: refusal.code, ..Answer::default() })
            }
        }
    }

    /// What the real CLI writes to stderr when no byte came from stdin in time, before it goes on.
    pub fn slow_stdin_warning(&self) -> String {
        self.texts.get("slow-stdin").unwrap_or_default()
    }
}
