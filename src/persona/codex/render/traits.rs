//! What differs between CLI versions in the events and texts of a run: one row a version that
//! changed something, read from the captures of 0.50.0, 0.99.0, 0.125.0 and 0.171.0. A version in
//! between is taken for the last captured one before it.

/// What a CLI version writes, as far as versions differ.
#[derive(Debug)]
pub(super) struct Traits {
    /// The first version that is known to be like this.
    since: [u32; 3],
    /// What the banner says after the version.
    pub banner_suffix: &'static str,
    /// What the banner calls reasoning summaries that nobody set.
    pub summaries: &'static str,
    /// The shell, as it stands in front of a command.
    pub shell: &'static str,
    /// Whether a command that still runs has `"exit_code":null`; else it has no such key.
    pub null_exit_code: bool,
    /// Whether a file change is announced before it is made.
    pub file_change_starts: bool,
    /// Whether an MCP call has `arguments`, `result` and `error`.
    pub mcp_details: bool,
    /// Whether a web search is announced, and has an `action` and the API's id as a second `id`.
    pub search_details: bool,
    /// Whether usage names `reasoning_output_tokens`.
    pub usage_reasoning: bool,
    /// Whether usage names `cache_write_input_tokens`.
    pub usage_cache_write: bool,
    /// Whether a resumed thread goes on adding to its old usage.
    pub usage_carries: bool,
    /// The exit code after SIGINT in a turn.
    pub interrupted_code: u8,
    /// Whether an `error` event that is no retry notice makes the exit code 1 by itself.
    pub error_fails: bool,
    /// Whether the human transcript is the older one (`thinking`, `tool`, `file update`).
    pub classic: bool,
    /// A line after the prompt of the human transcript, empty if there is none.
    pub after_prompt: &'static str,
    /// Whether stdin is read, and announced, beside a prompt argument.
    pub reads_stdin: bool,
}

/// The rows, oldest first.
static VERSIONS: [Traits; 4] = [
    Traits {
        since: [0, 50, 0],
        banner_suffix: " (research preview)",
        summaries: "auto",
        shell: "bash",
        null_exit_code: false,
        file_change_starts: false,
        mcp_details: false,
        search_details: false,
        usage_reasoning: false,
        usage_cache_write: false,
        usage_carries: false,
        interrupted_code: 0,
        error_fails: true,
        classic: true,
        after_prompt: "",
        reads_stdin: false,
    },
    Traits {
        since: [0, 99, 0],
        banner_suffix: " (research preview)",
        summaries: "auto",
        shell: "/bin/bash",
        null_exit_code: true,
        file_change_starts: false,
        mcp_details: true,
        search_details: true,
        usage_reasoning: false,
        usage_cache_write: false,
        usage_carries: true,
        interrupted_code: 0,
        error_fails: false,
        classic: true,
        after_prompt: "mcp startup: no servers",
        reads_stdin: false,
    },
    Traits {
        since: [0, 125, 0],
        banner_suffix: " (research preview)",
        summaries: "auto",
        shell: "/bin/bash",
        null_exit_code: true,
        file_change_starts: true,
        mcp_details: true,
        search_details: true,
        usage_reasoning: true,
        usage_cache_write: false,
        usage_carries: true,
        interrupted_code: 1,
        error_fails: false,
        classic: false,
        after_prompt: "",
        reads_stdin: true,
    },
    Traits {
        since: [0, 171, 0],
        banner_suffix: "",
        summaries: "none",
        shell: "/bin/bash",
        null_exit_code: true,
        file_change_starts: true,
        mcp_details: true,
        search_details: true,
        usage_reasoning: true,
        usage_cache_write: true,
        usage_carries: true,
        interrupted_code: 1,
        error_fails: false,
        classic: false,
        after_prompt: "",
        reads_stdin: true,
    },
];

/// The traits of a version: those of the newest row that is not newer, or the oldest row.
pub(super) fn of(version: &str) -> &'static Traits {
    let mut wanted = [0; 3];
    for (slot, part) in wanted.iter_mut().zip(version.split(['.', '-', '+'])) {
        *slot = part.parse().unwrap_or(0);
    }
    let [oldest, ..] = &VERSIONS;
    VERSIONS.iter().rev().find(|row| row.since <= wanted).unwrap_or(oldest)
}

/// The exit code of a version after SIGINT in a turn.
pub(in crate::persona::codex) fn interrupted_code(version: &str) -> u8 {
    of(version).interrupted_code
}

/// Whether an `error` event makes a run of a version fail.
pub(in crate::persona::codex) fn error_fails(version: &str) -> bool {
    of(version).error_fails
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_between_two_captures_is_like_the_older_one() {
        assert_eq!(of("0.124.9").since, [0, 99, 0]);
        assert_eq!(of("0.171.0").since, [0, 171, 0]);
        assert_eq!(of("1.0.0").since, [0, 171, 0]);
        assert_eq!(of("0.12.0").since, [0, 50, 0]);
    }
}
