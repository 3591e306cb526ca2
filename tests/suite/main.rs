//! The suite: the doubles from outside, driven as users drive them. One module a part of the
//! contract; each test has a scene of its own and shares nothing with the others.

/// A journal entry, as a reader from outside sees it.
mod entry;
/// A spawn that runs, and one that has ended.
mod running;
/// What a test puts around the doubles.
mod scene;

/// How a spawn ends: codes, deaths, readers that left.
mod endings;
/// What goes out: bytes, streams, order, pieces.
mod output;

/// What a recording waits for, and what it answers.
mod input;
/// Where a double finds its things, and which word wins.
mod settings;
/// Pauses, recorded times, hanging, the life of a double.
mod timing;

/// Which recording a spawn gets, and what is said when there is none.
mod choosing;
/// Effects on disk, streams that are closed, values that are bound.
mod effects;

/// Exactly once: the lock, crowds, kills between any two writes.
mod claims;
/// Cursor and tables, to be spoilt by tests.
mod state_files;

/// Streams of every kind, used as they were inherited.
mod inherited;
/// What the journal says of a spawn, and when.
mod journal;
/// What the two programs are like: stdin and signals.
mod manners;

/// Recordings that cannot be played, and that nothing makes a double panic.
mod broken;
/// Every capture of the real CLIs, replayed.
mod truth;

/// The example recordings, each played as its page says.
mod examples;
