//! Hook callbacks: the client gives them ids of its own when it initializes, so a recorded call is
//! sent to the id that stands at its place now, by event, matcher and order.

use crate::persona::claude::object::Object;
use serde_json::Value;

/// What the client registered: for each matcher its event and callback ids, in order.
#[derive(Clone, Debug, Default)]
pub(in crate::persona::claude::perform) struct Registered(Vec<Matcher>);

#[derive(Clone, Debug)]
struct Matcher {
    event: String,
    pattern: Option<String>,
    /// Ids as JSON source text.
    ids: Vec<String>,
}

/// A recorded call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::persona::claude::perform) struct Call {
    /// The event.
    pub event: String,
    /// What matchers of this event look at, a tool's name for one.
    pub subject: Option<String>,
    /// The callback's id, as JSON source text.
    pub callback: String,
    /// The tool call it is about.
    pub tool_use: Option<String>,
}

impl Call {
    /// Reads the request of a call.
    pub fn of(request: &Object) -> Call {
        let input = request.object("input").unwrap_or_default();
        let subject = SUBJECTS.iter().find_map(|key| input.string(key));
        Call {
            event: input.string("hook_event_name").unwrap_or_default(),
            subject,
            callback: request.get("callback_id").unwrap_or_default().to_owned(),
            tool_use: input.string("tool_use_id"),
        }
    }
}

/// The keys of a hook's input that its matcher may look at.
const SUBJECTS: &[&str] =
    &["tool_name", "source", "trigger", "notification_type", "agent_type", "reason"];

impl Registered {
    /// Reads the `hooks` of a request to initialize.
    pub fn of(request: &Object) -> Registered {
        let hooks = request.get("hooks").and_then(|hooks| serde_json::from_str(hooks).ok());
        let Some(Value::Object(events)) = hooks else { return Registered::default() };
        let mut registered = Registered::default();
        for (event, matchers) in &events {
            for matcher in matchers.as_array().into_iter().flatten() {
                let ids = matcher["hookCallbackIds"].as_array().map(Vec::as_slice);
                registered.0.push(Matcher {
                    event: event.clone(),
                    pattern: matcher["matcher"].as_str().map(str::to_owned),
                    ids: ids.unwrap_or_default().iter().map(Value::to_string).collect(),
                });
            }
        }
        registered
    }

    /// The id, as JSON source text, that a call goes to which was the `order`th of its kind.
    pub fn at(&self, call: &Call, order: usize) -> Option<&str> {
        let matching = self.0.iter().filter(|matcher| matcher.takes(call));
        matching.flat_map(|matcher| &matcher.ids).nth(order).map(String::as_str)
    }
}

impl Matcher {
    fn takes(&self, call: &Call) -> bool {
        if self.event != call.event {
            return false;
        }
        match (&self.pattern, &call.subject) {
            (Some(pattern), Some(subject)) if !pattern.is_empty() && pattern != "*" => {
                pattern.split('|').any(|part| fits(part.trim(), subject))
            }
            _ => true,
        }
    }
}

/// Whether one alternative of a matcher means a name: the name itself, or with `.*` for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
    let mut parts = pattern.split(".*");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(event: &str, subject: Option<&str>) -> Call {
        let subject = subject.map(str::to_owned);
        Call { event: event.to_owned(), subject, ..Call::default() }
    }

    #[test]
    fn a_call_goes_to_the_callback_at_its_place() {
        let request = br#"{"hooks":{"Stop":[{"hookCallbackIds":["s"]}],
            "PreToolUse":[{"matcher":"Bash|Write","hookCallbackIds":["a","b"]},
                {"hookCallbackIds":["c"]},{"matcher":"mcp__.*__add","hookCallbackIds":["d"]}]}}"#;
        let registered = Registered::of(&Object::parse(request).unwrap());
        let at = |call: &Call, order| registered.at(call, order).map(str::to_owned);
        let bash = call("PreToolUse", Some("Bash"));
        assert_eq!(at(&bash, 1).as_deref(), Some("\"b\""));
        assert_eq!(at(&bash, 2).as_deref(), Some("\"c\""));
        assert_eq!(at(&bash, 3), None);
        assert_eq!(at(&call("PreToolUse", Some("Read")), 0).as_deref(), Some("\"c\""));
        let add = call("PreToolUse", Some("mcp__calc__add"));
        assert_eq!(at(&add, 1).as_deref(), Some("\"d\""));
        assert_eq!(at(&call("Stop", None), 0).as_deref(), Some("\"s\""));
        assert_eq!(at(&call("PostToolUse", Some("Bash")), 0), None);
    }
}
