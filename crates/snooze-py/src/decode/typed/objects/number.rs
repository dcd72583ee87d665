//! Numbers: what is made of an `int`, a `float` or a `Decimal` by the rule of its node.
//!
//! Separate from `value`, which chooses among them. Invariant: a number that fits its type is kept;
//! no digit of any other is lost. Called by `value`.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::{self, Number, number_end};

use crate::decode::typed::context::Context;
use crate::decode::typed::convert::{ConvertError, Converted};
use crate::decode::typed::plan::{Node, Rule};
use crate::py::float::Float;
use crate::py::int::{Int, IntValue};
use crate::py::unicode::Chars;
use crate::py::{Owned, Raised, call, error, float, int, unicode};

impl<'p> Context<'p, '_> {
    /// Converts an `int`, before the calls of its rule.
    pub(super) fn int_by_rule(
        &mut self,
        node: &'p Node,
        rule: Rule,
        object: &Owned,
        number: Int<'_>,
    ) -> Converted {
        let rule = self.plan.without_calls(rule);
        let value = int::value::<false>(number)?;
        match (rule, value) {
            (Rule::Int, _) => return Ok(object.clone()),
            (Rule::IntWithin(bounds), value) => {
                let bounds = self.plan.tables.int_bounds.get(bounds as usize).copied();
                let bounds = bounds.ok_or(ConvertError::WrongValue)?;
                let is_allowed = match value {
                    IntValue::Signed(value) => bounds.allows(value),
                    _ => {
                        let is_negative = int::is_negative(self.py, number)?;
                        bounds.allows_beyond_i64(is_negative)
                            && match bounds.multiple_of {
                                Some(of) => int::is_multiple(self.py, number, of)?,
                                None => true,
                            }
                    }
                };
                return is_allowed.then(|| object.clone()).ok_or(ConvertError::WrongValue);
            }
            (Rule::Decimal(class), _) => {
                let class =
                    self.plan.tables.classes.get(class as usize).ok_or(ConvertError::WrongValue)?;
                return Ok(call::call_one(self.py, class, object)?);
            }
            (Rule::Choice(table), _) => return self.look_up_choice(table, object),
            (Rule::Unexpected, _) if self.plan.options.strict => {
                return Err(ConvertError::WrongKind);
            }
            _ => {}
        }
        let parsed = match value {
            IntValue::Signed(value) => Number::Int(value),
            IntValue::Unsigned(value) => Number::UInt(value),
            IntValue::Big => {
                let digits = match call::digits_of(self.py, number) {
                    Ok(digits) => digits,
                    // More digits than the interpreter converts: beyond the range of a double.
                    Err(Raised) if !error::must_propagate(self.py) => {
                        error::clear();
                        return Err(ConvertError::WrongValue);
                    }
                    Err(Raised) => return Err(ConvertError::Raised),
                };
                match unicode::chars::<false>(digits.get())? {
                    Chars::Ascii(digits) => match number::read(digits, 0) {
                        Ok((number, _)) => number,
                        Err(_) => return Err(ConvertError::WrongValue),
                    },
                    _ => return Err(ConvertError::WrongValue),
                }
            }
        };
        self.number_by_rule(node, rule, Ok(parsed), (b"", 0), true)
    }

    /// Converts a `float`, before the calls of its rule.
    pub(super) fn float_by_rule(
        &mut self,
        node: &'p Node,
        rule: Rule,
        object: &Owned,
        number: Float<'_>,
    ) -> Converted {
        let rule = self.plan.without_calls(rule);
        let value = float::value(number);
        match rule {
            Rule::Float => return Ok(object.clone()),
            Rule::FloatWithin(_) if self.float_fits(rule, value) => return Ok(object.clone()),
            Rule::FloatWithin(_) => return Err(ConvertError::WrongValue),
            Rule::Choice(table) => return self.look_up_choice(table, object),
            Rule::Unexpected if self.plan.options.strict => return Err(ConvertError::WrongKind),
            // NaN and the infinities are floats only.
            _ if !value.is_finite() => return Err(ConvertError::WrongValue),
            _ => {}
        }
        let object = float::new(self.py, value)?;
        let digits = call::text_of(self.py, &object)?;
        match unicode::chars::<false>(digits.get())? {
            Chars::Ascii(digits) => {
                self.number_by_rule(node, rule, Ok(Number::Float(value)), (digits, 0), false)
            }
            _ => Err(ConvertError::WrongValue),
        }
    }

    /// Converts a `Decimal` where another number is expected: as the number in JSON that has its
    /// digits.
    pub(super) fn decimal_by_rule(&mut self, node: &'p Node, object: &Owned) -> Converted {
        let text = call::text_of(self.py, object)?;
        let Chars::Ascii(digits) = unicode::chars::<false>(text.get())? else {
            return Err(ConvertError::WrongKind);
        };
        // NaN and the infinities are no numbers in JSON.
        let parsed = match number::read(digits, 0) {
            Ok((number, end)) if end == digits.len() => Ok(number),
            // Beyond the range of a double it may still be an `int`.
            Err((ErrorKind::Infinity, at)) if number_end(digits, 0) == digits.len() => {
                Err(Error::new(ErrorKind::Infinity, at))
            }
            _ => return Err(ConvertError::WrongKind),
        };
        let is_int = !digits.iter().any(|byte| b".eE".contains(byte));
        let rule = if is_int { node.int } else { node.float };
        self.number_by_rule(node, rule, parsed, (digits, 0), is_int)
    }
}
