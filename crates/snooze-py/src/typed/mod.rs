//! Typed codecs: plans compiled once from Python types, and the walks that follow them.
//!
//! ```text
//! snooze._typed (Python): types ─► description (tuples)
//!                                      │ ir
//!                    decode::compile ◄─┴─► encode::compile
//!                          │                    │
//!                    decode::walk          encode::walk
//!                    object: the types DecoderBase and EncoderBase that hold the plans
//! ```

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod ir;
pub(crate) mod object;
