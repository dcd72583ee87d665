//! Reading documents (RFC 8259): the pull reader, and skipping values.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | [`Reader`], the only grammar of documents |
//! | `skip` | skipping a value, with or without checking it |
//! | `valid_container` | checking a container in blocks, for `skip` |

mod reader;
mod skip;
mod valid_container;

pub use reader::{MAX_DEPTH, Reader, Text};
