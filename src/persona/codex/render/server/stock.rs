//! Answers to what clients ask besides threads and turns: models, account, lists. A method that the
//! real server knows and that has no answer here is answered by an empty object.

use serde_json::Value;

use super::super::json::{self, Object};
use super::super::spawn::Spawn;
use super::notices;

/// The methods that the server of 0.171.0 knows, in the order in which it names them (`06-errors`),
/// each with its answer where that is always the same. Most answers were not captured: their keys
/// are those that the published types demand, and they say that there is nothing.
static METHODS: &str = include_str!("methods.txt");

/// The methods, each with what stands behind it.
fn methods() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    METHODS.lines().map(|line| match line.split_once(' ') {
        Some((method, answer)) => (method, Some(answer)),
        None => (line, None),
    })
}

/// The answer to a method, or an error message if the server has no such method.
pub(super) fn answer(method: &str, params: &Value, spawn: &Spawn) -> Result<String, String> {
    let Some((_, fixed)) = methods().find(|(known, _)| *known == method) else {
        let known: Vec<&str> = methods().map(|(known, _)| known).collect();
        return Err(format!(
            "Invalid request: unknown variant `{method}`, expected one of `{}`",
            known.join("`, `")
        ));
    };
    if let Some(fixed) = fixed {
        return Ok(filled(fixed, params, spawn));
    }
    Ok(match method {
        "model/list" => page(&[model(spawn)]).end(),
        "config/read" => {
            let config = Object::new()
                .str("model", &spawn.model)
                .str("model_provider", &spawn.provider)
                .null("approval_policy")
                .null("sandbox_mode")
                .maybe("model_reasoning_effort", spawn.effort.as_deref())
                .raw("mcp_servers", "{}")
                .end();
            Object::new().raw("config", &config).raw("origins", "{}").end()
        }
        // Not captured; the fields follow the published types.
        "account/rateLimits/read" => Object::new()
            .raw("rateLimits", &notices::rate_limits())
            .null("rateLimitsByLimitId")
            .end(),
        list if list.ends_with("/list") => page(&[]).end(),
        _ => Object::new().end(),
    })
}

/// An answer with what stands in braces filled in: the spawn's home, or a string parameter.
fn filled(answer: &str, params: &Value, spawn: &Spawn) -> String {
    let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
    let places = [
        ("{codexHome}", &*spawn.codex_home),
        ("{threadId}", text("threadId")),
        ("{marketplaceName}", text("marketplaceName")),
        ("{path}", text("path")),
    ];
    let mut answer = answer.to_owned();
    for (place, value) in places {
        if answer.contains(place) {
            let quoted = json::string(value);
            answer = answer.replace(place, &quoted[1..quoted.len() - 1]);
        }
    }
    answer
}

/// A page of a list, the last one.
fn page(data: &[String]) -> Object {
    Object::new().raw("data", &json::array(data)).null("nextCursor")
}

/// The one model that there is: the spawn's.
fn model(spawn: &Spawn) -> String {
    let effort = |name: &str| {
        let object = Object::new().str("reasoningEffort", name);
        object.str("description", &format!("The {name} reasoning effort")).end()
    };
    let efforts = ["low", "medium", "high"].map(effort);
    Object::new()
        .str("id", &spawn.model)
        .str("model", &spawn.model)
        .null("upgrade")
        .null("upgradeInfo")
        .null("availabilityNux")
        .str("displayName", &spawn.model)
        .str("description", "The model of this recording")
        .null("modelSpecialty")
        .put("hidden", false)
        .raw("supportedReasoningEfforts", &json::array(&efforts))
        .str("defaultReasoningEffort", spawn.effort.as_deref().unwrap_or("medium"))
        .raw("inputModalities", r#"["text","image"]"#)
        .put("supportsPersonality", false)
        .null("multiAgentVersion")
        .raw("additionalSpeedTiers", "[]")
        .raw("serviceTiers", "[]")
        .null("defaultServiceTier")
        .null("availableAccessPrograms")
        .put("isDefault", true)
        .end()
}
