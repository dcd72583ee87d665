//! JSON from native structures: the primitives of snooze-core against other JSON writers in Rust.
//!
//! Separate from the main workspace because nothing else needs the rivals. The structures are those
//! of the fourth seed; the C and C++ programs in `cpp/` use the same. Invariant: all writers of
//! this crate write the same bytes (`tests/same.rs`).
//!
//! | module | contents |
//! |---|---|
//! | [`structures`] | Twitter and CITM catalog, which are read and written |
//! | [`ours`] | the code that a derive macro over snooze-core would generate |
//! | [`writers`] | every contender: its name, its version, its calls |
//! | [`stopwatch`] | repeating and timing a call |

pub mod ours;
pub mod stopwatch;
pub mod structures;
pub mod writers;
