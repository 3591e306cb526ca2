//! Recording, as users do it: stand-in programs that behave as badly as the real ones were seen to,
//! recorded by `ringer record` and replayed by `ringer run`.
//!
//! * `replay`: what is recorded is played again, byte for byte, order for order, exit for exit
//! * `sets`: several spawns, policies, killed recorders
//! * `secrets`: what must not reach the disk
//! * `real`: the real CLIs, where they are and `RINGER_TEST_REAL_CLI` is set

mod real;
mod replay;
mod scene;
mod secrets;
mod sets;
