//! Arguments that a cassette asks for, as one condition on a spawn's arguments.

/// Longer arguments are compared by their beginning: a condition is compiled by every spawn that
/// comes to it.
const LONGEST: usize = 2000;

/// One argument that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// This one.
    Exact(String),
    /// One that this regular expression, which has no anchors, matches as a whole.
    Regex {
        /// The expression.
        regex: String,
        /// How the cassette spells it.
        shown: String,
    },
    /// Any one.
    Any,
}

impl Argument {
    /// The argument as it is shown.
    pub fn shown(&self) -> String {
        match self {
            Argument::Exact(text) => text.clone(),
            Argument::Regex { shown, .. } => shown.clone(),
            Argument::Any => "…".to_owned(),
        }
    }

    fn pattern(&self) -> String {
        match self {
            Argument::Any => ".*".to_owned(),
            Argument::Regex { regex, .. } => format!("(?:{regex})"),
            Argument::Exact(text) if text.len() <= LONGEST => escape(text),
            Argument::Exact(text) => {
                let end = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end));
                format!("{}.*", escape(&text[..end.unwrap_or(0)]))
            }
        }
    }
}

/// Text as an expression that matches it, easy on the eye: a hyphen needs no escape.
pub(super) fn escape(text: &str) -> String {
    regex::escape(text).replace("\\-", "-")
}

/// Arguments that are asked for as they are.
pub(super) fn exact<'a>(words: impl IntoIterator<Item = &'a String>) -> Vec<Argument> {
    words.into_iter().map(|word| Argument::Exact(word.clone())).collect()
}

/// The name of a program that a path names.
pub(super) fn program_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let bare = [".exe", ".cmd"].iter().find_map(|ending| name.strip_suffix(ending));
    bare.unwrap_or(name).to_owned()
}

/// A condition on all arguments, joined by spaces.
pub(super) fn condition<'a>(arguments: impl Iterator<Item = &'a Argument>) -> String {
    let patterns: Vec<String> = arguments.map(Argument::pattern).collect();
    format!("(?s)^{}$", patterns.join(" "))
}

/// A regular expression that is looked for in one argument, as one that matches the argument as a
/// whole, and so can stand among others; `None`: it asks for the argument's beginning or end
/// somewhere in its middle.
pub(super) fn whole(regex: &str) -> Option<String> {
    let (flags, rest) = leading_flags(regex);
    let mut wholes = Vec::new();
    for choice in choices(rest) {
        let (start, body) = match choice.strip_prefix('^') {
            Some(body) => ("", body),
            None => (".*", choice),
        };
        let ends = body.ends_with('$') && !is_escaped(body, body.len() - 1);
        let (body, end) = if ends { (&body[..body.len() - 1], "") } else { (body, ".*") };
        if has_anchor(body) {
            return None;
        }
        wholes.push(format!("{start}(?{flags}:{body}){end}"));
    }
    Some(wholes.join("|"))
}

/// Splits `(?i)abc` into `i` and `abc`.
fn leading_flags(regex: &str) -> (&str, &str) {
    let split = regex.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match split {
        Some((flags, rest)) if !flags.is_empty() && flags.bytes().all(|b| b"isU".contains(&b)) => {
            (flags, rest)
        }
        _ => ("", regex),
    }
}

fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].iter().rev();
    before.take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The alternatives of the outermost level.
fn choices(regex: &str) -> Vec<&str> {
    let (mut choices, mut start) = (Vec::new(), 0);
    for (at, byte, depth) in outside_classes(regex) {
        if byte == b'|' && depth == 0 {
            choices.push(&regex[start..at]);
            start = at + 1;
        }
    }
    choices.push(&regex[start..]);
    choices
}

fn has_anchor(regex: &str) -> bool {
    let anchors = ["\\A", "\\z", "\\b", "\\B"];
    let word = |at: usize| anchors.iter().any(|anchor| regex[at..].starts_with(anchor));
    let escapes = regex.match_indices('\\').filter(|(at, _)| !is_escaped(regex, *at));
    escapes.into_iter().any(|(at, _)| word(at))
        || outside_classes(regex).iter().any(|(_, byte, _)| matches!(byte, b'^' | b'$'))
}

/// The bytes that are neither escaped nor in a class, with their place and the depth of the groups
/// around them.
fn outside_classes(regex: &str) -> Vec<(usize, u8, usize)> {
    let (mut found, mut depth, mut class, mut escaped) = (Vec::new(), 0usize, 0usize, false);
    for (at, byte) in regex.bytes().enumerate() {
        if escaped {
            escaped = false;
            continue;
        }
        match byte {
            b'\\' => escaped = true,
            b'[' => class += 1,
            b']' if class > 0 => class -= 1,
            _ if class > 0 => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => found.push((at, byte, depth)),
        }
    }
    found
}

/// The words of a command line, if a shell would do nothing but start it: no pipes, variables,
/// patterns or redirections.
pub(super) fn shell_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    let mut chars = line.trim().chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (Some(_), '$' | '`') => return None,
            (Some(_), '\\') => {
                let next = chars.next()?;
                let text = word.get_or_insert_default();
                if !matches!(next, '"' | '\\' | '$' | '`' | '\n') {
                    text.push('\\');
                }
                text.push(next);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, c) if "|&;<>()$`*?[]{}~#!\n".contains(c) => return None,
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    // What stands in front of the program sets variables for it.
    let sets = words.first().is_none_or(|word: &String| word.contains('='));
    (quote.is_none() && !sets).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(regex: &str, argument: &str) -> bool {
        let arguments = [
            Argument::Exact("-p".into()),
            Argument::Regex { regex: whole(regex).unwrap(), shown: String::new() },
        ];
        let condition = regex::Regex::new(&condition(arguments.iter())).unwrap();
        condition.is_match(&format!("-p {argument}"))
    }

    #[test]
    fn an_expression_for_one_argument_asks_the_same_among_others() {
        for (regex, yes, no) in [
            ("fix", "please fix it", "look"),
            ("^fix", "fix it", "please fix"),
            ("it$", "fix it", "it is"),
            ("^a|b$", "a longer", "c"),
            ("^(a|b)c", "bcd", "abd"),
            ("(?i)^FIX", "fix it", "do fix"),
            (r"a\$", "has a$ in it", "a"),
            ("[$^]x", "a $x", "ax"),
            ("", "anything", "\u{0}"),
        ] {
            assert!(asks(regex, yes), "{regex}");
            assert!(regex.is_empty() || !asks(regex, no), "{regex}");
        }
        assert_eq!(whole("a(^b|c)"), None);
        assert_eq!(whole(r"\bword\b"), None);
    }

    #[test]
    fn a_command_line_is_split_unless_it_needs_a_shell() {
        let words = |line: &str| shell_words(line);
        assert_eq!(words("claude -p 'a b' \"c \\\" d\" e\\ f ''").unwrap().len(), 6);
        assert_eq!(words("claude -p \"it's\"").unwrap()[2], "it's");
        for line in
            ["claude | tee x", "A=b claude", "claude $X", "claude \"$X\"", "cat *", "x 'open", ""]
        {
            assert_eq!(words(line), None, "{line}");
        }
    }

    #[test]
    fn a_long_argument_is_asked_for_by_its_beginning() {
        let long = "é".repeat(5000);
        let condition = condition([Argument::Exact(long.clone())].iter());
        assert!(condition.len() < 3000 && regex::Regex::new(&condition).unwrap().is_match(&long));
    }
}
