//! `loads`: `walk` reads a document, `float_arrays` takes over in arrays of decimals.

pub(crate) mod float_arrays;
pub(crate) mod frame;
pub(crate) mod walk;

pub(crate) use self::walk::{Scratch, loads};
