//! JSON text, without Python.
//!
//! `snooze-core` reads and writes RFC 8259 JSON as bytes. It knows no Python objects and keeps no
//! global state, so it can be tested, fuzzed and measured alone. `snooze-py` connects it to
//! CPython.
//!
//! | module | contents |
//! |---|---|
//! | [`arch`] | processor tiers, the `Vector` trait, every SIMD kernel (unsafe boundary module) |
//! | [`out`] | `Out`, the growable output window, and all writes into it (unsafe boundary module) |
//! | [`read`] | `Reader`, the grammar of documents in memory; skipping values |
//! | [`dialect`] | documents beyond RFC 8259: comments, JSON5, lone surrogates |
//! | [`rewrite`] | JSON text into other JSON text: styles, the canonical form |
//! | [`blocks`] | a document in blocks: its faults, its text in another style |
//! | [`unescape`] | reading the body of a string with escapes |
//! | [`number`] | reading numbers, and the shortest decimal of a float |
//! | [`names`] | the member names of a record |
//! | [`text`] | values that JSON carries as strings: times, durations, UUIDs, base64 |
//! | [`columns`] | lines of JSON into Arrow's columns, inference of their types |
//! | [`lines`] | Arrow's columns into lines of JSON |
//! | [`gzip`] | text out of gzip files |
//! | [`error`] | the faults of a document, with their offsets |
//!
//! Glossary: to *scan* is to find an offset; to *read* is to parse text; to *skip* is to find the
//! end of a value without building it; to *write* is to emit bytes; to *escape* is to write the
//! body of a string. A *tier* is a set of processor features. A *kernel* is a function that is
//! generic over the vector type of a tier. A *walk* is one pass over a whole document or object.

pub mod arch;
pub mod blocks;
pub mod columns;
pub mod dialect;
pub mod error;
pub mod gzip;
pub mod lines;
pub mod names;
pub mod number;
pub mod out;
pub mod read;
pub mod rewrite;
pub mod text;
pub mod unescape;
