//! Answers to what clients ask besides threads and turns: models, account, lists. A method that the
//! real server knows and that has no answer here is answered by an empty object.

use super::super::json::{self, Object};
use super::super::spawn::Spawn;
use super::notices;

/// The methods that the server of 0.171.0 knows, in the order in which it names them (`06-errors`).
static METHODS: &str = include_str!("methods.txt");

/// The answer to a method, or an error message if the server has no such method.
pub(super) fn answer(method: &str, spawn: &Spawn) -> Result<String, String> {
    if !METHODS.lines().any(|known| known == method) {
        let known: Vec<&str> = METHODS.lines().collect();
        return Err(format!(
            "Invalid request: unknown variant `{method}`, expected one of `{}`",
            known.join("`, `")
        ));
    }
    Ok(match method {
        "model/list" => page(&[model(spawn)]).end(),
        "thread/list" => Object::new()
            .raw("data", "[]")
            .raw("readStates", "{}")
            .null("nextCursor")
            .null("backwardsCursor")
            .end(),
        "account/read" => Object::new()
            .null("account")
            .null("userId")
            .put("requiresOpenaiAuth", false)
            .null("workspaceRouting")
            .end(),
        "getAuthStatus" => Object::new()
            .null("authMethod")
            .null("authToken")
            .put("requiresOpenaiAuth", false)
            .end(),
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
        "thread/goal/get" => Object::new().null("goal").end(),
        "configRequirements/read" => Object::new().null("requirements").end(),
        // Nothing is run (`06-compact-exec`).
        "command/exec" => {
            Object::new().put("exitCode", 0).str("stdout", "").str("stderr", "").end()
        }
        "thread/unsubscribe" => Object::new().str("status", "unsubscribed").end(),
        "skills/list" | "hooks/list" => Object::new().raw("data", "[]").end(),
        list if list.ends_with("/list") => page(&[]).end(),
        _ => Object::new().end(),
    })
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
