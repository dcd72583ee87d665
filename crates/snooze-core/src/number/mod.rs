//! Numbers: reading them by the grammar of RFC 8259 (section 6), rounding decimals to doubles, and
//! finding the shortest decimal of a double.
//!
//! Separate from `out`, which writes the text of numbers in place. Invariant: an integer that fits
//! 64 bits stays an integer; every other number becomes the nearest double. Called by `read`, `out`
//! and the typed decoder.
//!
//! | file | contents |
//! |---|---|
//! | `digits` | one digit, or eight at once, at an offset of the document |
//! | `read` | the full grammar |
//! | `short` | fast paths for short integers and decimals |
//! | `run` | runs of short integers in an array |
//! | `skip` | the end of a number, without its value |
//! | `float` | decimal to double |
//! | `exact` | decimal to double by exact arithmetic |
//! | `shortest` | double to the shortest decimal |
//! | `power_of_five` | the table that both conversions multiply with |
//! | `natural` | natural numbers of any size, up to a bound |

mod digits;
mod exact;
mod float;
mod natural;
mod power_of_five;
mod read;
mod run;
mod short;
mod shortest;
mod skip;

pub use read::{Fault, Number, number_end, read};
pub use run::{Separator, next_integer};
pub use short::{ReadNumber, short_decimal, short_decimal_item, short_integer};
pub(crate) use shortest::{ShortestDecimal, shortest, shortest_32};
pub use skip::{is_number, skip, skip_finite};
