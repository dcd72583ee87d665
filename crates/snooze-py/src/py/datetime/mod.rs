//! Objects of `datetime` and `uuid`: `read` reads the fields of dates and times, `build` makes
//! them.
//!
//! Separate because the types come from the C interface of the module `datetime`. Called by both
//! walks and by `runtime`.

pub(super) mod build;
pub(super) mod read;

pub(crate) use self::build::Uuids;
pub(crate) use self::read::{
    DateTime, Delta, TimeKind, Times, date, date_of_datetime, datetime_zone, delta_parts,
    delta_seconds, time, time_has_zone, time_of_datetime,
};
