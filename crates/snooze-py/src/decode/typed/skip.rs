//! Skipping values and reading ahead: at an offset of the document, without the reader of the walk.
//!
//! Separate from `walk`, whose reader must stay in registers: it is never passed to a function that
//! is not inlined. Invariant: nothing here moves the walk; functions take an offset and return the
//! one after what they read. Each runs in the SIMD tier of the walk. Used by all files of this
//! folder.

use snooze_core::arch::generic::valid::IsUtf8;
use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::read::Reader;

use crate::decode::typed::error::DecodeFailure;
use crate::py::str_build::StrError;
use crate::py::{Attached, Owned, int, unicode};
use crate::runtime::Runtime;

/// The offset after the value at an offset. `depth` is the number of open containers around the
/// value. The value is checked to be JSON, or with `fast` only its brackets and strings are
/// followed.
pub(super) fn value_end(
    runtime: &Runtime,
    bytes: &[u8],
    at: usize,
    depth: usize,
    fast: bool,
) -> Result<usize, DecodeFailure> {
    runtime.dispatch.run(ValueEnd { bytes, at, depth, fast })
}

struct ValueEnd<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    fast: bool,
}

impl Task for ValueEnd<'_> {
    type Output = Result<usize, DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        skip_value(&mut reader, self.bytes, self.depth, self.fast)?;
        Ok(reader.offset())
    }
}

/// Moves a reader past the next value; for `depth` and `fast` see [`value_end`].
#[inline(always)]
pub(super) fn skip_value<V: Vector>(
    reader: &mut Reader<'_, V>,
    bytes: &[u8],
    depth: usize,
    fast: bool,
) -> Result<(), DecodeFailure> {
    if fast {
        reader.skip_fast(depth)?;
        return Ok(());
    }
    let at = reader.offset();
    if !reader.skip(depth)? {
        check_utf8::<V>(bytes.get(at..reader.offset()).unwrap_or(&[]))?;
    }
    Ok(())
}

/// Checks that the bytes of a string are UTF-8, or those of a whole value: outside strings, JSON is
/// ASCII.
#[inline(always)]
pub(super) fn check_utf8<V: Vector>(bytes: &[u8]) -> Result<(), DecodeFailure> {
    if V::run_outlined(IsUtf8(bytes)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidUtf8, 0).into())
}

/// The string at an offset, as a new `str`.
pub(super) fn string_at(
    runtime: &Runtime,
    bytes: &[u8],
    at: usize,
    scratch: &mut Vec<u8>,
) -> Result<Owned, DecodeFailure> {
    runtime.dispatch.run(StringAt { bytes, at, scratch })
}

/// The value of a tag at an offset: a `str` or an `int` of 64 bits; `None` for any other value.
pub(super) fn tag_value(
    runtime: &Runtime,
    py: &Attached,
    bytes: &[u8],
    at: usize,
) -> Result<Option<Owned>, DecodeFailure> {
    let mut scratch = Vec::new();
    let start = after_space(runtime, bytes, at);
    match bytes.get(start) {
        Some(b'"') => string_at(runtime, bytes, start, &mut scratch).map(Some),
        Some(b'-' | b'0'..=b'9') => match snooze_core::number::read(bytes, start) {
            Ok((Number::Int(value), _)) => Ok(Some(int::new(py, value)?)),
            Ok((Number::UInt(value), _)) => Ok(Some(int::new_unsigned(py, value)?)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// The offset after white space.
pub(super) fn after_space(runtime: &Runtime, bytes: &[u8], at: usize) -> usize {
    struct AfterSpace<'a>(&'a [u8], usize);
    impl Task for AfterSpace<'_> {
        type Output = usize;
        #[inline(always)]
        fn with_vectors<V: Vector>(self) -> usize {
            let mut reader = Reader::<V>::resume(self.0, self.1);
            reader.token();
            reader.offset()
        }
    }
    runtime.dispatch.run(AfterSpace(bytes, at))
}

/// Calls `visit` for each member of the object at an offset, with the name, decoded, and the offset
/// of the value, until `visit` returns false. Returns the offset after the object, or `None` if
/// stopped before.
pub(super) fn visit_members(
    runtime: &Runtime,
    bytes: &[u8],
    open: usize,
    depth: usize,
    fast: bool,
    visit: &mut dyn FnMut(&[u8], usize) -> bool,
) -> Result<Option<usize>, DecodeFailure> {
    runtime.dispatch.run(VisitMembers { bytes, open, depth, fast, visit })
}

struct VisitMembers<'a> {
    bytes: &'a [u8],
    open: usize,
    depth: usize,
    fast: bool,
    visit: &'a mut dyn FnMut(&[u8], usize) -> bool,
}

impl Task for VisitMembers<'_> {
    type Output = Result<Option<usize>, DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.open + 1);
        let mut scratch = Vec::new();
        if reader.token() == b'}' {
            reader.consume();
            return Ok(Some(reader.offset()));
        }
        loop {
            if reader.token() != b'"' {
                return Err(reader.no_key().into());
            }
            let name = reader.string(&mut scratch)?.bytes;
            reader.colon()?;
            let at = reader.offset();
            if !(self.visit)(name, at) {
                return Ok(None);
            }
            skip_value(&mut reader, self.bytes, self.depth, self.fast)?;
            match reader.token() {
                b',' => reader.consume(),
                b'}' => {
                    reader.consume();
                    return Ok(Some(reader.offset()));
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }
}

struct StringAt<'a> {
    bytes: &'a [u8],
    at: usize,
    scratch: &'a mut Vec<u8>,
}

impl Task for StringAt<'_> {
    type Output = Result<Owned, DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        reader.token();
        let text = reader.string(self.scratch)?;
        match core::str::from_utf8(text.bytes) {
            Ok(text) => Ok(unicode::decode_utf8(text.as_bytes())?),
            Err(_) => Err(StrError::NotUtf8.into()),
        }
    }
}
