//! Scalars that JSON carries as strings, both ways: RFC 3339 times, ISO 8601 durations, UUIDs, and
//! bytes as base64 (whose writer is in `out`, because it writes in place).
//!
//! Readers take the text of a string without its quotes and escapes. Each is strict and exact,
//! allocates nothing, and returns `None` for whatever else there is.

pub mod base64;
mod duration;
mod rfc3339;
mod rfc3339_read;
mod uuid;

pub use duration::{Duration, read_duration};
pub use rfc3339::{Date, Offset, Stamp, Time};
pub use rfc3339_read::{DateTime, read_date, read_datetime, read_time};
pub use uuid::{hyphenated, read as read_uuid};
