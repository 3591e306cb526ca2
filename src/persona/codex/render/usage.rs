//! Tokens: what a turn used, counted if it does not say, and the sum over the thread.

use super::tool;
use crate::recording::turn::{Turn, Usage};

/// What a turn used: as it says, else one token for four characters, rounded up: the prompt's for
/// the input, for the output those of all that the model wrote.
pub(super) fn of_turn(turn: &Turn, prompt: &str) -> Usage {
    if let Some(usage) = turn.usage {
        return usage;
    }
    let thinking = turn.thinking.as_deref().map_or(0, characters);
    let mut written = thinking + turn.text.iter().map(|text| characters(text)).sum::<u64>();
    for call in &turn.tools {
        written += characters(tool::written(call));
    }
    written += turn.structured.as_deref().map_or(0, |json| characters(json.get()));
    Usage {
        input: tokens(characters(prompt)),
        cached_input: 0,
        output: tokens(written),
        reasoning: tokens(thinking),
    }
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

fn tokens(characters: u64) -> u64 {
    characters.div_ceil(4)
}

/// Two usages together.
pub(super) fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        input: a.input.saturating_add(b.input),
        cached_input: a.cached_input.saturating_add(b.cached_input),
        output: a.output.saturating_add(b.output),
        reasoning: a.reasoning.saturating_add(b.reasoning),
    }
}

/// The number after `tokens used`: cached input is left out.
pub(super) fn blended(usage: Usage) -> u64 {
    usage.input.saturating_sub(usage.cached_input).saturating_add(usage.output)
}

/// A number with commas between the thousands: `1,637` (`03-fork-human`).
pub(super) fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_a_quarter_of_the_characters_rounded_up() {
        let turn: Turn = serde_json::from_str(
            r#"{"text": "12345", "thinking": "é",
                "tools": [{"name": "Bash", "result": "12345678"}]}"#,
        )
        .unwrap();
        let usage = of_turn(&turn, "hi");
        assert_eq!((usage.input, usage.output, usage.reasoning), (1, 2, 1));
    }

    #[test]
    fn thousands_have_commas() {
        let shown: Vec<String> = [0, 999, 1637, 1_234_567].map(with_commas).to_vec();
        assert_eq!(shown, ["0", "999", "1,637", "1,234,567"]);
    }
}
