//! Lines of JSON, and what is wrong with one that is none.

/// The lines that have something on them, numbered from 1.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty())
}

/// Says what is wrong with a line that is to be JSON, and the way out where it is cut off.
pub(super) fn of_json(error: &serde_json::Error, text: &str, number: u64) -> String {
    let last = text.lines().count() as u64 == number && !text.ends_with('\n');
    if error.is_eof() && last {
        return "cut off at the end of the file; take the line out".to_owned();
    }
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    format!("{what} at column {}", error.column())
}
