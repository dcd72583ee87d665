//! The text of keys that are numpy scalars.
//!
//! Separate from `keys`, because no rule names them: they are written as the Python numbers and
//! times that they equal. Called by `keys`.

use snooze_core::out::{Out, VecBuffer};

use crate::encode::action::Action;
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::{EncodeFailure, not_finite};
use crate::encode::typed::stepper::Stepper;
use crate::encode::{numpy, utf8};
use crate::py::numpy::NumpyKind;
use crate::py::{Owned, Raised};

impl Stepper<'_, '_> {
    /// Appends the text of a key that is a numpy scalar; returns whether it is one with a text.
    pub(super) fn append_numpy_key(
        &mut self,
        key: &Owned,
        target: &mut Vec<u8>,
    ) -> Result<bool, EncodeFailure> {
        let known = self.cx.runtime.numpy(self.py)?;
        let Some(NumpyKind::Scalar(scalar)) = known.and_then(|numpy| numpy.kind(key.get())) else {
            return Ok(false);
        };
        match numpy::scalar(self.cx, scalar)? {
            Action::Bool(value) => utf8::append(target, if value { b"true" } else { b"false" })?,
            action @ Action::Stamp(_) => match self.with_fraction(TypedAction::Untyped(action))? {
                TypedAction::Untyped(Action::Stamp(stamp)) => {
                    stamp.with_bytes(|text| utf8::append(target, text))?;
                }
                TypedAction::Text(text) => utf8::append_text(text.get(), target)?,
                _ => return Ok(false),
            },
            Action::Float(value) if !value.is_finite() => return Err(not_finite(value)),
            Action::Float32(value) if !value.is_finite() => return Err(not_finite(value.into())),
            number => return Ok(append_number(&number, target)?),
        }
        Ok(true)
    }
}

/// Appends the text of a number; returns whether it is one.
fn append_number(number: &Action, target: &mut Vec<u8>) -> Result<bool, Raised> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer)?;
    match *number {
        Action::Signed(value) => out.int(value, b',')?,
        Action::Unsigned(value) => out.uint(value, b',')?,
        Action::Float(value) => out.float(value, b',')?,
        Action::Float32(value) => out.float32(value, b',')?,
        _ => return Ok(false),
    }
    out.drop_last();
    let len = out.len();
    utf8::append(target, &buffer.into_vec(len))?;
    Ok(true)
}
