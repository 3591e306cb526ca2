//! The answers that the CLI gives to its client's requests where no recording has one: their shapes
//! and texts, from a data file a version.

use super::options::LiveOptions;
use crate::persona::claude::object::Object;
use crate::persona::claude::render::Layout;

/// The answers there are, oldest first.
const STOCK: &[(&str, &str)] = &[
    ("2.1.197", include_str!("stock/2.1.197.stock")),
    ("2.1.332", include_str!("stock/2.1.332.stock")),
];

/// The answers of a version: those of the newest that is not newer, or the oldest there are.
pub(super) fn of(version: &str) -> Layout {
    Layout::among(STOCK, version)
}

/// What an answer says.
#[derive(Debug)]
pub(super) enum Said {
    /// That it is done.
    Done,
    /// This, as JSON.
    Value(String),
    /// This, as JSON, and more keys beside it, with their commas.
    Beside(String, String),
    /// That it cannot be: the name of a text, filled.
    Error {
        /// The text's name, by which the version may have a code for it.
        name: &'static str,
        /// The text.
        text: String,
    },
}

/// The line of an answer. Its id is the request's own, to the letter, and missing where that is.
pub(super) fn line(stock: &Layout, layout: &Layout, id: Option<&str>, said: &Said) -> Vec<u8> {
    let id = id.map(|id| format!("\"request_id\":{id}"));
    let mut parts: Vec<String> = Vec::new();
    match said {
        Said::Error { .. } => parts.push("\"subtype\":\"error\"".to_owned()),
        _ => parts.push("\"subtype\":\"success\"".to_owned()),
    }
    parts.extend(id);
    match said {
        Said::Done => {}
        Said::Value(value) => parts.push(format!("\"response\":{value}")),
        Said::Beside(value, more) => {
            parts.push(format!("\"response\":{value}"));
            parts.extend((!more.is_empty()).then(|| more.clone()));
        }
        Said::Error { name, text } => {
            parts.push(format!("\"error\":{}", layout.json.string(text)));
            let code = stock.entry("codes", name);
            parts.extend(code.map(|code| format!("\"error_code\":{code}")));
        }
    }
    let parts = parts.join(",");
    format!("{{\"type\":\"control_response\",\"response\":{{{parts}}}}}\n").into_bytes()
}

/// An error by the name of its text.
pub(super) fn error(stock: &Layout, name: &'static str, places: &[(&str, &str)]) -> Said {
    Said::Error { name, text: stock.text(name, places) }
}

/// The answer to `initialize` (s04_initialize, s04_hooks_continue): `mode` is that of permissions,
/// `again` says that it is not the first.
pub(super) fn initialize(
    stock: &Layout,
    layout: &Layout,
    options: &LiveOptions,
    mode: &str,
    again: bool,
    request: &Object,
) -> Said {
    let account = layout.fields().text("apiKeySource", &options.api_key_source);
    let mut fields = layout
        .fields()
        .text("user_output_styles_dir", &format!("{}/output-styles", options.config_dir))
        .raw("account", stock.object("account", &account))
        .plain("pid", options.pid)
        .text("claude_code_version", &options.version)
        .text("current_permission_mode", mode);
    // What the client hands over it wants to hear was taken: the JavaScript SDK ends the session
    // otherwise.
    for (handed, applied) in APPLIED {
        if request.has(handed) {
            fields = fields.plain(applied, true);
        }
    }
    let mut value = stock.object("initialize", &fields);
    for (key, source) in &options.initialize {
        value = replaced(&value, key, source, layout);
    }
    let beside = if again { "beside.initialize.again" } else { "beside.initialize" };
    let beside = stock.object(beside, &layout.fields());
    let beside = beside.trim_start_matches('{').trim_end_matches('}');
    Said::Beside(value, beside.to_owned())
}

/// What a client hands over with `initialize`, and the key that says it was taken.
const APPLIED: &[(&str, &str)] = &[
    ("hooks", "hooks_applied"),
    ("managedSettings", "managed_settings_applied"),
    ("settings", "settings_applied"),
    ("disallowedTools", "disallowed_tools_applied"),
    ("mcpServers", "mcp_servers_applied"),
];

/// An object with another value for a key, at its place or at the end.
fn replaced(object: &str, key: &str, source: &str, layout: &Layout) -> String {
    let parsed = Object::parse(object.as_bytes()).unwrap_or_default();
    let mut out: Vec<String> = Vec::new();
    let mut there = false;
    for (name, value) in parsed.entries() {
        let value = if name == key { source } else { value };
        there |= name == key;
        out.push(format!("{}:{value}", layout.json.string(name)));
    }
    if !there {
        out.push(format!("{}:{source}", layout.json.string(key)));
    }
    format!("{{{}}}", out.join(","))
}

/// The answer to a request that does nothing to the session: one of a fixed table, or that there
/// is no such request. Some of them say again what `initialize` said.
pub(super) fn other(stock: &Layout, layout: &Layout, options: &LiveOptions, subtype: &str) -> Said {
    let section = format!("request.{subtype}");
    if stock.has(&section) {
        let mut fields = layout.fields();
        for (key, value) in stock.entries("initialize") {
            let given = options.initialize.iter().find(|(name, _)| name == key);
            let value = given.map_or(value, |(_, source)| Some(source));
            fields = fields.maybe_raw(key, value.map(str::to_owned));
        }
        return Said::Value(stock.object(&section, &fields));
    }
    match stock.entries("done").any(|(known, _)| known == subtype) {
        true => Said::Done,
        false => error(stock, "unsupported", &[("subtype", subtype)]),
    }
}

/// The answer to `get_settings`.
pub(super) fn settings(stock: &Layout, layout: &Layout, model: &str) -> Said {
    let applied = stock.object("settings.applied", &layout.fields().text("model", model));
    Said::Value(stock.object("settings", &layout.fields().raw("applied", applied)))
}
