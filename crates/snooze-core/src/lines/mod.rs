//! Arrow's columns into lines of JSON.
//!
//! Separate from `columns`, which reads the other way: there columns grow, here they belong to
//! somebody else. Everything is a view of slices, and each access is checked, so wrong offsets are
//! a [`Fault`] and never a read outside. Called by snooze-py, whose room `arrow` makes the slices.
//!
//! | file | contents |
//! |---|---|
//! | `shape` | [`Shape`]: what the columns are |
//! | `column` | [`Column`]: the values of some rows |
//! | `scalar` | instants, times, durations, decimals as text |
//! | `place` | the column and row that have a value, through dictionaries and unions |
//! | `value` | names and scalars into JSON |
//! | `write` | [`write()`]: rows into lines, the walk through the containers |
//! | `options` | [`Options`], [`Limits`] |
//! | `fault` | [`Fault`]: why rows could not be written |

mod column;
mod fault;
mod options;
mod place;
mod scalar;
mod shape;
mod value;
mod write;

pub use column::{Bits, Column, Extents, Indices, Places, Strings, Values};
pub use fault::Fault;
pub use options::{Limits, Options};
pub use scalar::MAX_SCALE;
pub use shape::{Decimals, Index, Kind, Shape, Unit, Zone};
pub use write::write;
