//! The captures: where they are, what was run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::super::{Reading, Review, Sandbox, Spawn};

/// One captured run of `codex`.
pub struct Run {
    /// `codex-0.171.0/02-cmd-fail`.
    pub name: String,
    pub version: String,
    pub argv: Vec<String>,
    pub exit_code: Option<u8>,
    pub stdout: String,
    pub stderr: String,
    /// What the client wrote, line by line.
    pub sent: Vec<String>,
}

impl Run {
    /// Whether an argument was given.
    pub fn has(&self, argument: &str) -> bool {
        self.argv.iter().any(|given| given == argument)
    }

    /// The value of an option.
    pub fn value(&self, option: &str) -> Option<&str> {
        let at = self.argv.iter().position(|given| given == option)?;
        self.argv.get(at + 1).map(String::as_str)
    }

    /// The spawn that the run was, as the engine would describe it.
    pub fn spawn(&self) -> Spawn {
        let yolo = ["--yolo", "--dangerously-bypass-approvals-and-sandbox"];
        let sandbox = match self.value("-s") {
            _ if yolo.iter().any(|option| self.has(option)) => Sandbox::FullAccess,
            Some("danger-full-access") => Sandbox::FullAccess,
            Some("workspace-write") => {
                Sandbox::WorkspaceWrite { roots: Vec::new(), network: false }
            }
            _ => Sandbox::ReadOnly,
        };
        let reading = match self.stderr.lines().find(|line| line.starts_with("Reading ")) {
            Some("Reading prompt from stdin...") => Reading::Prompt,
            Some(_) => Reading::Additional,
            None => Reading::Silent,
        };
        Spawn {
            version: self.version.clone(),
            cwd: self.value("-C").unwrap_or("/home/dev/project").to_owned(),
            codex_home: "/home/dev/.codex".to_owned(),
            provider: "fake".to_owned(),
            sandbox,
            json: self.has("--json") || self.has("--experimental-json"),
            last_message: self.value("-o").map(str::to_owned),
            review: self.has("review").then_some(Review::Uncommitted),
            hide_reasoning: self.has("hide_agent_reasoning=true"),
            reading,
            number: 1,
            ..Spawn::default()
        }
    }
}

/// The folder of captures, if it is there.
pub fn truth() -> Option<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("RINGER_SHARED").map(PathBuf::from);
    let truth = shared.unwrap_or_else(|| manifest.join("../shared")).join("truth");
    truth.is_dir().then_some(truth)
}

/// All captured runs of `codex`, by name; none without the captures.
pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for version in folders(truth().as_deref()) {
        let name = version.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if version.is_dir() && name.starts_with("codex-") {
            let folders = folders(Some(&version));
            runs.extend(folders.iter().filter_map(|folder| read(&name, folder)));
        }
    }
    runs.sort_by(|a, b| a.name.cmp(&b.name));
    runs
}

/// The line of a row of the timeline that the client wrote.
fn sent(row: &str) -> Option<String> {
    let row: Value = serde_json::from_str(row).ok()?;
    (row["fd"] == 0).then(|| row["line"].as_str().map(str::to_owned))?
}

fn folders(parent: Option<&Path>) -> Vec<PathBuf> {
    let entries = parent.and_then(|parent| fs::read_dir(parent).ok());
    entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn read(version: &str, folder: &Path) -> Option<Run> {
    let run: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).ok()?).ok()?;
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let argv = run["argv"].as_array()?;
    Some(Run {
        name: format!("{version}/{}", folder.file_name()?.to_string_lossy()),
        version: run["version"].as_str()?.to_owned(),
        argv: argv.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        exit_code: run["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok()),
        stdout: text("stdout"),
        stderr: text("stderr"),
        sent: text("timeline.jsonl").lines().filter_map(sent).collect(),
    })
}

/// What differs from run to run, and what stands for it: UUIDs, durations, hashes of a diff, and
/// the CLI's log lines. A log message may go on over several lines; here it ends at an empty one.
static UNSETTLED: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
    let log = r"(?mx) ^[\d-]+T[\d:.]+Z\ ERROR\ (
        codex_core::tools::router:\ error=Exit\ code:\ [\s\S]*?\n\n | .*\n)";
    [
        ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
        (r"(succeeded|exited \d+) in \d+ms:", "$1 in Nms:"),
        ("[0-9a-f]{40}", "HASH"),
        (log, ""),
    ]
    .map(|(pattern, stand_in)| (Regex::new(pattern).unwrap(), stand_in))
});

/// Text with what differs from run to run made the same, and without the warnings that come of the
/// machine it ran on.
pub fn settled(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, stand_in) in UNSETTLED.iter() {
        text = pattern.replace_all(&text, *stand_in).into_owned();
    }
    let machine = ["could not find bubblewrap", "WARNING: proceeding"];
    let kept = text.split_inclusive('\n').filter(|line| !machine.iter().any(|m| line.contains(m)));
    kept.collect()
}
