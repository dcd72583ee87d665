//! One document in blocks, as they come from a file: its faults, and its text in another style.
//!
//! Separate from `read` and `rewrite`, which need the whole text in memory: this keeps what is open
//! and the token that a block cuts, some 20 kB whatever the document is. Invariant: however a
//! document is cut, the fault is the one that a reader of the whole text finds, and the text is
//! that of `rewrite`. Called by snooze-py for the command line.
//!
//! | file | contents |
//! |---|---|
//! | `check` | [`Checker`]: the grammar of a document |
//! | `cut` | tokens that begin in one block and end in another |
//! | `numeral` | a number that is cut, without all of its digits |
//! | `place` | [`Place`]: offset, line and column |
//! | `restyle` | [`Restyler`]: the text in another style |
//! | `utf8` | UTF-8 in blocks |

mod check;
mod cut;
mod numeral;
mod place;
mod restyle;
mod utf8;

pub use check::{Checker, Fault};
pub use place::Place;
pub use restyle::Restyler;
