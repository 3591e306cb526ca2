//! Compares what is rendered with the captures of the real CLI, over the whole corpus: a capture is
//! read back into the turn that it shows, the turn is rendered, and the bytes must be the same but
//! for made-up ids and times. Every session in the corpus is compared, or is listed with a reason.

pub mod corpus;
mod human;
pub mod jsonl;
mod server;
mod unturn;
