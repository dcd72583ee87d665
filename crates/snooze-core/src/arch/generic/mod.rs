//! The kernels, each written once over [`Lanes`](super::Lanes).
//!
//! | file | contents |
//! |---|---|
//! | `scan` | the end of a run of plain string characters, or of white space |
//! | `quotes` | which bytes of a block are inside strings |
//! | `structure` | the end of a container, from its brackets |
//! | `array_cuts` | where a long array can be cut |
//! | `tokens` | all tokens of a block |
//! | `unescape` | reading string bodies with escapes |
//! | `utf8` | measuring and decoding UTF-8 |
//! | `utf8_blocks` | decoding UTF-8, sixteen bytes in a step |
//! | `unit_stores` | storing the units that `utf8_blocks` decodes |
//! | `sixteen` | a vector of sixteen bytes, for both |
//! | `to_utf8` | writing stored characters as UTF-8 |
//! | `valid` | validating UTF-8 without decoding |
//! | `escape` | writing string bodies |
//! | `copy` | copying a few bytes exactly |
//! | `headed` | copying the ASCII strings of CPython |
//! | `digits` | writing decimal digits |
//! | `shortest` | the shortest decimals of many floats |
//! | `decimal` | the result of reading a decimal |
//! | `aligned` | tables that begin with a cache line |
//! | `units` | the units of text that CPython stores |
//!
//! `utf8_blocks` and its two helpers are for tiers with vectors; the scalar tier does without them.

pub(super) mod aligned;
pub mod array_cuts;
pub(super) mod copy;
pub mod decimal;
pub mod digits;
pub mod escape;
pub mod headed;
mod quotes;
pub mod scan;
pub mod shortest;
#[allow(dead_code, reason = "a build may have no tier with vectors")]
pub(super) mod sixteen;
pub mod structure;
pub mod to_utf8;
pub mod tokens;
pub mod unescape;
#[allow(dead_code, reason = "a build may have no tier with vectors")]
mod unit_stores;
pub mod units;
pub mod utf8;
#[allow(dead_code, reason = "a build may have no tier with vectors")]
pub(super) mod utf8_blocks;
pub mod valid;
