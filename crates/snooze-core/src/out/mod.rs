//! `Out`: the growable window that all JSON is written into.
//!
//! Separate because it is an unsafe boundary module: writes go through a raw cursor, which the walk
//! that owns the [`Out`] keeps in a register. Invariant: every public operation reserves what it
//! writes before it writes, so none of them leaves the window, whatever the caller passes. With the
//! feature `checked` (and in this crate's tests) an assertion checks each write against the window
//! too.
//!
//! **The comma rule.** Every value ends with a separator byte that the caller chooses, normally a
//! comma. [`Out::close`] replaces the last comma of a container with its bracket, and
//! [`Out::drop_last`] removes the last comma of the document. So no walk needs to know whether an
//! element is the first.
//!
//! After a failure to grow, an `Out` is still sound to use: it keeps what was written. The owner of
//! the memory decides how it grows: see [`Buffer`]. Growing is cold and out of line, and takes and
//! returns the cursor by value, so that the `Out` itself never has to live in memory.
//!
//! | file | contents |
//! |---|---|
//! | `window` | [`Window`], [`Buffer`], the errors, growing |
//! | `vec_buffer` | [`VecBuffer`], a buffer on the heap |
//! | `output` | [`Out`] and the fixed pieces of JSON |
//! | `string` | strings, with escapes |
//! | `integer`, `float` | single numbers |
//! | `float_history` | what the floats written last were like |
//! | `text_history` | which texts are written again and again |
//! | `arrays`, `float_arrays` | many integers or booleans, many floats |
//! | `small_text` | short texts that other code assembles |
//! | `base64` | bytes as base64 |
//! | `style`, `styled` | other separators, indentation, ASCII only |
#![allow(unsafe_code)]

mod arrays;
mod base64;
mod float;
mod float_arrays;
mod float_history;
mod integer;
mod output;
mod small_text;
mod string;
mod style;
mod styled;
#[cfg(test)]
mod testing;
mod text_history;
mod vec_buffer;
mod window;

pub use crate::arch::generic::headed::{HEADER, Headed, HeadedText};
pub use crate::arch::generic::shortest::FLOATS;
pub use float::FloatText;
pub use float_history::FloatHistory;
pub use output::Out;
pub use small_text::{Room, Written};
pub use string::{PlainText, Source};
pub use style::{Piece, Style, WhiteSpace};
pub use text_history::{NotedText, SeenTexts, TextHistory};
pub use vec_buffer::VecBuffer;
pub use window::{Buffer, NoMemory, TextError, Window};
