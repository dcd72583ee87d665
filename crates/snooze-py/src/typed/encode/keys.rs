//! Names of members that are no plain strings; times and numbers as text.

use snooze_core::text::{Duration, Stamp};

use super::plan::{self, EncodePlan, Rule};
use super::value::{Fault, Held, Walker, mismatch};
use super::{HOOK, path};
use crate::encode::frame::Next as Leaf;
use crate::encode::{keys, special};
use crate::py::int::{self, Int};
use crate::py::text::{self, Chars};
use crate::py::types::{self, Base, Kind};
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, error, list};

/// The text of a duration.
pub(super) fn duration((days, seconds, microseconds): (i32, i32, i32)) -> Stamp {
    Stamp::duration(Duration { days, seconds, microseconds })
}

/// The pairs in a list of what `.items()` gave.
pub(super) fn pairs(py: &Attached, items: &Owned) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut pairs = Vec::new();
    for item in list::items(list::freeze(items.get())?.get(), py) {
        let pair = item.filter(|&item| types::is_exact_tuple(item));
        let pair = pair.map(|pair| list::tuple_items(pair, py));
        let Some(&[Some(key), Some(value)]) = pair else {
            return Err(error::type_error(c"items() of a mapping must give pairs"));
        };
        pairs.try_reserve(1).map_err(|_| error::no_memory())?;
        pairs.push((key.to_owned(), value.to_owned()));
    }
    Ok(pairs)
}

/// A time or a UUID: as `dumps` writes it, or as its `isoformat()` or `str()` does where `dumps`
/// knows only the class itself.
pub(super) fn stamp(
    walker: &mut Walker<'_, '_>,
    object: &Owned,
) -> Result<Result<Leaf, Owned>, Raised> {
    let times = &walker.cx.state.times;
    if let Some(kind) = times.kind(object.get()) {
        use crate::py::time::TimeKind;
        if kind != TimeKind::Time || !crate::py::time::time_has_zone(object.get()) {
            return special::next(walker.cx, walker.py, object).map(Ok);
        }
    } else if times.kind_or_base(object.get()).is_none() {
        let is_uuid = walker.cx.state.uuid(walker.py)?;
        if is_uuid.is_some_and(|uuid| uuid.get() == object.get().type_obj()) {
            return special::next(walker.cx, walker.py, object).map(Ok);
        }
        return Ok(Err(call::text_of(walker.py, object)?));
    }
    let name = call::interned(c"isoformat")?;
    let text = call::call_method(walker.py, object, &name)?;
    match types::is_exact_str(text.get()) {
        true => Ok(Err(text)),
        false => Err(error::type_error(c"isoformat() must return a str")),
    }
}

impl Walker<'_, '_> {
    /// Appends the text of a key, as a node says.
    pub(super) fn key(
        &mut self,
        plan: &EncodePlan,
        key: &Owned,
        node: u32,
        target: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Some(node) = plan.nodes.get(node as usize) else { return Err(Fault::Raised) };
        if node.any {
            return self.any_key(key, target);
        }
        let bit = match types::kind(key.get()) {
            Kind::Str => plan::STR,
            Kind::Int => plan::INT,
            Kind::Float => plan::FLOAT,
            Kind::Bool => plan::BOOL,
            Kind::None => plan::NONE,
            _ => 0,
        };
        if node.mask & bit != 0 {
            return self.scalar_key(key, target);
        }
        for rule in &node.rules {
            if self.accepts(plan, rule, key)? {
                return self.key_by_rule(plan, node, rule, key, target);
            }
        }
        Err(mismatch(node, key))
    }

    fn key_by_rule(
        &mut self,
        plan: &EncodePlan,
        node: &plan::Node,
        rule: &Rule,
        key: &Owned,
        target: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        match *rule {
            Rule::None | Rule::Bool => Ok(keys::append_scalar(key.get(), target)?),
            Rule::Str => Ok(keys::append_text(key.get(), target)?),
            Rule::Int => {
                let digits = call::digits_of(self.py, key.get())?;
                Ok(keys::append_text(digits.get(), target)?)
            }
            Rule::Float => {
                let text = call::plain_float(self.py, key.get())?;
                Ok(keys::append_scalar(text.get(), target)?)
            }
            Rule::Decimal(_) => {
                let text = call::text_of(self.py, key)?;
                Ok(keys::append_text(text.get(), target)?)
            }
            Rule::DateTime | Rule::Date | Rule::Time | Rule::Uuid(_) => match stamp(self, key)? {
                Ok(Leaf::Plain(stamp)) => {
                    Ok(stamp.with_bytes(|bytes| path::append(target, bytes))?)
                }
                Ok(Leaf::Uuid(text)) => Ok(path::append(target, &text)?),
                Ok(_) => Err(mismatch(node, key)),
                Err(text) => Ok(keys::append_text(text.get(), target)?),
            },
            Rule::Delta => match self.cx.state.times.delta_parts(key.get()) {
                Some(parts) => Ok(duration(parts).with_bytes(|bytes| path::append(target, bytes))?),
                None => Err(mismatch(node, key)),
            },
            Rule::Bytes => {
                let copy = match bytes::exact_contents(key.get()) {
                    Some(_) => key.clone(),
                    None => call::bytes_of(self.py, key)?,
                };
                Ok(base64(bytes::owned_contents(&copy), target)?)
            }
            Rule::Members(members) => {
                let members = plan.members.get(members as usize);
                let label = members.and_then(|members| members.label(key.get()));
                match label.map(plan::Label::bytes) {
                    // `"name",` without escapes
                    Some([b'"', name @ .., b'"', b',']) if !name.contains(&b'\\') => {
                        Ok(path::append(target, name)?)
                    }
                    Some([number @ .., b',']) if number.first() != Some(&b'"') => {
                        Ok(path::append(target, number)?)
                    }
                    _ => Ok(keys::append_any(self.cx, self.py, key.clone(), target)?),
                }
            }
            Rule::Via(_, ref callable, inner) => {
                let value = call::call_one(self.py, callable, key)?;
                self.key(plan, &value, inner, target)
            }
            _ => Err(mismatch(node, key)),
        }
    }

    /// Appends the text of a key that is a scalar; an `int` of any size, as where it is a value.
    fn scalar_key(&mut self, key: &Owned, target: &mut Vec<u8>) -> Result<(), Fault> {
        if types::kind(key.get()) == Kind::Int
            && matches!(int::value::<false>(key.get())?, Int::Big)
        {
            let digits = call::digits_of(self.py, key.get())?;
            return Ok(keys::append_text(digits.get(), target)?);
        }
        Ok(keys::append_scalar(key.get(), target)?)
    }

    /// Appends the text of a key of any type.
    fn any_key(&mut self, key: &Owned, target: &mut Vec<u8>) -> Result<(), Fault> {
        if types::is_scalar(key.get()) {
            return self.scalar_key(key, target);
        }
        let home = match self.homes.known.get(key.get()) {
            Some(home) => home,
            None => self.ask(key)?,
        };
        if home != HOOK {
            let plan = Held::new(self.homes, home);
            let root = plan.nodes.get(plan.root as usize);
            if root.is_some_and(|root| !root.any) {
                return self.key(&plan, key, plan.root, target);
            }
        }
        match types::base(key.get()) {
            Some(Base::List | Base::Dict) => {
                Err(Fault::Message(b"expected a key, found ".to_vec()))
            }
            _ => Ok(keys::append_any(self.cx, self.py, key.clone(), target)?),
        }
    }
}

/// Appends bytes as base64.
fn base64(source: &[u8], target: &mut Vec<u8>) -> Result<(), Raised> {
    let mut buffer = snooze_core::out::VecBuffer::new();
    let mut out = snooze_core::out::Out::new(&mut buffer)?;
    out.base64(source, b',')?;
    let len = out.len();
    let text = buffer.into_vec(len);
    path::append(target, text.get(1..len - 2).unwrap_or(&[]))
}

/// Whether the text of a `str` is a JSON number.
pub(super) fn is_number(text: Obj<'_>) -> bool {
    let Ok(Chars::Ascii(bytes)) = text::chars::<false>(text) else { return false };
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.first() == Some(&b'0') {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or(&[]);
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or(&[]);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            _ => exponent,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}
