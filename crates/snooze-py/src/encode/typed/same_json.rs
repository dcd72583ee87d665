//! Whether a value is the JSON that the default of its field is, so that it may be left out.
//!
//! Separate because equal values may be different JSON: `Decimal("1.0")` and `Decimal("1.00")`, one
//! moment with two offsets, 0 and False in a tuple. Invariant: in doubt the answer is no, and the
//! value is written. Of instances of the user's own classes only `==` is known. Called by `walk`.

use crate::py::datetime::{self, TimeKind};
use crate::py::dict;
use crate::py::float::Float;
use crate::py::int::Int;
use crate::py::numpy::NumpyKind;
use crate::py::tuple::Tuple;
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{Attached, Owned, Raised, call, error, float, list, set, tuple, types};
use crate::runtime::Runtime;

/// How deep tuples are compared item by item; those inside are compared by `repr`.
const MAX_DEPTH: usize = 8;

/// Whether a value equals a default and is the same JSON.
pub(super) fn is_same(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    is_same_within(py, runtime, value, default, MAX_DEPTH)
}

fn is_same_within(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
    depth: usize,
) -> Result<bool, Raised> {
    let (one, two) = (value.get(), default.get());
    if one == two {
        return Ok(true);
    }
    if types::is_scalar(two) {
        return match types::is_scalar(one) {
            true => Ok(call::equal_scalars(py, one, two)),
            false => stands_for(py, runtime, value, default),
        };
    }
    if depth > 0 && Tuple::exact(one).is_some() && Tuple::exact(two).is_some() {
        return same_items(py, runtime, value, default, depth - 1);
    }
    if !call::equal(py, value, default)? {
        return Ok(false);
    }
    match doubt(py, runtime, value, default)? {
        Doubt::None => Ok(true),
        Doubt::Repr => has_equal_repr(py, value, default),
        Doubt::Remains => Ok(false),
    }
}

/// Whether a value that is no scalar is written as the scalar that it equals: an instance of a
/// subclass, a member of an `IntEnum`, a numpy scalar.
fn stands_for(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    let two = default.get();
    let numpy = runtime.numpy(py)?;
    if matches!(numpy.and_then(|numpy| numpy.kind(value.get())), Some(NumpyKind::Scalar(_))) {
        let number = call::call_method(py, value, &call::interned(c"item")?)?;
        return Ok(call::equal_scalars(py, number.get(), two));
    }
    if let (Some(one), Some(two)) = (Float::any(value.get()), Float::exact(two)) {
        return Ok(float::value(one).to_bits() == float::value(two).to_bits());
    }
    let is_int = Int::any(value.get()).is_some() && Int::exact(two).is_some();
    let is_str = Str::any(value.get()).is_some() && Str::exact(two).is_some();
    Ok((is_int || is_str) && call::equal(py, value, default)?)
}

/// Compares the items of two tuples.
fn same_items(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
    depth: usize,
) -> Result<bool, Raised> {
    let mut place = 0;
    loop {
        let (one, two) = {
            let (ones, twos) =
                (tuple::items_of(value.get(), py), tuple::items_of(default.get(), py));
            if ones.len() != twos.len() {
                return Ok(false);
            }
            // Comparing scalars runs no Python code, so the items stay borrowed.
            loop {
                let (Some(&Some(one)), Some(&Some(two))) = (ones.get(place), twos.get(place))
                else {
                    return Ok(place == ones.len());
                };
                if !(types::is_scalar(one) && types::is_scalar(two)) {
                    break (one.to_owned(), two.to_owned());
                }
                if one != two && !call::equal_scalars(py, one, two) {
                    return Ok(false);
                }
                place += 1;
            }
        };
        if !is_same_within(py, runtime, &one, &two, depth)? {
            return Ok(false);
        }
        place += 1;
    }
}

/// What equality leaves open.
enum Doubt {
    None,
    /// An equal `repr` decides.
    Repr,
    /// Nothing decides.
    Remains,
}

/// Whether two equal objects may be different JSON.
fn doubt(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<Doubt, Raised> {
    let by_repr = |is_open| if is_open { Doubt::Repr } else { Doubt::None };
    let (one, two) = (value.get(), default.get());
    Ok(match (runtime.times.kind(one), runtime.times.kind(two)) {
        (Some(TimeKind::Date(_)), Some(TimeKind::Date(_))) => Doubt::None,
        (Some(TimeKind::DateTime(one)), Some(TimeKind::DateTime(two))) => {
            by_repr(datetime::datetime_zone(one) != datetime::datetime_zone(two))
        }
        (Some(TimeKind::Time(one)), Some(TimeKind::Time(two))) => {
            by_repr(datetime::time_has_zone(one) || datetime::time_has_zone(two))
        }
        (None, None) => match types::kind(one) {
            Kind::List(list) => by_repr(!list::is_empty(list)),
            Kind::Dict(dict) => by_repr(dict::size(dict) != 0),
            _ if set::is_set(one) => match set::is_of_one_class(py, value)? {
                Some(class) if set::is_of_one_class(py, default)? == Some(class) => Doubt::None,
                _ => Doubt::Remains,
            },
            _ => by_repr(
                Tuple::any(one).is_some()
                    || types::has_base_named(one, c"decimal.Decimal")
                    || runtime.times.has_instance(one),
            ),
        },
        _ => Doubt::Repr,
    })
}

/// Whether two objects have the same `repr`. An exception of a `repr` counts as a difference.
fn has_equal_repr(py: &mut Attached, value: &Owned, default: &Owned) -> Result<bool, Raised> {
    let same = error::representation(value.get()).and_then(|value| {
        let default = error::representation(default.get())?;
        Ok(call::equal_scalars(py, value.get(), default.get()))
    });
    match same {
        Err(Raised) if !error::must_propagate(py) => {
            error::clear();
            Ok(false)
        }
        same => same,
    }
}
