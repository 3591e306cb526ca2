//! The ways in which clients go round PATH, and how each is brought to the doubles.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A client that has its own way to find the program, and what to give it.
struct Way {
    persona: &'static str,
    client: &'static str,
    /// What to write, with `{}` where the double's path goes.
    give: &'static str,
}

/// The common clients. The Python agent SDK carries a program of its own and tries it before PATH;
/// the JavaScript SDKs of both never look at PATH.
const WAYS: [Way; 4] = [
    Way {
        persona: "claude",
        client: "Python claude-agent-sdk",
        give: "ClaudeAgentOptions(cli_path=\"{}\")",
    },
    Way {
        persona: "claude",
        client: "JS @anthropic-ai/claude-agent-sdk",
        give: "pathToClaudeCodeExecutable: \"{}\"",
    },
    Way {
        persona: "codex",
        client: "JS @openai/codex-sdk",
        give: "new Codex({ codexPathOverride: \"{}\" })",
    },
    Way { persona: "codex", client: "Python openai-codex", give: "CodexConfig(codex_bin=\"{}\")" },
];

/// The lines that tell how clients of these personas are brought to the doubles. `passing`: the
/// stage of these doubles is gone after this run.
pub(super) fn lines(
    personas: &[String],
    programs: &BTreeMap<String, PathBuf>,
    passing: bool,
) -> String {
    let mut text = String::new();
    let path = |persona: &str| {
        let known = programs.get(persona).map(|path| path.display().to_string());
        known.unwrap_or_else(|| format!("STAGE/{persona}"))
    };
    for way in WAYS.iter().filter(|way| personas.iter().any(|persona| persona == way.persona)) {
        let give = way.give.replace("{}", &path(way.persona));
        let _ = writeln!(text, "    {:<34} {give}", way.client);
    }
    let others = personas.iter().map(|persona| path(persona)).collect::<Vec<_>>().join(" or ");
    let _ = writeln!(text, "    {:<34} {others}", "npx, absolute paths, a PATH reset");
    if passing && let Some(persona) = personas.first() {
        let _ = writeln!(
            text,
            "  Each run has a stage of its own: take the path from PATH, as `command -v {persona}` \
             does,\n  or make a stage that stays: ringer stage DIR --recordings R"
        );
    } else if programs.is_empty() {
        text.push_str("  STAGE is the directory that `ringer stage` has made.\n");
    }
    text
}
