//! Objects of `datetime` and `uuid`, made of checked fields.
//!
//! Separate from `read`, which reads them. Invariant: if the module `datetime` has no C interface
//! (see [`Times`]), its classes are called instead, with the same results. Called by typed
//! decoding.

use core::ffi::{CStr, c_int};

use pyo3_ffi::PyNumber_Add;
use snooze_core::text::{Date, Time};

use crate::py::datetime::read::Times;
use crate::py::instance::Slot;
use crate::py::{Attached, Owned, Raised, call, instance, int, singletons};

impl Times {
    /// Makes a `datetime.datetime`; `offset` is its UTC offset in seconds, if it is aware.
    pub(crate) fn new_datetime(
        &self,
        py: &mut Attached,
        date: Date,
        time: Time,
        offset: Option<i32>,
    ) -> Result<Owned, Raised> {
        let zone = self.zone(py, offset)?;
        let numbers = [
            c_int::from(date.year),
            date.month.into(),
            date.day.into(),
            time.hour.into(),
            time.minute.into(),
            time.second.into(),
            time.microsecond as c_int,
        ];
        let Some(api) = self.api() else { return by_call(py, c"datetime", &numbers, Some(&zone)) };
        let [year, month, day, hour, minute, second, micro] = numbers;
        // SAFETY: attached, because there is a witness; a live zone or `None`, because it is owned;
        // a type of the C interface; the result is checked.
        unsafe {
            let (make, tp) = (api.DateTime_FromDateAndTime, api.DateTimeType);
            let zone = zone.as_ptr();
            Owned::take(make(year, month, day, hour, minute, second, micro, zone, tp))
        }
    }

    /// Makes a `datetime.date`.
    pub(crate) fn new_date(&self, py: &mut Attached, date: Date) -> Result<Owned, Raised> {
        let numbers = [c_int::from(date.year), date.month.into(), date.day.into()];
        let Some(api) = self.api() else { return by_call(py, c"date", &numbers, None) };
        let [year, month, day] = numbers;
        // SAFETY: attached, because there is a witness; a type of the C interface; the result is
        // checked.
        unsafe { Owned::take((api.Date_FromDate)(year, month, day, api.DateType)) }
    }

    /// Makes a `datetime.time`; `offset` is its UTC offset in seconds, if it is aware.
    pub(crate) fn new_time(
        &self,
        py: &mut Attached,
        time: Time,
        offset: Option<i32>,
    ) -> Result<Owned, Raised> {
        let zone = self.zone(py, offset)?;
        let numbers = [
            c_int::from(time.hour),
            time.minute.into(),
            time.second.into(),
            time.microsecond as c_int,
        ];
        let Some(api) = self.api() else { return by_call(py, c"time", &numbers, Some(&zone)) };
        let [hour, minute, second, micro] = numbers;
        // SAFETY: attached, because there is a witness; a live zone or `None`, because it is owned;
        // a type of the C interface; the result is checked.
        unsafe {
            let (make, tp) = (api.Time_FromTime, api.TimeType);
            Owned::take(make(hour, minute, second, micro, zone.as_ptr(), tp))
        }
    }

    /// Makes a `datetime.timedelta` of normalised parts.
    pub(crate) fn new_delta(
        &self,
        py: &mut Attached,
        days: i32,
        seconds: i32,
        microseconds: i32,
    ) -> Result<Owned, Raised> {
        let Some(api) = self.api() else {
            return by_call(py, c"timedelta", &[days, seconds, microseconds], None);
        };
        // SAFETY: attached, because there is a witness; a type of the C interface; the result is
        // checked.
        unsafe {
            let make = api.Delta_FromDelta;
            Owned::take(make(days, seconds, microseconds, 0, api.DeltaType))
        }
    }

    /// The `datetime.timezone` of an offset in seconds: `utc` for zero, Python's `None` for no
    /// offset.
    fn zone(&self, py: &mut Attached, offset: Option<i32>) -> Result<Owned, Raised> {
        let Some(offset) = offset else { return Ok(singletons::none(py)) };
        if let (0, Some(utc)) = (offset, self.utc()) {
            return Ok(utc.to_owned());
        }
        let days = offset.div_euclid(86_400);
        let delta = self.new_delta(py, days, offset.rem_euclid(86_400), 0)?;
        match self.api() {
            // SAFETY: attached, because there is a witness; a live `timedelta`, because it is
            // owned; a null name means none; the result is checked.
            Some(api) => unsafe {
                let name = core::ptr::null_mut();
                Owned::take((api.TimeZone_FromTimeZone)(delta.as_ptr(), name))
            },
            None => {
                let module = call::import(py, c"datetime")?;
                let class = call::attribute(py, &module, &call::interned(c"timezone")?)?;
                call::call_one(py, &class, &delta)
            }
        }
    }

    /// Makes the aware `datetime` in UTC that is so many days, seconds and microseconds after the
    /// start of 1970; the parts are normalised.
    ///
    /// `fromtimestamp` is not called: it ends in 2038 where C counts seconds in 32 bits.
    pub(crate) fn new_timestamp(
        &self,
        py: &mut Attached,
        (days, seconds, microseconds): (i32, i32, i32),
    ) -> Result<Owned, Raised> {
        let first = Date { year: 1970, month: 1, day: 1 };
        let midnight = Time { hour: 0, minute: 0, second: 0, microsecond: 0 };
        let epoch = self.new_datetime(py, first, midnight, Some(0))?;
        let delta = self.new_delta(py, days, seconds, microseconds)?;
        // SAFETY: attached, because there is a witness; live objects, because both are owned; the
        // result is checked.
        unsafe { Owned::take(PyNumber_Add(epoch.as_ptr(), delta.as_ptr())) }
    }
}

/// Calls a class of the module `datetime` with numbers and a zone.
#[cold]
fn by_call(
    py: &mut Attached,
    class: &CStr,
    numbers: &[c_int],
    zone: Option<&Owned>,
) -> Result<Owned, Raised> {
    let module = call::import(py, c"datetime")?;
    let class = call::attribute(py, &module, &call::interned(class)?)?;
    let mut arguments = Vec::new();
    arguments.try_reserve_exact(numbers.len() + 1).map_err(|_| crate::py::error::no_memory())?;
    for &number in numbers {
        arguments.push(Some(int::new(py, number.into())?));
    }
    arguments.extend(zone.map(|zone| Some(zone.clone())));
    call::call_with_values(py, &class, &mut arguments, 0)
}

/// `uuid.UUID` and the offsets of the two slots of its instances.
#[derive(Debug)]
pub(crate) struct Uuids {
    class: Owned,
    /// The slots of `int` and `is_safe` and the value of `is_safe`, if instances can be made
    /// without calling the class.
    slots: Option<(instance::Class, Slot, Slot, Owned)>,
}

impl Uuids {
    /// Finds the slots of the class.
    pub(crate) fn new(py: &mut Attached, class: &Owned) -> Result<Self, Raised> {
        let (number, safe) = (call::interned(c"int")?, call::interned(c"is_safe")?);
        let mut slots = None;
        if let Some(plain) = instance::Class::new(class)
            && let Some(number) = plain.slot(py, &number)?
            && let Some(safe_slot) = plain.slot(py, &safe)?
        {
            let text = crate::py::unicode::decode_utf8(b"00000000-0000-0000-0000-000000000000")?;
            let sample = call::call_one(py, class, &text)?;
            let value = call::attribute(py, &sample, &safe)?;
            slots = Some((plain, number, safe_slot, value));
        }
        Ok(Self { class: class.clone(), slots })
    }

    /// Every object held, for the cyclic collector.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Owned> {
        let slots = self.slots.iter().flat_map(|(class, _, _, safe)| [class.get(), safe]);
        core::iter::once(&self.class).chain(slots)
    }

    /// Makes a UUID.
    pub(crate) fn instance(&self, py: &mut Attached, value: u128) -> Result<Owned, Raised> {
        if let Some((class, number, safe_slot, safe)) = &self.slots {
            let new = class.instance(py)?;
            new.store(*number, int::new_128(py, value)?);
            new.store(*safe_slot, safe.clone());
            return Ok(new.finish());
        }
        let text = crate::py::unicode::decode_utf8(&snooze_core::text::hyphenated(value))?;
        call::call_one(py, &self.class, &text)
    }
}
