//! Reading YAML, and naming the line when it cannot be read.

use serde::de::DeserializeOwned;
use serde_saphyr::{Location, Spanned};

use super::Reel;
use crate::error::Error;

/// Reads a file of YAML, or of JSON, which is YAML.
pub(super) fn read<T: DeserializeOwned>(reel: &Reel) -> Result<T, Error> {
    let text = reel.text()?;
    // The bounds are there against files that are made to blow up; recordings may be long.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 5_000_000,
            max_events: 20_000_000,
            max_total_scalar_bytes: 1 << 30,
        },
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(&text, options).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default();
        let what = first.split(" at line ").next().unwrap_or(first).trim_start_matches("error: ");
        reel.wrong(line.max(1), what)
    })
}

/// The line on which something stands.
pub(super) fn line<T>(value: &Spanned<T>) -> u64 {
    of(value.referenced)
}

fn of(location: Location) -> u64 {
    location.line().max(1)
}
