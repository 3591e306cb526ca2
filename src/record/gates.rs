//! What a recording waits for: the input of the recorded run, by kind of frame.
//!
//! Clients differ in what they send between two outputs, and a double knows how to take what it
//! does not wait for. So a gate names what the program reacted to (a user message, a request by its
//! method, an answer), never a line by its number or its text. Ids that the client made up come
//! back in answers; such an answer is written as a reply to the request.

use serde_json::{Value, json};

use crate::recording::{STARTS_A_TURN, USER_LINE};

/// A line of input, as a recording waits for it.
#[derive(Debug, PartialEq)]
pub(crate) struct Gate {
    /// The pattern.
    pub pattern: Value,
    /// What replies call it by.
    pub name: Option<String>,
}

/// The requests that came and were not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    /// The id as it stands in JSON, and the name of the gate.
    asked: Vec<(Value, String)>,
    count: usize,
    /// Whether a message came that a live session claims its recording by.
    pub claimed: bool,
}

impl Gates {
    /// The gate for a line; `None`: nothing is to be waited for. What is no frame is for the caller.
    pub fn of_frame(&mut self, frame: &Value) -> Option<Gate> {
        if let Some(method) = frame.get("method").and_then(Value::as_str) {
            self.claimed |= STARTS_A_TURN.contains(&method);
            // A notification is not answered, so nothing can have waited for it.
            let id = frame.get("id")?;
            return Some(Gate { pattern: json!({ "method": method }), name: self.asks(id) });
        }
        if let Some(id) = frame.get("id").filter(|_| is_answer(frame)) {
            return Some(Gate { pattern: json!({ "id": id }), name: None });
        }
        match frame.get("type").and_then(Value::as_str)? {
            "control_request" => {
                let subtype = frame.pointer("/request/subtype");
                let request = subtype.map(|subtype| json!({ "subtype": subtype }));
                let mut pattern = json!({ "type": "control_request" });
                if let Some(request) = request {
                    pattern["request"] = request;
                }
                let name = frame.get("request_id").and_then(|id| self.asks(id));
                Some(Gate { pattern, name })
            }
            "keep_alive" | "control_cancel_request" => None,
            kind => {
                self.claimed |= kind == USER_LINE;
                Some(Gate { pattern: json!({ "type": kind }), name: None })
            }
        }
    }

    fn asks(&mut self, id: &Value) -> Option<String> {
        if !(id.is_string() || id.is_number()) {
            return None;
        }
        self.count += 1;
        let name = format!("request{}", self.count);
        self.asked.push((id.clone(), name.clone()));
        Some(name)
    }

    /// An output line as the answer to a request that came, with the request's name in the place of
    /// its id; `None`: it answers none. The rest of the line stays as it is, to the byte.
    pub fn answer(&mut self, line: &str) -> Option<String> {
        if self.asked.is_empty() {
            return None;
        }
        let frame: Value = serde_json::from_str(line).ok()?;
        let (key, id) = match frame.get("type").and_then(Value::as_str) {
            Some("control_response") => ("request_id", frame.pointer("/response/request_id")?),
            Some(_) => return None,
            None => ("id", frame.get("id").filter(|_| is_answer(&frame))?),
        };
        let index = self.asked.iter().position(|(asked, _)| asked == id)?;
        let text = replace_id(line, key, id, &format!("$id:{}", self.asked[index].1))?;
        self.asked.remove(index);
        Some(text)
    }
}

fn is_answer(frame: &Value) -> bool {
    frame.get("result").is_some() || frame.get("error").is_some()
}

/// Puts a string in the place of the one value `id` under `key`. `None` where it does not stand
/// there once and only once: better an id as recorded than a wrong one.
fn replace_id(line: &str, key: &str, id: &Value, own: &str) -> Option<String> {
    let key = format!("\"{key}\"");
    let id = id.to_string();
    let mut places = line.match_indices(&key).filter_map(|(at, _)| {
        let after = line[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
        let rest = after.strip_prefix(id.as_str())?;
        let start = line.len() - after.len();
        let ends = rest.trim_start().starts_with([',', '}']);
        ends.then_some(start..start + id.len())
    });
    let place = places.next()?;
    if places.next().is_some() {
        return None;
    }
    Some(format!("{}\"{own}\"{}", &line[..place.start], &line[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(gates: &mut Gates, frame: Value) -> Option<(Value, Option<String>)> {
        gates.of_frame(&frame).map(|gate| (gate.pattern, gate.name))
    }

    #[test]
    fn a_gate_names_the_kind_of_a_frame() {
        let mut gates = Gates::default();
        for (frame, pattern, name) in [
            (
                json!({"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{}}}),
                Some(json!({"type":"control_request","request":{"subtype":"initialize"}})),
                Some("request1"),
            ),
            (json!({"type":"user","message":{}}), Some(json!({"type":"user"})), None),
            (
                json!({"type":"control_response","response":{}}),
                Some(json!({"type":"control_response"})),
                None,
            ),
            (json!({"type":"keep_alive"}), None, None),
            (
                json!({"id":7,"method":"turn/start"}),
                Some(json!({"method":"turn/start"})),
                Some("request2"),
            ),
            (json!({"method":"initialized"}), None, None),
            (json!({"id":3,"result":{}}), Some(json!({"id":3})), None),
        ] {
            let gate = gate(&mut gates, frame);
            assert_eq!(gate, pattern.map(|pattern| (pattern, name.map(str::to_owned))));
        }
        assert!(gates.claimed);
    }

    #[test]
    fn a_review_claims_as_a_turn_does() {
        for (method, claims) in
            [("turn/start", true), ("review/start", true), ("thread/start", false)]
        {
            let mut gates = Gates::default();
            gates.of_frame(&json!({ "id": 1, "method": method }));
            assert_eq!(gates.claimed, claims, "{method}");
        }
    }

    #[test]
    fn an_answer_names_its_request_and_stays_otherwise_as_it_is() {
        let mut gates = Gates::default();
        gates.of_frame(&json!({"id":7,"method":"model/list"}));
        gates.of_frame(
            &json!({"type":"control_request","request_id":"a","request":{"subtype":"x"}}),
        );
        assert_eq!(gates.answer(r#"{"id":8,"result":{}}"#), None);
        assert_eq!(
            gates.answer(r#"{ "id" : 7,"result":{"a": 1.0}}"#).unwrap(),
            r#"{ "id" : "$id:request1","result":{"a": 1.0}}"#
        );
        assert_eq!(gates.answer(r#"{"id":7,"result":{}}"#), None);
        let line =
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a"}}"#;
        let answer = gates.answer(line).unwrap();
        assert!(answer.contains(r#""request_id":"$id:request2"}"#), "{answer}");
    }
}
