//! Values that JSON carries as strings: RFC 3339 dates and times, ISO 8601 durations, UUIDs, and
//! bytes as base64.
//!
//! Separate from `read` because the JSON grammar knows nothing of them. Invariant: a reader takes
//! the text of a string without its quotes and escapes, is strict and exact, allocates nothing, and
//! returns `None` for any other text. Called by the encoders and the typed decoder of snooze-py.
//! The writer of base64 is in `out`, because it writes in place.

pub mod base64;
mod duration;
mod rfc3339;
mod rfc3339_read;
mod uuid;

pub use duration::{Duration, read_duration};
pub use rfc3339::{Date, Offset, Stamp, Time};
pub use rfc3339_read::{DateTime, read_date, read_datetime, read_time};
pub use uuid::{hyphenated, read as read_uuid};
