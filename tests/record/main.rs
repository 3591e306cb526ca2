//! Recording, as users do it: stand-in programs that behave as badly as the real ones were seen to,
//! recorded by `ringer record` and replayed by `ringer run`.
//!
//! * `replay`: what is recorded is played again, byte for byte, order for order, exit for exit
//! * `sets`: several spawns, policies, killed recorders
//! * `drift`: recorded commands are run again, and what is different is said
//! * `secrets`: what must not reach the disk
//! * `real`: the real CLIs with a `model` on loopback, where `RINGER_TEST_REAL_CLI` is set

mod drift;
mod model;
mod real;
mod replay;
mod scene;
mod secrets;
mod sets;
