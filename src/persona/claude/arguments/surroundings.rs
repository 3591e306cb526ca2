//! What a verdict on arguments depends on beside the arguments.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};

/// What the environment offers to log in with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Login {
    /// Nothing.
    #[default]
    None,
    /// An API key.
    Key,
    /// A token: what the real CLI says of it was not captured.
    Token,
}

/// What a verdict depends on beside the arguments.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Whether stdin is a terminal: then it is not read for a prompt.
    pub stdin_tty: bool,
    /// Whether stdout is a terminal: if it is not, `--print` is implied.
    pub stdout_tty: bool,
    /// Whether the user is root.
    pub root: bool,
    /// Whether the environment says that this is a sandbox (`IS_SANDBOX=1`), where root may do
    /// what it otherwise may not.
    pub sandbox: bool,
    /// What there is to log in with.
    pub login: Login,
    /// `ANTHROPIC_BASE_URL`.
    pub base_url: Option<String>,
    /// The home directory.
    pub home: String,
    /// `CLAUDE_CONFIG_DIR`.
    pub config_dir: Option<String>,
    /// The working directory.
    pub cwd: String,
}

impl Surroundings {
    /// The surroundings of this process.
    pub fn of_this_process() -> Self {
        let var = |name: &str| {
            let value = env::var_os(name).filter(|value| !value.is_empty());
            value.map(|value| value.to_string_lossy().into_owned())
        };
        let login = if var("ANTHROPIC_API_KEY").is_some() {
            Login::Key
        } else if var("ANTHROPIC_AUTH_TOKEN").or(var("CLAUDE_CODE_OAUTH_TOKEN")).is_some() {
            Login::Token
        } else {
            Login::None
        };
        Surroundings {
            stdin_tty: io::stdin().is_terminal(),
            stdout_tty: io::stdout().is_terminal(),
            root: rustix::process::getuid().is_root(),
            sandbox: env::var_os("IS_SANDBOX").as_deref() == Some(OsStr::new("1")),
            login,
            base_url: var("ANTHROPIC_BASE_URL"),
            home: var("HOME").unwrap_or_default(),
            config_dir: var("CLAUDE_CONFIG_DIR"),
            cwd: env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}
