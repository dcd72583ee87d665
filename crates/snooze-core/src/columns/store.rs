//! Values into columns, if the columns can hold them exactly.
//!
//! Separate from `value`, which knows JSON and the way through a record: here a value is a number
//! or a text already. Invariant: a function that returns `Ok(false)` has changed nothing. Called by
//! `value`, for all values but those that it stores in place.

use super::column::{Texts, Values};
use super::memory::{NoMemory, push, reserve};
use super::scalar::{date_of, decimal_of, timestamp_of};
use crate::text::{base64, read_uuid};

impl Values {
    /// Appends an integer, if the column can hold it exactly.
    pub(super) fn push_integer(&mut self, value: i128) -> Result<bool, NoMemory> {
        /// Appends the value if it fits the type.
        fn fitting<T: TryFrom<i128>>(values: &mut Vec<T>, value: i128) -> Result<bool, NoMemory> {
            let Ok(value) = value.try_into() else { return Ok(false) };
            push(values, value)?;
            Ok(true)
        }
        match self {
            Self::Int8(values) => fitting(values, value),
            Self::Int16(values) => fitting(values, value),
            Self::Int32(values) => fitting(values, value),
            Self::Int64(values) => fitting(values, value),
            Self::UInt8(values) => fitting(values, value),
            Self::UInt16(values) => fitting(values, value),
            Self::UInt32(values) => fitting(values, value),
            Self::UInt64(values) => fitting(values, value),
            Self::Float32(values) if (value as f32) as i128 == value => {
                push(values, value as f32)?;
                Ok(true)
            }
            Self::Float64(values) if (value as f64) as i128 == value => {
                push(values, value as f64)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Appends a number with a fraction or exponent, or a negative zero.
    pub(super) fn push_float(&mut self, value: f64) -> Result<bool, NoMemory> {
        match self {
            Self::Float32(values) if (value as f32).is_finite() => push(values, value as f32)?,
            Self::Float64(values) => push(values, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Appends what a string means, if the column is of strings.
    pub(super) fn push_text(&mut self, text: &[u8]) -> Result<bool, NoMemory> {
        match self {
            Self::LargeText(texts) => return texts.push(text),
            Self::Binary(texts) => return push_base64(texts, text),
            Self::Uuid(values) => match read_uuid(text) {
                Some(value) => push(values, value.to_be_bytes())?,
                None => return Ok(false),
            },
            Self::Date(values) => match date_of(text) {
                Some(value) => push(values, value)?,
                None => return Ok(false),
            },
            &mut Self::Timestamp { ref mut values, unit, with_offset } => {
                match timestamp_of(text, unit, with_offset) {
                    Some(value) => push(values, value)?,
                    None => return Ok(false),
                }
            }
            &mut Self::Decimal { ref mut values, precision, scale } => {
                match decimal_of(text, precision, scale) {
                    Some(value) => push(values, value)?,
                    None => return Ok(false),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Appends the bytes that a text means in base64.
fn push_base64(texts: &mut Texts<i32>, text: &[u8]) -> Result<bool, NoMemory> {
    let Some(len) = base64::decoded_len(text) else { return Ok(false) };
    let start = texts.bytes.len();
    let Ok(end) = i32::try_from(start + len) else { return Ok(false) };
    reserve(&mut texts.bytes, len)?;
    texts.bytes.resize(start + len, 0);
    if base64::decode(text, &mut texts.bytes[start..]).is_none() {
        texts.bytes.truncate(start);
        return Ok(false);
    }
    push(&mut texts.ends, end)?;
    Ok(true)
}
