//! JSON from native structures: snooze-core's primitives against the writers of Rust.
//!
//! Separate from the main workspace because the rivals are needed for nothing else. The structures
//! are those of the fourth seed; the C and C++ programs beside this crate (`cpp/`) have the same.
//! Invariant: all writers of this crate write the same bytes (`tests/same.rs`).
//!
//! | module | what is there |
//! |---|---|
//! | [`structures`] | Twitter and CITM catalog, as they are read and written |
//! | [`ours`] | the code that a derive over snooze-core would make |
//! | [`writers`] | every contender: its name, its versions, its calls |
//! | [`stopwatch`] | how a call is repeated and timed |

pub mod ours;
pub mod stopwatch;
pub mod structures;
pub mod writers;
