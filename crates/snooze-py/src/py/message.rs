//! Messages of exceptions, put together from parts.
//!
//! Separate from `error`, which raises: a message that names something needs memory, and getting
//! memory can fail. Invariants: no part is ever a format string; a failed allocation raises
//! `MemoryError` and never aborts; lone surrogates of a `str` survive, as in CPython's messages.
//! Called by everything that raises an error or notes a problem that names a type, a text or a
//! number.

use core::ffi::CStr;
use core::fmt::{self, Display, Write};

use pyo3_ffi::*;

use crate::py::dict::Dict;
use crate::py::unicode::{self, Chars, Str};
use crate::py::{Attached, Obj, Owned, Raised, error};

/// Keys that [`Message::alternatives`] names.
const NAMED: Py_ssize_t = 8;

/// A message that is being written.
///
/// ```text
/// Message::new().text("array of ")?.count(items)?.to_str()?
/// Message::raise_type_error(|message| message.text("not a ")?.type_name(object))
/// ```
#[derive(Debug, Default)]
pub(crate) struct Message {
    /// Code points, because UTF-8 has no lone surrogates.
    chars: Vec<Py_UCS4>,
}

impl Message {
    /// An empty message.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether nothing was appended.
    pub(crate) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Appends a text.
    #[cold]
    pub(crate) fn text(&mut self, text: &str) -> Result<&mut Self, Raised> {
        // No text has more characters than bytes.
        self.reserve(text.len())?;
        self.chars.extend(text.chars().map(u32::from));
        Ok(self)
    }

    /// Appends bytes as UTF-8, with U+FFFD in place of invalid bytes.
    #[cold]
    pub(crate) fn utf8(&mut self, bytes: &[u8]) -> Result<&mut Self, Raised> {
        for chunk in bytes.utf8_chunks() {
            self.text(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                self.text("\u{fffd}")?;
            }
        }
        Ok(self)
    }

    /// Appends the characters of a `str`; of any other object, its `repr`.
    #[cold]
    pub(crate) fn str(&mut self, object: Obj<'_>) -> Result<&mut Self, Raised> {
        let Some(text) = Str::any(object) else { return self.repr(object) };
        match unicode::chars::<false>(text)? {
            Chars::Ascii(units) | Chars::Latin1(units) => self.units(units),
            Chars::Ucs2(units) => self.units(units),
            Chars::Ucs4(units) => self.units(units),
        }
    }

    fn units<T: Copy + Into<Py_UCS4>>(&mut self, units: &[T]) -> Result<&mut Self, Raised> {
        self.reserve(units.len())?;
        self.chars.extend(units.iter().map(|&unit| unit.into()));
        Ok(self)
    }

    /// Appends another message; of one longer than `most` characters, its two ends.
    #[cold]
    pub(crate) fn append(&mut self, other: &Self, most: usize) -> Result<&mut Self, Raised> {
        let all = &other.chars;
        if all.len() <= most {
            return self.units(all);
        }
        let (start, _) = all.split_at(most / 2);
        let (_, end) = all.split_at(all.len() - most / 2);
        self.units(start)?.text(" ... ")?.units(end)
    }

    /// The number of characters.
    pub(crate) fn len(&self) -> usize {
        self.chars.len()
    }

    /// Appends `repr(object)`, which may run Python code.
    #[cold]
    pub(crate) fn repr(&mut self, object: Obj<'_>) -> Result<&mut Self, Raised> {
        self.str(error::representation(object)?.get())
    }

    /// Appends the name of an object's type, without its module.
    #[cold]
    pub(crate) fn type_name(&mut self, object: Obj<'_>) -> Result<&mut Self, Raised> {
        let name = full_type_name(object);
        self.utf8(name.rsplit(|&byte| byte == b'.').next().unwrap_or(name))
    }

    /// Appends the name of an object's type; types written in C have their module before it.
    #[cold]
    pub(crate) fn full_type_name(&mut self, object: Obj<'_>) -> Result<&mut Self, Raised> {
        self.utf8(full_type_name(object))
    }

    /// Appends a number in decimal.
    #[cold]
    pub(crate) fn number(&mut self, number: i64) -> Result<&mut Self, Raised> {
        self.display(number)
    }

    /// Appends a count in decimal.
    #[cold]
    pub(crate) fn count(&mut self, count: usize) -> Result<&mut Self, Raised> {
        self.display(count)
    }

    fn display(&mut self, number: impl Display) -> Result<&mut Self, Raised> {
        // Integers are displayed without an error, so one comes from `write_str`, which raised.
        write!(self, "{number}").map_err(|fmt::Error| Raised)?;
        Ok(self)
    }

    /// Appends the keys of a dict as Python shows them, or the first of them: `'a'`, `'a' or 'b'`,
    /// `'a', 'b' or 'c'`.
    #[cold]
    pub(crate) fn alternatives(
        &mut self,
        _py: &mut Attached,
        dict: Dict<'_>,
    ) -> Result<&mut Self, Raised> {
        // A tuple: code that `repr` runs could find a list through the collector and change it.
        // SAFETY: a live dict, because of its type; a live list, because PyDict_Keys makes one;
        // both results are checked.
        let keys = unsafe {
            let list = Owned::take(PyDict_Keys(dict.as_ptr()))?;
            Owned::take(PySequence_Tuple(list.as_ptr()))?
        };
        // SAFETY: a live tuple, because PySequence_Tuple makes one.
        let count = unsafe { PyTuple_GET_SIZE(keys.as_ptr()) };
        for place in 0..count.min(NAMED) {
            match place {
                0 => {}
                place if place == count - 1 => _ = self.text(" or ")?,
                _ => _ = self.text(", ")?,
            }
            // SAFETY: an item of a tuple, because `place` is below its length; the tuple is owned
            // and never changes, so it keeps the item while `repr` runs.
            if let Some(key) = unsafe { Obj::from_ptr(PyTuple_GET_ITEM(keys.as_ptr(), place)) } {
                self.repr(key)?;
            }
        }
        if count > NAMED {
            self.text(" or ")?.number((count - NAMED) as i64)?.text(" more")?;
        }
        Ok(self)
    }

    fn reserve(&mut self, more: usize) -> Result<(), Raised> {
        self.chars.try_reserve(more).map_err(|_| error::no_memory())
    }

    /// Returns the message as a new `str`.
    #[cold]
    pub(crate) fn to_str(&self) -> Result<Owned, Raised> {
        let (start, length) = (self.chars.as_ptr().cast(), self.chars.len() as Py_ssize_t);
        // SAFETY: `length` code points at `start`, because both are the vector's; attached, because
        // messages are made inside calls; the result is checked.
        unsafe { Owned::take(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND as _, start, length)) }
    }

    /// Raises `TypeError` (which is `JSONEncodeError`) with the message.
    #[cold]
    pub(crate) fn type_error(&self) -> Raised {
        error::type_error_with(self.to_str())
    }

    /// Raises `ValueError` with the message.
    #[cold]
    pub(crate) fn value_error(&self) -> Raised {
        error::value_error_with(self.to_str())
    }

    /// Raises `TypeError` with the message that `write` appends, or what `write` raised.
    #[cold]
    pub(crate) fn raise_type_error(
        write: impl FnOnce(&mut Self) -> Result<&mut Self, Raised>,
    ) -> Raised {
        error::type_error_with(write(&mut Self::new()).and_then(|message| message.to_str()))
    }

    /// Raises `ValueError` with the message that `write` appends, or what `write` raised.
    #[cold]
    pub(crate) fn raise_value_error(
        write: impl FnOnce(&mut Self) -> Result<&mut Self, Raised>,
    ) -> Raised {
        error::value_error_with(write(&mut Self::new()).and_then(|message| message.to_str()))
    }

    /// Raises `SystemError` with the message that `write` appends, or what `write` raised.
    #[cold]
    pub(crate) fn raise_system_error(
        write: impl FnOnce(&mut Self) -> Result<&mut Self, Raised>,
    ) -> Raised {
        error::system_error_with(write(&mut Self::new()).and_then(|message| message.to_str()))
    }
}

impl Write for Message {
    /// Fails with a Python exception set.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.text(text) {
            Ok(_) => Ok(()),
            Err(Raised) => Err(fmt::Error),
        }
    }
}

/// The name of an object's type, to be read before Python code can rename the type.
fn full_type_name(object: Obj<'_>) -> &[u8] {
    // SAFETY: a live type, because the object keeps it; every type has a name that ends with a
    // zero.
    unsafe { CStr::from_ptr((*object.type_ptr()).tp_name) }.to_bytes()
}
