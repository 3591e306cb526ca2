//! Recording the real programs.

mod effects;
mod gates;
mod header;
mod lines;
mod options;
mod partial;
mod real;
mod redact;
mod tape;
mod version;
