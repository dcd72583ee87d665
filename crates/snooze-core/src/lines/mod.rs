//! Arrow's columns into lines of JSON.
//!
//! Separate from `columns`, which reads the other way: there columns grow, here they belong to
//! somebody else. Everything is a view of slices, and each access is checked, so wrong offsets are a
//! [`Fault`] and never a read outside. Called by snooze-py, whose room `arrow` makes the slices.
//!
//! | file | contents |
//! |---|---|
//! | `shape` | [`Shape`]: what the columns are |
//! | `column` | [`Column`]: the values of some rows |
//! | `scalar` | instants, times, durations, decimals as text |
//! | `write` | [`write()`]: rows into lines |

mod column;
mod scalar;
mod shape;
mod write;

pub use column::{Bits, Column, Extents, Indices, Places, Strings, Values};
pub use scalar::MAX_SCALE;
pub use shape::{Decimals, Index, Kind, Shape, Unit, Zone};
pub use write::{Fault, Limits, Options, write};
