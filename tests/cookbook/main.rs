//! The cookbook of `docs/cookbook.md`, each recipe played as a user plays it, and `ringer new`, which
//! writes such recordings.

mod kitchen;
mod new;
mod page;
mod recipes;
