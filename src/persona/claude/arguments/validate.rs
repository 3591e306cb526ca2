//! Whether a value passes an option's own check, which the parser makes as it reads.

use super::table::OptionSpec;

/// What the parser says of a value that an option does not take; none if it takes it.
pub(super) fn complaint(option: &OptionSpec, value: &str) -> Option<String> {
    if let Some(choices) = option.note("choices") {
        let listed = choices.split(", ").any(|choice| choice == value);
        let passes = listed || option.note("also").is_some_and(|also| also == value);
        return (!passes).then(|| format!("Allowed choices are {choices}."));
    }
    (!passes_check(option, value)).then(|| option.note("says").unwrap_or_default().to_owned())
}

/// Whether a value that the option advises against was given; it warns and goes on.
pub(super) fn advised(option: &OptionSpec, value: &str) -> Option<&'static str> {
    let choices = option.note("advised")?;
    (!choices.split(", ").any(|choice| choice == value)).then_some(choices)
}

fn passes_check(option: &OptionSpec, value: &str) -> bool {
    let number = || js_number(value);
    if option.note("number").is_some() {
        number().is_some()
    } else if option.note("positive").is_some() {
        number().is_some_and(|n| n > 0.0)
    } else if option.note("whole").is_some() {
        number().is_some_and(|n| n > 0.0 && n.is_finite() && n.fract() == 0.0)
    } else if option.note("tokens").is_some() {
        value == "auto" || token_count(value).is_some_and(|n| n >= 100_000.0)
    } else {
        true
    }
}

/// A count of tokens: `500k`, `200000`, or thousands for a number below a thousand.
fn token_count(value: &str) -> Option<f64> {
    let (digits, factor) = match value.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1000.0),
        None => (value.strip_suffix(['m', 'M']).unwrap_or(value), 1.0),
    };
    let factor = if value.ends_with(['m', 'M']) { 1_000_000.0 } else { factor };
    let number = js_number(digits).filter(|_| !digits.is_empty())?;
    let shorthand = factor == 1.0 && number < 1000.0;
    Some(number * if shorthand { 1000.0 } else { factor })
}

/// What JavaScript's `Number` makes of a text; none if that is not a number. The empty text is 0.
fn js_number(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_js_space);
    let prefixed = |radix| {
        let whole = text.get(2..).filter(|digits| !digits.starts_with('+'))?;
        u128::from_str_radix(whole, radix).ok().map(|n| n as f64)
    };
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => return prefixed(16),
        Some("0o") => return prefixed(8),
        Some("0b") => return prefixed(2),
        _ => {}
    }
    match text.trim_start_matches(['+', '-']) {
        "" if text.is_empty() => Some(0.0),
        "Infinity" if text.len() <= "-Infinity".len() => {
            Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        // Rust also reads words such as `inf` and `NaN`, which are not numbers there.
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => text.parse().ok(),
        _ => None,
    }
}

/// What JavaScript's `trim` takes for white space.
pub(super) fn is_js_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::{js_number, token_count};

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        for (text, number) in [
            ("1", 1.0),
            (" 2.5 ", 2.5),
            ("", 0.0),
            ("-1", -1.0),
            ("1e3", 1000.0),
            ("0x10", 16.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("Infinity", f64::INFINITY),
        ] {
            assert_eq!(js_number(text), Some(number), "{text:?}");
        }
        for text in ["abc", "1a", "inf", "NaN", "--1", "0x", "1_000", "infinity", "-"] {
            assert_eq!(js_number(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_token_count_knows_its_shorthands() {
        assert_eq!(token_count("500k"), Some(500_000.0));
        assert_eq!(token_count("200000"), Some(200_000.0));
        assert_eq!(token_count("200"), Some(200_000.0));
        assert_eq!(token_count("1m"), Some(1_000_000.0));
        assert_eq!(token_count("x"), None);
        assert_eq!(token_count("k"), None);
    }
}
