//! The option tables: what each known version of the CLI accepts, as data files under `versions/`
//! (the format is explained at the top of each). A table is never read as a whole: a spawn looks at
//! the blocks of the commands that its arguments name.

use super::command::Command;
use super::option::Opt;
use memchr::memmem;

/// The tables as `(version, contents)`, oldest version first.
static TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/codex_versions.rs"));

/// The versions that have a table, oldest first.
pub fn known_versions() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(version, _)| *version)
}

/// The data file of a known version, as it stands.
#[cfg(feature = "cli")]
pub(crate) fn data(version: &str) -> &'static str {
    TABLES.iter().find(|(known, _)| *known == version).map_or("", |(_, text)| text)
}

/// Whether any known version has this option (`--name` or `-n`) on any of its commands.
pub(super) fn any_version_has(option: &str) -> bool {
    TABLES.iter().any(|(_, text)| lines(text).filter_map(Opt::read).any(|opt| opt.is(option)))
}

/// The table for a version; the newest where none is named, the nearest older one (else the oldest)
/// where the named version has no table of its own.
pub fn table(version: Option<&str>) -> Table {
    let newest = TABLES.last().copied().unwrap_or(("0", ""));
    let Some(asked) = version else {
        return Table { version: newest.0.to_owned(), source: newest.0, text: newest.1 };
    };
    let older = |(known, _): &&(&str, &str)| parts(known) <= parts(asked);
    let nearest = TABLES.iter().rfind(older).or(TABLES.first()).copied().unwrap_or(newest);
    Table { version: asked.to_owned(), source: nearest.0, text: nearest.1 }
}

/// The number behind a version, for comparisons.
fn parts(version: &str) -> [u64; 3] {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

/// How one version of the CLI takes its arguments.
#[derive(Clone, Debug)]
pub struct Table {
    version: String,
    source: &'static str,
    text: &'static str,
}

impl Table {
    /// The version that is answered as.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version whose table is used: another than [`version`](Table::version) where that one is
    /// not known.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Whether the table is that of the version itself.
    pub fn is_exact(&self) -> bool {
        self.version == self.source
    }

    /// The name that `--version` prints.
    pub(super) fn name(&self) -> &'static str {
        self.head("name ").unwrap_or("codex-cli")
    }

    /// Whether the fact about stdin holds: `appended`, `alone`, `decoded`.
    pub(super) fn stdin_is(&self, fact: &str) -> bool {
        self.head("stdin ").unwrap_or("").split(' ').any(|word| word == fact)
    }

    /// What is said of a thread id that nobody knows, with `{method}` and `{id}` in it. A version
    /// without such a text starts a new thread instead.
    pub fn lost(&self) -> Option<&'static str> {
        self.head("lost ")
    }

    /// The lines of the stock answer to a side command, if there is one.
    pub(in crate::persona::codex) fn answer(
        &self,
        command: &str,
    ) -> Option<impl Iterator<Item = (&'static str, &'static str)> + use<>> {
        let rest = block(self.text, &format!("\nanswer {command}\n"))?;
        let fields = rest.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
        Some(fields.take_while(|(word, _)| matches!(*word, "out" | "err" | "exit")))
    }

    /// The feature flags with their stage and state, in the order of the real listing.
    pub(in crate::persona::codex) fn features(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str, bool)> + use<> {
        let fields = self.text.lines().filter_map(|line| line.strip_prefix("feature "));
        fields.filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (stage, state) = rest.rsplit_once(' ')?;
            Some((name, stage, state == "on"))
        })
    }

    /// Whether `--enable` and `--disable` take this name; `None` where the flags are not known.
    pub(super) fn has_feature(&self, name: &str) -> Option<bool> {
        memmem::find(self.text.as_bytes(), b"\nfeature ")?;
        let named = |prefix: &str| {
            self.text.lines().any(|line| {
                line.strip_prefix(prefix).and_then(|rest| rest.split(' ').next()) == Some(name)
            })
        };
        Some(named("feature ") || named("feature-alias "))
    }

    /// The command at this path (`""`, `"exec"`, `"exec resume"`). A command that is only known by
    /// name takes whatever it is given.
    pub(super) fn command(&self, path: &str) -> Command {
        let header =
            if path.is_empty() { "\ncommand\n".to_owned() } else { format!("\ncommand {path}\n") };
        match block(self.text, &header) {
            Some(block) => Command::read(path, self.text, block),
            None => Command::unknown(path),
        }
    }

    fn head(&self, word: &str) -> Option<&'static str> {
        self.text.lines().take_while(|line| *line != "command").find_map(|l| l.strip_prefix(word))
    }
}

/// What follows a block's header.
pub(super) fn block(text: &'static str, header: &str) -> Option<&'static str> {
    let at = memmem::find(text.as_bytes(), header.as_bytes())?;
    text.get(at + header.len()..)
}

/// The lines of a table that are not comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_without_a_table_is_answered_from_the_nearest_older_one() {
        assert_eq!(table(None).version(), "0.171.0");
        assert_eq!(table(Some("0.99.0")).source(), "0.99.0");
        let between = table(Some("0.163.0"));
        assert_eq!((between.version(), between.source()), ("0.163.0", "0.125.0"));
        assert!(!between.is_exact());
        assert_eq!(table(Some("0.1.0")).source(), "0.50.0");
        assert_eq!(table(Some("9.0.0")).source(), "0.171.0");
    }

    #[test]
    fn a_command_has_its_own_options_and_those_of_its_sets() {
        let resume = table(None).command("exec resume");
        assert!(resume.long("experimental-json").is_some());
        assert!(resume.short('c').is_some());
        assert!(resume.short('s').is_none());
        assert_eq!(
            resume.positionals.iter().map(|p| p.name).collect::<Vec<_>>(),
            ["SESSION_ID", "PROMPT"]
        );
    }

    #[test]
    fn every_line_of_every_table_has_a_known_word() {
        for (version, text) in TABLES {
            for line in lines(text).filter(|line| !line.is_empty()) {
                let word = line.split(' ').next().unwrap_or("");
                let known = "name stdin lost answer out err exit feature feature-alias features set \
                             command usage sub arg flag opt use group version loose";
                assert!(known.split(' ').any(|k| k == word), "{version}: {line}");
            }
        }
    }
}
