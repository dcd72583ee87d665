//! The member names of a record: which of them is a given name?
//!
//! Separate from the grammar because a set of names is built once for each class and then used by
//! every call. [`Names::expected`] compares the text after a quote with one name, which is nearly
//! always the right one, because objects are written in the order of their class. [`Names::find`]
//! finds any name by a perfect hash. Called by the typed decoder for each member of an object.
//!
//! | file | contents |
//! |---|---|
//! | `set` | [`Names`] |
//! | `quoted` | [`QuotedName`], one name and its closing quote |
//! | `table` | the perfect hash |
//! | `equal` | [`bytes_equal`] |
//! | `error` | [`NamesError`] |

mod equal;
mod error;
mod quoted;
mod set;
mod table;

pub use equal::bytes_equal;
pub use error::NamesError;
pub use quoted::{AHEAD, QuotedName};
pub use set::{MAX_NAMES, Names};
