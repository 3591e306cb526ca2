//! Finding the executable that a double is linked to.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::version::{self, Look, VERSION};
use crate::error::Error;
use crate::persona::CLIS;

/// The executable that plays whatever name it is linked under.
const ANY: &str = "ringer";

/// The places in which doubles are looked for.
pub(super) struct Search {
    /// What the caller or `RINGER_BIN` names; then nowhere else is looked.
    named: Option<(String, PathBuf)>,
    /// Folders beside the running executable.
    beside: Vec<PathBuf>,
    /// The folders on PATH.
    on_path: Vec<PathBuf>,
}

/// An executable that was looked at and is not what is needed.
struct Miss {
    path: PathBuf,
    /// The version of a double that does not fit; none for an executable that is no double.
    version: Option<String>,
}

impl Search {
    /// The places as this process sees them.
    pub fn new(given: Option<&Path>) -> Search {
        let variable = || std::env::var_os("RINGER_BIN").filter(|value| !value.is_empty());
        let named = match given {
            Some(path) => Some(("the place given".to_owned(), path.to_owned())),
            None => variable().map(|value| ("RINGER_BIN".to_owned(), value.into())),
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        Search {
            named,
            beside: folders_of_cargo(),
            on_path: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
        }
    }

    /// Finds the executable for a double of this name.
    ///
    /// # Errors
    ///
    /// There is none that fits.
    pub fn find(&self, name: &str) -> Result<PathBuf, Error> {
        let mut misses = Vec::new();
        for path in self.candidates(name) {
            // Links are resolved, since a hard link to a symbolic one would be a symbolic one.
            let Ok(path) = path.canonicalize() else { continue };
            if !is_executable(&path) {
                continue;
            }
            match version::look(&path) {
                Ok(Look::Double(version)) if version::fits(&version) => return Ok(path),
                Ok(Look::Double(version)) => misses.push(Miss { path, version: Some(version) }),
                Ok(Look::SomethingElse) => misses.push(Miss { path, version: None }),
                Err(error) => return Err(Error::io("cannot read", &path, error)),
            }
        }
        Err(self.nothing_found(name, &misses))
    }

    /// Where an executable for the name may be, in order.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let in_folder = |folder: &Path| [folder.join(ANY), folder.join(name)];
        if let Some((_, path)) = &self.named {
            if path.is_dir() {
                return in_folder(path).into();
            }
            // `claude` plays nothing but claude: for another name its neighbours are looked at.
            let fixed = CLIS.iter().any(|fixed| path.ends_with(fixed));
            return match path.parent() {
                Some(folder) if fixed && !path.ends_with(name) => in_folder(folder).into(),
                _ => vec![path.clone()],
            };
        }
        let beside = self.beside.iter().flat_map(|folder| in_folder(folder));
        let on_path = self.on_path.iter().map(|folder| folder.join(ANY));
        beside.chain(on_path).collect()
    }

    fn nothing_found(&self, name: &str, misses: &[Miss]) -> Error {
        let mut what = format!("no double for {name} was found that fits ringer {VERSION}");
        if let Some((place, path)) = &self.named {
            let _ = write!(what, "\n  looked in {}, named by {place}", path.display());
        } else {
            for folder in &self.beside {
                let _ = write!(what, "\n  looked in {}", folder.display());
            }
            what.push_str("\n  looked for ringer on PATH");
        }
        for miss in misses {
            let path = miss.path.display();
            let _ = match &miss.version {
                Some(version) => write!(what, "\n  {path} is of ringer {version}"),
                None => write!(what, "\n  {path} is no double of ringer"),
            };
        }
        let _ = write!(
            what,
            "\n  to install them: cargo install ringer --version {VERSION}\n  \
             or set RINGER_BIN to the directory they are in\n  \
             or, in a Rust crate, have them built with its tests by an examples/ringer.rs (see \
             ringer::testing); cargo build --examples builds it alone"
        );
        Error::Doubles { what }
    }
}

/// The folders beside the running executable. The examples in documentation run in a temporary
/// directory; what tells them the target directory is the search path for libraries, to which cargo
/// adds it.
fn folders_of_cargo() -> Vec<PathBuf> {
    let exe = std::env::current_exe().ok();
    let libraries = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let deps = std::env::split_paths(&libraries).filter(|folder| folder.ends_with("deps"));
    let mut folders = Vec::new();
    for exe in exe.into_iter().chain(deps.map(|folder| folder.join("example"))) {
        for folder in folders_beside(&exe) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// The folders in which cargo puts executables beside this one, or those of an installation.
fn folders_beside(exe: &Path) -> Vec<PathBuf> {
    let Some(mut folder) = exe.parent() else { return Vec::new() };
    // Tests are in `deps` of the target directory, examples in `examples`.
    if folder.ends_with("deps") || folder.ends_with("examples") {
        folder = folder.parent().unwrap_or(folder);
    }
    let examples = folder.join("examples");
    let mut folders = vec![folder.to_owned()];
    folders.extend(examples.is_dir().then_some(examples));
    folders
}

fn is_executable(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
