//! Paths in recordings, as far as their text goes. Whether a link on the disk leads out of the
//! place is for whoever opens them to see.

use super::error::{Mistake, quoted};

/// A path that a `file` step acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectPath {
    /// What the path is relative to.
    pub base: Base,
    /// The path below the base: relative, without `..`.
    pub below: String,
}

/// What the path of a `file` step is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The spawn's working directory.
    Cwd,
    /// `${home}`: the spawn's home directory.
    Home,
    /// `${config_dir}`: the persona's configuration directory.
    ConfigDir,
}

impl EffectPath {
    pub(super) fn parse(path: &str) -> Result<EffectPath, Mistake> {
        let (base, below) = match path.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
            None => (Base::Cwd, path),
            Some(("home", rest)) => (Base::Home, below(path, rest)?),
            Some(("config_dir", rest)) => (Base::ConfigDir, below(path, rest)?),
            Some(_) => {
                return Err(Mistake::new(format!("{} begins with an unknown place", quoted(path)))
                    .hint("the places are ${home} and ${config_dir}"));
            }
        };
        if path == "~" || path.starts_with("~/") {
            return Err(Mistake::new(format!("`~` means nothing in {}", quoted(path)))
                .hint("write ${home} for the home directory"));
        }
        confine(path, below)?;
        Ok(EffectPath { base, below: below.to_owned() })
    }
}

/// What follows the `/` after a place.
fn below<'p>(path: &str, rest: &'p str) -> Result<&'p str, Mistake> {
    rest.strip_prefix('/')
        .ok_or_else(|| Mistake::new(format!("{} names nothing below its place", quoted(path))))
}

/// Checks a path that is relative to the recording's own place.
pub(super) fn beside(path: String) -> Result<String, Mistake> {
    confine(&path, &path)?;
    Ok(path)
}

/// Refuses a path that leads out of its place by its text; `whole` is for the message.
fn confine(whole: &str, below: &str) -> Result<(), Mistake> {
    let fault = if below.is_empty() {
        "is empty"
    } else if below.contains('\0') {
        "holds a NUL"
    } else if below.starts_with('/') {
        "is absolute"
    } else if below.split('/').any(|part| part == "..") {
        "leads out by `..`"
    } else if below.split('/').all(|part| part.is_empty() || part == ".") {
        "names nothing"
    } else {
        return Ok(());
    };
    let hint = "a path in a recording is relative and stays inside its place";
    Err(Mistake::new(format!("the path {} {fault}", quoted(whole))).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_inside_its_place_is_taken() {
        let parsed = |path| EffectPath::parse(path).map(|p| (p.base, p.below)).unwrap();
        assert_eq!(parsed("src/a.rs"), (Base::Cwd, "src/a.rs".into()));
        assert_eq!(parsed("./a..b/...c"), (Base::Cwd, "./a..b/...c".into()));
        assert_eq!(parsed("${home}/.claude.json"), (Base::Home, ".claude.json".into()));
        assert_eq!(parsed("${config_dir}/x/y"), (Base::ConfigDir, "x/y".into()));
        assert_eq!(beside("sub/big.txt".into()).unwrap(), "sub/big.txt");
    }

    #[test]
    fn a_path_that_leads_out_is_refused_by_name() {
        let outside = [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a/..",
            "x\0y",
            "${home}",
            "${home}/",
            "${home}x",
            "${home}//etc/x",
            "${home}/../x",
            "${config_dir}/../../x",
            "${tmp}/x",
            "~/x",
            ".",
            "./",
        ];
        for path in outside {
            let text = EffectPath::parse(path).unwrap_err().on_line(1).to_string();
            assert!(text.contains(&quoted(path)), "{path:?}: {text}");
        }
        for path in ["", "/etc/passwd", "..", "a/../../x", "linkdir/../secret.txt", "x\0y", "."] {
            assert!(beside(path.into()).is_err(), "{path:?}");
        }
    }
}
