//! Which version of a real program was recorded: asked once a set, and pinned in `ringer.toml`.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toml::Table;

use crate::error::Error;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(15);

/// Asks a program for its version; `None`: it does not say.
pub(crate) fn ask(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.env("RINGER_MODE", "passthrough").spawn().ok()?;
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut text = String::new();
    child.stdout?.take(4096).read_to_string(&mut text).ok()?;
    version_in(&text).map(str::to_owned)
}

/// The first word that looks like a version: `2.1.332 (Claude Code)`, `codex-cli 0.171.0`.
fn version_in(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.map(|word| word.trim_end_matches([',', ')'])).find(is_version)
}

/// What pinning came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// It was pinned before, to the same version.
    Already,
    /// It is pinned now.
    Now,
    /// It is pinned to another version, which stays.
    Other(String),
}

/// Pins a persona's version in a set's `ringer.toml`, keeping everything else that is there. A
/// version that is pinned already stays unless `renew`.
///
/// # Errors
///
/// A file that cannot be read, understood or written.
pub(crate) fn pin(
    recordings: &Path,
    persona: &str,
    version: &str,
    renew: bool,
) -> Result<Pinned, Error> {
    let path = recordings.join("ringer.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::io("cannot read", &path, error)),
    };
    let wrong = |what: String| Error::Setting { place: path.display().to_string(), what };
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| wrong(error.message().into()))?;
    let known = version_of(&table, persona).map(str::to_owned);
    match known {
        Some(known) if known == version => return Ok(Pinned::Already),
        Some(known) if !renew => return Ok(Pinned::Other(known)),
        _ => {}
    }
    let new = with_version(&text, persona, version);
    // The text was changed as text, to keep comments; that it says what it should is looked at.
    let said =
        new.parse::<Table>().ok().filter(|table| version_of(table, persona) == Some(version));
    if said.is_none() {
        let what =
            format!("cannot pin the version; write `{persona}.version = \"{version}\"` there");
        return Err(wrong(what));
    }
    let temporary = recordings.join(format!(".ringer.toml.{}", std::process::id()));
    let written = fs::write(&temporary, new).and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| Error::io("cannot write", &path, error))?;
    Ok(Pinned::Now)
}

fn version_of<'t>(table: &'t Table, persona: &str) -> Option<&'t str> {
    table.get(persona)?.as_table()?.get("version")?.as_str()
}

/// The text with the version in its place: in the line that has it, else below the persona's own
/// header, else in a table at the end.
fn with_version(text: &str, persona: &str, version: &str) -> String {
    let pin = format!("version = \"{version}\"");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let header = format!("[{persona}]");
    let is_header = |line: &String| line.split('#').next().unwrap_or("").trim() == header;
    if let Some(at) = lines.iter().position(is_header) {
        let own = lines.iter().skip(at + 1).take_while(|line| !line.trim_start().starts_with('['));
        let is_pin = |line: &String| {
            line.trim_start()
                .strip_prefix("version")
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        match own.clone().position(is_pin) {
            Some(offset) => lines[at + 1 + offset] = pin,
            None => lines.insert(at + 1, pin),
        }
    } else {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend([header, pin]);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_the_programs_say() {
        assert_eq!(version_in("2.1.332 (Claude Code)\n"), Some("2.1.332"));
        assert_eq!(version_in("codex-cli 0.171.0\n"), Some("0.171.0"));
        assert_eq!(version_in("v1.2.3-beta.1\n"), Some("1.2.3-beta.1"));
        assert_eq!(version_in("what?\n"), None);
    }

    #[test]
    fn a_version_is_pinned_and_everything_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ringer.toml");
        let pin = |persona, version, renew| pin(folder.path(), persona, version, renew).unwrap();
        assert_eq!(pin("claude", "2.1.1", false), Pinned::Now);
        assert_eq!(fs::read_to_string(&path).unwrap(), "[claude]\nversion = \"2.1.1\"\n");
        fs::write(&path, "# mine\nspeed = 1 # fast\n\n[codex] # here\n").unwrap();
        assert_eq!(pin("codex", "0.1.0", false), Pinned::Now);
        assert_eq!(pin("claude", "2.1.1", false), Pinned::Now);
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# mine\nspeed = 1 # fast\n\n[codex] # here\nversion = \"0.1.0\"\n\n[claude]\nversion = \"2.1.1\"\n"
        );
        assert_eq!(pin("codex", "0.1.0", false), Pinned::Already);
        assert_eq!(pin("codex", "0.2.0", false), Pinned::Other("0.1.0".into()));
        assert_eq!(pin("codex", "0.2.0", true), Pinned::Now);
    }

    #[test]
    fn a_version_that_cannot_be_put_in_its_place_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ringer.toml"), "claude = { version = \"1.0\" }\n").unwrap();
        assert!(pin(folder.path(), "claude", "2.0", true).is_err());
    }
}
