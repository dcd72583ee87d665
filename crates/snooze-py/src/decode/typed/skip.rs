//! Going over values: what nobody wants, what stands before what is wanted, and looking ahead.

use snooze_core::arch::generic::valid::is_utf8;
use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::read::Reader;

use crate::decode::typed::error::DecodeFailure;
use crate::py::{Attached, Owned, int, unicode};
use crate::runtime::Runtime;

/// The offset behind the value at an offset, which is checked as JSON, or only its brackets.
pub(super) fn over(
    runtime: &Runtime,
    bytes: &[u8],
    at: usize,
    depth: usize,
    fast: bool,
) -> Result<usize, DecodeFailure> {
    runtime.dispatch.run(Over { bytes, at, depth, fast })
}

struct Over<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The containers that are open around the value.
    depth: usize,
    fast: bool,
}

impl Task for Over<'_> {
    type Output = Result<usize, DecodeFailure>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        value(&mut reader, self.bytes, self.depth, self.fast)?;
        Ok(reader.offset())
    }
}

/// Passes the value that is next.
#[inline(always)]
pub(super) fn value<V: Vector>(
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

/// What is outside of strings is ASCII: so the whole is UTF-8 if the strings are.
#[inline(always)]
pub(super) fn check_utf8<V: Vector>(bytes: &[u8]) -> Result<(), DecodeFailure> {
    struct Check<'a>(&'a [u8]);
    impl Task for Check<'_> {
        type Output = bool;
        #[inline(always)]
        fn run<V: Vector>(self) -> bool {
            is_utf8::<V>(self.0)
        }
    }
    if V::enter(Check(bytes)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidUtf8, 0).into())
}

/// The string at an offset, which may be a member's name.
pub(super) fn name(
    runtime: &Runtime,
    bytes: &[u8],
    at: usize,
    scratch: &mut Vec<u8>,
) -> Result<Owned, DecodeFailure> {
    runtime.dispatch.run(NameAt { bytes, at, text: scratch })
}

/// The string or the integer at an offset; `None` for anything else.
pub(super) fn scalar(
    runtime: &Runtime,
    py: &Attached,
    bytes: &[u8],
    at: usize,
) -> Result<Option<Owned>, DecodeFailure> {
    let mut scratch = Vec::new();
    let start = space(runtime, bytes, at);
    match bytes.get(start) {
        Some(b'"') => name(runtime, bytes, start, &mut scratch).map(Some),
        Some(b'-' | b'0'..=b'9') => match snooze_core::number::read(bytes, start) {
            Ok((Number::Int(value), _)) => Ok(Some(int::new(py, value)?)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// The offset behind white space.
pub(super) fn space(runtime: &Runtime, bytes: &[u8], at: usize) -> usize {
    struct Space<'a>(&'a [u8], usize);
    impl Task for Space<'_> {
        type Output = usize;
        #[inline(always)]
        fn run<V: Vector>(self) -> usize {
            let mut reader = Reader::<V>::resume(self.0, self.1);
            reader.token();
            reader.offset()
        }
    }
    runtime.dispatch.run(Space(bytes, at))
}

/// Looks at each member of the object at an offset: its name as it is, and the offset of its
/// value. Goes on while `see` returns true; returns the offset behind the object if it came there.
pub(super) fn members(
    runtime: &Runtime,
    bytes: &[u8],
    open: usize,
    depth: usize,
    fast: bool,
    see: &mut dyn FnMut(&[u8], usize) -> bool,
) -> Result<Option<usize>, DecodeFailure> {
    runtime.dispatch.run(Members { bytes, open, depth, fast, see })
}

struct Members<'a> {
    bytes: &'a [u8],
    open: usize,
    depth: usize,
    fast: bool,
    see: &'a mut dyn FnMut(&[u8], usize) -> bool,
}

impl Task for Members<'_> {
    type Output = Result<Option<usize>, DecodeFailure>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.open + 1);
        let mut scratch = Vec::new();
        if reader.token() == b'}' {
            reader.pass();
            return Ok(Some(reader.offset()));
        }
        loop {
            if reader.token() != b'"' {
                return Err(reader.no_key().into());
            }
            let name = reader.string(&mut scratch)?.bytes;
            reader.colon()?;
            let at = reader.offset();
            if !(self.see)(name, at) {
                return Ok(None);
            }
            value(&mut reader, self.bytes, self.depth, self.fast)?;
            match reader.token() {
                b',' => reader.pass(),
                b'}' => {
                    reader.pass();
                    return Ok(Some(reader.offset()));
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }
}

/// Reads the string at an offset.
pub(super) struct NameAt<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) text: &'a mut Vec<u8>,
}

impl Task for NameAt<'_> {
    type Output = Result<Owned, DecodeFailure>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        reader.token();
        let text = reader.string(self.text)?;
        match core::str::from_utf8(text.bytes) {
            Ok(text) => Ok(unicode::decode_utf8(text.as_bytes())?),
            Err(_) => Err(crate::py::unicode::StrError::NotUtf8.into()),
        }
    }
}
