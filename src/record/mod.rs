//! Recording the real programs.
mod redact;
