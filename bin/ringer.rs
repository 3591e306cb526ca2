//! The `ringer` command; under any other name, the double of that name.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let argv0 = std::env::args_os().next().unwrap_or_default();
    match ringer::program_of(Path::new(&argv0)) {
        Some(program) => ringer::run(&program),
        None => ringer::cli::main(),
    }
}
