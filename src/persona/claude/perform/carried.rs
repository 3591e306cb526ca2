//! What a session hands on to the spawn that takes it up, as JSON for the journal.

use crate::persona::claude::render::{Carried, Spent};
use serde_json::{Value, json};

/// Writes it: `{"api_ms": 12, "models": [["claude-opus-5-5", {"input": 100, ...}]]}`.
pub(super) fn write(carried: &Carried) -> Value {
    let models = carried.models.iter().map(|(id, spent)| {
        json!([id, {
            "input": spent.input,
            "cached": spent.cached,
            "output": spent.output,
            "thinking": spent.thinking,
            "cost": spent.cost,
        }])
    });
    json!({"api_ms": carried.api_ms, "models": models.collect::<Vec<_>>()})
}

/// Reads it. What is missing or of another kind counts as nothing: a journal may be of any version.
pub(super) fn read(value: &Value) -> Carried {
    let models = value["models"].as_array().map(Vec::as_slice).unwrap_or_default();
    let model = |entry: &Value| {
        let number = |key: &str| entry[1][key].as_u64().unwrap_or(0);
        let spent = Spent {
            input: number("input"),
            cached: number("cached"),
            output: number("output"),
            thinking: number("thinking"),
            cost: entry[1]["cost"].as_f64().unwrap_or(0.0),
        };
        Some((entry[0].as_str()?.to_owned(), spent))
    };
    Carried {
        api_ms: value["api_ms"].as_u64().unwrap_or(0),
        models: models.iter().filter_map(model).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let spent = Spent { input: 1, cached: 2, output: 3, thinking: 4, cost: 0.0014 };
        let carried = Carried { api_ms: 70, models: vec![("m".to_owned(), spent)] };
        assert_eq!(read(&write(&carried)), carried);
        assert_eq!(read(&Value::Null), Carried::default());
    }
}
