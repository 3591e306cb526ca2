//! What a client answers when it is asked whether a tool may run.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The outcome of one `can_use_tool` request.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The tool may run, with another input if one is given.
    Allow {
        /// `updatedInput`, as it was sent.
        input: Option<Box<RawValue>>,
    },
    /// The tool may not run.
    Deny {
        /// What the model is told.
        message: String,
        /// Whether the turn ends with it.
        interrupt: bool,
    },
    /// The client answered with an error.
    Error(String),
    /// The client's answer is neither.
    Garbage,
    /// stdin ended before an answer came.
    Closed,
}

impl Outcome {
    /// Reads a `control_response` line. Whether it answers the request is the caller's affair.
    pub fn parse(line: &str) -> Outcome {
        #[derive(Deserialize)]
        struct Line {
            response: Response,
        }
        #[derive(Deserialize)]
        struct Response {
            #[serde(default)]
            subtype: String,
            #[serde(default)]
            error: Option<serde_json::Value>,
            response: Option<Box<RawValue>>,
        }
        let Ok(Line { response }) = serde_json::from_str::<Line>(line) else {
            return Outcome::Garbage;
        };
        if response.subtype == "error" {
            let error = response.error.unwrap_or_default();
            return Outcome::Error(error.as_str().map_or_else(|| error.to_string(), str::to_owned));
        }
        response.response.map_or(Outcome::Garbage, |answer| Outcome::of(&answer))
    }

    /// Reads the answer itself: `{"behavior": "allow"}` and the like, and `{"allow": true}`, which
    /// the first SDKs send (claude-code-sdk 0.0.25).
    pub fn of(answer: &RawValue) -> Outcome {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer {
            behavior: Option<String>,
            allow: Option<bool>,
            reason: Option<String>,
            message: Option<String>,
            interrupt: Option<bool>,
            updated_input: Option<Box<RawValue>>,
        }
        let Ok(answer) = serde_json::from_str::<Answer>(answer.get()) else {
            return Outcome::Garbage;
        };
        let input = answer.updated_input;
        // An input must be an object, whatever else it is.
        let good_input = input.as_ref().is_none_or(|input| input.get().starts_with('{'));
        let interrupt = answer.interrupt.unwrap_or(false);
        match (answer.behavior.as_deref(), answer.allow) {
            (Some("allow"), _) | (None, Some(true)) if good_input => Outcome::Allow { input },
            (Some("deny"), _) => match answer.message {
                Some(message) => Outcome::Deny { message, interrupt },
                None => Outcome::Garbage,
            },
            (None, Some(false)) => {
                let message = answer.message.or(answer.reason).unwrap_or_default();
                Outcome::Deny { message, interrupt }
            }
            _ => Outcome::Garbage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(response: &str) -> Outcome {
        Outcome::parse(&format!(r#"{{"type":"control_response","response":{response}}}"#))
    }

    #[test]
    fn answers_are_told_apart() {
        let allow = parse(r#"{"subtype":"success","response":{"behavior":"allow"}}"#);
        assert!(matches!(allow, Outcome::Allow { input: None }));
        let changed =
            r#"{"subtype":"success","response":{"behavior":"allow","updatedInput":{"a":1}}}"#;
        assert!(matches!(parse(changed), Outcome::Allow { input: Some(_) }));
        let deny = r#"{"subtype":"success","response":{"behavior":"deny","message":"no"}}"#;
        assert!(matches!(parse(deny), Outcome::Deny { interrupt: false, .. }));
        let old = parse(r#"{"subtype":"success","response":{"allow":true}}"#);
        assert!(matches!(old, Outcome::Allow { input: None }));
        let old = parse(r#"{"subtype":"success","response":{"allow":false,"reason":"no"}}"#);
        assert!(matches!(old, Outcome::Deny { message, .. } if message == "no"));
        let error = parse(r#"{"subtype":"error","error":"broken"}"#);
        assert!(matches!(error, Outcome::Error(text) if text == "broken"));
    }

    #[test]
    fn what_is_no_answer_is_garbage() {
        for response in [
            r#"{"subtype":"success"}"#,
            r#"{"subtype":"success","response":{"nonsense":1}}"#,
            r#"{"subtype":"success","response":{"behavior":"deny"}}"#,
            r#"{"subtype":"success","response":{"behavior":"allow","updatedInput":"x"}}"#,
            "7",
        ] {
            assert!(matches!(parse(response), Outcome::Garbage), "{response}");
        }
    }
}
