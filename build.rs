//! Lists the option tables of the real CLIs, one data file a version, so that adding a version is
//! adding a file: `src/persona/<persona>/versions/<version>.options`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for persona in ["claude", "codex"] {
        let folder = root.join("src/persona").join(persona).join("versions");
        println!("cargo::rerun-if-changed={}", folder.display());
        let code = table_list(&folder);
        fs::write(out.join(format!("{persona}_versions.rs")), code).expect("OUT_DIR is writable");
    }
}

/// Rust source of a slice of `(version, contents)`, oldest version first.
fn table_list(folder: &Path) -> String {
    let mut versions: Vec<(Vec<u64>, String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "options") {
            let version = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let key = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
            versions.push((key, version, path));
        }
    }
    versions.sort();
    let mut code = String::from("&[\n");
    for (_, version, path) in versions {
        writeln!(code, "    ({version:?}, include_str!({path:?})),").expect("a String takes all");
    }
    code.push_str("]\n");
    code
}
