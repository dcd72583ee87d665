//! What the fuzz targets share: running every tier, collecting output, the grammar of numbers, and
//! a reader that builds values.
//!
//! Separate so that a target contains only its property. Invariant: an oracle does not use the code
//! that it checks. [`number_end`] implements RFC 8259 independently, and [`document`] uses the
//! public pull interface of `Reader` without [`Reader::skip`].

use core::fmt::Debug;

use serde_json::{Map, Value};
use snooze_core::arch::{Dispatch, Task, Tier, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::out::{Out, VecBuffer};
use snooze_core::read::{MAX_DEPTH, Reader};

/// Runs `task` in every tier of this machine and asserts that all return the same result.
pub fn every_tier<T: Task + Copy>(task: T) -> T::Output
where
    T::Output: PartialEq + Debug,
{
    every_tier_of(|_| task)
}

/// [`every_tier`] for tasks that enter a tier themselves.
pub fn every_tier_of<T: Task>(task: impl Fn(Dispatch) -> T) -> T::Output
where
    T::Output: PartialEq + Debug,
{
    let scalar = Dispatch::detect(Some(Tier::Scalar));
    let expected = scalar.run(task(scalar));
    for tier in Tier::ALL {
        if let Some(dispatch) = Dispatch::new(tier) {
            let found = dispatch.run(task(dispatch));
            assert_eq!(found, expected, "{} differs from scalar", tier.name());
        }
    }
    expected
}

/// Everything that `write` writes, with the separator after each value.
pub fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> Vec<u8> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).expect("memory");
    write(&mut out);
    let len = out.len();
    buffer.into_vec(len)
}

/// The end of the number at the start of `text`, or the fault and its offset (RFC 8259, section 6).
pub fn number_end(text: &[u8]) -> Result<usize, (ErrorKind, usize)> {
    let digits = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = usize::from(text.first() == Some(&b'-'));
    let mut at = first + digits(first);
    if at == first {
        return Err((ErrorKind::NoDigitAfterSign, at));
    }
    if text[first] == b'0' && at > first + 1 {
        return Err((ErrorKind::LeadingZero, first));
    }
    if text.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        at += 1 + count;
        if count == 0 {
            return Err((ErrorKind::NoDigitAfterPoint, at));
        }
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let count = digits(at + 1 + sign);
        at += 1 + sign + count;
        if count == 0 {
            return Err((ErrorKind::NoDigitAfterExponent, at));
        }
    }
    Ok(at)
}

/// Reads a whole document as a value; also returns whether all its strings are UTF-8.
pub fn document<V: Vector>(bytes: &[u8]) -> Result<(Value, bool), Error> {
    build::<V>(bytes, false)
}

/// Like [`document`], but a number beyond the range of a double is no fault; its value is null.
pub fn document_with_any_number<V: Vector>(bytes: &[u8]) -> Result<(Value, bool), Error> {
    build::<V>(bytes, true)
}

fn build<V: Vector>(bytes: &[u8], any_number: bool) -> Result<(Value, bool), Error> {
    let reader = Reader::<V>::new(bytes)?;
    let mut builder = Builder { reader, bytes, utf8: true, any_number };
    let value = builder.value(0)?;
    builder.reader.finish()?;
    Ok((value, builder.utf8))
}

/// Builds the value of a document with the pull interface.
struct Builder<'a, V> {
    reader: Reader<'a, V>,
    bytes: &'a [u8],
    utf8: bool,
    any_number: bool,
}

impl<V: Vector> Builder<'_, V> {
    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        match self.reader.token() {
            b'"' => Ok(self.string()?.into()),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(),
            b't' => self.reader.literal_true().map(|()| true.into()),
            b'f' => self.reader.literal_false().map(|()| false.into()),
            b'n' => self.reader.literal_null().map(|()| Value::Null),
            open @ (b'[' | b'{') => {
                self.reader.consume();
                if depth == MAX_DEPTH {
                    return Err(self.reader.too_deep());
                }
                if open == b'[' { self.array(depth + 1) } else { self.object(depth + 1) }
            }
            _ => Err(self.reader.no_value()),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Error> {
        let mut items = Vec::new();
        let mut next = self.reader.token();
        while next != b']' || !items.is_empty() {
            items.push(self.value(depth)?);
            next = self.reader.token();
            match next {
                b',' => self.reader.consume(),
                b']' => break,
                _ => return Err(self.reader.no_array_end()),
            }
        }
        self.reader.consume();
        Ok(items.into())
    }

    fn object(&mut self, depth: usize) -> Result<Value, Error> {
        let mut members = Map::new();
        let mut next = self.reader.token();
        while next != b'}' || !members.is_empty() {
            if self.reader.token() != b'"' {
                return Err(self.reader.no_key());
            }
            let key = self.string()?;
            self.reader.colon()?;
            members.insert(key, self.value(depth)?);
            next = self.reader.token();
            match next {
                b',' => self.reader.consume(),
                b'}' => break,
                _ => return Err(self.reader.no_object_end()),
            }
        }
        self.reader.consume();
        Ok(members.into())
    }

    fn string(&mut self) -> Result<String, Error> {
        let mut scratch = Vec::new();
        let text = self.reader.string(&mut scratch)?;
        assert_eq!(text.ascii, text.bytes.is_ascii());
        self.utf8 &= std::str::from_utf8(text.bytes).is_ok();
        Ok(String::from_utf8_lossy(text.bytes).into_owned())
    }

    fn number(&mut self) -> Result<Value, Error> {
        let start = self.reader.offset();
        let number = match self.reader.number() {
            Err(error) if self.any_number && error.kind == ErrorKind::Infinity => {
                let length = number_end(&self.bytes[start..]).expect("a number");
                self.reader = Reader::resume(self.bytes, start + length);
                return Ok(Value::Null);
            }
            read => read?,
        };
        Ok(match number {
            // serde_json reads `-0` as a float, which keeps its sign. Programs written for orjson
            // expect the integer, so this converts it.
            Number::Int(0) if self.bytes[start] == b'-' => (-0.0).into(),
            Number::Int(value) => value.into(),
            Number::UInt(value) => value.into(),
            Number::Float(value) => value.into(),
        })
    }
}
