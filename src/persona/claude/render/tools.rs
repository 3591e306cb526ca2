//! What comes of a tool call: the `user` event with its result, in the shape that each tool has.

use super::answers::Outcome;
use super::layout::Layout;
use super::plan::{Call, STRUCTURED_OUTPUT};
use super::renderer::Renderer;
use super::running::Running;
use super::shapes;
use super::spawn::Spawn;
use serde_json::Value;

/// What came of a tool call, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// The `tool_result` block.
    content: String,
    /// `tool_use_result`: what the tool itself says.
    tool_use_result: String,
    /// The entry of `tool_result_meta`.
    meta: Option<String>,
    /// Whether the result lists the call among those denied.
    denied: bool,
    /// The notice that permission was denied: its message, and the reason's type.
    notice: Option<(String, Option<&'static str>)>,
}

impl Settled {
    /// What comes of a call that nobody is asked about. One that needs permission and failed was
    /// denied, since there was nobody to give it.
    pub fn unasked(call: &Call, layout: &Layout, spawn: &Spawn) -> Settled {
        let bypassed = spawn.permission_mode == "bypassPermissions";
        if !call.ask || bypassed {
            return Settled::ran(call, layout, accepted(call, spawn));
        }
        if spawn.permission_prompts && !spawn.live {
            let text = layout.text("ask.no_channel", &[]);
            return Settled::refused(
                call,
                layout,
                &text,
                RULE,
                Some(reject("config", Some("other"))),
            );
        }
        if !call.is_error {
            return Settled::ran(call, layout, accepted(call, spawn));
        }
        let text = shapes::result_text(call);
        let (kind, notice, reason) = match spawn.permission_mode.as_str() {
            "dontAsk" => (RULE, Some("mode"), Some("mode")),
            "plan" => (REJECTED, Some("mode"), None),
            _ => (REJECTED, None, None),
        };
        let decision = reject("config", reason);
        let mut settled = Settled::refused(call, layout, &text, kind, Some(decision));
        settled.notice = Some((text, notice));
        settled
    }

    /// What comes of a call after the client was asked (claude.md, section 4).
    pub fn after_ask(call: &Call, outcome: &Outcome, layout: &Layout) -> Settled {
        let failed = |text: &str| {
            Settled::refused(call, layout, text, RULE, Some(reject("config", Some("other"))))
        };
        match outcome {
            Outcome::Allow { input: None } if layout.entry("texts", "ask.no_input").is_some() => {
                failed(&layout.text("ask.no_input", &[]))
            }
            Outcome::Allow { input } => {
                let mut call = call.clone();
                if let Some(input) = input {
                    call.input = serde_json::from_str(input.get()).unwrap_or_default();
                }
                let decision = r#"{"decision":"accept","source":"user_temporary"}"#;
                Settled::ran(&call, layout, decision.to_owned())
            }
            Outcome::Deny { interrupt: true, .. } => Settled::rejected(call, layout, true),
            Outcome::Deny { message, .. } => {
                Settled::refused(call, layout, message, RULE, Some(reject("user_reject", None)))
            }
            Outcome::Error(error) => failed(&layout.text("ask.error", &[("error", error)])),
            Outcome::Garbage => failed(&layout.text("ask.garbage", &[])),
            Outcome::Closed => failed(&layout.text("ask.closed", &[])),
        }
    }

    /// What comes of a call that is interrupted; `asked`: before the client had answered.
    pub fn rejected(call: &Call, layout: &Layout, asked: bool) -> Settled {
        let text = layout.text("interrupt.rejected", &[]);
        let mut settled = Settled::refused(call, layout, &text, REJECTED, None);
        settled.tool_use_result = layout.json.string("User rejected tool use");
        settled.denied = asked;
        settled
    }

    /// What comes of a command whose process is killed with the CLI.
    pub fn killed(call: &Call, layout: &Layout, spawn: &Spawn) -> Settled {
        let mut call = call.clone();
        call.is_error = true;
        call.result = Some(Value::String("Exit code 137".to_owned()));
        Settled::ran(&call, layout, accepted(&call, spawn))
    }

    /// The tool ran; `decision` says why it might.
    fn ran(call: &Call, layout: &Layout, decision: String) -> Settled {
        let text = shapes::result_text(call);
        if !call.is_error {
            return Settled {
                content: shapes::success(call, layout),
                tool_use_result: shapes::tool_use_result(call, layout),
                meta: Some(meta(call, layout, None, Some(decision))),
                ..Settled::default()
            };
        }
        // What never reached the tool (an unknown name, an invalid input) was not decided on.
        let inner = text.strip_prefix("<tool_use_error>");
        let inner = inner.and_then(|text| text.strip_suffix("</tool_use_error>"));
        let told = match inner {
            Some(inner) => inner.to_owned(),
            None => format!("Error: {text}"),
        };
        Settled {
            content: shapes::failure(call, layout, &text),
            tool_use_result: layout.json.string(&told),
            meta: inner.is_none().then(|| meta(call, layout, None, Some(decision))),
            ..Settled::default()
        }
    }

    /// The tool did not run.
    fn refused(
        call: &Call,
        layout: &Layout,
        text: &str,
        kind: &str,
        decision: Option<String>,
    ) -> Settled {
        Settled {
            content: shapes::failure(call, layout, text),
            tool_use_result: layout.json.string(&format!("Error: {text}")),
            meta: Some(meta(call, layout, Some(kind), decision)),
            denied: true,
            notice: None,
        }
    }
}

impl Renderer {
    /// Writes what came of a call.
    pub(super) fn write_settled(&mut self, running: &mut Running, call: &Call, settled: Settled) {
        let layout = self.layout.clone();
        if let (Some((message, reason)), true) = (&settled.notice, layout.has("permission_denied"))
        {
            let fields = self
                .event(&layout)
                .text("tool_name", &call.name)
                .text("tool_use_id", &call.id)
                .maybe_text("decision_reason_type", *reason)
                .text("message", message);
            self.write(&layout.object("permission_denied", &fields));
        }
        self.clock.pass(30);
        let message = format!("{{\"role\":\"user\",\"content\":[{}]}}", settled.content);
        let fields = self
            .event(&layout)
            .raw("message", message)
            .raw("tool_use_result", settled.tool_use_result)
            .maybe_raw("tool_result_meta", settled.meta.map(|meta| layout.json.list([meta])));
        self.write(&layout.object("tool_result", &fields));
        running.num_turns += 1;
        running.tool_results += 1;
        if settled.denied {
            running.denials.push(denial(call, &layout));
        }
        if call.name == STRUCTURED_OUTPUT {
            let output = layout.json.value(&call.input);
            running.result_text.clone_from(&output);
            running.structured = Some(output);
        }
    }

    /// Writes what an interruption makes of a call.
    pub(super) fn write_rejected(&mut self, running: &mut Running, call: &Call, asked: bool) {
        let settled = Settled::rejected(call, &self.layout, asked);
        self.write_settled(running, call, settled);
    }

    /// The question to the client whether a tool may run, with its newline.
    pub(super) fn ask_line(&self, call: &Call, id: &str) -> String {
        let layout = &self.layout;
        let request = shapes::permission_request(call, layout, &self.spawn);
        let id = layout.json.string(id);
        format!("{{\"type\":\"control_request\",\"request_id\":{id},\"request\":{request}}}\n")
    }
}

/// Server, tool and displayed name of an MCP tool: `mcp__calc__add` is `Add` of `calc`.
pub(super) fn mcp_names(name: &str) -> Option<(&str, &str, String)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    let mut letters = tool.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    Some((server, tool, first + letters.as_str()))
}

/// A rule kept the tool from running.
const RULE: &str = "permission-rule";
/// The user did.
const REJECTED: &str = "user-rejected";

/// The decision by which a tool runs that nobody was asked about.
fn accepted(call: &Call, spawn: &Spawn) -> String {
    let edits = matches!(call.name.as_str(), "Write" | "Edit" | "NotebookEdit");
    let by_mode = match spawn.permission_mode.as_str() {
        "bypassPermissions" => true,
        "acceptEdits" => edits,
        _ => false,
    };
    let reason = if by_mode { "mode" } else { "rule" };
    format!("{{\"decision\":\"accept\",\"source\":\"config\",\"reason_type\":\"{reason}\"}}")
}

/// The decision by which a tool does not run.
fn reject(source: &str, reason: Option<&str>) -> String {
    let reason = reason.map(|reason| format!(",\"reason_type\":\"{reason}\"")).unwrap_or_default();
    format!("{{\"decision\":\"reject\",\"source\":\"{source}\"{reason}}}")
}

fn meta(call: &Call, layout: &Layout, kind: Option<&str>, decision: Option<String>) -> String {
    let fields = layout
        .fields()
        .text("id", &call.id)
        .maybe_text("non_execution_kind", kind)
        .maybe_raw("permission_decision", decision);
    layout.object("tool_result_meta", &fields)
}

fn denial(call: &Call, layout: &Layout) -> String {
    let (name, id) = (layout.json.string(&call.name), layout.json.string(&call.id));
    let input = layout.json.value(&call.input);
    format!("{{\"tool_name\":{name},\"tool_use_id\":{id},\"tool_input\":{input}}}")
}
