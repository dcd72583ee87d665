//! Reads plan descriptions: the nested tuples that `snooze._typed` makes from Python types.
//!
//! Separate because decoder plans and encoder plans are described in the same form. Invariant: an
//! item of an unexpected type or value, and a tuple of an unexpected length, raises a `SystemError`
//! that shows it; nothing is ignored. Such an error is a bug in snooze, because the Python modules
//! and the extension are released together. Called by the compilers of plans in `decode::typed` and
//! `encode::typed`, and wherever a function of the module takes such tuples.

use core::ffi::CStr;

use crate::py::bytes::OwnedBytes;
use crate::py::float::Float;
use crate::py::int::{Int, IntValue};
use crate::py::message::Message;
use crate::py::tuple::Tuple;
use crate::py::unicode::{Chars, Str};
use crate::py::{Attached, Obj, Raised, error, float, int, singletons, tuple, types, unicode};

/// The version of the description format that this build reads.
pub(crate) const VERSION: i64 = 1;

/// A tuple of the description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    tuple: Obj<'a>,
    items: &'a [Option<Obj<'a>>],
}

impl<'a> Row<'a> {
    /// A tuple of any length.
    pub(crate) fn new(py: &'a Attached, object: Obj<'a>) -> Result<Self, Raised> {
        let tuple = Tuple::exact(object).ok_or_else(|| unexpected(c"a tuple", object))?;
        Ok(Self { tuple: object, items: tuple::items(tuple, py) })
    }

    /// The items of a tuple that must have exactly `N`.
    pub(crate) fn exact<const N: usize>(
        py: &'a Attached,
        object: Obj<'a>,
    ) -> Result<[Obj<'a>; N], Raised> {
        Self::new(py, object)?.exactly()
    }

    /// A tuple that begins with a name, which says how to read the rest, and that name.
    pub(crate) fn tagged(py: &'a Attached, object: Obj<'a>) -> Result<(&'a [u8], Self), Raised> {
        let row = Self::new(py, object)?;
        Ok((name(row.get(0)?)?, row))
    }

    /// The items, which must be exactly `N`.
    pub(crate) fn exactly<const N: usize>(self) -> Result<[Obj<'a>; N], Raised> {
        let mut array = [self.tuple; N];
        if self.items.len() != N {
            return Err(self.wrong_length(N));
        }
        for (target, item) in array.iter_mut().zip(self.items) {
            *target = item.ok_or_else(|| unexpected(c"a complete tuple", self.tuple))?;
        }
        Ok(array)
    }

    #[cold]
    fn wrong_length(self, expected: usize) -> Raised {
        Message::raise_system_error(|message| {
            message.text("internal description: expected a tuple of ")?.count(expected)?;
            message.text(" items, found ")?.count(self.items.len())?.text(": ")?;
            message.repr(self.tuple)?.text(BUG)
        })
    }

    /// The number of items.
    pub(crate) fn len(self) -> usize {
        self.items.len()
    }

    /// The item at an index.
    pub(crate) fn get(self, index: usize) -> Result<Obj<'a>, Raised> {
        let item = self.items.get(index).copied().flatten();
        item.ok_or_else(|| unexpected(c"a longer tuple", self.tuple))
    }

    /// All items.
    pub(crate) fn items(self) -> impl Iterator<Item = Obj<'a>> {
        self.items.iter().filter_map(|item| *item)
    }
}

/// An item, or `None` for Python's `None`.
pub(crate) fn optional(object: Obj<'_>) -> Option<Obj<'_>> {
    (!singletons::is_none(object)).then_some(object)
}

/// The bytes of an ASCII `str`.
pub(crate) fn name(object: Obj<'_>) -> Result<&[u8], Raised> {
    if let Some(text) = Str::exact(object)
        && let Chars::Ascii(bytes) = unicode::chars::<false>(text)?
    {
        return Ok(bytes);
    }
    Err(unexpected(c"a name", object))
}

/// The UTF-8 encoding of a `str`, as a new `bytes`.
pub(crate) fn utf8(py: &Attached, object: Obj<'_>) -> Result<OwnedBytes, Raised> {
    let text = Str::exact(object).ok_or_else(|| unexpected(c"a str", object))?;
    unicode::encode_utf8(py, text)
}

/// The value of an `int` within 64 bits, signed.
pub(crate) fn integer(object: Obj<'_>) -> Result<i64, Raised> {
    if let Some(number) = Int::exact(object)
        && let IntValue::Signed(value) = int::value::<false>(number)?
    {
        return Ok(value);
    }
    Err(unexpected(c"an int of 64 bits", object))
}

/// The value of an `int` that is an index or a count.
pub(crate) fn size(object: Obj<'_>) -> Result<usize, Raised> {
    usize::try_from(integer(object)?).map_err(|_| unexpected(c"a size", object))
}

/// The value of an `int` that is a size or a position in a file.
pub(crate) fn size_64(object: Obj<'_>) -> Result<u64, Raised> {
    u64::try_from(integer(object)?).map_err(|_| unexpected(c"a size", object))
}

/// The value of a `float`.
pub(crate) fn float(object: Obj<'_>) -> Result<f64, Raised> {
    match Float::exact(object) {
        Some(number) => Ok(float::value(number)),
        None => Err(unexpected(c"a float", object)),
    }
}

/// The value of a `bool`.
pub(crate) fn boolean(object: Obj<'_>) -> Result<bool, Raised> {
    if types::is_bool(object) {
        return Ok(singletons::is_true(object));
    }
    Err(unexpected(c"a bool", object))
}

/// The end of each message.
const BUG: &str = "; this is a bug in snooze, please report it";

/// Raises `SystemError`: the description has `object` where `expected` should be.
#[cold]
pub(crate) fn unexpected(expected: &CStr, object: Obj<'_>) -> Raised {
    Message::raise_system_error(|message| {
        message.text("internal description: expected ")?.utf8(expected.to_bytes())?;
        message.text(", found ")?.repr(object)?.text(BUG)
    })
}

/// A copy of bytes.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, Raised> {
    let mut copy = with_room(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// An empty vector with room for `count` elements.
pub(crate) fn with_room<T>(count: usize) -> Result<Vec<T>, Raised> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| error::no_memory())?;
    Ok(vector)
}

/// The nodes of the items of a tuple: one for each of the first items, and perhaps one for all
/// others.
#[derive(Debug)]
pub(crate) struct TupleNodes {
    first: Vec<u32>,
    rest: Option<u32>,
}

impl TupleNodes {
    /// Reads the indices of nodes with `node_index`.
    pub(crate) fn read(
        py: &Attached,
        first: Obj<'_>,
        rest: Option<Obj<'_>>,
        mut node_index: impl FnMut(Obj<'_>) -> Result<u32, Raised>,
    ) -> Result<Self, Raised> {
        let row = Row::new(py, first)?;
        let mut nodes = with_room(row.len())?;
        for item in row.items() {
            nodes.push(node_index(item)?);
        }
        Ok(Self { first: nodes, rest: rest.map(node_index).transpose()? })
    }

    /// The node of the item at an index; `None` if there are too many items.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<u32> {
        self.first.get(index).copied().or(self.rest)
    }

    /// Whether a tuple may have so many items.
    #[inline(always)]
    pub(crate) fn accepts(&self, count: usize) -> bool {
        count == self.first.len() || (count > self.first.len() && self.rest.is_some())
    }
}
