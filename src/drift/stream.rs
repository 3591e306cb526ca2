//! The shape of a stream of events: which kinds come in which order, which fields they have and of
//! which types. What differs from run to run (ids, texts, times, costs, how many deltas) is no part
//! of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The shape of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The kinds of events in order, equal neighbours once.
    pub order: Vec<String>,
    /// For each kind, its fields as paths, with the types that they had.
    pub fields: BTreeMap<String, BTreeMap<String, BTreeSet<&'static str>>>,
}

impl Shape {
    /// The shape of the lines of a stdout.
    #[must_use]
    pub fn of(stdout: &[u8]) -> Shape {
        let mut shape = Shape::default();
        let lines =
            stdout.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        for line in lines {
            match serde_json::from_slice::<Value>(line) {
                Ok(event @ Value::Object(_)) => shape.add(&event),
                Ok(Value::Array(events)) => events.iter().for_each(|event| shape.add(event)),
                // That there is such a line is a fact of its shape.
                _ => shape.follows("(text)".to_owned()),
            }
        }
        shape
    }

    fn add(&mut self, event: &Value) {
        let kind = kind_of(event);
        walk(event, String::new(), self.fields.entry(kind.clone()).or_default());
        self.follows(kind);
    }

    fn follows(&mut self, kind: String) {
        if self.order.last() != Some(&kind) {
            self.order.push(kind);
        }
    }
}

/// What an event is: its type, with whatever tells kinds of it apart.
pub(super) fn kind_of(event: &Value) -> String {
    let paths = ["/type", "/subtype", "/method", "/event/type", "/item/type", "/request/subtype"];
    let mut parts: Vec<&str> =
        paths.iter().filter_map(|path| event.pointer(path)?.as_str()).collect();
    if parts.is_empty() {
        parts.push("(no type)");
    }
    // A message is as different as what it holds.
    let blocks = event.pointer("/message/content").and_then(Value::as_array);
    parts.extend(blocks.into_iter().flatten().filter_map(|block| block.get("type")?.as_str()));
    parts.join("/")
}

fn walk(value: &Value, path: String, fields: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                walk(value, format!("{path}.{key}"), fields);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                walk(element, format!("{path}[]"), fields);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        fields.entry(path).or_default().insert(kind);
    }
}

/// What is different in the real stream.
#[must_use]
pub fn compare(recorded: &Shape, real: &Shape) -> Vec<String> {
    let mut found = Vec::new();
    let pairs = recorded.order.iter().zip(&real.order);
    let same = pairs.take_while(|(recorded, real)| recorded == real).count();
    if recorded.order.len() != same || real.order.len() != same {
        let at = |order: &[String]| order.get(same).cloned().unwrap_or("the end".to_owned());
        found.push(format!(
            "event {}: {} was recorded, {} comes now",
            same + 1,
            at(&recorded.order),
            at(&real.order)
        ));
    }
    for (kind, fields) in &real.fields {
        let Some(known) = recorded.fields.get(kind) else {
            found.push(format!("{kind}: a new kind of event"));
            continue;
        };
        for (path, types) in fields {
            match known.get(path) {
                None => found.push(format!("{kind}: new field {path}")),
                Some(known) if !types.is_subset(known) => {
                    found.push(format!("{kind}: {path} is {}, was {}", list(types), list(known)));
                }
                Some(_) => {}
            }
        }
        let gone = known.keys().filter(|path| !fields.contains_key(*path));
        found.extend(gone.map(|path| format!("{kind}: {path} is gone")));
    }
    let gone = recorded.fields.keys().filter(|kind| !real.fields.contains_key(*kind));
    found.extend(gone.map(|kind| format!("{kind}: no such event any more")));
    found
}

fn list(types: &BTreeSet<&'static str>) -> String {
    types.iter().copied().collect::<Vec<_>>().join(" or ")
}
