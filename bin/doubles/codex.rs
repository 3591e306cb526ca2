//! Stands in for `codex`: plays recordings, takes no options of its own.

fn main() {
    ringer::run("codex")
}
