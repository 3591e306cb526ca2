use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ringer::Stage;

use crate::page::root;

/// Stands in for cargo: `cargo run -q -- ...` is the ringer that cargo has built already.
const CARGO: &str =
    "#!/bin/sh\n[ \"$1 $2 $3\" = 'run -q --' ] || exit 2\nshift 3\nexec ringer \"$@\"\n";

/// A directory with the project's examples and recordings, where snippets may leave files, and
/// `ringer` alone on PATH, as its installation leaves it.
pub struct Checkout {
    directory: tempfile::TempDir,
}

impl Checkout {
    pub fn new() -> Checkout {
        let checkout = Checkout { directory: tempfile::tempdir().unwrap() };
        for name in ["examples", "recordings"] {
            symlink(root().join(name), checkout.path(name)).unwrap();
        }
        fs::create_dir(checkout.path("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_ringer"), checkout.path("bin/ringer")).unwrap();
        fs::write(checkout.path("bin/cargo"), CARGO).unwrap();
        fs::set_permissions(checkout.path("bin/cargo"), fs::Permissions::from_mode(0o755)).unwrap();
        checkout
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A command in the checkout, with nothing of ringer in its environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.directory.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("RINGER_") {
                command.env_remove(name);
            }
        }
        command.env("PATH", self.search(&[]));
        command
    }

    /// Runs a command in the checkout.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().unwrap()
    }

    /// Whether a program is there and ends well with these arguments.
    pub fn has(&self, program: &str, arguments: &[&str]) -> bool {
        let mut command = self.command(program);
        command.args(arguments).output().is_ok_and(|output| output.status.success())
    }

    /// The environment of a stage, with the checkout's `ringer` on PATH too.
    pub fn with(&self, stage: &Stage) -> Vec<(OsString, OsString)> {
        let mut envs = stage.envs();
        envs.push(("PATH".into(), self.search(&[stage.dir()])));
        envs
    }

    /// A search path with these folders and the checkout's own in front of what it is now.
    pub fn search(&self, first: &[&Path]) -> OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let bin = self.path("bin");
        let first = first.iter().map(|path| path.to_path_buf()).chain([bin]);
        std::env::join_paths(first.chain(std::env::split_paths(&path))).unwrap()
    }
}
