//! The journal: one entry a spawn, written before anything can go wrong and replaced as a whole
//! each time that something is known which must survive a kill.

mod entry;
mod reader;
pub mod secrets;

pub use entry::{
    Entry, Exit, JournaledStream, JournaledText, Kind, Problem, ProblemKind, ReaderGone, SignalAt,
    State, Stdin,
};
pub use reader::{Journal, Life, Record};
pub(crate) use reader::{entry_path, exchange_path, stdin_path};
