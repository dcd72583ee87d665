//! Scalars: what is made of a string, a number, `true`, `false` or `null`, by the rule of the node.
//!
//! Separate from `walk`, which makes the most frequent ones itself; `convert` has the conversions
//! that need more than a constructor. Invariant: a value that a rule does not accept becomes a
//! problem with the node's phrase. Called by `walk` and `member`.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::{Number, is_number, number_end};
use snooze_core::read::Text;
use snooze_core::text::{read_date, read_datetime, read_duration, read_time, read_uuid};

use crate::decode::typed::context::Context;
use crate::decode::typed::convert::{ConvertError, Converted, check_timezone};
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::{Node, Rule, Timezone};
use crate::py::unicode::{OwnedStr, of_text};
use crate::py::{Owned, float, int, singletons};

/// A new `str` of a JSON string.
fn new_str(text: Text<'_>) -> Result<OwnedStr, ConvertError> {
    match core::str::from_utf8(text.bytes) {
        Ok(text) => Ok(of_text(text)?),
        Err(_) => Err(ConvertError::NotUtf8),
    }
}

impl<'p> Context<'p, '_> {
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
    pub(super) fn string_by_rule(
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
                if !is_number(text.bytes) {
                    // An error in the encoding is reported as such.
                    new_str(text)?;
                    return Err(ConvertError::WrongValue);
                }
                self.new_decimal(class, text.bytes)
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

    /// The value of the number from `start` to `end`, and the offset after it. `parsed` is what the
    /// reader made of it; `frame` is the container around it.
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
        // Where any value is accepted, such a number raises the same error as in `loads`; a `Raw`
        // keeps its text.
        if let (Err(error), false, Rule::Any) = (&parsed, is_int, self.plan.without_calls(rule)) {
            return Err((*error).into());
        }
        match self.number_by_rule(node, rule, parsed, (digits, start), is_int) {
            Ok(value) => Ok((value, end)),
            converted => Ok((self.value_or_problem(converted, node, start, frame)?, end)),
        }
    }

    /// Converts a number by a rule. `is_int` says that its digits have no fraction and no exponent.
    pub(super) fn number_by_rule(
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
            (Rule::Decimal(class), _) => self.new_decimal(class, digits),
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
            (_, parsed) if !self.plan.options.strict => {
                self.number_as_other_kind(node, parsed, digits)
            }
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
    pub(super) fn string_as_other_kind(
        &mut self,
        node: &'p Node,
        text: Text<'_>,
        at: usize,
    ) -> Converted {
        let other_rules = [node.int, node.float, node.boolean, node.null];
        if other_rules.iter().all(|&rule| {
            matches!(self.plan.without_calls(rule), Rule::Unexpected | Rule::Raw(_) | Rule::Any)
        }) {
            return Err(ConvertError::WrongKind);
        }
        match text.bytes {
            b"null" if node.null != Rule::Unexpected => {
                return Ok(self.apply_calls(node.null, singletons::none(self.py))?);
            }
            // Digits for a bool only if the plan is not strict: names of members come here in any
            // case.
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

    /// Converts a number that means a value of another, expected kind: `1.0` for an `int`, 1 for
    /// `True`, seconds since 1970 for a `datetime`, seconds for a `timedelta`.
    fn number_as_other_kind(
        &mut self,
        node: &'p Node,
        parsed: Result<Number, Error>,
        digits: &[u8],
    ) -> Converted {
        let value = match parsed {
            Ok(Number::Float(value)) => value,
            Ok(Number::Int(value)) => value as f64,
            Ok(Number::UInt(value)) => value as f64,
            Err(_) => return Err(ConvertError::WrongKind),
        };
        let is_float = matches!(parsed, Ok(Number::Float(_)));
        // The nearest double of 4503599627370497.25 is an integer.
        let is_whole = !is_float || is_whole(digits);
        // In a union with int, 1.0 is an int.
        if let Rule::Bool | Rule::BoolIs(_) = self.plan.without_calls(node.boolean)
            && (is_whole && (value == 0.0 || value == 1.0))
            && !(is_float && node.int != Rule::Unexpected)
        {
            let truth = value == 1.0;
            if self.plan.without_calls(node.boolean) != Rule::BoolIs(!truth) {
                return Ok(self.apply_calls(node.boolean, singletons::boolean(self.py, truth))?);
            }
        }
        // From 2**53 on, several integers share their nearest double.
        let is_exact = is_whole && value.abs() < 9_007_199_254_740_992.0;
        if is_float && node.int != Rule::Unexpected && is_exact {
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
            let after = delta_of_seconds(value).ok_or(ConvertError::WrongValue)?;
            let datetime = self.runtime.times.new_timestamp(self.py, after)?;
            return Ok(self.apply_calls(node.string, datetime)?);
        }
        if self.plan.without_calls(node.string) == Rule::TimeDelta {
            let (days, seconds, microseconds) =
                delta_of_seconds(value).ok_or(ConvertError::WrongValue)?;
            let delta = self.runtime.times.new_delta(self.py, days, seconds, microseconds)?;
            return Ok(self.apply_calls(node.string, delta)?);
        }
        Err(ConvertError::WrongKind)
    }
}

/// The days, seconds and microseconds of a number of seconds, rounded as `timedelta(seconds=…)` and
/// `datetime.fromtimestamp` do; `None` if it is out of the range of `timedelta`.
fn delta_of_seconds(seconds: f64) -> Option<(i32, i32, i32)> {
    const DAY: i64 = 86_400;
    if seconds.abs() > 86_400e9 {
        return None;
    }
    let whole = seconds.trunc();
    let microseconds = ((seconds - whole) * 1e6).round_ties_even() as i64;
    let whole = whole as i64 + microseconds.div_euclid(1_000_000);
    let days = whole.div_euclid(DAY);
    (-999_999_999..=999_999_999).contains(&days).then(|| {
        let (seconds, microseconds) = (whole.rem_euclid(DAY), microseconds.rem_euclid(1_000_000));
        (days as i32, seconds as i32, microseconds as i32)
    })
}

/// Whether a JSON number with a fraction or an exponent is an integer: by its digits, whatever a
/// double can hold.
fn is_whole(number: &[u8]) -> bool {
    let is_exponent = |byte: &u8| matches!(byte, b'e' | b'E');
    let (mantissa, exponent) = match number.iter().position(is_exponent) {
        Some(at) => (number.get(..at).unwrap_or(&[]), number.get(at + 1..).unwrap_or(&[])),
        None => (number, &[][..]),
    };
    let digits = mantissa.iter().rev().filter(|byte| byte.is_ascii_digit());
    let zeros = digits.clone().take_while(|&&digit| digit == b'0').count();
    if zeros == digits.count() {
        return true;
    }
    let point = mantissa.iter().position(|&byte| byte == b'.');
    let fraction = point.map_or(0, |at| mantissa.len() - at - 1);
    let size = exponent
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0_i64, |size, byte| size.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    let exponent = if exponent.first() == Some(&b'-') { -size } else { size };
    exponent.saturating_add(zeros as i64) >= fraction as i64
}
