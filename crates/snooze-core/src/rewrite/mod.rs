//! JSON text into other JSON text, without building values.
//!
//! Separate from `read` and `out`, which it joins. No number is read into a double unless its form
//! asks for that, so no digit is lost.
//!
//! | file | contents |
//! |---|---|
//! | `restyle` | the same document with other white space, or in ASCII |
//! | `canonical` | the canonical form of RFC 8785 |
//! | `nearly_canonical` | the canonical form of a text that is nearly canonical |
//! | `noncanonical_numbers` | whether a text has numbers to be written anew |
//! | `ascii` | characters outside ASCII as escapes |
//! | `ecmascript` | numbers as ECMAScript writes them |

mod ascii;
mod canonical;
mod ecmascript;
mod nearly_canonical;
mod noncanonical_numbers;
mod restyle;

pub(crate) use ascii::copy;
pub use ascii::{ascii_run, write_ascii};
pub use canonical::canonical;
pub use nearly_canonical::{NearlyCanonical, canonical_if_near};
pub(crate) use restyle::{after_space, scalar_end, write_string};
pub use restyle::{checked, restyle};
