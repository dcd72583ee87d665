//! Scalars that JSON carries as strings: RFC 3339 times and UUIDs, out.

mod rfc3339;
mod uuid;

pub use rfc3339::{Date, Offset, Stamp, Time};
pub use uuid::hyphenated;
