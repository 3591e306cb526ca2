//! Items in the human transcript before 0.125 (`codex-0.50.0/cmd-human`, `codex-0.99.0/cmd-human`).
//! Only commands are captured; the rest follows the public source, and is shown without what an
//! event does not tell (the new contents of files, the agents' call ids).

use serde_json::Value;

use super::human::{Aside, Human, text};
use super::style::{BOLD, DIM, GREEN, ITALIC, MAGENTA, RED};

/// The lines of a command's output or of a result that are shown.
const SHOWN_LINES: usize = 20;

/// What an item's event shows.
pub(super) fn item(human: &Human, item: &Value, event: &str, aside: &Aside) -> String {
    let label = |text: &str| human.style.paint(&[MAGENTA, ITALIC], text);
    match (text(item, "type"), event) {
        ("reasoning", "item.completed") if !human.spawn.hide_reasoning => {
            format!("{}\n{}\n", label("thinking"), text(item, "text"))
        }
        ("command_execution", "item.started") => {
            let command = human.style.paint(&[BOLD], text(item, "command"));
            // The line goes on when the command is done.
            format!("{}\n{command} in {}", label("exec"), human.spawn.cwd)
        }
        ("command_execution", "item.completed") => command(human, item, aside),
        ("mcp_tool_call", "item.started") => {
            let tool = human.style.paint(&[MAGENTA], "tool");
            format!("{tool} {}\n", human.style.paint(&[BOLD], &invocation(item)))
        }
        ("mcp_tool_call", "item.completed") => mcp(human, item, aside),
        ("web_search", "item.started") => "🌐 Searching the web...\n".to_owned(),
        ("web_search", "item.completed") => match text(item, "query") {
            "" => "🌐 Searched the web\n".to_owned(),
            query => format!("🌐 Searched: {query}\n"),
        },
        ("file_change", "item.completed") => files(human, item, aside),
        _ => String::new(),
    }
}

fn command(human: &Human, item: &Value, aside: &Aside) -> String {
    let took = aside.took_ms;
    let title = match item.get("exit_code").and_then(Value::as_i64).unwrap_or(0) {
        0 => human.style.paint(&[GREEN], &format!(" succeeded in {took}ms:")),
        code => human.style.paint(&[RED], &format!(" exited {code} in {took}ms:")),
    };
    let output: Vec<&str> = text(item, "aggregated_output").lines().take(SHOWN_LINES).collect();
    format!("{title}\n{}\n", human.style.paint(&[DIM], &output.join("\n")))
}

fn invocation(item: &Value) -> String {
    let arguments = item.get("arguments").map(Value::to_string).unwrap_or_default();
    format!("{}.{}({arguments})", text(item, "server"), text(item, "tool"))
}

fn mcp(human: &Human, item: &Value, aside: &Aside) -> String {
    let (color, word) = match text(item, "status") {
        "completed" => (GREEN, "success"),
        _ => (RED, "failed"),
    };
    let title = format!("{} {word} in {}ms:", invocation(item), aside.took_ms);
    let mut out = format!("{}\n", human.style.paint(&[color], &title));
    if let Some(result) = item.get("result").filter(|result| !result.is_null()) {
        let pretty = serde_json::to_string_pretty(result).unwrap_or_default();
        for line in pretty.lines().take(SHOWN_LINES) {
            out += &format!("{}\n", human.style.paint(&[DIM], line));
        }
    }
    out
}

fn files(human: &Human, item: &Value, aside: &Aside) -> String {
    let mut out = format!("{}\n", human.style.paint(&[MAGENTA, ITALIC], "file update"));
    let changes = item.get("changes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for change in changes {
        let letter = match text(change, "kind") {
            "add" => "A",
            "delete" => "D",
            _ => "M",
        };
        let header = format!("{letter} {}", text(change, "path"));
        out += &format!("{}\n", human.style.paint(&[MAGENTA], &header));
    }
    let (color, code) = if text(item, "status") == "completed" { (GREEN, 0) } else { (RED, 1) };
    let title = format!("apply_patch(auto_approved=true) exited {code} in {}ms:", aside.took_ms);
    out += &format!("{}\n", human.style.paint(&[color], &title));
    if let Some(diff) = aside.diff {
        out += &format!("{}\n{diff}\n", human.style.paint(&[ITALIC, MAGENTA], "file update:"));
    }
    out
}
