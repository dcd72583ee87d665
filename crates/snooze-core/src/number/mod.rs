//! Numbers in: the grammar of RFC 8259, section 6, and correctly rounded doubles.
//!
//! (Numbers out are in `out::digits`, because they are written in place.)

mod float;
mod power_of_five;
mod read;

pub use read::{Fault, Number, read};
