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

/// The lines that tell how clients of these personas are brought to the doubles.
pub(super) fn lines(personas: &[String], programs: &BTreeMap<String, PathBuf>) -> String {
    let mut text = String::new();
    let path = |persona: &str| {
        let known = programs.get(persona).map(|path| path.display().to_string());
        known.unwrap_or_else(|| format!("STAGE/{persona}"))
    };
    for way in WAYS.iter().filter(|way| personas.iter().any(|persona| persona == way.persona)) {
        let give = way.give.replace("{}", &path(way.persona));
        let _ = writeln!(text, "  {:<34} {give}", way.client);
    }
    for persona in personas {
        let _ = writeln!(text, "  {:<34} {}", "npx, an absolute path, its own PATH", path(persona));
    }
    text
}
