//! `datetime` objects: their types, their handles and their fields.
//!
//! Separate from `build`, which makes them. Invariant: fields are read only from handles, which
//! only the types of the C interface make. Called by encoding and `runtime`.

use core::ptr;

use pyo3_ffi::*;
use snooze_core::text;

use crate::py::handle::{Handle, TypeOf};
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, call, singletons, types};

/// The type `datetime.datetime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateTimeType {}

/// The type `datetime.date`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateType {}

/// The type `datetime.time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeType {}

/// The type `datetime.timedelta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeltaType {}

/// A `datetime` or an instance of a subclass.
pub(crate) type DateTime<'a> = Handle<'a, DateTimeType>;
/// A `date` or an instance of a subclass, such as a `datetime`.
pub(crate) type Date<'a> = Handle<'a, DateType>;
/// A `time` or an instance of a subclass.
pub(crate) type Time<'a> = Handle<'a, TimeType>;
/// A `timedelta` or an instance of a subclass.
pub(crate) type Delta<'a> = Handle<'a, DeltaType>;

/// The types of the module `datetime`, by its C interface.
///
/// There are none if the module has no C interface, as in CPython 3.12's subinterpreters with their
/// own GIL. Then no object has a kind, and dates and times are treated like objects of unknown
/// types; [`Times::is_unreadable`] is for the message.
#[derive(Debug)]
pub(crate) struct Times {
    datetime: TypeOf<DateTimeType>,
    date: TypeOf<DateType>,
    time: TypeOf<TimeType>,
    delta: TypeOf<DeltaType>,
    utc: *mut PyObject,
    api: *const PyDateTime_CAPI,
    /// Keeps what `api` points to, which up to 3.12 is freed with its capsule.
    _capsule: Option<Owned>,
}

/// An object whose fields encoding reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeKind<'a> {
    DateTime(DateTime<'a>),
    Date(Date<'a>),
    Time(Time<'a>),
}

impl Times {
    /// Imports the interface.
    pub(crate) fn import(py: &mut Attached) -> Result<Self, Raised> {
        // Not PyCapsule_Import, which turns every failure into an ImportError.
        let module = call::import(py, c"datetime")?;
        let name = call::interned(c"datetime_CAPI")?;
        let Some(capsule) = call::optional_attribute(py, &module, &name)? else {
            return Ok(Self {
                datetime: TypeOf::none(),
                date: TypeOf::none(),
                time: TypeOf::none(),
                delta: TypeOf::none(),
                utc: ptr::null_mut(),
                api: ptr::null(),
                _capsule: None,
            });
        };
        let name = c"datetime.datetime_CAPI";
        // SAFETY: attached, because there is a witness; a live capsule, because it is owned; the
        // structure is not null, because that is checked. It lives as long as the capsule, which
        // `_capsule` keeps. Its types are static in 3.11 to 3.15. Their instances begin with the
        // structures that the field macros read, because the C interface says so, and subclasses
        // extend their layouts.
        unsafe {
            let api = PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr());
            let api = api.cast::<PyDateTime_CAPI>();
            if api.is_null() {
                return Err(Raised);
            }
            Ok(Self {
                datetime: TypeOf::assume((*api).DateTimeType),
                date: TypeOf::assume((*api).DateType),
                time: TypeOf::assume((*api).TimeType),
                delta: TypeOf::assume((*api).DeltaType),
                utc: (*api).TimeZone_UTC,
                api,
                _capsule: Some(capsule),
            })
        }
    }

    /// Whether an object is a date, a time or a duration of Python code, because the module has no
    /// C interface. Its fields cannot be read.
    #[cold]
    pub(crate) fn is_unreadable(&self, py: &mut Attached, object: &Owned) -> Result<bool, Raised> {
        if !self.api.is_null() {
            return Ok(false);
        }
        let module = call::import(py, c"datetime")?;
        for name in [c"date", c"time", c"timedelta"] {
            let class = call::attribute(py, &module, &call::interned(name)?)?;
            if types::inherits(object.get(), class.get()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The C interface, if there is one.
    pub(super) fn api(&self) -> Option<&PyDateTime_CAPI> {
        // SAFETY: null or live, because `_capsule` keeps the capsule that owns it.
        unsafe { self.api.as_ref() }
    }

    /// `datetime.timezone.utc`, if there is a C interface.
    pub(super) fn utc(&self) -> Option<Obj<'_>> {
        // SAFETY: null or live, because the module `_datetime` keeps the object in a static, which
        // it never clears.
        unsafe { Obj::from_ptr(self.utc) }
    }

    /// The kind of an object, by its exact type.
    #[inline(always)]
    pub(crate) fn kind<'a>(&self, object: Obj<'a>) -> Option<TimeKind<'a>> {
        if let Some(datetime) = self.datetime.exact(object) {
            Some(TimeKind::DateTime(datetime))
        } else if let Some(date) = self.date.exact(object) {
            Some(TimeKind::Date(date))
        } else {
            self.time.exact(object).map(TimeKind::Time)
        }
    }

    pub(crate) fn datetime(&self) -> Option<Exact> {
        exact_type(&self.datetime)
    }

    pub(crate) fn date(&self) -> Option<Exact> {
        exact_type(&self.date)
    }

    pub(crate) fn time(&self) -> Option<Exact> {
        exact_type(&self.time)
    }

    pub(crate) fn delta(&self) -> Option<Exact> {
        exact_type(&self.delta)
    }

    /// Whether an object is an instance of one of the types or of a subclass.
    pub(crate) fn has_instance(&self, object: Obj<'_>) -> bool {
        // A datetime is a date too.
        self.date.any(object).is_some() || self.time.any(object).is_some()
    }

    /// Whether an object is an instance of `datetime` or of a subclass.
    pub(crate) fn has_datetime(&self, object: Obj<'_>) -> bool {
        self.datetime.any(object).is_some()
    }

    /// The object as a `timedelta`, if it is one or an instance of a subclass.
    pub(crate) fn delta_of<'a>(&self, object: Obj<'a>) -> Option<Delta<'a>> {
        self.delta.any(object)
    }

    /// Whether a tzinfo is `datetime.timezone.utc`.
    #[inline(always)]
    pub(crate) fn is_utc(&self, zone: Obj<'_>) -> bool {
        zone.as_ptr() == self.utc
    }

    /// Whether a tzinfo is an exact `datetime.timezone`, which is immutable.
    #[inline(always)]
    pub(crate) fn is_fixed(&self, zone: Obj<'_>) -> bool {
        if self.utc.is_null() {
            return false;
        }
        // SAFETY: a live object, because the C interface keeps it and null is excluded above.
        unsafe { zone.type_ptr() == Py_TYPE(self.utc) }
    }
}

/// A type, for comparison with the types of objects; `None` if the interpreter has none.
fn exact_type<T: Copy>(class: &TypeOf<T>) -> Option<Exact> {
    // SAFETY: null or live, because the types of the C interface are static.
    unsafe { Obj::from_ptr(class.as_ptr().cast()) }.map(Exact::class)
}

/// The fields of a `date`.
#[inline(always)]
pub(crate) fn date(date: Date<'_>) -> text::Date {
    // SAFETY: a live `date`, because of its type; a `datetime` begins as a `date` does.
    unsafe {
        text::Date {
            year: PyDateTime_GET_YEAR(date.as_ptr()) as u16,
            month: PyDateTime_GET_MONTH(date.as_ptr()) as u8,
            day: PyDateTime_GET_DAY(date.as_ptr()) as u8,
        }
    }
}

/// The date of a `datetime`.
#[inline(always)]
pub(crate) fn date_of_datetime(datetime: DateTime<'_>) -> text::Date {
    // SAFETY: an instance of a subclass of `date`, because `datetime` is one.
    date(unsafe { Date::assume(datetime.obj()) })
}

/// The time of day of a `datetime`.
#[inline(always)]
pub(crate) fn time_of_datetime(datetime: DateTime<'_>) -> text::Time {
    // SAFETY: a live `datetime`, because of its type.
    unsafe {
        text::Time {
            hour: PyDateTime_DATE_GET_HOUR(datetime.as_ptr()) as u8,
            minute: PyDateTime_DATE_GET_MINUTE(datetime.as_ptr()) as u8,
            second: PyDateTime_DATE_GET_SECOND(datetime.as_ptr()) as u8,
            microsecond: PyDateTime_DATE_GET_MICROSECOND(datetime.as_ptr()) as u32,
        }
    }
}

/// The fields of a `time`.
#[inline(always)]
pub(crate) fn time(time: Time<'_>) -> text::Time {
    // SAFETY: a live `time`, because of its type.
    unsafe {
        text::Time {
            hour: PyDateTime_TIME_GET_HOUR(time.as_ptr()) as u8,
            minute: PyDateTime_TIME_GET_MINUTE(time.as_ptr()) as u8,
            second: PyDateTime_TIME_GET_SECOND(time.as_ptr()) as u8,
            microsecond: PyDateTime_TIME_GET_MICROSECOND(time.as_ptr()) as u32,
        }
    }
}

/// The tzinfo of a `datetime`, which owns a reference to it; `None` for a naive one.
#[inline(always)]
pub(crate) fn datetime_zone(datetime: DateTime<'_>) -> Option<Obj<'_>> {
    // SAFETY: a live `datetime`, because of its type; its tzinfo is live as long, because a
    // `datetime` is immutable.
    let zone = unsafe { Obj::from_ptr(PyDateTime_DATE_GET_TZINFO(datetime.as_ptr()))? };
    (!singletons::is_none(zone)).then_some(zone)
}

/// Whether a `time` has a tzinfo.
#[inline(always)]
pub(crate) fn time_has_zone(time: Time<'_>) -> bool {
    // SAFETY: a live `time`, because of its type; its tzinfo is live as long, because a `time` is
    // immutable.
    let zone = unsafe { Obj::from_ptr(PyDateTime_TIME_GET_TZINFO(time.as_ptr())) };
    zone.is_some_and(|zone| !singletons::is_none(zone))
}

/// Days, seconds and microseconds of a `timedelta`.
pub(crate) fn delta_parts(delta: Delta<'_>) -> (i32, i32, i32) {
    // SAFETY: a live `timedelta`, because of its type.
    unsafe {
        (
            PyDateTime_DELTA_GET_DAYS(delta.as_ptr()),
            PyDateTime_DELTA_GET_SECONDS(delta.as_ptr()),
            PyDateTime_DELTA_GET_MICROSECONDS(delta.as_ptr()),
        )
    }
}

/// The length of a `timedelta` in whole seconds.
pub(crate) fn delta_seconds(delta: Delta<'_>) -> i64 {
    let (days, seconds, _) = delta_parts(delta);
    i64::from(days) * 86_400 + i64::from(seconds)
}
