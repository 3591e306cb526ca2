//! What `cli-replay` puts into its texts with Go's templates: variables, and in arguments what
//! matches anything or a regular expression. Other actions are refused: what they come to, their own
//! program knows alone.

use std::collections::BTreeMap;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text.
    Text(String),
    /// `{{ .any }}`.
    Any,
    /// `{{ .regex "..." }}`.
    Regex(String),
}

/// The variables, `capture.` in front of the name of what an earlier step has captured.
pub(super) type Variables = BTreeMap<String, String>;

/// The parts of a text, its variables put in.
///
/// # Errors
///
/// An action that is not known: a lowercase fragment that says which.
pub(super) fn parts(text: &str, variables: &Variables) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut trims = false;
    while let Some(start) = rest.find("{{") {
        let before = &rest[..start];
        let before = if trims { before.trim_start() } else { before };
        let (action, after) = action(&rest[start..])?;
        let trims_before = action.starts_with('-');
        push(&mut parts, if trims_before { before.trim_end() } else { before });
        trims = action.ends_with('-');
        let action = action.trim_start_matches('-').trim_end_matches('-').trim();
        parts.push(part(action, variables)?);
        rest = after;
    }
    push(&mut parts, if trims { rest.trim_start() } else { rest });
    Ok(parts)
}

/// A text with its variables put in.
///
/// # Errors
///
/// As [`parts`], and what stands for arguments alone.
pub(super) fn text(text: &str, variables: &Variables) -> Result<String, String> {
    let parts = parts(text, variables)?.into_iter();
    parts
        .map(|part| match part {
            Part::Text(text) => Ok(text),
            Part::Any | Part::Regex(_) => Err("`.any` and `.regex` are for arguments".to_owned()),
        })
        .collect()
}

fn push(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// The action that this begins with, without its braces, and what comes after.
fn action(text: &str) -> Result<(&str, &str), String> {
    let inner = &text[2..];
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '}') if inner[at..].starts_with("}}") => {
                return Ok((&inner[..at], &inner[at + 2..]));
            }
            _ => {}
        }
    }
    Err("`{{` without `}}`".to_owned())
}

fn part(action: &str, variables: &Variables) -> Result<Part, String> {
    let unknown =
        || format!("the template `{{{{ {action} }}}}` is not known; write out what it gives");
    if action == ".any" {
        return Ok(Part::Any);
    }
    if let Some(quoted) = action.strip_prefix(".regex") {
        return string(quoted.trim()).map(Part::Regex).ok_or_else(unknown);
    }
    let name = action.strip_prefix('.').ok_or_else(unknown)?;
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_name(name.strip_prefix("capture.").unwrap_or(name)) {
        return Err(unknown());
    }
    let value = variables.get(name).cloned();
    value
        .map(Part::Text)
        .ok_or_else(|| format!("the variable `{name}` has no value; give it one in `meta.vars`"))
}

/// A string as Go spells it.
fn string(quoted: &str) -> Option<String> {
    if let Some(raw) = quoted.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        return Some(raw.to_owned());
    }
    // The escapes that JSON has are Go's too; it has no others that a pattern needs.
    serde_json::from_str(quoted).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_other_actions_refused() {
        let variables = Variables::from([
            ("name".to_owned(), "x".to_owned()),
            ("capture.id".to_owned(), "7".to_owned()),
        ]);
        let text = |given: &str| text(given, &variables);
        assert_eq!(text("a {{ .name }} {{.capture.id}}!").unwrap(), "a x 7!");
        assert_eq!(text("a \n{{- .name -}} \n b").unwrap(), "axb");
        for given in
            ["{{ if .x }}", "{{ .other }}", "{{ .name", "{{ .name | upper }}", "{{ .any }}"]
        {
            assert!(text(given).is_err(), "{given}");
        }
        let regex = parts("-n={{ .regex \"^a{2}}\\\\d\" }}", &variables).unwrap();
        assert_eq!(regex[1], Part::Regex("^a{2}}\\d".to_owned()));
    }
}
