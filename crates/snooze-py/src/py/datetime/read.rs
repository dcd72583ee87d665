//! `datetime` objects: their types and their fields.
//!
//! Separate from `build`, which makes them. Invariant: fields are read only from instances of the
//! types of the C interface. Called by encoding and `runtime`.

use core::ptr;

use pyo3_ffi::*;
use snooze_core::text::{Date, Time};

use crate::py::types::Exact;
use crate::py::{Attached, Obj, Raised, call};

/// The types of the module `datetime`, by its C interface.
///
/// All null if the module has no C interface, as in CPython 3.12's subinterpreters with their own
/// GIL. Then no object has a kind, and dates and times are treated like objects of unknown types.
#[derive(Debug)]
pub(crate) struct Times {
    datetime: *mut PyTypeObject,
    date: *mut PyTypeObject,
    time: *mut PyTypeObject,
    delta: *mut PyTypeObject,
    utc: *mut PyObject,
    api: *const PyDateTime_CAPI,
}

/// The types whose fields encoding reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeKind {
    DateTime,
    Date,
    Time,
}

impl Times {
    /// Imports the interface.
    pub(crate) fn import(py: &mut Attached) -> Result<Self, Raised> {
        // Not PyCapsule_Import, which turns every failure into an ImportError.
        let module = call::import(py, c"datetime")?;
        let name = call::interned(c"datetime_CAPI")?;
        let Some(capsule) = call::optional_attribute(py, &module, &name)? else {
            let (tp, utc, api) = (ptr::null_mut(), ptr::null_mut(), ptr::null());
            return Ok(Self { datetime: tp, date: tp, time: tp, delta: tp, utc, api });
        };
        let name = c"datetime.datetime_CAPI";
        // SAFETY: attached, because there is a witness; a live capsule, because it is owned; the
        // structure is not null, because that is checked; it and its static types live as long as
        // the process.
        unsafe {
            let api = PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr());
            let api = api.cast::<PyDateTime_CAPI>();
            if api.is_null() {
                return Err(Raised);
            }
            Ok(Self {
                datetime: (*api).DateTimeType,
                date: (*api).DateType,
                time: (*api).TimeType,
                delta: (*api).DeltaType,
                utc: (*api).TimeZone_UTC,
                api,
            })
        }
    }

    /// The C interface, if there is one.
    pub(super) fn api(&self) -> Option<&PyDateTime_CAPI> {
        // SAFETY: null or live, because `import` found a structure that lives as long as the
        // process.
        unsafe { self.api.as_ref() }
    }

    /// `datetime.timezone.utc`, if there is a C interface.
    pub(super) fn utc(&self) -> Option<Obj<'_>> {
        // SAFETY: null or live, because the C interface keeps the object.
        unsafe { Obj::from_ptr(self.utc) }
    }

    /// The kind of an object, by its exact type.
    #[inline(always)]
    pub(crate) fn kind(&self, object: Obj<'_>) -> Option<TimeKind> {
        let tp = object.type_ptr();
        if tp == self.datetime {
            Some(TimeKind::DateTime)
        } else if tp == self.date {
            Some(TimeKind::Date)
        } else if tp == self.time {
            Some(TimeKind::Time)
        } else {
            None
        }
    }

    pub(crate) fn datetime(&self) -> Option<Exact> {
        Self::exact(self.datetime)
    }

    pub(crate) fn date(&self) -> Option<Exact> {
        Self::exact(self.date)
    }

    pub(crate) fn time(&self) -> Option<Exact> {
        Self::exact(self.time)
    }

    pub(crate) fn delta(&self) -> Option<Exact> {
        Self::exact(self.delta)
    }

    fn exact(class: *mut PyTypeObject) -> Option<Exact> {
        // SAFETY: null or live, because the types of the C interface are static.
        unsafe { Obj::from_ptr(class.cast()) }.map(Exact::class)
    }

    /// The kind of an object, also for instances of subclasses.
    pub(crate) fn kind_or_base(&self, object: Obj<'_>) -> Option<TimeKind> {
        let is = |class: Option<Exact>| class.is_some_and(|class| class.is_base_of(object));
        if is(self.datetime()) {
            Some(TimeKind::DateTime)
        } else if is(self.date()) {
            Some(TimeKind::Date)
        } else if is(self.time()) {
            Some(TimeKind::Time)
        } else {
            None
        }
    }

    /// Days, seconds and microseconds of a `timedelta` or an instance of a subclass; `None` for any
    /// other object.
    pub(crate) fn delta_parts(&self, object: Obj<'_>) -> Option<(i32, i32, i32)> {
        if !self.delta()?.is_base_of(object) {
            return None;
        }
        // SAFETY: a live `timedelta`, because its type is checked above.
        unsafe {
            Some((
                PyDateTime_DELTA_GET_DAYS(object.as_ptr()),
                PyDateTime_DELTA_GET_SECONDS(object.as_ptr()),
                PyDateTime_DELTA_GET_MICROSECONDS(object.as_ptr()),
            ))
        }
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

    /// The length of a `timedelta` or an instance of a subclass in whole seconds; `None` for any
    /// other object.
    pub(crate) fn delta_seconds(&self, object: Obj<'_>) -> Option<i64> {
        if self.delta.is_null() {
            return None;
        }
        // SAFETY: live, because an `Obj` borrows it; the fields exist, because its type is checked
        // first.
        unsafe {
            if PyObject_TypeCheck(object.as_ptr(), self.delta) == 0 {
                return None;
            }
            let days = PyDateTime_DELTA_GET_DAYS(object.as_ptr());
            let seconds = PyDateTime_DELTA_GET_SECONDS(object.as_ptr());
            Some(i64::from(days) * 86_400 + i64::from(seconds))
        }
    }
}

/// The date of a `datetime` or a `date`.
#[inline(always)]
pub(crate) fn date(object: Obj<'_>) -> Date {
    // SAFETY: a live `datetime` or `date`, because the caller passes one; both begin alike.
    unsafe {
        Date {
            year: PyDateTime_GET_YEAR(object.as_ptr()) as u16,
            month: PyDateTime_GET_MONTH(object.as_ptr()) as u8,
            day: PyDateTime_GET_DAY(object.as_ptr()) as u8,
        }
    }
}

/// The time of day of a `datetime`.
#[inline(always)]
pub(crate) fn time_of_datetime(object: Obj<'_>) -> Time {
    // SAFETY: a live `datetime`, because the caller passes one.
    unsafe {
        Time {
            hour: PyDateTime_DATE_GET_HOUR(object.as_ptr()) as u8,
            minute: PyDateTime_DATE_GET_MINUTE(object.as_ptr()) as u8,
            second: PyDateTime_DATE_GET_SECOND(object.as_ptr()) as u8,
            microsecond: PyDateTime_DATE_GET_MICROSECOND(object.as_ptr()) as u32,
        }
    }
}

/// The fields of a `time`.
#[inline(always)]
pub(crate) fn time(object: Obj<'_>) -> Time {
    // SAFETY: a live `time`, because the caller passes one.
    unsafe {
        Time {
            hour: PyDateTime_TIME_GET_HOUR(object.as_ptr()) as u8,
            minute: PyDateTime_TIME_GET_MINUTE(object.as_ptr()) as u8,
            second: PyDateTime_TIME_GET_SECOND(object.as_ptr()) as u8,
            microsecond: PyDateTime_TIME_GET_MICROSECOND(object.as_ptr()) as u32,
        }
    }
}

/// The tzinfo of a `datetime`, which owns a reference to it; `None` for a naive one.
#[inline(always)]
pub(crate) fn datetime_zone(object: Obj<'_>) -> Option<Obj<'_>> {
    // SAFETY: a live `datetime`, because the caller passes one; its tzinfo is live as long, because
    // a `datetime` is immutable.
    let zone = unsafe { Obj::from_ptr(PyDateTime_DATE_GET_TZINFO(object.as_ptr()))? };
    (!crate::py::singletons::is_none(zone)).then_some(zone)
}

/// Whether a `time` has a tzinfo.
#[inline(always)]
pub(crate) fn time_has_zone(object: Obj<'_>) -> bool {
    // SAFETY: a live `time`, because the caller passes one; its tzinfo is live as long, because a
    // `time` is immutable.
    let zone = unsafe { Obj::from_ptr(PyDateTime_TIME_GET_TZINFO(object.as_ptr())) };
    zone.is_some_and(|zone| !crate::py::singletons::is_none(zone))
}
