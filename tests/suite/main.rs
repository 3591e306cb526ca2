//! The suite: the doubles from outside, driven as users drive them. One module a part of the
//! contract; each test has a scene of its own and shares nothing with the others.

/// A client of live sessions, and the captured sessions that it knows.
mod client;
/// A journal entry, as a reader from outside sees it.
mod entry;
/// A live session that is over, and what must be so of it.
mod played;
/// A spawn that runs, and one that has ended.
mod running;
/// What a test puts around the doubles.
mod scene;
/// Cursor and tables, to be spoilt by tests.
mod state_files;

/// What clients of live sessions ask for and when, beyond what the captured ones did.
mod asked;
/// Recordings that cannot be played, and that nothing makes a double panic.
mod broken;
/// Which recording a spawn gets, and what is said when there is none.
mod choosing;
/// Exactly once: the lock, crowds, kills between any two writes.
mod claims;
/// Effects on disk, streams that are closed, values that are bound.
mod effects;
/// How a spawn ends: codes, deaths, readers that left.
mod endings;
/// The example recordings, each played as its page says.
mod examples;
/// Streams of every kind, used as they were inherited.
mod inherited;
/// What a recording waits for, and what it answers.
mod input;
/// What the journal says of a spawn, and when.
mod journal;
/// The captured live sessions, for their own client and for others: other orders, more requests,
/// kills; and what the journal keeps of them.
mod live;
/// What the two programs are like: stdin and signals.
mod manners;
/// What goes out: bytes, streams, order, pieces.
mod output;
/// Live sessions that were written by hand: the claim, the order of answers, loops, interrupts.
mod sessions;
/// Where a double finds its things, and which word wins.
mod settings;
/// Pauses, recorded times, hanging, the life of a double.
mod timing;
/// Every capture of the real CLIs, replayed.
mod truth;
/// Turns as a whole run says them.
mod turns;
