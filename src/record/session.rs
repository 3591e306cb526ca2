//! `ringer record` without its command line: a stage of shims, and afterwards what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::options::{FILE, Options, Policy};
use super::partial::{Leftover, leftovers, wait_for_recorders};
use super::real;
use super::version::{self, Pinned};
use crate::directory::Pool;
use crate::error::Error;
use crate::recording::read_header;
use crate::stage::{self, Layout, Mode, StagePlan};

/// What is to be recorded.
#[derive(Clone, Debug, Default)]
pub struct RecordPlan {
    /// The recording directory, which is made if it is not there.
    pub recordings: PathBuf,
    /// Where the stage is made.
    pub stage: PathBuf,
    /// Names of personas beside `claude`, `codex` and those that have a folder.
    pub names: Vec<String>,
    /// A real program that is named by its path, as the command.
    pub program: Option<PathBuf>,
    /// How it is recorded.
    pub options: Options,
}

/// A stage of shims.
#[derive(Debug)]
pub struct RecordSession {
    /// The stage.
    pub layout: Layout,
    options: Options,
    recordings: PathBuf,
    before: BTreeMap<String, u64>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Recordings that were made, by path below the recording directory.
    pub made: Vec<String>,
    /// Sessions without a message, which are kept aside.
    pub aside: Vec<String>,
    /// Recordings that were removed, since the run that replaced the set has fewer.
    pub removed: Vec<String>,
    /// What recordings say that they lack, by path below the recording directory.
    pub notes: Vec<(String, String)>,
    /// Versions, by persona, and what pinning them came to.
    pub versions: Vec<(String, String, Pinned)>,
    /// What a killed recorder left.
    pub leftovers: Vec<Leftover>,
    /// Whether the command, which went well, has come to no shim at all.
    pub idle: bool,
}

impl RecordSession {
    /// Makes the stage.
    ///
    /// # Errors
    ///
    /// Directories that cannot be made or read; no doubles to link to; a program that is a double.
    pub fn prepare(plan: RecordPlan) -> Result<RecordSession, Error> {
        let recordings = &plan.recordings;
        fs::create_dir_all(recordings)
            .map_err(|error| Error::io("cannot make", recordings, error))?;
        let mut stage_plan = StagePlan::new(&plan.stage);
        stage_plan.recordings = Some(recordings.clone());
        stage_plan.names.clone_from(&plan.names);
        stage_plan.settings.mode = Some(Mode::Record);
        let layout = stage::make(&stage_plan)?;
        let mut options = plan.options;
        if let Some((name, program)) = plan
            .program
            .as_ref()
            .and_then(|path| Some((path.file_name()?.to_str()?.to_owned(), path.clone())))
        {
            if stage::is_double(&program) {
                let what = "is a double; name the real program".to_owned();
                return Err(Error::Stage { path: program, what });
            }
            let program = std::path::absolute(&program).unwrap_or(program);
            options.programs.insert(name, program);
        }
        let path = std::env::var_os("PATH");
        options.path = path.as_ref().and_then(|path| path.to_str()).map(str::to_owned);
        for persona in layout.programs.keys() {
            options.existing.insert(persona.clone(), in_order(recordings, persona)?);
            if options.policy != Policy::None
                && let Some(version) = version_of(persona, &options, path.as_deref())
            {
                options.versions.insert(persona.clone(), version);
            }
        }
        options.salt = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
        let file = layout.dir.join(FILE);
        let text = serde_json::to_string_pretty(&options).unwrap_or_default();
        fs::write(&file, text).map_err(|error| Error::io("cannot write", &file, error))?;
        let before = files(recordings);
        Ok(RecordSession { layout, options, recordings: plan.recordings, before })
    }

    /// Looks at what was recorded. `whole`: the command went well, so that what it did not replace
    /// of the set is not wanted any more.
    ///
    /// # Errors
    ///
    /// A version that cannot be pinned.
    pub fn conclude(self, whole: bool) -> Result<Recorded, Error> {
        wait_for_recorders(&self.recordings);
        let mut recorded = Recorded::default();
        for (path, inode) in files(&self.recordings) {
            if self.before.get(&path) != Some(&inode) {
                let name = path.rsplit('/').next().unwrap_or(&path);
                let aside = name.starts_with('_');
                let list = if aside { &mut recorded.aside } else { &mut recorded.made };
                list.push(path);
            }
        }
        for path in recorded.made.iter().chain(&recorded.aside) {
            let note = note_of(&self.recordings.join(path));
            recorded.notes.extend(note.map(|note| (path.clone(), note)));
        }
        if whole && self.options.policy == Policy::All {
            self.remove_the_rest(&mut recorded);
        }
        let personas: BTreeSet<&String> = self.layout.programs.keys().collect();
        for persona in personas {
            let of_persona = format!("{persona}/");
            let made = recorded.made.iter().any(|path| path.starts_with(&of_persona));
            if let Some(version) = self.options.versions.get(persona).filter(|_| made) {
                let renew = self.options.policy == Policy::All;
                let pinned = version::pin(&self.recordings, persona, version, renew)?;
                recorded.versions.push((persona.clone(), version.clone(), pinned));
            }
        }
        recorded.leftovers = leftovers(&self.recordings);
        recorded.idle = whole && recorded.made.is_empty() && !self.started();
        Ok(recorded)
    }

    /// Whether a shim was started, as far as it is known: a run that is only replayed is not counted.
    fn started(&self) -> bool {
        if self.options.policy == Policy::None {
            return true;
        }
        let runs = |persona: &String| self.layout.dir.join(format!("{persona}.runs"));
        self.layout.programs.keys().any(|persona| runs(persona).exists())
    }

    /// Removes the recordings of the old set that no spawn of this run took the place of.
    fn remove_the_rest(&self, recorded: &mut Recorded) {
        for (persona, existing) in &self.options.existing {
            let runs = fs::metadata(self.layout.dir.join(format!("{persona}.runs")));
            let runs = runs.map_or(0, |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
            let Ok(pool) = Pool::of(&self.recordings, persona) else { continue };
            for name in existing.iter().skip(runs).filter(|_| runs > 0) {
                if fs::remove_file(pool.path.join(name)).is_ok() {
                    recorded.removed.push(pool.recording(name));
                }
            }
        }
    }
}

/// The note in a recording's header, if it is a text.
fn note_of(path: &Path) -> Option<String> {
    let header = read_header(BufReader::new(File::open(path).ok()?)).ok()?;
    serde_json::from_str(header.origin.note?.get()).ok()
}

fn version_of(persona: &str, options: &Options, path: Option<&OsStr>) -> Option<String> {
    let named = options.programs.get(persona).cloned();
    let program = named.or_else(|| real::find(persona, &[path?]).ok())?;
    version::ask(&program)
}

/// A persona's recordings that spawns are given, in order; answers to probes are not among them.
fn in_order(recordings: &Path, persona: &str) -> Result<Vec<String>, Error> {
    let pool = Pool::of(recordings, persona)?;
    let mut names = pool.list()?;
    names.retain(|name| {
        let header = File::open(pool.path.join(name)).map(|file| read_header(BufReader::new(file)));
        // What cannot be read is for the double to complain of.
        !matches!(header, Ok(Ok(header)) if header.probe)
    });
    Ok(names)
}

/// The recordings in a directory and the folders in it, each with the number of its file.
fn files(recordings: &Path) -> BTreeMap<String, u64> {
    let mut files = BTreeMap::new();
    let mut list = |folder: &Path, before: &str| {
        for found in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = found.file_name().to_string_lossy().into_owned();
            let Ok(metadata) = found.metadata() else { continue };
            if metadata.is_file() && name.ends_with(".jsonl") && !name.starts_with('.') {
                files.insert(format!("{before}{name}"), metadata.ino());
            }
        }
    };
    list(recordings, "");
    for found in fs::read_dir(recordings).into_iter().flatten().flatten() {
        let name = found.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && found.path().is_dir() {
            list(&found.path(), &format!("{name}/"));
        }
    }
    files
}
