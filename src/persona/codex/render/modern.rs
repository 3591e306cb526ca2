//! Items in the human transcript of 0.125 and later (`codex-0.171.0/02-*-human`). What no capture
//! shows (a declined command, a failed MCP call, colours of the items) follows the public source.

use serde_json::Value;

use super::human::{Aside, Human, text};
use super::style::{BOLD, CYAN, DIM, GREEN, ITALIC, MAGENTA, RED, YELLOW};

/// What an item's event shows.
pub(super) fn item(human: &Human, item: &Value, event: &str, aside: &Aside) -> String {
    match event {
        "item.started" => started(human, item),
        "item.completed" => completed(human, item, aside),
        _ => String::new(),
    }
}

fn started(human: &Human, item: &Value) -> String {
    let bold = |label: &str| human.style.paint(&[BOLD], label);
    match text(item, "type") {
        "command_execution" => {
            let label = human.style.paint(&[MAGENTA, ITALIC], "exec");
            format!("{label}\n{} in {}\n", bold(text(item, "command")), human.spawn.cwd)
        }
        "mcp_tool_call" => {
            format!(
                "{} {} {}\n",
                bold("mcp:"),
                mcp_name(human, item),
                human.style.paint(&[DIM], "started")
            )
        }
        "web_search" => format!("{} {}\n", bold("web search:"), text(item, "query")),
        "file_change" => format!("{}\n", bold("apply patch")),
        "collab_tool_call" => format!("{} {}\n", bold("collab:"), camel(text(item, "tool"))),
        _ => String::new(),
    }
}

fn completed(human: &Human, item: &Value, aside: &Aside) -> String {
    match text(item, "type") {
        "reasoning" => {
            let reasoning = text(item, "text");
            if human.spawn.hide_reasoning || reasoning.trim().is_empty() {
                return String::new();
            }
            format!("{}\n", human.style.paint(&[DIM], reasoning))
        }
        "command_execution" => command(human, item, aside),
        "file_change" => files(human, item, aside),
        "mcp_tool_call" => mcp(human, item),
        "web_search" => {
            let label = human.style.paint(&[BOLD], "web search:");
            format!("{label} {}\n", text(item, "query"))
        }
        _ => String::new(),
    }
}

fn command(human: &Human, item: &Value, aside: &Aside) -> String {
    let took = aside.took_ms;
    let (color, title) = match text(item, "status") {
        "completed" => (GREEN, format!(" succeeded in {took}ms:")),
        // It never ran, so there is no time.
        "declined" => (YELLOW, " declined:".to_owned()),
        "in_progress" => (DIM, " in progress:".to_owned()),
        _ => {
            let code = item.get("exit_code").and_then(Value::as_i64).unwrap_or(1);
            (RED, format!(" exited {code} in {took}ms:"))
        }
    };
    let mut out = format!("{}\n", human.style.paint(&[color], &title));
    let output = text(item, "aggregated_output");
    if !output.trim().is_empty() {
        out += output;
        out.push('\n');
    }
    out
}

fn files(human: &Human, item: &Value, aside: &Aside) -> String {
    let label = human.style.paint(&[BOLD], "patch:");
    let mut out = format!("{label} {}\n", text(item, "status"));
    let changes = item.get("changes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for change in changes {
        out += &format!("{}\n", human.style.paint(&[DIM], text(change, "path")));
    }
    if let Some(diff) = aside.diff {
        out += &format!("{diff}\n");
    }
    out
}

fn mcp(human: &Human, item: &Value) -> String {
    let status = text(item, "status");
    let color = match status {
        "completed" => GREEN,
        "failed" => RED,
        _ => DIM,
    };
    let status = human.style.paint(&[color], status);
    let status = human.style.paint(&[DIM], &format!("({status})"));
    let label = human.style.paint(&[BOLD], "mcp:");
    let mut out = format!("{label} {} {status}\n", mcp_name(human, item));
    if let Some(error) = item.get("error").filter(|error| error.is_object()) {
        out += &format!("{}\n", human.style.paint(&[RED], text(error, "message")));
    }
    out
}

fn mcp_name(human: &Human, item: &Value) -> String {
    let name = format!("{}/{}", text(item, "server"), text(item, "tool"));
    human.style.paint(&[CYAN], &name)
}

/// `spawn_agent` as `SpawnAgent`.
fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
    };
    name.split('_').filter_map(capital).collect()
}
