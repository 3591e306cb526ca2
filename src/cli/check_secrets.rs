//! `ringer check-secrets`: what in a recording directory still looks like a secret.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::{Outcome, output};
use crate::record::{Looked, check_secrets as look};

#[derive(Args, Debug)]
#[command(after_help = "Exit code 1 if something was found.")]
pub(super) struct Arguments {
    /// The recording directory
    dir: PathBuf,
}

/// Says what looks like a secret, a line for each.
pub(super) fn check_secrets(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let Looked { files, leaks } = look(&arguments.dir)?;
    let mut text = String::new();
    for leak in &leaks {
        let (path, begins) = (leak.path.display(), &leak.begins);
        let _ = writeln!(text, "{path}:{}: {} that begins with {begins:?}", leak.line, leak.what);
    }
    output::print(&text)?;
    if files == 0 {
        output::say(&format!("ringer: there are no files in {}\n", arguments.dir.display()));
        return Ok(Outcome::Fine);
    }
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    output::say(&match leaks.len() {
        0 => format!("ringer: nothing looks like a secret in {files}; read them all the same\n"),
        1 => format!("ringer: 1 thing looks like a secret in {files}\n"),
        more => format!("ringer: {more} things look like secrets in {files}\n"),
    });
    Ok(if leaks.is_empty() { Outcome::Fine } else { Outcome::No })
}
