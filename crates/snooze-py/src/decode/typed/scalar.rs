//! Scalars: what is made of a string, a number, `true`, `false` and `null`, beyond the plain ones
//! that `walk` makes itself.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::{Number, number_end};
use snooze_core::read::Text;
use snooze_core::text::{base64, read_date, read_datetime, read_duration, read_time, read_uuid};

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::{FloatBounds, IntBounds, Node, Rule, Zone};
use crate::decode::typed::skip;
use crate::py::unicode::{Chars, StrError, chars, decode_utf8, length};
use crate::py::{Obj, Owned, Raised, bytearray, bytes, call, dict, error, float, int, singletons};

/// What is made of a value, or why nothing is.
pub(super) enum Refusal {
    /// It is of a kind that is not expected.
    Kind,
    /// It is of the kind, but not as expected.
    Value,
    Raised,
    NotUtf8,
}

impl From<Raised> for Refusal {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<StrError> for Refusal {
    fn from(fault: StrError) -> Self {
        match fault {
            StrError::NotUtf8 => Self::NotUtf8,
            StrError::Raised => Self::Raised,
        }
    }
}

type Made = Result<Owned, Refusal>;

/// A `str` of text from a document.
fn new_text(text: Text<'_>) -> Made {
    match core::str::from_utf8(text.bytes) {
        Ok(text) => Ok(decode_utf8(text.as_bytes())?),
        Err(_) => Err(Refusal::NotUtf8),
    }
}

impl<'p> Context<'p, '_> {
    /// Turns a refusal into a noted problem.
    #[cold]
    pub(super) fn settle(
        &mut self,
        made: Made,
        node: &'p Node,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let (found, cause) = match made {
            Ok(made) => return Ok(made),
            Err(Refusal::NotUtf8) => {
                return Err(Error::new(ErrorKind::InvalidUtf8, 0).into());
            }
            Err(Refusal::Kind) => (self.kind_name(at)?, None),
            Err(Refusal::Value) => (self.excerpt(at)?, None),
            Err(Refusal::Raised) => {
                let cause = error::take_refusal(self.py)?;
                (self.excerpt(at)?, Some(cause))
            }
        };
        self.note(frame, node.expected.clone(), found, at, cause)?;
        Err(DecodeFailure::Noted)
    }

    /// What a string becomes.
    #[inline(never)]
    pub(super) fn str_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        text: Text<'_>,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let made = self.of_text(node, rule, text, at);
        match made {
            Ok(made) => Ok(made),
            made => self.settle(made, node, at, frame),
        }
    }

    fn of_text(&mut self, node: &'p Node, rule: Rule, text: Text<'_>, at: usize) -> Made {
        let runtime = self.runtime;
        let times = &runtime.times;
        match rule {
            Rule::Str | Rule::Any => new_text(text),
            Rule::StrWithin(bounds) => {
                let made = new_text(text)?;
                self.check_text(&made, bounds)?;
                Ok(made)
            }
            Rule::Choice(table) => {
                let value = new_text(text)?;
                self.choose(table, &value)
            }
            Rule::DateTime(zone) => {
                let read = read_datetime(text.bytes).ok_or(Refusal::Value)?;
                check_zone(zone, read.offset)?;
                Ok(times.new_datetime(self.py, read.date, read.time, read.offset)?)
            }
            Rule::Date => {
                let date = read_date(text.bytes).ok_or(Refusal::Value)?;
                Ok(times.new_date(self.py, date)?)
            }
            Rule::Time(zone) => {
                let (time, offset) = read_time(text.bytes).ok_or(Refusal::Value)?;
                check_zone(zone, offset)?;
                Ok(times.new_time(self.py, time, offset)?)
            }
            Rule::Delta => {
                let read = read_duration(text.bytes).ok_or(Refusal::Value)?;
                Ok(times.new_delta(self.py, read.days, read.seconds, read.microseconds)?)
            }
            Rule::Uuid(class) => {
                let value = read_uuid(text.bytes).ok_or(Refusal::Value)?;
                let uuids = self.plan.tables.uuids.get(class as usize).ok_or(Refusal::Value)?;
                Ok(uuids.instance(self.py, value)?)
            }
            Rule::Decimal(class) => {
                let value = new_text(text)?;
                self.decimal(class, &value)
            }
            Rule::Bytes(lengths) => self.base64(text, lengths, false),
            Rule::ByteArray(lengths) => self.base64(text, lengths, true),
            Rule::Raw(class) => self.raw(class, at),
            Rule::Via(_) => {
                let made = self.of_text(node, self.plan.bare(rule), text, at)?;
                Ok(self.call_through(rule, made)?)
            }
            _ if !self.plan.options.strict => self.lax_text(node, text, at),
            _ => Err(Refusal::Kind),
        }
    }

    /// What a number becomes, and where it ends.
    #[inline(never)]
    pub(super) fn number_value(
        &mut self,
        node: &'p Node,
        found: Result<Number, Error>,
        start: usize,
        end: usize,
        frame: &Frame<'p>,
    ) -> Result<(Owned, usize), DecodeFailure> {
        let end = match found {
            Ok(_) => end,
            // It may be wanted digit by digit.
            Err(Error { kind: ErrorKind::Infinity, .. }) => number_end(self.bytes, start),
            Err(error) => return Err(error.into()),
        };
        let digits = self.bytes.get(start..end).unwrap_or(&[]);
        let is_int = !digits.iter().any(|byte| b".eE".contains(byte));
        let rule = if is_int { node.int } else { node.float };
        // Where anything is taken, it is refused as `loads` does.
        if let (Err(error), false, Rule::Any | Rule::Raw(_)) =
            (&found, is_int, self.plan.bare(rule))
        {
            return Err((*error).into());
        }
        match self.of_number(node, rule, found, (digits, start), is_int) {
            Ok(made) => Ok((made, end)),
            made => Ok((self.settle(made, node, start, frame)?, end)),
        }
    }

    fn of_number(
        &mut self,
        node: &'p Node,
        rule: Rule,
        found: Result<Number, Error>,
        (digits, at): (&[u8], usize),
        is_int: bool,
    ) -> Made {
        match (rule, found) {
            (Rule::Int | Rule::Any, Ok(Number::Int(value))) => Ok(int::new(self.py, value)?),
            (Rule::Int | Rule::Any, Ok(Number::UInt(value))) => {
                Ok(int::new_unsigned(self.py, value)?)
            }
            (Rule::Int | Rule::Any, _) if is_int => Ok(int::of_digits(self.py, digits)?),
            (Rule::IntWithin(bounds), found) => {
                let bounds = self.plan.tables.ints.get(bounds as usize).copied();
                let bounds = bounds.ok_or(Refusal::Value)?;
                match found {
                    Ok(Number::Int(value)) if bounds.allow(value) => Ok(int::new(self.py, value)?),
                    Ok(Number::Int(_)) => Err(Refusal::Value),
                    // Beyond 64 bits with a sign, so beyond every bound on its side.
                    _ if bounds.allow_large(digits.first() == Some(&b'-')) => {
                        let value = int::of_digits(self.py, digits)?;
                        match bounds.multiple {
                            Some(of) if !int::is_multiple(self.py, &value, of)? => {
                                Err(Refusal::Value)
                            }
                            _ => Ok(value),
                        }
                    }
                    _ => Err(Refusal::Value),
                }
            }
            (Rule::Float | Rule::FloatWithin(_), found) => {
                let value = match found {
                    Ok(Number::Float(value)) => value,
                    Ok(Number::Int(0)) if digits.first() == Some(&b'-') => -0.0,
                    Ok(Number::Int(value)) => value as f64,
                    Ok(Number::UInt(value)) => value as f64,
                    // No double is so large.
                    Err(_) => return Err(Refusal::Value),
                };
                if let Rule::FloatWithin(bounds) = rule {
                    let bounds = self.plan.tables.floats.get(bounds as usize);
                    if bounds.is_none_or(|bounds| !bounds.allow(value)) {
                        return Err(Refusal::Value);
                    }
                }
                Ok(float::new(self.py, value)?)
            }
            (Rule::Any, Ok(Number::Float(value))) => Ok(float::new(self.py, value)?),
            (Rule::Any, Err(_)) => Err(Refusal::Value),
            (Rule::Decimal(class), _) => {
                let value = decode_utf8(digits)?;
                self.decimal(class, &value)
            }
            (Rule::Choice(table), found) => {
                let value = match found {
                    Ok(Number::Int(value)) => int::new(self.py, value)?,
                    Ok(Number::UInt(value)) => int::new_unsigned(self.py, value)?,
                    _ if is_int => int::of_digits(self.py, digits)?,
                    Ok(Number::Float(value)) => float::new(self.py, value)?,
                    Err(_) => return Err(Refusal::Value),
                };
                self.choose(table, &value)
            }
            (Rule::Raw(class), _) => self.raw(class, at),
            (Rule::Via(_), found) => {
                let made =
                    self.of_number(node, self.plan.bare(rule), found, (digits, at), is_int)?;
                Ok(self.call_through(rule, made)?)
            }
            (_, found) if !self.plan.options.strict => self.lax_number(node, found),
            _ => Err(Refusal::Kind),
        }
    }

    /// What `true` or `false` becomes.
    #[inline(never)]
    pub(super) fn bool_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        value: bool,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let made = match self.plan.bare(rule) {
            Rule::Bool | Rule::Any => Ok(singletons::boolean(self.py, value)),
            Rule::Only(only) if only == value => Ok(singletons::boolean(self.py, value)),
            Rule::Only(_) => Err(Refusal::Value),
            Rule::Raw(class) => self.raw(class, at),
            _ => Err(Refusal::Kind),
        };
        let made = made.and_then(|made| Ok(self.call_through(rule, made)?));
        match made {
            Ok(made) => Ok(made),
            made => self.settle(made, node, at, frame),
        }
    }

    /// What `null` becomes.
    #[inline(never)]
    pub(super) fn null_value(
        &mut self,
        node: &'p Node,
        rule: Rule,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        let made = match self.plan.bare(rule) {
            Rule::Null | Rule::Any => Ok(singletons::none(self.py)),
            Rule::Raw(class) => self.raw(class, at),
            _ => Err(Refusal::Kind),
        };
        let made = made.and_then(|made| Ok(self.call_through(rule, made)?));
        match made {
            Ok(made) => Ok(made),
            made => self.settle(made, node, at, frame),
        }
    }

    /// The key that a member's name means.
    pub(super) fn key_value(
        &mut self,
        frame: &Frame<'p>,
        name: Text<'_>,
    ) -> Result<Owned, DecodeFailure> {
        let node = match self.plan.bare(frame.rule) {
            Rule::Dict(number) => {
                let dict = self.plan.tables.dicts.get(number as usize);
                dict.map_or(&self.plan.any, |dict| self.plan.node(dict.key))
            }
            _ => &self.plan.any,
        };
        let made = match node.string {
            // A name is always a string, whatever stands in it.
            Rule::No => self.lax_text(node, name, frame.member),
            rule => self.of_text(node, rule, name, frame.member),
        };
        match made {
            Ok(made) => Ok(made),
            made => self.settle(made, node, frame.member, frame),
        }
    }

    /// What a string becomes if its text is what is wanted: `"1"` for an `int`.
    fn lax_text(&mut self, node: &'p Node, text: Text<'_>, at: usize) -> Made {
        let wanted = [node.int, node.float, node.boolean, node.null];
        if wanted.iter().all(|&rule| matches!(self.plan.bare(rule), Rule::No | Rule::Raw(_))) {
            return Err(Refusal::Kind);
        }
        match text.bytes {
            b"null" if node.null != Rule::No => {
                return Ok(self.call_through(node.null, singletons::none(self.py))?);
            }
            // Digits only where it is lax: names of members come here in strict mode too.
            word @ (b"true" | b"false" | b"1" | b"0")
                if node.boolean != Rule::No && (word.len() > 1 || !self.plan.options.strict) =>
            {
                let is_digit = word.len() == 1;
                let value = matches!(word, b"true" | b"1");
                let fits = match self.plan.bare(node.boolean) {
                    Rule::Only(only) => only == value,
                    _ => true,
                };
                if fits && !(is_digit && node.int != Rule::No) {
                    return Ok(
                        self.call_through(node.boolean, singletons::boolean(self.py, value))?
                    );
                }
            }
            _ => {}
        }
        // A number as JSON writes it, and nothing else.
        let found = match snooze_core::number::read(text.bytes, 0) {
            Ok((number, end)) if end == text.bytes.len() => Ok(number),
            Err((ErrorKind::Infinity, _)) if number_end(text.bytes, 0) == text.bytes.len() => {
                Err(Error::new(ErrorKind::Infinity, at))
            }
            _ => return Err(Refusal::Value),
        };
        let is_int = !text.bytes.iter().any(|byte| b".eE".contains(byte));
        let rule = if is_int { node.int } else { node.float };
        if rule == Rule::No {
            return Err(Refusal::Value);
        }
        self.of_number(node, rule, found, (text.bytes, at), is_int)
    }

    /// What a number becomes if it is as good as what is wanted: `1.0` for an `int`, 1 for `true`,
    /// seconds for a time.
    fn lax_number(&mut self, node: &'p Node, found: Result<Number, Error>) -> Made {
        let value = match found {
            Ok(Number::Float(value)) => value,
            Ok(Number::Int(value)) => value as f64,
            Ok(Number::UInt(value)) => value as f64,
            Err(_) => return Err(Refusal::Kind),
        };
        if let Rule::Bool | Rule::Only(_) = self.plan.bare(node.boolean)
            && (value == 0.0 || value == 1.0)
        {
            let truth = value == 1.0;
            if self.plan.bare(node.boolean) != Rule::Only(!truth) {
                return Ok(self.call_through(node.boolean, singletons::boolean(self.py, truth))?);
            }
        }
        // Doubles beyond this are all integral, and nobody knows which integer was meant.
        if matches!(found, Ok(Number::Float(_))) && value.abs() < 9_007_199_254_740_992.0 {
            let integer = value as i64;
            if integer as f64 == value {
                let made = match self.plan.bare(node.int) {
                    Rule::Int => Ok(int::new(self.py, integer)?),
                    Rule::IntWithin(bounds) => match self.plan.tables.ints.get(bounds as usize) {
                        Some(bounds) if bounds.allow(integer) => Ok(int::new(self.py, integer)?),
                        _ => Err(Refusal::Value),
                    },
                    _ => Err(Refusal::Kind),
                };
                if let Ok(made) = made {
                    return Ok(self.call_through(node.int, made)?);
                }
                return made;
            }
        }
        if let Rule::DateTime(Zone::Any | Zone::Aware) = self.plan.bare(node.string) {
            // Beyond the years 1 to 9999 there is no `datetime`.
            if !(-62_135_596_800.0..253_402_300_800.0).contains(&value) {
                return Err(Refusal::Value);
            }
            let made = self.runtime.times.new_timestamp(self.py, value)?;
            return Ok(self.call_through(node.string, made)?);
        }
        Err(Refusal::Kind)
    }

    /// The value that a table has for another.
    fn choose(&mut self, table: u32, value: &Owned) -> Made {
        let table = self.plan.tables.choices.get(table as usize).ok_or(Refusal::Value)?;
        dict::get(self.py, table, value)?.ok_or(Refusal::Value)
    }

    fn class(&self, number: u32) -> Result<&'p Owned, Refusal> {
        self.plan.tables.classes.get(number as usize).ok_or(Refusal::Value)
    }

    /// A number of any precision. What the class raises for bad digits is no `ValueError`.
    fn decimal(&mut self, class: u32, digits: &Owned) -> Made {
        if !is_number(digits.get()) {
            return Err(Refusal::Value);
        }
        let class = self.class(class)?;
        Ok(call::call_one(self.py, class, digits)?)
    }

    /// The text of the value at an offset, which has been passed once.
    pub(super) fn raw(&mut self, class: u32, at: usize) -> Made {
        let end = match skip::over(self.runtime, self.bytes, at, self.frames.len(), false) {
            Ok(end) => end,
            Err(DecodeFailure::Json(error)) if error.kind == ErrorKind::InvalidUtf8 => {
                return Err(Refusal::NotUtf8);
            }
            Err(DecodeFailure::Raised) => return Err(Refusal::Raised),
            Err(_) => return Err(Refusal::Value),
        };
        let class = self.class(class)?;
        let text = bytes::new(self.py, self.bytes.get(at..end).unwrap_or(&[]))?;
        Ok(call::call_one(self.py, class, &text)?)
    }

    fn base64(&mut self, text: Text<'_>, lengths: u32, as_array: bool) -> Made {
        let len = base64::decoded_len(text.bytes).ok_or(Refusal::Value)?;
        if !self.plan.lengths(lengths).allow(len) {
            return Err(Refusal::Value);
        }
        let mut decoded = Vec::new();
        decoded.try_reserve_exact(len).map_err(|_| error::no_memory())?;
        decoded.resize(len, 0);
        base64::decode(text.bytes, &mut decoded).ok_or(Refusal::Value)?;
        Ok(if as_array {
            bytearray::new(self.py, &decoded)?
        } else {
            bytes::new(self.py, &decoded)?
        })
    }

    /// Whether a rule is for integers within bounds, and this is one.
    #[inline(always)]
    pub(super) fn int_fits(&self, rule: Rule, value: i64) -> bool {
        match rule {
            Rule::IntWithin(bounds) => {
                let bounds = self.plan.tables.ints.get(bounds as usize);
                bounds.is_some_and(|bounds| bounds.allow(value))
            }
            _ => false,
        }
    }

    /// Whether a rule is for floats, perhaps within bounds, and this is one of them.
    #[inline(always)]
    pub(super) fn float_fits(&self, rule: Rule, value: f64) -> bool {
        match rule {
            Rule::Float => true,
            Rule::FloatWithin(bounds) => {
                let bounds = self.plan.tables.floats.get(bounds as usize);
                bounds.is_some_and(|bounds| bounds.allow(value))
            }
            _ => false,
        }
    }

    /// A text that has been made, if it is within bounds.
    #[inline(always)]
    pub(super) fn text_within(
        &mut self,
        node: &'p Node,
        made: Owned,
        bounds: u32,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<Owned, DecodeFailure> {
        match self.check_text(&made, bounds) {
            Ok(()) => Ok(made),
            Err(refusal) => self.settle(Err(refusal), node, at, frame),
        }
    }

    /// Checks the length of a text, and its pattern.
    #[inline(always)]
    fn check_text(&mut self, text: &Owned, bounds: u32) -> Result<(), Refusal> {
        let bounds = self.plan.tables.texts.get(bounds as usize).ok_or(Refusal::Value)?;
        if !bounds.lengths.allow(length(text.get())) {
            return Err(Refusal::Value);
        }
        if let Some(search) = &bounds.search {
            let found = call::call_one(self.py, search, text)?;
            if singletons::is_none(found.get()) {
                return Err(Refusal::Value);
            }
        }
        Ok(())
    }
}

/// Whether a text is a number as JSON writes one, which `Decimal` can hold: beyond its exponents
/// it makes NaN or an exception that is no `ValueError`, as its context wants.
fn is_number(text: Obj<'_>) -> bool {
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

/// Whether the exponent of a number has more digits than any that `Decimal` holds.
fn has_large_exponent(number: &[u8]) -> bool {
    const MOST: usize = if usize::BITS < 64 { 8 } else { 17 };
    let mut parts = number.split(|byte| matches!(byte, b'e' | b'E'));
    let exponent = parts.nth(1).unwrap_or(&[]);
    exponent.iter().skip_while(|byte| matches!(byte, b'+' | b'-' | b'0')).count() > MOST
}

fn check_zone(zone: Zone, offset: Option<i32>) -> Result<(), Refusal> {
    match (zone, offset) {
        (Zone::Aware, None) | (Zone::Naive, Some(_)) => Err(Refusal::Value),
        _ => Ok(()),
    }
}

impl IntBounds {
    #[inline(always)]
    pub(super) fn allow(self, value: i64) -> bool {
        self.least.is_none_or(|least| least <= value)
            && self.most.is_none_or(|most| value <= most)
            && self.multiple.is_none_or(|of| value % of == 0)
    }

    /// Whether an integer beyond 64 bits is within the bounds.
    fn allow_large(self, negative: bool) -> bool {
        if negative { self.least.is_none() } else { self.most.is_none() }
    }
}

impl FloatBounds {
    #[inline(always)]
    fn allow(self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound)
            && self.least.is_none_or(|bound| value >= bound)
            && self.below.is_none_or(|bound| value < bound)
            && self.most.is_none_or(|bound| value <= bound)
            && self.multiple.is_none_or(|of| {
                let times = value / of;
                if times.is_finite() { times.fract() == 0.0 } else { value % of == 0.0 }
            })
    }
}
