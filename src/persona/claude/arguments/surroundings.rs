//! What the meaning of arguments depends on beside them.

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

/// What the meaning of arguments depends on beside them.
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
