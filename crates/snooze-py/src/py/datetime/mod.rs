//! Dates, times and time zones: `read` takes their fields, `build` makes them.

pub(super) mod build;
pub(super) mod read;

pub(crate) use self::build::Uuids;
pub(crate) use self::read::{
    TimeKind, Times, date, datetime_zone, time, time_has_zone, time_of_datetime,
};
