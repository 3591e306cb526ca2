//! Stands in for `claude`: plays recordings, takes no options of its own.

fn main() {
    ringer::run("claude")
}
