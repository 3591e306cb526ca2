//! The doubles without an installation: this file in the `examples/` of a crate whose tests use
//! `ringer::Stage` is built by `cargo test` and found by the stage, which links it under the names
//! of the programs it stands in for.

fn main() {
    let program = ringer::started_as().expect("started under the name of a program");
    ringer::run(&program)
}
