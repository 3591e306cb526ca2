//! What a turn shows, item by item, before it is written for `exec --json`, for the human
//! transcript or for the app-server.

/// One item of a turn.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// What the model thought: the summary.
    Reasoning(String),
    /// A block of the answer.
    Message(String),
    /// A shell command.
    Command(Command),
    /// Changes to files.
    Files(Files),
    /// A call of an MCP server's tool.
    Mcp(Mcp),
    /// A web search, or a page opened.
    Search(Search),
    /// The plan, anew.
    Plan(Plan),
    /// A call that deals with another agent.
    Agent(Agent),
}

/// How an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Completed,
    Failed,
    Declined,
}

impl Status {
    /// The word for it, the same in all streams.
    pub fn word(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Declined => "declined",
        }
    }
}

/// A shell command.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// The script or command line as the model gave it.
    pub script: String,
    /// The whole command as it is shown.
    pub command: String,
    /// What it printed.
    pub output: String,
    /// Absent if it never ran.
    pub exit_code: Option<i64>,
    pub status: Status,
    /// Why the model wants to run it, for the question to the client.
    pub reason: Option<String>,
}

/// A set of changes to files, by path.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub changes: Vec<Change>,
    pub status: Status,
}

/// A change to one file.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The absolute path.
    pub path: String,
    pub kind: ChangeKind,
    /// The new path of a file that was moved.
    pub moved_to: Option<String>,
    /// The lines that go, without their newlines.
    pub old: Vec<String>,
    /// The lines that come.
    pub new: Vec<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    Add,
    Delete,
    Update,
}

impl ChangeKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            ChangeKind::Add => "add",
            ChangeKind::Delete => "delete",
            ChangeKind::Update => "update",
        }
    }
}

/// A call of an MCP server's tool.
#[derive(Clone, Debug)]
pub(super) struct Mcp {
    pub server: String,
    pub tool: String,
    /// JSON.
    pub arguments: String,
    pub outcome: McpOutcome,
}

/// What came of an MCP call.
#[derive(Clone, Debug)]
pub(super) enum McpOutcome {
    /// The server answered; `failed` if it said `isError`.
    Result { content: String, structured: String, failed: bool },
    /// The call itself failed.
    Error(String),
}

impl McpOutcome {
    /// Whether the call failed, in either way.
    pub fn status(&self) -> Status {
        match self {
            McpOutcome::Result { failed: false, .. } => Status::Completed,
            _ => Status::Failed,
        }
    }
}

/// What a web search does.
#[derive(Clone, Debug)]
pub(super) enum Search {
    Query(String),
    Queries(Vec<String>),
    Open(String),
    Find { url: String, pattern: String },
}

impl Search {
    /// The search in one line, as the `query` of the item.
    pub fn query(&self) -> String {
        match self {
            Search::Query(query) => query.clone(),
            Search::Queries(queries) => match queries.as_slice() {
                [] => String::new(),
                [one] => one.clone(),
                [first, ..] => format!("{first} ..."),
            },
            Search::Open(url) => url.clone(),
            Search::Find { url, pattern } => format!("'{pattern}' in {url}"),
        }
    }
}

/// A plan: what `update_plan` sets.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub explanation: Option<String>,
    pub steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub text: String,
    pub progress: Progress,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Pending,
    Current,
    Completed,
}

/// A call that deals with another agent.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    /// `spawn_agent`, `send_input`, `wait` or `close_agent`.
    pub tool: &'static str,
    pub prompt: Option<String>,
    /// The agent's state after the call: `pending_init`, `running`, `completed`, ...
    pub state: &'static str,
    /// What the agent said.
    pub message: Option<String>,
    pub status: Status,
}
