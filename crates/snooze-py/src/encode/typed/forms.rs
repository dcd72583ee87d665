//! Values with several JSON forms, or none: NaN, surrogates, fractions of a second.
//!
//! Separate because the default options never call it. Python code may run. Called by `classify`,
//! `action`, `arrays`, `keys` and `walk`.

use crate::encode::action::Action;
use crate::encode::place::name_of;
use crate::encode::policy::FINITE;
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::{EncodeFailure, not_finite, surrogates};
use crate::encode::typed::policies::{Fraction, NotFinite, RAW_MARK, Surrogates};
use crate::encode::typed::stepper::Stepper;
use crate::encode::utf8;
use crate::py::float::Float;
use crate::py::unicode::{Chars, OwnedStr, Str};
use crate::py::{Owned, Raised, bytes, call, error, float, unicode};

impl Stepper<'_, '_> {
    /// The action for an infinity or NaN that is not written as null.
    #[cold]
    pub(super) fn not_finite(&mut self, value: f64) -> Result<TypedAction, EncodeFailure> {
        let name = name_of(value).as_bytes();
        match self.plans.root.policies.not_finite {
            NotFinite::Literal => {
                Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, name)?)))
            }
            NotFinite::Text => Ok(TypedAction::Text(text_of(name)?)),
            NotFinite::Null => Ok(TypedAction::Untyped(Action::Null)),
            NotFinite::Error => Err(not_finite(value)),
        }
    }

    /// The action for a float, finite if the node requires it.
    pub(super) fn float(
        &mut self,
        number: Float<'_>,
        mask: u8,
    ) -> Result<TypedAction, EncodeFailure> {
        let value = float::value(number);
        if mask & FINITE != 0 && !value.is_finite() {
            return self.not_finite(value);
        }
        Ok(TypedAction::Untyped(Action::Float(value)))
    }

    /// The action for a string.
    pub(super) fn text(&mut self, text: Str<'_>) -> Result<TypedAction, EncodeFailure> {
        if !unicode::chars::<false>(text)?.has_surrogates() {
            return Ok(TypedAction::Text(text.to_owned()));
        }
        let mut written = Vec::new();
        match self.plans.root.policies.surrogates {
            Surrogates::Error => Err(surrogates()),
            Surrogates::Replace => {
                each_unit(text, |unit| append_replaced(unit, &mut written))?;
                Ok(TypedAction::Text(text_of(&written)?))
            }
            Surrogates::Escape => {
                append_escaped(text, &mut written)?;
                Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, &written)?)))
            }
        }
    }

    /// Appends the text of a key that is a `str`. With escapes for surrogates, that is JSON
    /// already, after a [`RAW_MARK`].
    pub(super) fn append_str_key(
        &mut self,
        text: Str<'_>,
        target: &mut Vec<u8>,
    ) -> Result<(), EncodeFailure> {
        if !unicode::chars::<false>(text)?.has_surrogates() {
            return Ok(utf8::append_text(text, target)?);
        }
        match self.plans.root.policies.surrogates {
            Surrogates::Error => Err(surrogates()),
            Surrogates::Replace => Ok(each_unit(text, |unit| append_replaced(unit, target))?),
            Surrogates::Escape => {
                utf8::append(target, &[RAW_MARK])?;
                Ok(append_escaped(text, target)?)
            }
        }
    }

    /// The action for a time, with the digits of its fraction that the options want.
    pub(super) fn with_fraction(&mut self, action: TypedAction) -> Result<TypedAction, Raised> {
        let Fraction::Digits(digits) = self.plans.root.policies.fraction else {
            return Ok(action);
        };
        let changed = match &action {
            TypedAction::Untyped(Action::Stamp(stamp)) => {
                stamp.with_bytes(|text| with_digits(text, digits))?
            }
            TypedAction::Text(text) => match unicode::chars::<false>(text.get())? {
                Chars::Ascii(text) => with_digits(text, digits)?,
                _ => None,
            },
            _ => None,
        };
        match changed {
            Some(text) => Ok(TypedAction::Text(text_of(&text)?)),
            None => Ok(action),
        }
    }

    /// What `key_hook` returns for a key.
    pub(super) fn hooked_key(&mut self, key: &Owned) -> Result<Option<Owned>, EncodeFailure> {
        let Some(hook) = &self.plans.root.policies.key_hook else { return Ok(None) };
        match call::call_one(self.py, hook, key) {
            Ok(replacement) => Ok(Some(replacement)),
            Err(Raised) => Err(EncodeFailure::of_function(self.py, key)),
        }
    }
}

fn text_of(utf8: &[u8]) -> Result<OwnedStr, Raised> {
    OwnedStr::exact(unicode::decode_utf8(utf8)?)
        .ok_or_else(|| error::system_error(c"decoded text is not a str"))
}

/// Calls `each` with the code points of a text.
fn each_unit(text: Str<'_>, mut each: impl FnMut(u32) -> Result<(), Raised>) -> Result<(), Raised> {
    match unicode::chars::<false>(text)? {
        Chars::Ascii(units) | Chars::Latin1(units) => {
            units.iter().try_for_each(|&unit| each(unit.into()))
        }
        Chars::Ucs2(units) => units.iter().try_for_each(|&unit| each(unit.into())),
        Chars::Ucs4(units) => units.iter().try_for_each(|&unit| each(unit)),
    }
}

fn append_char(character: char, target: &mut Vec<u8>) -> Result<(), Raised> {
    utf8::append(target, character.encode_utf8(&mut [0; 4]).as_bytes())
}

/// Appends a code point, U+FFFD for a surrogate.
fn append_replaced(unit: u32, target: &mut Vec<u8>) -> Result<(), Raised> {
    append_char(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), target)
}

/// Appends a text as JSON, with quotes, and with escapes for what needs them and for surrogates.
fn append_escaped(text: Str<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    utf8::append(target, b"\"")?;
    each_unit(text, |unit| match char::from_u32(unit) {
        Some('"') => utf8::append(target, b"\\\""),
        Some('\\') => utf8::append(target, b"\\\\"),
        Some('\u{8}') => utf8::append(target, b"\\b"),
        Some('\t') => utf8::append(target, b"\\t"),
        Some('\n') => utf8::append(target, b"\\n"),
        Some('\u{c}') => utf8::append(target, b"\\f"),
        Some('\r') => utf8::append(target, b"\\r"),
        Some(character) if character >= ' ' => append_char(character, target),
        _ => {
            let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 15) as usize];
            utf8::append(target, &[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)])
        }
    })?;
    utf8::append(target, b"\"")
}

/// The text of a time with this many digits of its fraction, which is cut or extended; `None` for a
/// date.
fn with_digits(text: &[u8], digits: usize) -> Result<Option<Vec<u8>>, Raised> {
    /// The characters of `hh:mm:ss`.
    const CLOCK: usize = 8;
    let start = match text.iter().position(|&byte| byte == b'T') {
        Some(at) => at + 1,
        None if text.get(2) == Some(&b':') => 0,
        None => return Ok(None),
    };
    let (Some(clock), Some(rest)) = (text.get(..start + CLOCK), text.get(start + CLOCK..)) else {
        return Ok(None);
    };
    let (fraction, zone) = match rest.split_first() {
        Some((b'.', after)) => {
            let len = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            after.split_at(len)
        }
        _ => (&[][..], rest),
    };
    let mut changed = Vec::new();
    utf8::append(&mut changed, clock)?;
    if digits > 0 {
        utf8::append(&mut changed, b".")?;
        for index in 0..digits {
            utf8::append(&mut changed, &[*fraction.get(index).unwrap_or(&b'0')])?;
        }
    }
    utf8::append(&mut changed, zone)?;
    Ok(Some(changed))
}
