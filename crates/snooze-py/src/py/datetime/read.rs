//! `datetime` objects: their types and fields.

use core::ptr;

use pyo3_ffi::*;
use snooze_core::text::{Date, Time};

use crate::py::types::Exact;
use crate::py::{Attached, Obj, Raised, call};

/// The exact types of the `datetime` module, as its C interface names them.
///
/// All null where the module has no C interface, as in interpreters of CPython 3.12 with a GIL of
/// their own: then no object is of any kind, and its times are objects like any others.
#[derive(Debug)]
pub(crate) struct Times {
    datetime: *mut PyTypeObject,
    date: *mut PyTypeObject,
    time: *mut PyTypeObject,
    delta: *mut PyTypeObject,
    utc: *mut PyObject,
    api: *const PyDateTime_CAPI,
}

/// Which of the types an object is an exact instance of.
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
        // SAFETY: attached; the structure that the capsule shows, and the static types that it
        // names, live as long as the process.
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

    /// The interface, if there is one.
    pub(super) fn api(&self) -> Option<&PyDateTime_CAPI> {
        // SAFETY: null, or the structure that the module shows, which lives as long as the process.
        unsafe { self.api.as_ref() }
    }

    /// `datetime.timezone.utc`, if there is the interface.
    pub(super) fn utc(&self) -> Option<Obj<'_>> {
        // SAFETY: null, or an object that the interface keeps.
        unsafe { Obj::from_ptr(self.utc) }
    }

    /// Which kind the object is, by its exact type.
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
        // SAFETY: null, or a static type of the interface.
        unsafe { Obj::from_ptr(class.cast()) }.map(Exact::class)
    }

    /// Which kind the object is, or of a subclass of which.
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

    /// Days, seconds and microseconds of a `timedelta` or an instance of a subclass, or `None`.
    pub(crate) fn delta_parts(&self, object: Obj<'_>) -> Option<(i32, i32, i32)> {
        if !self.delta()?.is_base_of(object) {
            return None;
        }
        // SAFETY: a live `timedelta`.
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

    /// Whether a tzinfo is a `datetime.timezone`, which nobody can change.
    #[inline(always)]
    pub(crate) fn is_fixed(&self, zone: Obj<'_>) -> bool {
        if self.utc.is_null() {
            return false;
        }
        // SAFETY: a live object, which the interface keeps.
        unsafe { zone.type_ptr() == Py_TYPE(self.utc) }
    }

    /// Days and seconds of a `timedelta` or an instance of a subclass, or `None`.
    pub(crate) fn delta_seconds(&self, object: Obj<'_>) -> Option<i64> {
        if self.delta.is_null() {
            return None;
        }
        // SAFETY: a live object; the fields are read once it is known to have them.
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
    // SAFETY: a live exact `datetime` or `date`; the former begins like the latter.
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
    // SAFETY: a live exact `datetime`.
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
    // SAFETY: a live exact `time`.
    unsafe {
        Time {
            hour: PyDateTime_TIME_GET_HOUR(object.as_ptr()) as u8,
            minute: PyDateTime_TIME_GET_MINUTE(object.as_ptr()) as u8,
            second: PyDateTime_TIME_GET_SECOND(object.as_ptr()) as u8,
            microsecond: PyDateTime_TIME_GET_MICROSECOND(object.as_ptr()) as u32,
        }
    }
}

/// The tzinfo of a `datetime`, which keeps it alive and never changes it; `None` if it has none.
#[inline(always)]
pub(crate) fn datetime_zone(object: Obj<'_>) -> Option<Obj<'_>> {
    // SAFETY: a live exact `datetime`; the reference is borrowed from it.
    let zone = unsafe { Obj::from_ptr(PyDateTime_DATE_GET_TZINFO(object.as_ptr()))? };
    (!crate::py::singletons::is_none(zone)).then_some(zone)
}

/// Whether a `time` has a tzinfo.
#[inline(always)]
pub(crate) fn time_has_zone(object: Obj<'_>) -> bool {
    // SAFETY: a live exact `time`.
    let zone = unsafe { Obj::from_ptr(PyDateTime_TIME_GET_TZINFO(object.as_ptr())) };
    zone.is_some_and(|zone| !crate::py::singletons::is_none(zone))
}
