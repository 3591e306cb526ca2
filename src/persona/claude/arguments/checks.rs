//! The checks that the real CLI makes itself, around the parser and after it, in its order.
//!
//! Each gives the message for stderr. The order among those that the captures cannot tell apart is
//! that in which the CLI comes to need the thing that it checks.

use super::request::{Format, Request, is_blank};
use super::table::Table;

/// Before the parser: where settings are to come from, which is needed to start at all.
pub(super) fn before_parsing(table: &Table<'_>, words: &[&str]) -> Option<String> {
    let sources = eager_value(words, "--setting-sources").filter(|value| !value.is_empty())?;
    let mut names = sources.split(',').map(str::trim);
    let unknown = names.find(|name| !matches!(*name, "user" | "project" | "local"))?;
    table.texts().filled("setting-source", &[("value", unknown)])
}

/// The first value of an option, looked for without the parser.
fn eager_value<'a>(words: &[&'a str], flag: &str) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(flag)? {
        "" => words.get(at + 1).copied(),
        joined => joined.strip_prefix('='),
    })
}

/// After the parser, before stdin is read.
pub(super) fn before_stdin(request: &Request) -> Option<String> {
    let text = |name: &str| request.texts.get(name);
    let stream_in = request.input == Format::StreamJson;
    let stream_out = request.output == Format::StreamJson;
    let resumes = request.continues || request.resume.is_some();
    let checks = [
        (request.has("--tmux") && !request.has("--worktree"), "tmux"),
        (request.session_id.is_some() && resumes && !request.fork_session, "session-id-fork"),
        (request.session_id.as_deref().is_some_and(|id| !is_uuid(id)), "session-id-uuid"),
        (same_fallback(request), "fallback-same"),
        (request.has("--system-prompt") && request.has("--system-prompt-file"), "system-prompt"),
        (stream_in && !stream_out, "input-format"),
        (request.replay && !(stream_in && stream_out), "replay"),
        (request.partial && !(request.print && stream_out), "partial"),
        (request.no_session_persistence && !request.print, "persistence"),
    ];
    checks.iter().filter(|(wrong, _)| *wrong).find_map(|(_, name)| text(name))
}

/// Once stdin was read, or need not be: what the run itself asks of its arguments. `prompt` is what
/// the arguments and stdin make together; none where lines of JSON are the input.
pub(super) fn after_stdin(request: &Request, prompt: Option<&str>) -> Option<Refusal> {
    let refuse = |name: &str| request.texts.get(name).map(Refusal::of);
    if request.root_refused
        && let Some(refusal) = refuse("root")
    {
        return Some(refusal);
    }
    if !request.print {
        return None;
    }
    if let Some(refusal) = prompt.and_then(|prompt| without_prompt(request, prompt)) {
        return Some(refusal);
    }
    let silent = request.output == Format::StreamJson && !request.verbose;
    if silent { refuse("verbose") } else { None }
}

/// What is said and how it ends.
pub(super) struct Refusal {
    pub stderr: String,
    pub code: u8,
}

impl Refusal {
    pub fn of(stderr: String) -> Self {
        Refusal { stderr, code: 1 }
    }
}

/// What is wrong with what is to be resumed and with the prompt. That a session does not exist is
/// none of it; a run that says so in its own event stream is for a recording to show.
fn without_prompt(request: &Request, prompt: &str) -> Option<Refusal> {
    let texts = request.texts;
    let refuse = |text: Option<String>| text.map(Refusal::of);
    if request.needs_no_prompt() {
        return None;
    }
    match &request.resume {
        // These two come as an event too when events are the output.
        Some(None) if request.output == Format::StreamJson => return None,
        Some(None) => return refuse(texts.get("resume-value")),
        Some(Some(title)) if prompt.is_empty() && !names_session(title) => {
            return if request.output == Format::StreamJson {
                None
            } else {
                refuse(texts.filled("resume-title", &[("value", title)]))
            };
        }
        Some(Some(_)) if prompt.is_empty() => return refuse(texts.get("resume-marker")),
        _ => {}
    }
    if prompt.is_empty() {
        let mut stderr = request.swallowed.as_ref().map_or_else(String::new, |(value, option)| {
            let values = [("value", value.as_str()), ("option", option.as_str())];
            texts.filled("swallowed", &values).unwrap_or_default()
        });
        stderr.push_str(&texts.get("no-prompt").unwrap_or_default());
        return Some(Refusal::of(stderr));
    }
    if is_blank(prompt) {
        // A version without a word for it ends well, and silently.
        let text = texts.get("blank-prompt");
        let code = u8::from(text.is_some());
        return Some(Refusal { stderr: text.unwrap_or_default(), code });
    }
    None
}

/// Whether the fallback is the very model that it is to stand in for.
fn same_fallback(request: &Request) -> bool {
    let fallback = request.value("--fallback-model").filter(|model| !model.is_empty());
    fallback.is_some() && fallback == request.model.as_deref()
}

/// Whether a value of `--resume` names a session by itself, not by its title.
fn names_session(value: &str) -> bool {
    is_uuid(value) || value.ends_with(".jsonl")
}

/// Whether a text has the form of a UUID, of any version, in either case.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::{eager_value, is_uuid};

    #[test]
    fn any_uuid_is_one() {
        assert!(is_uuid("00000000-0000-0000-0000-000000000000"));
        assert!(is_uuid("ABCDEF00-bbbb-4CCC-8ddd-EEEEEEEEEEEE"));
        assert!(!is_uuid("abcdef00-bbbb-4ccc-8ddd-eeeeeeeeeeeg"));
        assert!(!is_uuid("abcdef00bbbb4ccc8dddeeeeeeeeeeee"));
    }

    #[test]
    fn the_eager_look_takes_the_first_value_in_either_form() {
        let words = ["-p", "--setting-sources", "user", "--setting-sources=local"];
        assert_eq!(eager_value(&words, "--setting-sources"), Some("user"));
        assert_eq!(eager_value(&words[3..], "--setting-sources"), Some("local"));
        assert_eq!(eager_value(&["--setting-sources-x"], "--setting-sources"), None);
    }
}
