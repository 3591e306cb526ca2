//! Compiled regular expressions by their text: thousands of recordings may share one.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use super::error::{Mistake, shown};

/// The most memory one compiled expression may take, in bytes.
const SIZE_LIMIT: usize = 2 << 20;

/// How deep the groups of an expression may nest.
const NEST_LIMIT: u32 = 100;

/// Regular expressions that have been compiled already.
#[derive(Debug, Default)]
pub struct Regexes {
    compiled: HashMap<String, Regex>,
}

impl Regexes {
    /// The expression, compiled now if it never was before.
    pub(super) fn get(&mut self, pattern: &str) -> Result<&Regex, Mistake> {
        if !self.compiled.contains_key(pattern) {
            let regex = compile(pattern)?;
            self.compiled.insert(pattern.to_owned(), regex);
        }
        // It was put there just now if it was not there before.
        Ok(&self.compiled[pattern])
    }
}

fn compile(pattern: &str) -> Result<Regex, Mistake> {
    RegexBuilder::new(pattern)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .nest_limit(NEST_LIMIT)
        .build()
        .map_err(|error| {
            // A syntax error is drawn over several lines, the last of which says what it is.
            let text = error.to_string();
            let last = text.lines().next_back().unwrap_or(&text).trim_start_matches("error: ");
            let (reason, pattern) = (shown(last), shown(pattern));
            Mistake::new(format!("/{pattern}/ is no regular expression: {reason}"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_expression_is_refused_in_one_line() {
        let mut regexes = Regexes::default();
        for bad in ["(", "[", "a{2,1}", "*", "(?P<>x)", "\\", "(?x)(\n"] {
            let text = regexes.get(bad).unwrap_err().on_line(1).to_string();
            assert!(!text.contains('\n') && text.contains("no regular expression"), "{text}");
        }
        let text = regexes.get("(").unwrap_err().on_line(1).to_string();
        assert_eq!(text, "line 1: /(/ is no regular expression: unclosed group");
    }

    #[test]
    fn an_expression_that_grows_without_bound_is_refused() {
        let mut regexes = Regexes::default();
        assert!(regexes.get("((a{500}){500}){500}").is_err());
        assert!(regexes.get(&"(".repeat(100_000)).is_err());
        assert!(regexes.get(&format!("{}a{}", "(".repeat(5000), ")".repeat(5000))).is_err());
    }
}
