//! JSON text, without Python.
//!
//! `snooze-core` reads and writes RFC 8259 JSON as bytes. It owns no objects, keeps no state
//! and allocates nothing but caller-given buffers, so it can be tested, fuzzed and measured
//! alone. `snooze-py` joins it to CPython.
//!
//! | module | what is there |
//! |---|---|
//! | [`arch`] | processor tiers, the `Vector` trait, every SIMD kernel (unsafe room) |
//! | [`out`] | `Out`, the growable output window and all writes into it (unsafe room) |
//! | [`read`] | `Reader`, the one grammar, pull style |
//! | [`unescape`] | the body of a string with escapes, in |
//! | [`number`] | integers and floats, both ways |
//! | [`names`] | which of a record's members a name is |
//! | [`text`] | scalars in strings, both ways: times, durations, UUIDs, base64 |
//! | [`error`] | what can be wrong with a document, and where |
//!
//! Glossary: *scan* finds, *read* parses text, *write* emits bytes, *escape* writes the body of
//! a string. A *tier* is a set of processor features; a *kernel* is a function generic over the
//! vector type of a tier.

pub mod arch;
pub mod error;
pub mod names;
pub mod number;
pub mod out;
pub mod read;
pub mod text;
pub mod unescape;
