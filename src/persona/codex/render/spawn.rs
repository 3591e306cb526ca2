//! What a spawn's arguments and surroundings mean for what it writes. The engine fills it in.

use crate::recording::turn::Usage;

/// A spawn of `codex`, as far as rendering goes.
///
/// The default is an `exec PROMPT` of version 0.171.0 with nothing else given, in a directory
/// nobody named.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// The CLI version to write as: `0.171.0`.
    pub version: String,
    /// The thread's id: that of the resumed thread, or a minted one
    /// ([`mint_thread_id`](super::mint_thread_id)).
    pub thread_id: String,
    /// The working directory, absolute.
    pub cwd: String,
    /// `CODEX_HOME`, absolute; named by the app-server.
    pub codex_home: String,
    /// The model in use.
    pub model: String,
    /// The model provider's id.
    pub provider: String,
    /// The approval policy: `never`, `on-request`. `exec` has `never`.
    pub approval: String,
    /// What commands may touch.
    pub sandbox: Sandbox,
    /// The reasoning effort, if one is set.
    pub effort: Option<String>,
    /// Reasoning summaries, if they are set.
    pub summaries: Option<String>,
    /// Whether reasoning is kept out of the human transcript (`hide_agent_reasoning`).
    pub hide_reasoning: bool,
    /// Whether `--json` was given.
    pub json: bool,
    /// Whether the human transcript is coloured: `--color always`, or `auto` and stderr is a
    /// terminal.
    pub color: bool,
    /// Whether stdout is a terminal.
    pub stdout_tty: bool,
    /// Whether stderr is a terminal.
    pub stderr_tty: bool,
    /// The prompt as the model gets it, stdin included. A fork may have none: it opens the thread
    /// and ends.
    pub prompt: Option<String>,
    /// What stderr says of stdin before anything else.
    pub reading: Reading,
    /// The review that `review` asks for; `None` for other commands.
    pub review: Option<Review>,
    /// The `-o` file as it was given, for the warning about an empty message.
    pub last_message: Option<String>,
    /// The usage of the thread so far, for a resumed or forked one.
    pub carried: Usage,
    /// What made-up values are made of: the directory and the arguments, hashed.
    pub seed: u64,
    /// The spawn's number in its state directory.
    pub number: u64,
}

impl Default for Spawn {
    fn default() -> Spawn {
        Spawn {
            version: "0.171.0".to_owned(),
            thread_id: super::mint_thread_id(0, 0),
            cwd: "/".to_owned(),
            codex_home: "/.codex".to_owned(),
            model: "gpt-5.5".to_owned(),
            provider: "openai".to_owned(),
            approval: "never".to_owned(),
            sandbox: Sandbox::ReadOnly,
            effort: None,
            summaries: None,
            hide_reasoning: false,
            json: false,
            color: false,
            stdout_tty: false,
            stderr_tty: false,
            prompt: Some(String::new()),
            reading: Reading::Silent,
            review: None,
            last_message: None,
            carried: Usage::default(),
            seed: 0,
            number: 0,
        }
    }
}

impl Spawn {
    /// The prompt as the transcript shows it after `user`: a review has a text of its own.
    pub(super) fn shown_prompt(&self) -> Option<String> {
        match &self.review {
            Some(review) => Some(review.hint()),
            None => self.prompt.clone(),
        }
    }
}

/// What commands may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// `read-only`.
    #[default]
    ReadOnly,
    /// `workspace-write`, with the directories of `--add-dir`.
    WorkspaceWrite {
        /// Writable directories besides the working directory, `/tmp` and `$TMPDIR`.
        roots: Vec<String>,
        /// Whether the network may be used.
        network: bool,
    },
    /// `danger-full-access`.
    FullAccess,
}

impl Sandbox {
    /// The banner's text for it (`01-root-s`).
    pub(super) fn summary(&self) -> String {
        match self {
            Sandbox::ReadOnly => "read-only".to_owned(),
            Sandbox::FullAccess => "danger-full-access".to_owned(),
            Sandbox::WorkspaceWrite { roots, network } => {
                let mut text = "workspace-write [workdir, /tmp, $TMPDIR".to_owned();
                for root in roots {
                    text.push_str(", ");
                    text.push_str(root);
                }
                text.push(']');
                if *network {
                    text.push_str(" (network access enabled)");
                }
                text
            }
        }
    }
}

/// What stderr says of stdin, in either output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Nothing: stdin is a terminal, or not read, or the prompt is `-`.
    #[default]
    Silent,
    /// The prompt is read from it.
    Prompt,
    /// It is added to the prompt of the arguments. Versions that leave stdin alone say nothing.
    Additional,
}

/// What a review looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// `--uncommitted`.
    Uncommitted,
    /// `--base BRANCH`.
    Base(String),
    /// `--commit SHA`, and its `--title`.
    Commit(String, Option<String>),
    /// Instructions in words.
    Custom(String),
}

impl Review {
    /// The words for it in the transcript (`03-review-uncommitted-human`).
    pub(super) fn hint(&self) -> String {
        match self {
            Review::Uncommitted => "current changes".to_owned(),
            Review::Base(branch) => format!("changes against '{branch}'"),
            Review::Commit(sha, title) => {
                let short: String = sha.chars().take(7).collect();
                match title {
                    Some(title) => format!("commit {short}: {title}"),
                    None => format!("commit {short}"),
                }
            }
            Review::Custom(text) => text.trim().to_owned(),
        }
    }
}
