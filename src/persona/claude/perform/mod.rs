//! The voice of `claude`: turns by the renderer, and live sessions, in which the client's frames are
//! answered and recorded lines are given this run's ids. Nothing here reads, writes or waits.

mod carried;
mod context;
mod frame;
mod javascript;
mod options;
mod recorded;
mod replace;
mod requests;
mod servers;
mod stock;
#[cfg(test)]
mod tests;
mod voice;

pub(crate) use options::{Circumstances, LiveOptions, of, session_id};
pub(crate) use voice::ClaudeVoice;
