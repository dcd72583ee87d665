//! Untyped decoding: `loads`. `walk` reads a document, and `number_arrays` takes over in arrays of
//! numbers.
//!
//! Separate from `decode::typed`, which makes instances of classes. Invariant: no Python code
//! that can reach the call runs while a document is read. Called by `module::functions` and
//! `module::decoder`.

pub(crate) mod frame;
pub(crate) mod number_arrays;
pub(crate) mod walk;

pub(crate) use self::walk::{Scratch, decode_exact, decode_exact_lines, loads};
