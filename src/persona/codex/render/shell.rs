//! How a command stands in events: the shell in front, the script quoted only where a shell would
//! need it, in the manner of the captures (`/bin/bash -lc true`, `... 'echo hi'`, `... "a\\b"`).

/// The command of a shell script: `/bin/bash -lc 'echo hi'`.
pub(super) fn shell_command(shell: &str, script: &str) -> String {
    format!("{shell} -lc {}", quote(script))
}

/// Words joined into a command, each quoted if need be.
pub(super) fn join<T: AsRef<str>>(words: &[T]) -> String {
    words.iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Ways to write a run of characters.
const BARE: u8 = 1;
const SINGLE: u8 = 2;
const DOUBLE: u8 = 4;

/// Quotes a word for a POSIX shell. Where no one way does for all of it, it is written in runs,
/// each in the plainest way that serves.
pub(super) fn quote(word: &str) -> String {
    if word.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::with_capacity(word.len() + 2);
    let mut rest = word;
    while !rest.is_empty() {
        let (length, way) = longest_run(rest);
        let (run, after) = rest.split_at(length);
        // A word in several runs is quoted throughout, but for runs that need nothing.
        push_run(&mut out, run, way);
        rest = after;
    }
    out
}

/// The length of the longest start of `text` that can be written in one way, and that way.
fn longest_run(text: &str) -> (usize, u8) {
    let mut ways = BARE | SINGLE | DOUBLE;
    for (at, c) in text.char_indices() {
        // A caret is only safe right after an opening single quote.
        let allowed = if at == 0 && c == '^' { SINGLE } else { ways & ways_of(c) };
        if allowed == 0 {
            return (at, ways);
        }
        ways = allowed;
    }
    (text.len(), ways)
}

/// The ways in which a character can be written.
fn ways_of(c: char) -> u8 {
    match c {
        '+' | '-' | '.' | '/' | ':' | '@' | ']' | '_' => BARE | SINGLE | DOUBLE,
        c if c.is_ascii_alphanumeric() => BARE | SINGLE | DOUBLE,
        '\'' | '\\' => DOUBLE,
        '`' | '$' | '!' => SINGLE,
        '^' => 0,
        _ => SINGLE | DOUBLE,
    }
}

fn push_run(out: &mut String, run: &str, ways: u8) {
    if ways & BARE != 0 {
        out.push_str(run);
    } else if ways & SINGLE != 0 {
        out.push('\'');
        out.push_str(run);
        out.push('\'');
    } else {
        out.push('"');
        for c in run.chars() {
            if matches!(c, '"' | '\\' | '$' | '`') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_as_in_the_captures() {
        assert_eq!(shell_command("/bin/bash", "true"), "/bin/bash -lc true");
        assert_eq!(shell_command("bash", "kill -9 $$"), "bash -lc 'kill -9 $$'");
        assert_eq!(
            shell_command("/bin/bash", "printf \"\\033[0m\\n\"; seq 1 3"),
            r#"/bin/bash -lc "printf \"\\033[0m\\n\"; seq 1 3""#
        );
    }

    #[test]
    fn words_that_fit_no_single_way_are_written_in_runs() {
        assert_eq!(quote("it's $5"), r#""it's "'$5'"#);
        assert_eq!(quote("a^b"), "a'^b'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("é"), "'é'");
    }
}
