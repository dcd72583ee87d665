//! One document in blocks, as they come from a file or a stream: its faults, its text in another
//! style, the items of an array in it, and its parts.
//!
//! Separate from `read` and `rewrite`, which need the whole text in memory: this keeps what is open
//! and the token that a block cuts, some 20 kB whatever the document is. Invariant: however a
//! document is cut, the fault is the one that a reader of the whole text finds, and the text is
//! that of `rewrite`. Called by snooze-py.
//!
//! | file | contents |
//! |---|---|
//! | `check` | [`Checker`]: the grammar of a document |
//! | `cut` | tokens that begin in one block and end in another |
//! | `items` | [`Items`]: the items of one array |
//! | `parts` | [`Parts`]: names, values and brackets, as they come |
//! | `numeral` | a number that is cut, without all of its digits |
//! | `place` | [`Place`]: offset, line and column |
//! | `restyle` | [`Restyler`]: the text in another style |
//! | `utf8` | UTF-8 in blocks |
//! | `watch` | what the walk of `check` tells `items` and `parts` |

mod check;
mod cut;
mod items;
mod numeral;
mod parts;
mod place;
mod restyle;
mod utf8;
mod watch;

pub use check::{Checker, Fault};
pub use items::{Found, Item, Items};
pub use parts::{Kind, Part, Parts};
pub use place::Place;
pub use restyle::Restyler;
