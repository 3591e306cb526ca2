//! What a run does with its stdin, by its arguments alone, and what becomes of the bytes.

use super::Surroundings;
use super::checks::refusal;
use super::request::{Request, RunKind};
use super::table::Table;
use crate::persona::Answer;

/// What the real CLI does with its stdin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinRule {
    /// It is never read: a terminal with a prompt (`07-pty-all`), a session taken up with a prompt
    /// (`03-resume-id-argv-plus-stdin`, `03-fork-stdin-open`), a review (`03-review-stdin-open`), a
    /// prompt in the versions before 0.125 (0.50.0 and 0.99.0 `stdin-open`, `stdin-plus-argv`).
    NotRead,
    /// It is read to its end before anything else is done.
    ToEnd(Reading),
    /// It is read line by line, as long as the run lives: `app-server`, `mcp-server`.
    Lines,
}

/// Why stdin is read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It is added to the prompt argument (`01-stdin-open`, `01-json-pipe-eof`).
    Addition,
    /// It is the prompt, since there is no prompt argument (`01-stdin-open-noarg`).
    Prompt,
    /// It is the prompt, since the argument is `-` (`01-stdin-open-dash`).
    Dash,
}

impl Reading {
    /// The line that goes to stderr before the first byte is read, with its newline; empty for `-`.
    pub fn notice(self) -> &'static str {
        match self {
            Reading::Addition => "Reading additional input from stdin...\n",
            Reading::Prompt => "Reading prompt from stdin...\n",
            Reading::Dash => "",
        }
    }
}

/// Tells what the run does with its stdin.
pub fn stdin_rule(request: &Request, around: &Surroundings, table: &Table) -> StdinRule {
    let prompt = request.prompt.as_deref();
    match &request.kind {
        RunKind::AppServer | RunKind::McpServer => return StdinRule::Lines,
        _ if request.interactive => return StdinRule::NotRead,
        _ if prompt == Some("-") => return StdinRule::ToEnd(Reading::Dash),
        _ if around.stdin_tty => return StdinRule::NotRead,
        _ => {}
    }
    match (&request.kind, prompt) {
        (RunKind::Exec | RunKind::Resume(_), None) => StdinRule::ToEnd(Reading::Prompt),
        (RunKind::Exec, Some(_)) if table.stdin_is("appended") => {
            StdinRule::ToEnd(Reading::Addition)
        }
        _ => StdinRule::NotRead,
    }
}

/// Makes the prompt as the model gets it, from the argument and the bytes of stdin (empty where
/// it was not read).
///
/// # Errors
///
/// The real CLI's refusal, with its notice in front: no prompt (`01-stdin-empty-noarg`,
/// `01-stdin-null-noarg`, `01-stdin-whitespace`, `01-stdin-empty-dash`), or bytes that are no text
/// (texts of section 3 of the captures' report and of the public source).
pub fn check_input(
    request: &Request,
    around: &Surroundings,
    table: &Table,
    stdin: &[u8],
) -> Result<String, Answer> {
    let argument = request.prompt.clone().unwrap_or_default();
    let StdinRule::ToEnd(reading) = stdin_rule(request, around, table) else {
        return Ok(match request.kind {
            RunKind::Review(_) => argument.trim().to_owned(),
            _ => argument,
        });
    };
    let refuse = |message: &str| {
        let mut answer = refusal(message);
        answer.stderr.insert_str(0, reading.notice());
        answer
    };
    let text = decode(stdin, table)
        .map_err(|why| refuse(&format!("Failed to read prompt from stdin: {why}")))?;
    let blank = text.trim().is_empty();
    match reading {
        Reading::Addition if blank => Ok(argument),
        Reading::Addition => Ok(with_addition(&argument, &text)),
        _ if blank => Err(refuse("No prompt provided via stdin.")),
        _ if matches!(request.kind, RunKind::Review(_)) => Ok(text.trim().to_owned()),
        _ => Ok(text),
    }
}

fn with_addition(prompt: &str, text: &str) -> String {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    format!("{prompt}\n\n<stdin>\n{text}{newline}</stdin>")
}

/// Turns bytes into text: UTF-8, and where the version understands byte order marks, UTF-16 too
/// (`01-stdin-utf8-bom`).
fn decode(bytes: &[u8], table: &Table) -> Result<String, String> {
    if !table.stdin_is("decoded") {
        return match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err("stream did not contain valid UTF-8".to_owned()),
        };
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let unsupported =
        |name: &str| Err(format!("input appears to be {name}. Convert it to UTF-8 and retry."));
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => unsupported("UTF-32LE"),
        [0, 0, 0xfe, 0xff, ..] => unsupported("UTF-32BE"),
        [0xff, 0xfe, rest @ ..] => utf16(rest, "UTF-16LE", u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, "UTF-16BE", u16::from_be_bytes),
        _ => std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| {
            format!(
                "input is not valid UTF-8 (invalid byte at offset {}). Convert it to UTF-8 and \
                 retry (e.g., `iconv -f <ENC> -t UTF-8 prompt.txt`).",
                error.valid_up_to()
            )
        }),
    }
}

fn utf16(bytes: &[u8], name: &str, unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(unit));
    let text = char::decode_utf16(units).collect::<Result<String, _>>();
    match text {
        Ok(text) if bytes.len().is_multiple_of(2) => Ok(text),
        _ => Err(format!(
            "input looked like {name} but could not be decoded. Convert it to UTF-8 and retry."
        )),
    }
}
