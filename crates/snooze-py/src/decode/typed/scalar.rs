//! Scalars: what is made of a string, a number, `true`, `false` or `null`, by the rule of the node.
//!
//! Separate from `walk`, which makes the most frequent ones itself. Invariant: a value that a rule does not
//! accept becomes a problem with the node's phrase. Called by `walk`, `member` and `open`.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::{Number, number_end};
use snooze_core::read::Text;
use snooze_core::text::{base64, read_date, read_datetime, read_duration, read_time, read_uuid};

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::{Node, Rule, Timezone};
use crate::decode::typed::skip;
use crate::py::unicode::{Chars, OwnedStr, Str, StrError, chars, length, new_ascii, of_text};
use crate::py::{Owned, Raised, bytearray, bytes, call, dict, error, float, int, singletons};

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

type Converted = Result<Owned, ConvertError>;

/// A new `str` of a JSON string.
fn new_str(text: Text<'_>) -> Result<OwnedStr, ConvertError> {
    match core::str::from_utf8(text.bytes) {
        Ok(text) => Ok(of_text(text)?),
        Err(_) => Err(ConvertError::NotUtf8),
    }
}

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

    /// The value of the string at an offset; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn string_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        text: Text<'_>,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        match self.string_by_rule(node, rule, text, at) {
            Ok(value) => Ok(value),
            converted => self.value_or_problem(converted, node, at, frame),
        }
    }

    /// Converts a string by a rule.
    fn string_by_rule(
        &mut self,
        node: &'p Node,
        rule: Rule,
        text: Text<'_>,
        at: usize,
    ) -> Converted {
        let runtime = self.runtime;
        let times = &runtime.times;
        match rule {
            Rule::Str | Rule::Any => Ok(new_str(text)?.into_owned()),
            Rule::StrWithin(bounds) => {
                let str = new_str(text)?;
                self.check_str_bounds(&str, bounds)?;
                Ok(str.into_owned())
            }
            Rule::Choice(table) => {
                let value = new_str(text)?;
                self.look_up_choice(table, value.as_owned())
            }
            Rule::DateTime(timezone) => {
                let read = read_datetime(text.bytes).ok_or(ConvertError::WrongValue)?;
                check_timezone(timezone, read.offset)?;
                Ok(times.new_datetime(self.py, read.date, read.time, read.offset)?)
            }
            Rule::Date => {
                let date = read_date(text.bytes).ok_or(ConvertError::WrongValue)?;
                Ok(times.new_date(self.py, date)?)
            }
            Rule::Time(timezone) => {
                let (time, offset) = read_time(text.bytes).ok_or(ConvertError::WrongValue)?;
                check_timezone(timezone, offset)?;
                Ok(times.new_time(self.py, time, offset)?)
            }
            Rule::TimeDelta => {
                let read = read_duration(text.bytes).ok_or(ConvertError::WrongValue)?;
                Ok(times.new_delta(self.py, read.days, read.seconds, read.microseconds)?)
            }
            Rule::Uuid(class) => {
                let value = read_uuid(text.bytes).ok_or(ConvertError::WrongValue)?;
                let uuids =
                    self.plan.tables.uuids.get(class as usize).ok_or(ConvertError::WrongValue)?;
                Ok(uuids.instance(self.py, value)?)
            }
            Rule::Decimal(class) => {
                let value = new_str(text)?;
                self.new_decimal(class, &value)
            }
            Rule::Bytes(lengths) => self.decode_base64(text, lengths, false),
            Rule::ByteArray(lengths) => self.decode_base64(text, lengths, true),
            Rule::Raw(class) => self.new_raw(class, at),
            Rule::Via(_) => {
                let value = self.string_by_rule(node, self.plan.without_calls(rule), text, at)?;
                Ok(self.apply_calls(rule, value)?)
            }
            _ if !self.plan.options.strict => self.string_as_other_kind(node, text, at),
            _ => Err(ConvertError::WrongKind),
        }
    }

    /// The value of the number from `start` to `end`, and the offset after it. `parsed` is what the reader
    /// made of it; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn number_value(
        &mut self,
        node: &'p Node,
        parsed: Result<Number, Error>,
        start: usize,
        end: usize,
        frame: &Frame<'p>,
    ) -> Result<(Owned, usize), DecodeFailure> {
        let end = match parsed {
            Ok(_) => end,
            // A number beyond the range of a double may still be an `int` or a `Decimal`.
            Err(Error { kind: ErrorKind::Infinity, .. }) => number_end(self.bytes, start),
            Err(error) => return Err(error.into()),
        };
        let digits = self.bytes.get(start..end).unwrap_or(&[]);
        let is_int = !digits.iter().any(|byte| b".eE".contains(byte));
        let rule = if is_int { node.int } else { node.float };
        // Where any value is accepted, such a number raises the same error as in `loads`.
        if let (Err(error), false, Rule::Any | Rule::Raw(_)) =
            (&parsed, is_int, self.plan.without_calls(rule))
        {
            return Err((*error).into());
        }
        match self.number_by_rule(node, rule, parsed, (digits, start), is_int) {
            Ok(value) => Ok((value, end)),
            converted => Ok((self.value_or_problem(converted, node, start, frame)?, end)),
        }
    }

    /// Converts a number by a rule. `is_int` says that its digits have no fraction and no exponent.
    fn number_by_rule(
        &mut self,
        node: &'p Node,
        rule: Rule,
        parsed: Result<Number, Error>,
        (digits, at): (&[u8], usize),
        is_int: bool,
    ) -> Converted {
        match (rule, parsed) {
            (Rule::Int | Rule::Any, Ok(Number::Int(value))) => Ok(int::new(self.py, value)?),
            (Rule::Int | Rule::Any, Ok(Number::UInt(value))) => {
                Ok(int::new_unsigned(self.py, value)?)
            }
            (Rule::Int | Rule::Any, _) if is_int => {
                Ok(int::of_digits(self.py, digits)?.into_owned())
            }
            (Rule::IntWithin(bounds), parsed) => {
                let bounds = self.plan.tables.int_bounds.get(bounds as usize).copied();
                let bounds = bounds.ok_or(ConvertError::WrongValue)?;
                match parsed {
                    Ok(Number::Int(value)) if bounds.allows(value) => Ok(int::new(self.py, value)?),
                    Ok(Number::Int(_)) => Err(ConvertError::WrongValue),
                    // Beyond 64 bits, so beyond any bound on the side of its sign.
                    _ if bounds.allows_beyond_i64(digits.first() == Some(&b'-')) => {
                        let value = int::of_digits(self.py, digits)?;
                        match bounds.multiple_of {
                            Some(divisor) if !int::is_multiple(self.py, value.get(), divisor)? => {
                                Err(ConvertError::WrongValue)
                            }
                            _ => Ok(value.into_owned()),
                        }
                    }
                    _ => Err(ConvertError::WrongValue),
                }
            }
            (Rule::Float | Rule::FloatWithin(_), parsed) => {
                let value = match parsed {
                    Ok(Number::Float(value)) => value,
                    Ok(Number::Int(0)) if digits.first() == Some(&b'-') => -0.0,
                    Ok(Number::Int(value)) => value as f64,
                    Ok(Number::UInt(value)) => value as f64,
                    // The number is beyond the range of a double.
                    Err(_) => return Err(ConvertError::WrongValue),
                };
                if let Rule::FloatWithin(bounds) = rule {
                    let bounds = self.plan.tables.float_bounds.get(bounds as usize);
                    if bounds.is_none_or(|bounds| !bounds.allows(value)) {
                        return Err(ConvertError::WrongValue);
                    }
                }
                Ok(float::new(self.py, value)?)
            }
            (Rule::Any, Ok(Number::Float(value))) => Ok(float::new(self.py, value)?),
            (Rule::Any, Err(_)) => Err(ConvertError::WrongValue),
            (Rule::Decimal(class), _) => {
                let value = new_ascii::<false>(self.py, digits)?;
                self.new_decimal(class, &value)
            }
            (Rule::Choice(table), parsed) => {
                let value = match parsed {
                    Ok(Number::Int(value)) => int::new(self.py, value)?,
                    Ok(Number::UInt(value)) => int::new_unsigned(self.py, value)?,
                    _ if is_int => int::of_digits(self.py, digits)?.into_owned(),
                    Ok(Number::Float(value)) => float::new(self.py, value)?,
                    Err(_) => return Err(ConvertError::WrongValue),
                };
                self.look_up_choice(table, &value)
            }
            (Rule::Raw(class), _) => self.new_raw(class, at),
            (Rule::Via(_), parsed) => {
                let value = self.number_by_rule(
                    node,
                    self.plan.without_calls(rule),
                    parsed,
                    (digits, at),
                    is_int,
                )?;
                Ok(self.apply_calls(rule, value)?)
            }
            (_, parsed) if !self.plan.options.strict => self.number_as_other_kind(node, parsed),
            _ => Err(ConvertError::WrongKind),
        }
    }

    /// The value of the `true` or `false` at an offset; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn bool_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        value: bool,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let converted = match self.plan.without_calls(rule) {
            Rule::Bool | Rule::Any => Ok(singletons::boolean(self.py, value)),
            Rule::BoolIs(only) if only == value => Ok(singletons::boolean(self.py, value)),
            Rule::BoolIs(_) => Err(ConvertError::WrongValue),
            Rule::Raw(class) => self.new_raw(class, at),
            _ => Err(ConvertError::WrongKind),
        };
        match converted.and_then(|value| Ok(self.apply_calls(rule, value)?)) {
            Ok(value) => Ok(value),
            converted => self.value_or_problem(converted, node, at, frame),
        }
    }

    /// The value of the `null` at an offset; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn null_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let converted = match self.plan.without_calls(rule) {
            Rule::Null | Rule::Any => Ok(singletons::none(self.py)),
            Rule::Raw(class) => self.new_raw(class, at),
            _ => Err(ConvertError::WrongKind),
        };
        match converted.and_then(|value| Ok(self.apply_calls(rule, value)?)) {
            Ok(value) => Ok(value),
            converted => self.value_or_problem(converted, node, at, frame),
        }
    }

    /// The key for the name of a dict's member.
    pub(super) fn key_value(
        &mut self,
        frame: &Frame<'p>,
        name: Text<'_>,
    ) -> Result<Owned, DecodeFailure> {
        let node = match self.plan.without_calls(frame.rule) {
            Rule::Dict(number) => {
                let dict = self.plan.tables.dicts.get(number as usize);
                dict.map_or(&self.plan.any_node, |dict| self.plan.node(dict.key))
            }
            _ => &self.plan.any_node,
        };
        let converted = match node.string {
            // A name is always a string in JSON, so for other keys its text is converted.
            Rule::Unexpected => self.string_as_other_kind(node, name, frame.name_offset),
            rule => self.string_by_rule(node, rule, name, frame.name_offset),
        };
        match converted {
            Ok(key) => Ok(key),
            converted => self.value_or_problem(converted, node, frame.name_offset, frame),
        }
    }

    /// Converts a string whose text is a value of another, expected kind: `"1"` for an `int`.
    fn string_as_other_kind(&mut self, node: &'p Node, text: Text<'_>, at: usize) -> Converted {
        let other_rules = [node.int, node.float, node.boolean, node.null];
        if other_rules
            .iter()
            .all(|&rule| matches!(self.plan.without_calls(rule), Rule::Unexpected | Rule::Raw(_)))
        {
            return Err(ConvertError::WrongKind);
        }
        match text.bytes {
            b"null" if node.null != Rule::Unexpected => {
                return Ok(self.apply_calls(node.null, singletons::none(self.py))?);
            }
            // Digits for a bool only if the plan is not strict: names of members come here in any case.
            word @ (b"true" | b"false" | b"1" | b"0")
                if node.boolean != Rule::Unexpected
                    && (word.len() > 1 || !self.plan.options.strict) =>
            {
                let is_digit = word.len() == 1;
                let value = matches!(word, b"true" | b"1");
                let fits = match self.plan.without_calls(node.boolean) {
                    Rule::BoolIs(only) => only == value,
                    _ => true,
                };
                if fits && !(is_digit && node.int != Rule::Unexpected) {
                    return Ok(self.apply_calls(node.boolean, singletons::boolean(self.py, value))?);
                }
            }
            _ => {}
        }
        // A number in the syntax of JSON, and nothing else.
        let parsed = match snooze_core::number::read(text.bytes, 0) {
            Ok((number, end)) if end == text.bytes.len() => Ok(number),
            Err((ErrorKind::Infinity, _)) if number_end(text.bytes, 0) == text.bytes.len() => {
                Err(Error::new(ErrorKind::Infinity, at))
            }
            _ => return Err(ConvertError::WrongValue),
        };
        let is_int = !text.bytes.iter().any(|byte| b".eE".contains(byte));
        let rule = if is_int { node.int } else { node.float };
        if rule == Rule::Unexpected {
            return Err(ConvertError::WrongValue);
        }
        self.number_by_rule(node, rule, parsed, (text.bytes, at), is_int)
    }

    /// Converts a number that means a value of another, expected kind: `1.0` for an `int`, 1 for `True`,
    /// seconds since 1970 for a `datetime`.
    fn number_as_other_kind(&mut self, node: &'p Node, parsed: Result<Number, Error>) -> Converted {
        let value = match parsed {
            Ok(Number::Float(value)) => value,
            Ok(Number::Int(value)) => value as f64,
            Ok(Number::UInt(value)) => value as f64,
            Err(_) => return Err(ConvertError::WrongKind),
        };
        if let Rule::Bool | Rule::BoolIs(_) = self.plan.without_calls(node.boolean)
            && (value == 0.0 || value == 1.0)
        {
            let truth = value == 1.0;
            if self.plan.without_calls(node.boolean) != Rule::BoolIs(!truth) {
                return Ok(self.apply_calls(node.boolean, singletons::boolean(self.py, truth))?);
            }
        }
        // From 2**53 on, several integers share their nearest double.
        if matches!(parsed, Ok(Number::Float(_))) && value.abs() < 9_007_199_254_740_992.0 {
            let integer = value as i64;
            if integer as f64 == value {
                let converted = match self.plan.without_calls(node.int) {
                    Rule::Int => Ok(int::new(self.py, integer)?),
                    Rule::IntWithin(bounds) => {
                        match self.plan.tables.int_bounds.get(bounds as usize) {
                            Some(bounds) if bounds.allows(integer) => {
                                Ok(int::new(self.py, integer)?)
                            }
                            _ => Err(ConvertError::WrongValue),
                        }
                    }
                    _ => Err(ConvertError::WrongKind),
                };
                if let Ok(value) = converted {
                    return Ok(self.apply_calls(node.int, value)?);
                }
                return converted;
            }
        }
        if let Rule::DateTime(Timezone::Any | Timezone::Aware) =
            self.plan.without_calls(node.string)
        {
            // A `datetime` has a year from 1 to 9999.
            if !(-62_135_596_800.0..253_402_300_800.0).contains(&value) {
                return Err(ConvertError::WrongValue);
            }
            let datetime = self.runtime.times.new_timestamp(self.py, value)?;
            return Ok(self.apply_calls(node.string, datetime)?);
        }
        Err(ConvertError::WrongKind)
    }

    /// The entry of a dict of choices for a value.
    fn look_up_choice(&mut self, table: u32, value: &Owned) -> Converted {
        let table = self.plan.tables.choices.get(table as usize).ok_or(ConvertError::WrongValue)?;
        dict::get(self.py, table.get(), value)?.ok_or(ConvertError::WrongValue)
    }

    /// The class, or function, at an index.
    fn class_at(&self, number: u32) -> Result<&'p Owned, ConvertError> {
        self.plan.tables.classes.get(number as usize).ok_or(ConvertError::WrongValue)
    }

    /// A new `Decimal`. Digits that it rejects are refused before, because its exception is not a
    /// `ValueError`.
    fn new_decimal(&mut self, class: u32, digits: &OwnedStr) -> Converted {
        if !decimal_accepts(digits.get()) {
            return Err(ConvertError::WrongValue);
        }
        let class = self.class_at(class)?;
        Ok(call::call_one(self.py, class, digits.as_owned())?)
    }

    /// A new `Raw` with the bytes of the value at an offset, which the walk has read or skipped already.
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
        let text = bytes::new(self.py, self.bytes.get(at..end).unwrap_or(&[]))?;
        Ok(call::call_one(self.py, class, text.as_owned())?)
    }

    /// A new `bytes` or `bytearray` of a string in base64.
    fn decode_base64(&mut self, text: Text<'_>, lengths: u32, as_array: bool) -> Converted {
        let len = base64::decoded_len(text.bytes).ok_or(ConvertError::WrongValue)?;
        if !self.plan.lengths(lengths).allows(len) {
            return Err(ConvertError::WrongValue);
        }
        let mut decoded = Vec::new();
        decoded.try_reserve_exact(len).map_err(|_| error::no_memory())?;
        decoded.resize(len, 0);
        base64::decode(text.bytes, &mut decoded).ok_or(ConvertError::WrongValue)?;
        Ok(if as_array {
            bytearray::new(self.py, &decoded)?
        } else {
            bytes::new(self.py, &decoded)?.into_owned()
        })
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
            Rule::Float => true,
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
    fn check_str_bounds(&mut self, str: &OwnedStr, bounds: u32) -> Result<(), ConvertError> {
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

/// Whether `Decimal` accepts a text: a number in the syntax of JSON within the range of its exponents.
/// Beyond that range, `Decimal` returns NaN or raises an exception that is not a `ValueError`, depending
/// on its context.
fn decimal_accepts(text: Str<'_>) -> bool {
    match chars::<false>(text) {
        Ok(Chars::Ascii(digits)) if has_large_exponent(digits) => false,
        Ok(Chars::Ascii(digits)) => match snooze_core::number::read(digits, 0) {
            Ok((_, end)) => end == digits.len(),
            Err((ErrorKind::Infinity, _)) => number_end(digits, 0) == digits.len(),
            Err(_) => false,
        },
        _ => false,
    }
}

/// Whether the exponent of a number has more digits than the largest one of `Decimal`.
fn has_large_exponent(number: &[u8]) -> bool {
    const MAX_DIGITS: usize = if usize::BITS < 64 { 8 } else { 17 };
    let mut parts = number.split(|byte| matches!(byte, b'e' | b'E'));
    let exponent = parts.nth(1).unwrap_or(&[]);
    exponent.iter().skip_while(|byte| matches!(byte, b'+' | b'-' | b'0')).count() > MAX_DIGITS
}

/// Checks that a time has a UTC offset, or has none, as its type requires.
fn check_timezone(timezone: Timezone, offset: Option<i32>) -> Result<(), ConvertError> {
    match (timezone, offset) {
        (Timezone::Aware, None) | (Timezone::Naive, Some(_)) => Err(ConvertError::WrongValue),
        _ => Ok(()),
    }
}
