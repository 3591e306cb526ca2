//! The `ringer` command; under any other name, the double of that name.

use std::process::ExitCode;

fn main() -> ExitCode {
    match ringer::started_as() {
        Some(program) => ringer::run(&program),
        None => ringer::cli::main(),
    }
}
