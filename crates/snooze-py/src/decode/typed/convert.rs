//! Conversions: choices, decimals, base64, `Raw` and calls of functions, values within bounds, and
//! why a value is refused.
//!
//! Separate from `scalar`, which chooses among them by the rule, because others use some of them
//! too. Invariant: a `ConvertError` becomes a problem only in `value_or_problem`. Called by
//! `scalar`, `open`, `walk`, `record` and `ndarray`.

use snooze_core::error::{Error, ErrorKind};

use snooze_core::read::Text;
use snooze_core::text::base64;

use crate::decode::decimal::number_fits;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::{Node, Rule, Timezone};
use crate::decode::typed::skip;
use crate::kept;
use crate::py::bytes::OwnedBytes;
use crate::py::str_build::{StrError, new_ascii_by_calls};
use crate::py::unicode::{OwnedStr, length};
use crate::py::{Owned, Raised, bytearray, bytes, call, error, singletons, tuple};

/// Why a value cannot be converted.
pub(super) enum ConvertError {
    /// The kind of value is not expected.
    WrongKind,
    /// The kind is expected, but not this value.
    WrongValue,
    /// An exception is set, which may mean that user code rejected the value.
    Raised,
    /// The string is not UTF-8.
    NotUtf8,
}

impl From<Raised> for ConvertError {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<StrError> for ConvertError {
    fn from(error: StrError) -> Self {
        match error {
            StrError::NotUtf8 => Self::NotUtf8,
            StrError::Raised => Self::Raised,
        }
    }
}

pub(super) type Converted = Result<Owned, ConvertError>;

impl<'p> Context<'p, '_> {
    /// The converted value, or the failure; adds a problem if the value at an offset does not fit.
    #[cold]
    pub(super) fn value_or_problem(
        &mut self,
        converted: Converted,
        node: &'p Node,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let (found, cause) = match converted {
            Ok(value) => return Ok(value),
            Err(ConvertError::NotUtf8) => {
                return Err(Error::new(ErrorKind::InvalidUtf8, 0).into());
            }
            Err(ConvertError::WrongKind) => (self.kind_name(at)?, None),
            Err(ConvertError::WrongValue) => (self.excerpt(at)?, None),
            Err(ConvertError::Raised) => {
                let cause = error::take_refusal(self.py)?;
                (self.excerpt(at)?, Some(cause))
            }
        };
        self.add_problem(frame, node.expected.clone(), found, at, cause)?;
        Err(DecodeFailure::Problem)
    }

    /// Calls the functions of a rule with a value, the innermost first.
    pub(super) fn apply_calls(&mut self, rule: Rule, value: Owned) -> Result<Owned, Raised> {
        if let Rule::NdArrayOfList(index) = rule
            && let Some(factory) = self.plan.tables.classes.get(index as usize)
        {
            return call::call_one(self.py, factory, &value);
        }
        let Rule::Via(index) = rule else { return Ok(value) };
        let Some(via) = self.plan.tables.vias.get(index as usize) else { return Ok(value) };
        // The recursion is as deep as the calls in the description, which `compile_node` limits.
        let value = self.apply_calls(via.rule, value)?;
        call::call_one(self.py, &via.function, &value)
    }

    /// The choice with a text, if the rule has choices and this is one of them in ASCII.
    #[inline(always)]
    pub(super) fn chosen_by_text(&self, rule: Rule, text: &[u8]) -> Option<Owned> {
        let Rule::Choice(table) = rule else { return None };
        self.plan.tables.choices.get(table as usize)?.of_text(text)
    }

    /// The choice with an integer, if the rule has choices and this is one of them.
    #[inline(always)]
    pub(super) fn chosen_by_integer(&self, rule: Rule, number: i64) -> Option<Owned> {
        let Rule::Choice(table) = rule else { return None };
        self.plan.tables.choices.get(table as usize)?.of_integer(number)
    }

    /// The choice with any value.
    pub(super) fn look_up_choice(&mut self, table: u32, value: &Owned) -> Converted {
        let choices = self.plan.tables.choices.get(table as usize);
        let choices = choices.ok_or(ConvertError::WrongValue)?;
        choices.of_value(self.py, value)?.ok_or(ConvertError::WrongValue)
    }

    /// The class, or function, at an index.
    fn class_at(&self, number: u32) -> Result<&'p Owned, ConvertError> {
        self.plan.tables.classes.get(number as usize).ok_or(ConvertError::WrongValue)
    }

    /// A new `Decimal` of the text of a JSON number. What it rejects is refused before, because its
    /// exception is not a `ValueError`.
    pub(super) fn new_decimal(&mut self, class: u32, number: &[u8]) -> Converted {
        if !number_fits(number) {
            return Err(ConvertError::WrongValue);
        }
        let digits = new_ascii_by_calls(self.py, number)?;
        let class = self.class_at(class)?;
        Ok(call::call_one(self.py, class, digits.as_owned())?)
    }

    /// A new `Raw` with the bytes of the value at an offset, which the walk has read or skipped
    /// already.
    pub(super) fn new_raw(&mut self, class: u32, at: usize) -> Converted {
        let end = match skip::value_end(self.runtime, self.bytes, at, self.frames.len(), false) {
            Ok(end) => end,
            Err(DecodeFailure::Json(error)) if error.kind == ErrorKind::InvalidUtf8 => {
                return Err(ConvertError::NotUtf8);
            }
            Err(DecodeFailure::Raised) => return Err(ConvertError::Raised),
            Err(_) => return Err(ConvertError::WrongValue),
        };
        let class = self.class_at(class)?;
        let text = self.bytes.get(at..end).unwrap_or(&[]);
        Ok(bytes::of_class(self.py, class.get(), text)?)
    }

    /// Whether the token of an object is at an offset.
    #[inline(always)]
    pub(super) fn is_kept(&self, at: usize) -> bool {
        self.kept.is_some() && self.bytes.get(at) == Some(&kept::MARK)
    }

    /// The object whose token is at an offset, and the offset after it.
    #[cold]
    pub(super) fn kept_object(&self, at: usize) -> Result<(Owned, usize), DecodeFailure> {
        let index = kept::index(self.bytes.get(at..).unwrap_or(&[]));
        let objects =
            self.kept.as_ref().map_or(&[][..], |kept| tuple::items_of(kept.get(), self.py));
        match index.and_then(|index| objects.get(index).copied().flatten()) {
            Some(object) => Ok((object.to_owned(), at + kept::TOKEN_LEN)),
            None => Err(Error::new(ErrorKind::ExpectedValue, at).into()),
        }
    }

    /// A new `bytes` or `bytearray` of a string in base64.
    pub(super) fn decode_base64(
        &mut self,
        text: Text<'_>,
        lengths: u32,
        as_array: bool,
    ) -> Converted {
        let len = base64::decoded_len(text.bytes).ok_or(ConvertError::WrongValue)?;
        if !self.plan.lengths(lengths).allows(len) {
            return Err(ConvertError::WrongValue);
        }
        if !as_array {
            let made = bytes::of_base64(self.py, text.bytes, len)?;
            return made.map(OwnedBytes::into_owned).ok_or(ConvertError::WrongValue);
        }
        let mut decoded = Vec::new();
        decoded.try_reserve_exact(len).map_err(|_| error::no_memory())?;
        decoded.resize(len, 0);
        base64::decode(text.bytes, &mut decoded).ok_or(ConvertError::WrongValue)?;
        Ok(bytearray::new(self.py, &decoded)?)
    }

    /// Whether a rule is for integers within bounds that allow this value.
    #[inline(always)]
    pub(super) fn int_fits(&self, rule: Rule, value: i64) -> bool {
        match rule {
            Rule::IntWithin(bounds) => {
                let bounds = self.plan.tables.int_bounds.get(bounds as usize);
                bounds.is_some_and(|bounds| bounds.allows(value))
            }
            _ => false,
        }
    }

    /// Whether a rule is for floats, with bounds, if any, that allow this value.
    #[inline(always)]
    pub(super) fn float_fits(&self, rule: Rule, value: f64) -> bool {
        match rule {
            Rule::Float | Rule::Any => true,
            Rule::FloatWithin(bounds) => {
                let bounds = self.plan.tables.float_bounds.get(bounds as usize);
                bounds.is_some_and(|bounds| bounds.allows(value))
            }
            _ => false,
        }
    }

    /// Checks a new `str` against bounds; adds a problem if they do not allow it.
    #[inline(always)]
    pub(super) fn str_within_bounds(
        &mut self,
        node: &'p Node,
        str: OwnedStr,
        bounds: u32,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        match self.check_str_bounds(&str, bounds) {
            Ok(()) => Ok(str.into_owned()),
            Err(error) => self.value_or_problem(Err(error), node, at, frame),
        }
    }

    /// Checks the length of a `str` and its pattern.
    #[inline(always)]
    pub(super) fn check_str_bounds(
        &mut self,
        str: &OwnedStr,
        bounds: u32,
    ) -> Result<(), ConvertError> {
        let bounds =
            self.plan.tables.str_bounds.get(bounds as usize).ok_or(ConvertError::WrongValue)?;
        if !bounds.lengths.allows(length(str.get())) {
            return Err(ConvertError::WrongValue);
        }
        if let Some(search) = &bounds.search {
            let found = call::call_one(self.py, search, str.as_owned())?;
            if singletons::is_none(found.get()) {
                return Err(ConvertError::WrongValue);
            }
        }
        Ok(())
    }
}

/// Checks that a time has a UTC offset, or has none, as its type requires.
pub(super) fn check_timezone(timezone: Timezone, offset: Option<i32>) -> Result<(), ConvertError> {
    match (timezone, offset) {
        (Timezone::Aware, None) | (Timezone::Naive, Some(_)) => Err(ConvertError::WrongValue),
        _ => Ok(()),
    }
}
