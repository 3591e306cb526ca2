//! A recording as a test writes it: its header and its way into a file. The steps are in `steps`.

use std::collections::BTreeMap;
use std::fs;
use std::marker::PhantomData;
use std::path::Path;

use serde_json::Value;

use super::line::{Line, source_of};
use super::when::When;
use crate::error::Error;
use crate::recording::turn::Turn;
use crate::recording::{
    BindName, Kind, OnEpipe, Regexes, STDIN_MODES, StdinMode, Surroundings, VERSION, check,
};

/// A recording: what one spawn of a double does, whole.
///
/// The methods have the words of the format. Those of this type without `Part` are header keys and
/// hold for the whole; the others add a step each, in the order of the calls. Nothing is checked
/// until the recording is written; then a recording that a double would refuse is an error that
/// names the line and the reason.
///
/// A text, or a [`Turn`], is a recording of one turn:
///
/// ```
/// use ringer::Recording;
///
/// let short = Recording::from("It is 42.");
/// let long = Recording::new().turn("It is 42.");
/// assert_eq!(short.to_string(), long.to_string());
/// ```
///
/// A run that goes wrong is written step by step:
///
/// ```
/// use ringer::{Recording, json};
///
/// let crash = Recording::new()
///     .out(json!({"type": "system", "subtype": "init"}))
///     .out("{\"type\":\"assistant\",\"mess")
///     .err("panicked at src/main.rs:7\n")
///     .exit(101);
/// assert_eq!(
///     crash.to_string(),
///     r#"{"ringer": 1}
/// {"out": {"type":"system","subtype":"init"}}
/// {"out": "{\"type\":\"assistant\",\"mess"}
/// {"err": "panicked at src/main.rs:7\n"}
/// {"exit": 101}
/// "#
/// );
/// ```
#[derive(Clone, Debug)]
#[must_use = "a recording is played once it is given to a stage or written to a file"]
pub struct Recording<Part = Whole> {
    header: Line,
    bound: Line,
    raw: Option<Vec<u8>>,
    beside: BTreeMap<String, Vec<u8>>,
    pub(super) steps: Vec<Line>,
    /// The first thing that cannot be written down at all.
    pub(super) fault: Option<String>,
    part: PhantomData<Part>,
}

/// The part of a [`Recording`] that has a header: all of it.
#[derive(Clone, Copy, Debug)]
pub enum Whole {}

/// The part of a [`Recording`] inside a step, such as one round of a loop.
#[derive(Clone, Copy, Debug)]
pub enum Inner {}

/// Steps inside a step: what a loop, a signal, a child or a timeout does.
pub type Steps = Recording<Inner>;

impl<Part> Recording<Part> {
    pub(super) fn empty() -> Recording<Part> {
        Recording {
            header: Line::default(),
            bound: Line::default(),
            raw: None,
            beside: BTreeMap::new(),
            steps: Vec::new(),
            fault: None,
            part: PhantomData,
        }
    }

    /// Keeps the first fault, which is reported when the recording is written.
    pub(super) fn blame(&mut self, fault: impl Into<String>) {
        self.fault.get_or_insert_with(|| fault.into());
    }
}

impl Default for Recording {
    fn default() -> Recording {
        Recording::new()
    }
}

/// One turn with this text.
impl From<&str> for Recording {
    fn from(text: &str) -> Recording {
        Recording::new().turn(text)
    }
}

/// One turn with this text.
impl From<String> for Recording {
    fn from(text: String) -> Recording {
        Recording::new().turn(text)
    }
}

/// One turn.
impl From<Turn> for Recording {
    fn from(turn: Turn) -> Recording {
        Recording::new().turn(turn)
    }
}

impl Recording {
    /// A recording without steps: it writes nothing and exits with 0.
    ///
    /// ```
    /// assert_eq!(ringer::Recording::new().to_string(), "{\"ringer\": 1}\n");
    /// ```
    pub fn new() -> Recording {
        let mut recording = Recording::empty();
        recording.header.set("ringer", &VERSION);
        recording
    }

    /// A capture as it stands: these bytes are the stdout, to the last one.
    ///
    /// It has no steps and no header of its own. Bytes that begin like a header are a recording of
    /// steps, and are checked as one.
    ///
    /// ```
    /// use ringer::Recording;
    ///
    /// let capture = Recording::raw("{\"type\":\"result\",\"is_error\":false}\n");
    /// assert_eq!(capture.to_bytes().unwrap(), b"{\"type\":\"result\",\"is_error\":false}\n");
    /// ```
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Recording {
        Recording { raw: Some(bytes.into()), ..Recording::new() }
    }

    /// One recording a text: the first spawn answers with the first text, and so on.
    ///
    /// ```
    /// use ringer::Recording;
    ///
    /// let recordings = Recording::answering(["first", "second"]);
    /// assert_eq!(recordings[1].to_string(), "{\"ringer\": 1}\n{\"turn\": {\"text\":[\"second\"]}}\n");
    /// ```
    pub fn answering<Text: Into<Turn>>(texts: impl IntoIterator<Item = Text>) -> Vec<Recording> {
        texts.into_iter().map(|text| Recording::new().turn(text)).collect()
    }

    /// `when`: only spawns that meet these conditions get it.
    ///
    /// ```
    /// use ringer::{Recording, When};
    ///
    /// let sums = Recording::from("4").when(When::new().prompt(r"2 ?\+ ?2"));
    /// assert!(sums.to_string().starts_with(r#"{"ringer": 1, "when": {"prompt": "2 ?\\+ ?2"}}"#));
    /// ```
    pub fn when(self, conditions: When) -> Recording {
        self.with_source("when", conditions.to_string())
    }

    /// `plays`: how often it may be played, 1 unless said; 0 switches it off.
    pub fn plays(self, times: u32) -> Recording {
        self.header("plays", times)
    }

    /// `plays`: it may be played any number of times.
    pub fn plays_any(self) -> Recording {
        self.header("plays", "any")
    }

    /// `probe`: it answers matching spawns any number of times and is never handed out in order.
    ///
    /// Without `when` it answers what no model run is, such as `claude mcp list`.
    pub fn probe(self) -> Recording {
        self.header("probe", true)
    }

    /// `stdin`: how standard input is read; as the real CLI would, unless said.
    pub fn stdin(self, mode: StdinMode) -> Recording {
        let word =
            STDIN_MODES.iter().find(|(_, known)| *known == mode).map_or("", |(word, _)| word);
        self.header("stdin", word)
    }

    /// `bind`: this recorded value is replaced by the spawn's own in all that is written.
    ///
    /// ```
    /// use ringer::Recording;
    /// use ringer::recording::BindName;
    ///
    /// let moved = Recording::new().bind(BindName::Cwd, "/home/me/project").out("/home/me/project\n");
    /// assert!(moved.to_string().starts_with(r#"{"ringer": 1, "bind": {"cwd": "/home/me/project"}}"#));
    /// ```
    pub fn bind(mut self, name: BindName, recorded: &str) -> Recording {
        let name = match name {
            BindName::SessionId => "session_id",
            BindName::ThreadId => "thread_id",
            BindName::Cwd => "cwd",
            BindName::Home => "home",
        };
        self.bound.set(name, recorded);
        let bound = self.bound.to_string();
        self.with_source("bind", bound)
    }

    /// `on_epipe`: what happens when the reader of stdout is gone; what the real CLI does, unless
    /// said.
    pub fn on_epipe(self, what: OnEpipe) -> Recording {
        match what {
            OnEpipe::Auto => self.header("on_epipe", "auto"),
            OnEpipe::Ignore => self.header("on_epipe", "ignore"),
            OnEpipe::Sigpipe => self.header("on_epipe", "sigpipe"),
            OnEpipe::Exit(code) => self.header("on_epipe", code),
        }
    }

    /// `launcher`: it runs as a launcher, which forwards these signals, and an inner process, whose
    /// end the launcher takes for its own.
    pub fn launcher<'s>(self, forward: impl IntoIterator<Item = &'s str>) -> Recording {
        let forward: Vec<&str> = forward.into_iter().collect();
        self.header("launcher", serde_json::json!({ "forward": forward }))
    }

    /// `claim`: a live session takes it at its start, so that dying or hanging before the first
    /// prompt can be played.
    pub fn claim_at_start(self) -> Recording {
        self.header("claim", "start")
    }

    /// `orphan`: it may outlive the process that started it.
    pub fn orphan(self) -> Recording {
        self.header("orphan", true)
    }

    /// `speed`: 0 skips recorded times, 1 keeps them, 10 is ten times faster.
    pub fn speed(self, speed: f64) -> Recording {
        self.header("speed", speed)
    }

    /// `render`: whether a recorded stream is rendered into the output format that the spawn asks
    /// for.
    pub fn render(self, render: bool) -> Recording {
        self.header("render", render)
    }

    /// `note`: whatever there is to say about it. Nothing depends on it.
    pub fn note(self, text: &str) -> Recording {
        self.header("note", text)
    }

    /// Any other header key, as the format has it: `program`, `cli_version`, `recorded_at`, ...
    ///
    /// ```
    /// use ringer::{Recording, json};
    ///
    /// let made = Recording::new().header("launcher", json!({"forward": ["TERM"], "exit": 1}));
    /// assert!(made.to_bytes().is_ok());
    /// let slip = Recording::new().header("pleys", 2).to_bytes().unwrap_err();
    /// assert!(slip.contains("did you mean \"plays\"?"), "{slip}");
    /// ```
    pub fn header(self, key: &str, value: impl Into<Value>) -> Recording {
        let source = source_of(&value.into());
        self.with_source(key, source)
    }

    fn with_source(mut self, key: &str, source: String) -> Recording {
        self.header.set_source(key.to_owned(), source);
        self
    }

    /// Puts a file beside the recording, for [`out_file`](Recording::out_file) and
    /// [`err_file`](Recording::err_file).
    ///
    /// ```
    /// use ringer::Recording;
    ///
    /// let big = Recording::new().beside("big.txt", "x".repeat(1 << 20)).out_file("big.txt");
    /// assert!(big.to_bytes().is_ok());
    /// ```
    pub fn beside(mut self, name: &str, contents: impl Into<Vec<u8>>) -> Recording {
        self.beside.insert(name.to_owned(), contents.into());
        self
    }

    /// Returns the recording as its file would hold it, once it is found to be one that a double
    /// plays. Files beside it must be there by [`beside`](Recording::beside).
    ///
    /// # Errors
    ///
    /// The line that a double would refuse, and the reason.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        self.checked(&|name| match self.beside.contains_key(name) {
            true => Ok(()),
            false => Err("no such file was put beside the recording".to_owned()),
        })
    }

    /// Writes the recording to a file, and the files beside it; directories that are not there are
    /// made.
    ///
    /// ```
    /// let dir = tempfile::tempdir()?;
    /// ringer::Recording::from("hello").write_to(dir.path().join("claude/01.jsonl"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Recording`] with the line that a double would refuse and the reason; nothing is
    /// written then. [`Error::Io`] where the system refuses.
    pub fn write_to(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = |name: &str| match self.beside.contains_key(name) || folder.join(name).is_file()
        {
            true => Ok(()),
            false => Err(format!("there is no such file in {}", folder.display())),
        };
        let bytes =
            self.checked(&file).map_err(|what| Error::Recording { path: path.to_owned(), what })?;
        for (name, contents) in &self.beside {
            write(&folder.join(name), contents)?;
        }
        write(path, &bytes)
    }

    fn checked(&self, file: &dyn Fn(&str) -> Result<(), String>) -> Result<Vec<u8>, String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let bytes = match &self.raw {
            None => self.to_string().into_bytes(),
            Some(raw) if self.is_bare() => raw.clone(),
            Some(_) => {
                return Err(
                    "a raw recording has no header and no steps: its bytes are all that a \
                            double writes; give its lines to `out` to add others"
                        .to_owned(),
                );
            }
        };
        if Kind::of(&bytes, true) == Some(Kind::Steps) {
            let mut regexes = Regexes::default();
            let mut around = Surroundings { file, regexes: &mut regexes };
            check(bytes.as_slice(), &mut around).map_err(|error| located(&error, &bytes))?;
        }
        Ok(bytes)
    }

    fn is_bare(&self) -> bool {
        self.steps.is_empty() && self.header.to_string() == Recording::new().header.to_string()
    }
}

impl std::fmt::Display for Recording {
    /// Shows the recording as its file would hold it, unchecked; of a raw one what is text.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if let Some(raw) = &self.raw {
            return f.write_str(&String::from_utf8_lossy(raw));
        }
        writeln!(f, "{}", self.header)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

/// What is wrong, with the line itself: its author has no file to look into.
fn located(error: &crate::recording::FormatError, bytes: &[u8]) -> String {
    const SHOWN: usize = 160;
    let number = usize::try_from(error.line).unwrap_or(usize::MAX);
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().nth(number.saturating_sub(1)).unwrap_or("");
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push_str("...");
    }
    format!("{error}\n  {shown}")
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io("cannot make", folder, error))?;
    }
    fs::write(path, bytes).map_err(|error| Error::io("cannot write", path, error))
}
