//! A scene: everything one test puts around the doubles, in a temporary directory of its own. The
//! doubles are started as users start them, by their path, with an environment of three variables.
//!
//! What is here judges from outside: it reads the journal as JSON and knows nothing of the code.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::entry::Entry;
use crate::running::{Done, Running};

/// How long a double lives that a failing test forgets, in seconds.
const MAX_LIFE: &str = "30";

/// A recording directory, a state directory, a home and a working directory.
pub struct Scene {
    root: TempDir,
}

impl Scene {
    /// A scene without recordings.
    pub fn new() -> Scene {
        let root = tempfile::Builder::new().prefix("ringer-").tempdir().unwrap();
        for folder in ["recordings", "home", "cwd"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Scene { root }
    }

    /// A scene with one raw recording for any persona.
    pub fn of_raw(bytes: impl AsRef<[u8]>) -> Scene {
        let scene = Scene::new();
        scene.raw("01.jsonl", bytes);
        scene
    }

    /// A scene with one steps recording for any persona.
    pub fn of_steps(steps: &[&str]) -> Scene {
        let scene = Scene::new();
        scene.steps("01.jsonl", "{\"ringer\":1}", steps);
        scene
    }

    /// A scene with several raw recordings for any persona, which say their own names.
    pub fn of_names(names: &[&str]) -> Scene {
        let scene = Scene::new();
        for name in names {
            scene.raw(name, format!("{name}\n"));
        }
        scene
    }

    /// A path below the scene's root.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    /// The recording directory.
    pub fn recordings(&self) -> PathBuf {
        self.path("recordings")
    }

    /// The state directory.
    pub fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// Writes a file below the recording directory, whatever it is.
    pub fn raw(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Scene {
        let path = self.recordings().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Writes a steps recording.
    pub fn steps(&self, path: &str, header: &str, steps: &[&str]) -> &Scene {
        let lines = [&[header], steps].concat().join("\n");
        self.raw(path, lines + "\n")
    }

    /// Writes `ringer.toml`.
    pub fn set(&self, text: &str) -> &Scene {
        self.raw("ringer.toml", text)
    }

    /// A start of `claude`.
    pub fn claude(&self, args: &[&str]) -> Start {
        self.start(&double("claude"), args)
    }

    /// A start of `codex`.
    pub fn codex(&self, args: &[&str]) -> Start {
        self.start(&double("codex"), args)
    }

    /// A start of an executable.
    pub fn start(&self, program: &Path, args: &[&str]) -> Start {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path("cwd")).env_clear();
        command.env("HOME", self.path("home"));
        command.env("PATH", "/usr/bin:/bin");
        command.env("RINGER_RECORDINGS", self.recordings());
        command.env("RINGER_STATE", self.state());
        command.env("RINGER_MAX_LIFE", MAX_LIFE);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Start { command, input: None }
    }

    /// Starts `claude -p hi` and waits for its end: the plainest spawn.
    pub fn play(&self) -> Done {
        self.claude(&["-p", "hi"]).run()
    }

    /// The journal entry of a spawn.
    #[track_caller]
    pub fn entry(&self, spawn: u64) -> Entry {
        Entry::read(&self.state().join(format!("journal/{spawn:06}.json")))
    }

    /// The entries of all spawns, in order.
    pub fn entries(&self) -> Vec<Entry> {
        let path = |spawn: &u64| self.state().join(format!("journal/{spawn:06}.json"));
        (1..).take_while(|spawn| path(spawn).exists()).map(|spawn| self.entry(spawn)).collect()
    }

    /// The text of a scene's paths made the same in every run: its root is called `SCENE`.
    pub fn plain(&self, text: &[u8]) -> String {
        let text = String::from_utf8_lossy(text);
        text.replace(&*self.root.path().to_string_lossy(), "SCENE")
    }
}

/// A spawn that is being prepared.
pub struct Start {
    pub command: Command,
    input: Option<Vec<u8>>,
}

impl Start {
    /// Sets a variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Start {
        self.command.env(name, value);
        self
    }

    /// Leaves a variable out.
    pub fn without(mut self, name: &str) -> Start {
        self.command.env_remove(name);
        self
    }

    /// Adds an argument, of any bytes.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Start {
        self.command.arg(arg.into());
        self
    }

    /// Gives it these bytes by stdin, and then the end.
    pub fn input(mut self, bytes: impl AsRef<[u8]>) -> Start {
        self.input = Some(bytes.as_ref().to_vec());
        self.stdin(Stdio::piped())
    }

    /// Gives it another stdin.
    pub fn stdin(mut self, stdin: impl Into<Stdio>) -> Start {
        self.command.stdin(stdin.into());
        self
    }

    /// Gives it another stdout.
    pub fn stdout(mut self, stdout: impl Into<Stdio>) -> Start {
        self.command.stdout(stdout.into());
        self
    }

    /// Gives it another stderr.
    pub fn stderr(mut self, stderr: impl Into<Stdio>) -> Start {
        self.command.stderr(stderr.into());
        self
    }

    /// Starts it.
    pub fn go(mut self) -> Running {
        Running::new(self.command.spawn().unwrap(), self.input)
    }

    /// Starts it, with a stdin that stays open, to be written to.
    pub fn talk(self) -> Running {
        self.stdin(Stdio::piped()).go()
    }

    /// Starts it and waits for its end.
    pub fn run(self) -> Done {
        self.go().end()
    }

    /// Starts it with both streams on one pipe, waits, and returns what came, in its order.
    pub fn run_merged(mut self) -> Done {
        let (mut reader, writer) = std::io::pipe().unwrap();
        self.command.stdout(writer.try_clone().unwrap()).stderr(writer);
        let running = Running::new(self.command.spawn().unwrap(), self.input);
        // The command holds the pipe's other end until it is gone.
        drop(self.command);
        let mut both = Vec::new();
        std::io::Read::read_to_end(&mut reader, &mut both).unwrap();
        Done { stdout: both, ..running.end() }
    }
}

/// The path of a double, which must be there and as new as what it is built from.
pub fn double(program: &str) -> PathBuf {
    static FRESH: OnceLock<()> = OnceLock::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_ringer")).parent().unwrap();
    FRESH.get_or_init(|| ["claude", "codex"].iter().for_each(|name| check(&folder.join(name))));
    folder.join(program)
}

/// Cargo builds the doubles, a package of their own, whenever it tests the whole workspace. Whoever
/// tests one package alone must not be told lies by an old build.
fn check(double: &Path) {
    const BUILD: &str = "run the tests with `cargo test --workspace`, which builds it";
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
    let Ok(built) = modified(double) else {
        panic!("{} is not there; {BUILD}", double.display());
    };
    let sources = fs::read_to_string(double.with_extension("d")).unwrap_or_default();
    let (_, sources) = sources.split_once(": ").unwrap_or_default();
    for source in sources.split_whitespace().map(Path::new) {
        if modified(source).is_ok_and(|changed| changed > built) {
            panic!("{} is older than {}; {BUILD}", double.display(), source.display());
        }
    }
}

/// Where the captures of the real CLIs are, if they are.
pub fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = std::env::var_os("RINGER_SHARED").map_or(beside, PathBuf::from);
    path.is_dir().then_some(path)
}
