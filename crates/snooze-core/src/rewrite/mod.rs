//! JSON text into other JSON text, without building values.
//!
//! Separate from `read` and `out`, which it joins. No number is read into a double unless its form
//! asks for that, so no digit is lost.
//!
//! | file | contents |
//! |---|---|
//! | `restyle` | the same document with other white space, or in ASCII |
//! | `canonical` | the canonical form of RFC 8785 |
//! | `ecmascript` | numbers as ECMAScript writes them |

mod canonical;
mod ecmascript;
mod restyle;

pub use canonical::canonical;
pub(crate) use restyle::{after_space, copy, scalar_end, write_string};
pub use restyle::{checked, restyle};
