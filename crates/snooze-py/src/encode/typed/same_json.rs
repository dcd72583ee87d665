//! Whether a value has the same JSON as the default of its field, so that `omit_defaults` may leave
//! it out.
//!
//! Separate because equal values may be different JSON: `Decimal("1.0")` and `Decimal("1.00")`, one
//! moment with two offsets, 0 and False in a tuple. Invariant: a value that is another object than
//! the default is left out only if both have one class, they are equal, and either equality is
//! enough for that class or both have the same `repr`. Items of containers, and all fields of
//! dataclasses and attrs classes, are compared one by one, because neither needs to show all of
//! them; numpy's numbers count as the Python numbers that they are. In doubt the value is written.
//! Called by `walk`.

use crate::py::bytes::Bytes;
use crate::py::datetime::{self, TimeKind};
use crate::py::dict::{Dict, OwnedDict};
use crate::py::list::List;
use crate::py::numpy::{NumpyKind, Scalar, ScalarValue};
use crate::py::tuple::Tuple;
use crate::py::types::{Exact, Kind};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, list, set, tuple, types};
use crate::runtime::Runtime;

/// How deep containers and fields are compared one by one; what is further inside is written.
const MAX_DEPTH: usize = 8;

/// How many values are compared, apart from pairs of scalars; with more, the value is written.
const MAX_VALUES: usize = 10_000;

/// Whether a value equals a default and is the same JSON.
pub(super) fn is_same(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    Comparison { runtime, depth: MAX_DEPTH, values: MAX_VALUES }.is_same(py, value, default)
}

/// What is left of the limits.
struct Comparison<'a> {
    runtime: &'a Runtime,
    depth: usize,
    values: usize,
}

impl Comparison<'_> {
    fn is_same(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
    ) -> Result<bool, Raised> {
        let (one, two) = (value.get(), default.get());
        if one == two {
            return Ok(true);
        }
        match (types::is_scalar(one), types::is_scalar(two)) {
            (true, true) => return Ok(call::equal_scalars(py, one, two)),
            (false, true) => return is_number(py, self.runtime, value, default),
            (true, false) => return Ok(false),
            (false, false) => {}
        }
        if Exact::of(one) != Exact::of(two) || self.runtime.is_array(py, value)? {
            return Ok(false);
        }
        if self.depth == 0 || self.values == 0 {
            return Ok(false);
        }
        self.depth -= 1;
        self.values -= 1;
        let is_same = self.is_same_object(py, value, default);
        self.depth += 1;
        is_same
    }

    /// [`Comparison::is_same`] of two objects of one class.
    fn is_same_object(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
    ) -> Result<bool, Raised> {
        if let Kind::Tuple(_) | Kind::List(_) | Kind::Dict(_) = types::kind(value.get()) {
            return self.has_same_parts(py, value, default);
        }
        // Most values differ, and to look for parts takes longer.
        Ok(are_equal(py, value, default)?
            && (equality_is_enough(py, self.runtime, value, default)?
                || has_equal_repr(py, value, default)?)
            && self.has_same_parts(py, value, default)?)
    }

    /// Compares items, members and fields, as far as the class of both has them.
    fn has_same_parts(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
    ) -> Result<bool, Raised> {
        let one = value.get();
        if self.runtime.times.kind(one).is_some() || Bytes::exact(one).is_some() {
            return Ok(true);
        }
        let has_same_items = if Tuple::any(one).is_some() {
            self.has_same_items(py, value, default)?
        } else if List::any(one).is_some() || types::is_sequence(one) && is_deque(py, one)? {
            let (one, two) = (items_of(py, value)?, items_of(py, default)?);
            self.has_same_items(py, &one, &two)?
        } else if Dict::any(one).is_some() {
            self.has_same_members(py, value, default)?
        } else if set::is_any(one) {
            // Their order may differ, so the items are not compared.
            !has_parts(py, self.runtime, value)?
        } else {
            true
        };
        // PERF: only a subclass of these may have fields, and to ask takes longer than to compare.
        let is_builtin =
            matches!(types::kind(value.get()), Kind::Tuple(_) | Kind::List(_) | Kind::Dict(_));
        Ok(has_same_items && (is_builtin || self.has_same_fields(py, value, default)?))
    }

    /// Compares the items of two tuples.
    fn has_same_items(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
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
            if !self.is_same(py, &one, &two)? {
                return Ok(false);
            }
            place += 1;
        }
    }

    /// Compares the members of two dicts, in their order.
    fn has_same_members(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
    ) -> Result<bool, Raised> {
        let (Some(one), Some(two)) = (Dict::any(value.get()), Dict::any(default.get())) else {
            return Ok(false);
        };
        let (ones, twos) = (dict::entries(py, one)?, dict::entries(py, two)?);
        if ones.len() != twos.len() {
            return Ok(false);
        }
        for ((key, value), (other_key, default)) in ones.iter().zip(&twos) {
            if !self.is_same(py, key, other_key)? || !self.is_same(py, value, default)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares all fields of two instances of a dataclass or an attrs class; other classes have
    /// none.
    fn has_same_fields(
        &mut self,
        py: &mut Attached,
        value: &Owned,
        default: &Owned,
    ) -> Result<bool, Raised> {
        for name in names_of_fields(py, self.runtime, value)? {
            let one = call::optional_attribute(py, value, &name)?;
            let two = call::optional_attribute(py, default, &name)?;
            match (one, two) {
                // An `InitVar`, or a slot that was never set.
                (None, None) => {}
                (Some(one), Some(two)) if self.is_same(py, &one, &two)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// `==`. An exception of it counts as a difference: two classes with arrays cannot be compared.
fn are_equal(py: &mut Attached, value: &Owned, default: &Owned) -> Result<bool, Raised> {
    match call::equal(py, value, default) {
        Err(Raised) if !error::must_propagate(py) => {
            error::clear();
            Ok(false)
        }
        equal => equal,
    }
}

/// The items of an iterable object: a new tuple.
fn items_of(py: &mut Attached, object: &Owned) -> Result<Owned, Raised> {
    let copy = call::to_list(py, object)?;
    let frozen = list::freeze(copy.get())?;
    tuple::of_items(list::items(frozen.get(), py), py)
}

/// Whether an object is a `deque`.
fn is_deque(py: &mut Attached, object: Obj<'_>) -> Result<bool, Raised> {
    let class = types::type_of(object);
    let collections = call::interned(c"collections")?;
    let Some(module) = call::imported_module(py, &collections)? else { return Ok(false) };
    let deque = call::optional_attribute(py, &module, &call::interned(c"deque")?)?;
    Ok(deque.is_some_and(|deque| Exact::class(deque.get()) == Exact::class(class.get().obj())))
}

/// Whether a set has items with items or fields in them.
fn has_parts(py: &mut Attached, runtime: &Runtime, set: &Owned) -> Result<bool, Raised> {
    let items = items_of(py, set)?;
    for place in 0.. {
        let item = tuple::items_of(items.get(), py).get(place).copied().flatten();
        let Some(item) = item.map(Obj::to_owned) else { break };
        if types::is_scalar(item.get()) {
            continue;
        }
        if Tuple::any(item.get()).is_some()
            || set::is_any(item.get())
            || !names_of_fields(py, runtime, &item)?.is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of the fields of an instance of a dataclass or an attrs class.
fn names_of_fields(
    py: &mut Attached,
    runtime: &Runtime,
    object: &Owned,
) -> Result<Vec<Owned>, Raised> {
    // Of the class: an instance may have a `__getattr__` that fails.
    let class = types::type_of(object.get()).into_owned();
    let fields = call::optional_attribute(py, &class, &runtime.names.dataclass_fields)?;
    let mut names = Vec::new();
    if let Some(fields) = fields.and_then(OwnedDict::exact) {
        for (name, _) in dict::entries(py, fields.get())? {
            names.try_reserve(1).map_err(|_| error::no_memory())?;
            names.push(name);
        }
        return Ok(names);
    }
    let attrs = call::interned(c"__attrs_attrs__")?;
    let Some(fields) = call::optional_attribute(py, &class, &attrs)? else { return Ok(names) };
    if Tuple::any(fields.get()).is_none() {
        return Ok(names);
    }
    let attribute = call::interned(c"name")?;
    for place in 0.. {
        let field = tuple::items_of(fields.get(), py).get(place).copied().flatten();
        let Some(field) = field.map(Obj::to_owned) else { break };
        names.try_reserve(1).map_err(|_| error::no_memory())?;
        names.push(call::attribute(py, &field, &attribute)?);
    }
    Ok(names)
}

/// Whether a value is a scalar of numpy for the number that the default is.
fn is_number(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    let found = match runtime.numpy(py)?.and_then(|numpy| numpy.kind(value.get())) {
        Some(NumpyKind::Scalar(scalar)) => is_number_of_numpy(scalar),
        _ => false,
    };
    if !found {
        return Ok(false);
    }
    let number = call::call_method(py, value, &call::interned(c"item")?)?;
    Ok(call::equal_scalars(py, number.get(), default.get()))
}

fn is_number_of_numpy(scalar: Scalar<'_>) -> bool {
    !matches!(scalar.value(), ScalarValue::DateTime64 { .. })
}

/// Whether two equal objects of one class are the same JSON, without a look at their `repr`.
fn equality_is_enough(
    py: &mut Attached,
    runtime: &Runtime,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    let (one, two) = (value.get(), default.get());
    Ok(match (runtime.times.kind(one), runtime.times.kind(two)) {
        (Some(TimeKind::Date(_)), Some(TimeKind::Date(_))) => true,
        (Some(TimeKind::DateTime(one)), Some(TimeKind::DateTime(two))) => {
            // Other zones have offsets that depend on `fold`, which `==` does not compare.
            match (datetime::datetime_zone(one), datetime::datetime_zone(two)) {
                (None, None) => true,
                (Some(one), Some(two)) => one == two && runtime.times.is_fixed(one),
                _ => false,
            }
        }
        (Some(TimeKind::Time(one)), Some(TimeKind::Time(two))) => {
            !datetime::time_has_zone(one) && !datetime::time_has_zone(two)
        }
        _ if set::is_exact(one) => {
            let class = set::class_of_items(py, value)?;
            set::is_empty(value.get())
                || is_plain(class) && class == set::class_of_items(py, default)?
        }
        _ => Bytes::exact(one).is_some() || !types::has_repr(one),
    })
}

/// Whether equal objects of a class are always the same JSON.
fn is_plain(class: Option<Exact>) -> bool {
    class.is_some_and(|class| [Exact::str(), Exact::int(), Exact::bytes()].contains(&class))
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
