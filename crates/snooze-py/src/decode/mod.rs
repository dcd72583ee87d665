//! Decoding: from a JSON document to Python objects, with and without a type.
//!
//! ```text
//! decode ─► policy  ─┐
//! loads  ─► untyped ─┼─► input         the bytes of the input object
//! decode ─► typed   ─┤─► error         why there is no result; raising it
//!                    ├─► value         numbers, strings and member names
//!                    │     ├─► key_cache      member names seen before
//!                    │     └─► string_cache   short strings seen before
//!                    │           └─► text_match     hash and comparison, for both caches
//!                    ├─► decimal       which numbers `Decimal` takes
//!                    ├─► lines         the lines of a text, for `Decoder.decode_lines`
//!                    ├─► items         the items of an array, for `Decoder.iter_items`
//!                    ├─► cuts          where several threads share a document
//!                    └─► scratch       stacks and caches of a call, kept for the next one
//! ```
//!
//! Separate from `encode`; neither uses the other. Invariant: the walks `policy`, `untyped` and
//! `typed` do not use each other, except that `typed` reads values of any type by `untyped`; the
//! files that they share use none of the three. Called by `module`.

pub(crate) mod cuts;
pub(crate) mod decimal;
pub(crate) mod error;
pub(crate) mod input;
pub(crate) mod items;
pub(crate) mod key_cache;
pub(crate) mod lines;
pub(crate) mod policy;
pub(crate) mod scratch;
pub(crate) mod string_cache;
pub(crate) mod text_match;
pub(crate) mod typed;
pub(crate) mod untyped;
pub(crate) mod value;
