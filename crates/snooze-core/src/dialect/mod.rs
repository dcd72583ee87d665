//! Reading documents that are not quite RFC 8259: comments, trailing commas, JSON5, lone
//! surrogates.
//!
//! Separate from `read`, whose grammar is that of `loads` and has no choices. Invariants: what is
//! plain JSON is read by [`Reader`](crate::read::Reader), with its faults and offsets; a rule that
//! is off changes nothing; no function recurses, and nothing here has `unsafe`. Called by
//! snooze-py's `decode::policy`.
//!
//! | file | contents |
//! |---|---|
//! | `rules` | what a reader accepts beyond JSON |
//! | `reader` | [`DialectReader`], the pull reader |
//! | `space` | white space and comments |
//! | `text` | strings: quotes, escapes, surrogates |
//! | `name` | member names without quotes; which of several occurs twice |
//! | `numeral` | numbers: where they end, and in the form of JSON |
//! | `plain` | a document of a dialect as JSON, and where its parts came from |
//! | `place` | the way from the top of a document to an offset |

mod name;
mod numeral;
mod place;
mod plain;
mod reader;
mod rules;
mod space;
mod text;

pub use name::{read_name, repeated_name};
pub use numeral::{Numeral, NumeralKind};
pub use place::{Step, path_to};
pub use plain::{Origins, to_plain};
pub use reader::{DialectReader, Piece};
pub use rules::{Rules, Surrogates, Syntax};
pub use text::read_text;
