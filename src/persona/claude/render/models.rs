//! The models a version knows: their names, prices and limits, from its layout.

use super::layout::Layout;

/// One model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The full id, as `init` and `modelUsage` have it: `claude-opus-4-8[1m]`.
    pub id: String,
    /// The name that people read: `Opus 4.8`.
    pub name: String,
    /// Dollars for a million input tokens.
    pub input_price: f64,
    /// Dollars for a million output tokens.
    pub output_price: f64,
    /// Tokens of context.
    pub context_window: u64,
    /// Tokens of one answer.
    pub output_limit: u64,
}

impl Model {
    /// The model that `--model` means: an alias, a full id, or the default.
    pub fn of(layout: &Layout, asked: Option<&str>) -> Model {
        let asked = asked.unwrap_or("default");
        let alias = layout.entry("aliases", asked);
        let id = alias.and_then(|json| serde_json::from_str(json).ok());
        let id: String = id.unwrap_or_else(|| asked.to_owned());
        let row = layout.entry("models", &id).or_else(|| layout.entry("models", undated(&id)));
        type Row = (String, f64, f64, u64, u64);
        // A model that nobody knows costs what the smallest window and a middling price make it.
        let row: Row = row
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_else(|| (id.clone(), 3.0, 15.0, 200_000, 32_000));
        let (name, input_price, output_price, context_window, output_limit) = row;
        Model { id, name, input_price, output_price, context_window, output_limit }
    }

    /// The id that messages carry, without the `[1m]` of a window.
    pub fn in_messages(&self) -> &str {
        self.id.split('[').next().unwrap_or(&self.id)
    }

    /// The id without window and date.
    pub fn canonical(&self) -> &str {
        undated(self.in_messages())
    }

    /// What tokens cost, in dollars. Reading the cache costs a tenth of reading anew.
    pub fn cost(&self, input: u64, cached: u64, output: u64) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 / 1e6 * price;
        million(input, self.input_price)
            + million(output, self.output_price)
            + million(cached, self.input_price * 0.1)
    }
}

/// `claude-sonnet-4-5-20250929` without its date.
fn undated(id: &str) -> &str {
    match id.rsplit_once('-') {
        Some((rest, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_dates_and_windows_are_understood() {
        let (old, new) = (Layout::of("2.1.197"), Layout::of("2.1.332"));
        assert_eq!(Model::of(&new, Some("sonnet")).id, "claude-sonnet-5-5");
        assert_eq!(Model::of(&old, None).id, "claude-opus-4-8[1m]");
        assert_eq!(Model::of(&old, None).in_messages(), "claude-opus-4-8");
        let dated = Model::of(&new, Some("claude-sonnet-4-5-20250929"));
        assert_eq!((dated.canonical(), dated.output_limit), ("claude-sonnet-4-5", 32_000));
        assert_eq!(Model::of(&new, Some("no-such-model")).context_window, 200_000);
    }

    #[test]
    fn a_hundred_tokens_in_and_twenty_out_cost_what_the_captures_say() {
        let new = Layout::of("2.1.332");
        assert_eq!(Model::of(&new, None).cost(100, 0, 20), 0.0008);
        let dated = Model::of(&new, Some("claude-sonnet-4-5-20250929"));
        assert_eq!(dated.cost(100, 0, 20), 0.000_600_000_000_000_000_1);
    }
}
