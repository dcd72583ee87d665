//! Reading documents (RFC 8259): the pull reader, and skipping values.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | [`Reader`], the grammar of documents in memory |
//! | `skip` | skipping a value, with or without checking it |
//! | `valid_container` | checking a container in blocks, for `skip` and [`blocks`](crate::blocks) |

mod reader;
mod skip;
mod valid_container;

pub use reader::{MAX_DEPTH, Reader, Text};
pub(crate) use skip::MIN_LANES_FOR_BLOCKS;
pub(crate) use valid_container::valid_end;
