//! The `ringer` command; under any other name, the double of that name.

use std::path::Path;

fn main() {
    let argv0 = std::env::args_os().next().unwrap_or_default();
    if let Some(program) = ringer::program_of(Path::new(&argv0)) {
        ringer::run(&program);
    }
}
