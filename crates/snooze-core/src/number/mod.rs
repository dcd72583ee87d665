//! Numbers: the grammar of RFC 8259, section 6, and correctly rounded doubles; the shortest
//! decimals of doubles.
//!
//! (The texts of numbers are written in `out`, because they are written in place.)

mod float;
mod power_of_five;
mod read;
mod short;
mod skip;
mod write;

pub use read::{Fault, Number, number_end, read};
pub use short::{Other, short_decimal, short_integer};
pub use skip::skip;
pub(crate) use write::{Decimal, shortest, shortest_32};
