//! The text of keys in typed encoding, as a node allows them.
//!
//! Separate from `classify` because a key becomes text, never a container, and because the
//! conversions differ (an enum member's name without its quotes). Python code may run. Called by
//! `action` and `walk`.

use snooze_core::error::ErrorKind;
use snooze_core::unescape::Unescape;

use crate::encode::action::Action;
use crate::encode::keys::{self, Appended};
use crate::encode::policy::{BOOL, FLOAT, INT, NONE, STR};
use crate::encode::rendered::Rendered;
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::{
    EncodeFailure, not_a_key, not_finite, surrogates, unreadable, wrong_key,
};
use crate::encode::typed::plan;
use crate::encode::typed::plan::{EncodePlan, Encoding, TypeRule};
use crate::encode::typed::plans::NO_PLAN;
use crate::encode::typed::policies::RAW_MARK;
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::typed::text::{base64, is_number};
use crate::encode::{depth, key_text, utf8};
use crate::py::bytes::Bytes;
use crate::py::float::Float;
use crate::py::int::{Int, IntValue};
use crate::py::types::{Base, Exact, Kind};
use crate::py::unicode::Str;
use crate::py::{Owned, Raised, bytes, call, dict, error, float, int, types};

/// The most conversions of a key by functions of classes, each of whose results has another one.
const MAX_CONVERSIONS: usize = 64;

impl Stepper<'_, '_> {
    /// Appends the text of a key, as its node allows.
    pub(super) fn append_key(
        &mut self,
        plan: &EncodePlan,
        key: &Owned,
        node: u32,
        target: &mut Vec<u8>,
    ) -> Result<(), EncodeFailure> {
        if self.append_kept_key(plan, key, node, target)? {
            return Ok(());
        }
        let len = target.len();
        match self.append_converted_key(plan, key, node, target, 0) {
            // A key of a type that `Any` stands for has been there.
            Err(failure @ EncodeFailure::Message(_))
                if !plan.nodes.get(node as usize).is_some_and(|node| node.allows_any) =>
            {
                self.append_refused_key(key, target, len, failure)
            }
            appended => appended,
        }
    }

    /// Appends what `key_hook` returns for a key that its node refuses, if JSON cannot represent
    /// it.
    ///
    /// # Errors
    /// The failure, if there is no hook, or if the key is only of another type than its node says.
    #[cold]
    fn append_refused_key(
        &mut self,
        key: &Owned,
        target: &mut Vec<u8>,
        len: usize,
        failure: EncodeFailure,
    ) -> Result<(), EncodeFailure> {
        if self.plans.root.policies.key_hook.is_none() {
            return Err(failure);
        }
        target.truncate(len);
        let found = match types::is_scalar(key.get()) {
            true => self.append_scalar_key(key, target),
            false => self.append_object_key(key, target, 0),
        };
        match found {
            Ok(()) => Err(failure),
            Err(EncodeFailure::Message(_)) => {
                target.truncate(len);
                match self.hooked_key(key)? {
                    Some(key) => self.append_any_key(&key, target, 1),
                    None => Err(failure),
                }
            }
            Err(other) => Err(other),
        }
    }

    /// Appends the text of a key that was converted this many times.
    fn append_converted_key(
        &mut self,
        plan: &EncodePlan,
        key: &Owned,
        node: u32,
        target: &mut Vec<u8>,
        conversions: usize,
    ) -> Result<(), EncodeFailure> {
        // Each conversion is a call of this function, so their number bounds the stack.
        depth::check(conversions, MAX_CONVERSIONS)?;
        let Some(node) = plan.nodes.get(node as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        if node.allows_any {
            // What a function of a class returned does not go there again.
            let is_scalar = types::is_scalar(key.get());
            return match node.encoding(Exact::of(key.get())).filter(|_| !is_scalar) {
                Some(Encoding::Plain) => self.append_plain_key(key, target),
                Some(
                    Encoding::ByRule(rule) | Encoding::Base64(rule) | Encoding::Duration(rule),
                ) => match node.rules.get(rule as usize) {
                    Some(rule) => {
                        self.append_key_by_rule(plan, node, rule, key, target, conversions)
                    }
                    None => Err(EncodeFailure::broken_plan()),
                },
                Some(Encoding::TimeOrUuid) => self.append_time_or_uuid_key(node, key, target),
                _ => self.append_any_key(key, target, conversions),
            };
        }
        let kind_bit = match types::kind(key.get()) {
            Kind::Str(_) => STR,
            Kind::Int(_) => INT,
            Kind::Float(_) => FLOAT,
            Kind::Bool => BOOL,
            Kind::None => NONE,
            _ => 0,
        };
        if node.mask & kind_bit != 0 {
            return self.append_scalar_key(key, target);
        }
        for rule in &node.rules {
            if self.rule_accepts(plan, rule, key)? {
                return self.append_key_by_rule(plan, node, rule, key, target, conversions);
            }
        }
        if self.number(node, key)?.is_some() && self.append_numpy_key(key, target)? {
            return Ok(());
        }
        if self.cx.runtime.times.is_unreadable(self.py, key)? {
            return Err(unreadable(key));
        }
        Err(wrong_key(node, key))
    }

    /// Appends the text of a key that a rule accepts.
    fn append_key_by_rule(
        &mut self,
        plan: &EncodePlan,
        node: &plan::Node,
        rule: &TypeRule,
        key: &Owned,
        target: &mut Vec<u8>,
        conversions: usize,
    ) -> Result<(), EncodeFailure> {
        match *rule {
            TypeRule::None | TypeRule::Bool => Ok(key_text::append_scalar(key.get(), target)?),
            TypeRule::Str => match Str::any(key.get()) {
                Some(text) => self.append_str_key(text, target),
                None => Err(wrong_key(node, key)),
            },
            TypeRule::Int => {
                let Some(number) = Int::any(key.get()) else { return Err(wrong_key(node, key)) };
                let digits = call::digits_of(self.py, number)?;
                Ok(utf8::append_text(digits.get(), target)?)
            }
            TypeRule::Float => {
                let Some(number) = Float::any(key.get()) else { return Err(wrong_key(node, key)) };
                let value = float::value(number);
                if !value.is_finite() {
                    return Err(not_finite(value));
                }
                Ok(key_text::append_float(value, target)?)
            }
            TypeRule::Decimal(_) => {
                let text = call::text_of(self.py, key)?;
                if !is_number(text.get()) {
                    return Err(EncodeFailure::new(|message| {
                        message.text("expected a finite number, found ")?.str(text.get().obj())
                    }));
                }
                Ok(utf8::append_text(text.get(), target)?)
            }
            TypeRule::DateTime | TypeRule::Date | TypeRule::Time | TypeRule::Uuid(_) => {
                self.append_time_or_uuid_key(node, key, target)
            }
            TypeRule::TimeDelta => match self.duration(node, key)? {
                TypedAction::Untyped(Action::Stamp(stamp)) => {
                    Ok(stamp.with_bytes(|bytes| utf8::append(target, bytes))?)
                }
                _ => Err(wrong_key(node, key)),
            },
            TypeRule::Bytes => {
                let copy = match Bytes::exact(key.get()) {
                    Some(bytes) => bytes.to_owned(),
                    None => call::bytes_of(self.py, key)?,
                };
                Ok(base64(bytes::contents(copy.get()), target)?)
            }
            TypeRule::EnumMember(members) => {
                let members =
                    plan.enums.get(members as usize).ok_or_else(EncodeFailure::broken_plan)?;
                // It may still equal a member, or the value of a Literal.
                if let Some([json @ .., b',']) = members.rendered(key.get()).map(Rendered::bytes) {
                    return self.append_member_key(json, key, target);
                }
                let found = dict::get(self.py, members.dict.get(), key)?;
                let Some(found) = found else { return Err(wrong_key(node, key)) };
                match Bytes::exact(found.get()).map(bytes::contents) {
                    Some(json) => self.append_member_key(json, key, target),
                    None => Err(surrogates()),
                }
            }
            TypeRule::Convert(_, ref callable, inner) => {
                let Ok(value) = call::call_one(self.py, callable, key) else {
                    return Err(EncodeFailure::of_function(self.py, key));
                };
                self.append_converted_key(plan, &value, inner, target, conversions + 1)
            }
            // Containers and raw JSON have no text that could be a key.
            _ => Err(not_a_key(key)),
        }
    }

    /// Appends the text of a key that is a member of an enum or the value of a Literal, with this
    /// JSON.
    fn append_member_key(
        &mut self,
        json: &[u8],
        key: &Owned,
        target: &mut Vec<u8>,
    ) -> Result<(), EncodeFailure> {
        match json {
            // `"name"` without escapes
            [b'"', name @ .., b'"'] if !name.contains(&b'\\') => Ok(utf8::append(target, name)?),
            _ if has_escaped_surrogate(json) => {
                utf8::append(target, &[RAW_MARK])?;
                Ok(utf8::append(target, json)?)
            }
            // A string with escapes: what the Encoder wrote for a value, so it is valid.
            [b'"', ..] => {
                let (start, plain_len, ascii) = (1, 0, true);
                let task = Unescape { bytes: json, start, plain_len, ascii, text: target };
                match self.cx.runtime.dispatch.run(task) {
                    Ok(_) => Ok(()),
                    Err((ErrorKind::NoMemory, _)) => Err(error::no_memory().into()),
                    Err(_) => Err(EncodeFailure::broken_plan()),
                }
            }
            [b'0'..=b'9' | b't' | b'f', ..] | [b'-', b'0'..=b'9', ..] => {
                Ok(utf8::append(target, json)?)
            }
            // A null, which NaN is written as, too.
            _ => self.append_other_key(key, target),
        }
    }

    /// Appends the text of a key that is a time or a UUID.
    fn append_time_or_uuid_key(
        &mut self,
        node: &plan::Node,
        key: &Owned,
        target: &mut Vec<u8>,
    ) -> Result<(), EncodeFailure> {
        match self.time_or_uuid(key)? {
            TypedAction::Untyped(Action::Stamp(stamp)) => {
                Ok(stamp.with_bytes(|bytes| utf8::append(target, bytes))?)
            }
            TypedAction::Untyped(Action::Uuid(text)) => Ok(utf8::append(target, &text)?),
            TypedAction::Text(text) => Ok(utf8::append_text(text.get(), target)?),
            _ => Err(wrong_key(node, key)),
        }
    }

    /// Appends the text of a scalar key; an `int` may have any size, as in values.
    fn append_scalar_key(
        &mut self,
        key: &Owned,
        target: &mut Vec<u8>,
    ) -> Result<(), EncodeFailure> {
        if let Some(text) = Str::exact(key.get()) {
            return self.append_str_key(text, target);
        }
        if let Some(number) = Int::exact(key.get())
            && int::value::<false>(number)? == IntValue::Big
        {
            let digits = call::digits_of(self.py, number)?;
            return Ok(utf8::append_text(digits.get(), target)?);
        }
        // Two such keys would have the same name, and no Decoder would read it as a number.
        if let Some(number) = Float::exact(key.get()).map(float::value).filter(|n| !n.is_finite()) {
            return Err(not_finite(number));
        }
        Ok(key_text::append_scalar(key.get(), target)?)
    }

    /// Appends the text of a key of any type; if it has none, of what `key_hook` returns.
    fn append_any_key(
        &mut self,
        key: &Owned,
        target: &mut Vec<u8>,
        conversions: usize,
    ) -> Result<(), EncodeFailure> {
        let len = target.len();
        let appended = match types::is_scalar(key.get()) {
            true => self.append_scalar_key(key, target),
            false => self.append_object_key(key, target, conversions),
        };
        match appended {
            Err(failure @ EncodeFailure::Message(_)) => match self.hooked_key(key)? {
                Some(key) => {
                    target.truncate(len);
                    depth::check(conversions, MAX_CONVERSIONS)?;
                    self.append_any_key(&key, target, conversions + 1)
                }
                None => Err(failure),
            },
            appended => appended,
        }
    }

    /// Appends the text of a key that is no scalar.
    fn append_object_key(
        &mut self,
        key: &Owned,
        target: &mut Vec<u8>,
        conversions: usize,
    ) -> Result<(), EncodeFailure> {
        let plan_id = match self.plans.known.get(key.get()) {
            Some(plan_id) => plan_id,
            None => self.resolve_plan(key)?,
        };
        if plan_id != NO_PLAN {
            let plan = PlanGuard::new(self.plans, plan_id);
            let root = plan.nodes.get(plan.root as usize);
            if root.is_some_and(|root| !root.allows_any) {
                return self.append_converted_key(&plan, key, plan.root, target, conversions + 1);
            }
        }
        self.append_plain_key(key, target)
    }

    /// Appends the text of a key that is no scalar and whose class has no plan.
    fn append_plain_key(&mut self, key: &Owned, target: &mut Vec<u8>) -> Result<(), EncodeFailure> {
        if self.append_numpy_key(key, target)? {
            return Ok(());
        }
        match types::base(key.get()) {
            Some(Base::List | Base::Dict) => Err(not_a_key(key)),
            _ => self.append_other_key(key, target),
        }
    }

    /// Appends the text of a key as `dumps` does.
    fn append_other_key(&mut self, key: &Owned, target: &mut Vec<u8>) -> Result<(), EncodeFailure> {
        match keys::append_supported_key(self.cx, self.py, key, target) {
            Ok(Appended::Text) => Ok(()),
            Ok(Appended::Nothing) => Err(not_a_key(key)),
            Ok(Appended::NotFinite(value)) => Err(not_finite(value)),
            Err(Raised) => Err(EncodeFailure::of_raised(self.py)),
        }
    }
}

/// Whether JSON has an escape of half a surrogate pair.
fn has_escaped_surrogate(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        if let Some([b'u', b'd', b'8'..=b'9' | b'a'..=b'f']) = rest.get(at + 1..at + 4) {
            return true;
        }
        rest = rest.get(at + 2..).unwrap_or(&[]);
    }
    false
}
