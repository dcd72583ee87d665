//! Reading the tuples that describe a plan, as `snooze._typed` makes them from Python types.
//!
//! Separate because both plans are described in the same way. Invariant: what is not as
//! expected is a `SystemError` that names it, never ignored: the two sides are of one version.

use core::ffi::CStr;

use crate::py::unicode::Chars;
use crate::py::{
    Attached, Obj, Owned, Raised, error, float, int, singletons, tuple, types, unicode,
};

/// The version of the description that this build reads.
pub(crate) const VERSION: i64 = 1;

/// A tuple whose items are read by their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a>(&'a [Option<Obj<'a>>]);

impl<'a> Row<'a> {
    /// The items of a tuple.
    pub(crate) fn new(py: &'a Attached, object: Obj<'a>) -> Result<Self, Raised> {
        if !types::is_exact_tuple(object) {
            return Err(unexpected(c"a tuple", object));
        }
        Ok(Self(tuple::items(object, py)))
    }

    /// A tuple that begins with the name of what it is, and that name.
    pub(crate) fn tagged(py: &'a Attached, object: Obj<'a>) -> Result<(&'a [u8], Self), Raised> {
        let row = Self::new(py, object)?;
        Ok((name(row.get(0)?)?, row))
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    /// The item at a place.
    pub(crate) fn get(self, place: usize) -> Result<Obj<'a>, Raised> {
        let item = self.0.get(place).copied().flatten();
        item.ok_or_else(|| error::system_error(c"the description of a plan is too short"))
    }

    /// All items.
    pub(crate) fn items(self) -> impl Iterator<Item = Obj<'a>> {
        self.0.iter().filter_map(|item| *item)
    }

    /// The item at a place, or `None` if that is `None`.
    pub(crate) fn optional(self, place: usize) -> Result<Option<Obj<'a>>, Raised> {
        let item = self.get(place)?;
        Ok((!singletons::is_none(item)).then_some(item))
    }
}

/// The characters of a `str` that is ASCII.
pub(crate) fn name(object: Obj<'_>) -> Result<&[u8], Raised> {
    if types::is_exact_str(object)
        && let Chars::Ascii(bytes) = unicode::chars::<false>(object)?
    {
        return Ok(bytes);
    }
    Err(unexpected(c"a name", object))
}

/// The UTF-8 of a `str`, as a `bytes`.
pub(crate) fn utf8(py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    if !types::is_exact_str(object) {
        return Err(unexpected(c"a str", object));
    }
    unicode::encode_utf8(py, object)
}

/// An `int` of 64 bits.
pub(crate) fn integer(object: Obj<'_>) -> Result<i64, Raised> {
    if int::is_exact_int(object)
        && let int::Int::Signed(value) = int::value::<false>(object)?
    {
        return Ok(value);
    }
    Err(unexpected(c"an int of 64 bits", object))
}

/// An `int` that is a place or a count.
pub(crate) fn size(object: Obj<'_>) -> Result<usize, Raised> {
    usize::try_from(integer(object)?).map_err(|_| unexpected(c"a size", object))
}

/// A `float`.
pub(crate) fn float(object: Obj<'_>) -> Result<f64, Raised> {
    if types::is_exact_float(object) {
        return Ok(float::value(object));
    }
    Err(unexpected(c"a float", object))
}

/// A `bool`.
pub(crate) fn boolean(object: Obj<'_>) -> Result<bool, Raised> {
    if types::is_bool(object) {
        return Ok(singletons::is_true(object));
    }
    Err(unexpected(c"a bool", object))
}

/// The fault of something that is not what it should be.
#[cold]
pub(crate) fn unexpected(wanted: &CStr, object: Obj<'_>) -> Raised {
    error::system_error_wanting(wanted, object)
}

/// A copy of bytes.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, Raised> {
    let mut copy = with_room(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// A vector with room for so many.
pub(crate) fn with_room<T>(count: usize) -> Result<Vec<T>, Raised> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| error::no_memory())?;
    Ok(vector)
}
