//! Objects that an encoder keeps for `to_builtins`: instances of classes that the user named,
//! floats without a form in JSON, and keys that are no `str`.
//!
//! Separate because only `to_builtins` has them. Invariant: an object is kept only where its node
//! accepts it. Python code may run. Called by `classify`, `action`, `arrays` and `keys`.

use crate::encode::policy::{BOOL, FLOAT, INT, NONE};
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::EncodeFailure;
use crate::encode::typed::plan::{EncodePlan, Node, TypeRule};
use crate::encode::typed::stepper::Stepper;
use crate::kept;
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{Owned, Raised, call, dict, error, types};

impl Stepper<'_, '_> {
    /// Keeps an object: its token.
    fn token(&mut self, object: &Owned) -> Result<[u8; kept::TOKEN_LEN], Raised> {
        let objects = &mut self.plans.kept;
        let token = kept::token(objects.len())
            .ok_or_else(|| error::value_error(c"more than 4294967295 objects are kept"))?;
        objects.try_reserve(1).map_err(|_| error::no_memory())?;
        objects.push(object.clone());
        Ok(token)
    }

    /// Whether an encoder of `to_builtins` writes.
    pub(super) fn keeps(&self) -> bool {
        self.plans.root.keep.is_some()
    }

    /// The action that keeps an object.
    pub(super) fn keep(&mut self, object: &Owned) -> Result<TypedAction, EncodeFailure> {
        Ok(TypedAction::Kept(self.token(object)?))
    }

    /// The action for an instance of a class that is kept; `None` for any other object.
    pub(super) fn kept_instance(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        if !self.is_kept_instance(object)? || !self.accepts(plan, node, object)? {
            return Ok(None);
        }
        self.keep(object).map(Some)
    }

    fn is_kept_instance(&mut self, object: &Owned) -> Result<bool, Raised> {
        match &self.plans.root.keep {
            Some(keep) => call::is_instance(self.py, object, &keep.classes),
            None => Ok(false),
        }
    }

    /// Whether a rule of a node accepts an object.
    fn accepts(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
    ) -> Result<bool, EncodeFailure> {
        if node.allows_any {
            return Ok(true);
        }
        for rule in &node.rules {
            let accepts = match rule {
                // Its function looks at the value, and then another node.
                TypeRule::SelectAny(..) => false,
                TypeRule::EnumMember(index) => match plan.enums.get(*index as usize) {
                    Some(members) => dict::get(self.py, members.dict.get(), object)?.is_some(),
                    None => false,
                },
                rule => self.rule_accepts(plan, rule, object)?,
            };
            if accepts {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses JSON that is not UTF-8: it could have tokens.
    pub(super) fn check_tokens(&self, json: &[u8]) -> Result<(), EncodeFailure> {
        if self.keeps() && json.contains(&kept::MARK) {
            return Err(EncodeFailure::new(|message| {
                message.text("expected JSON in UTF-8, found other bytes in a Raw or Fragment")
            }));
        }
        Ok(())
    }

    /// Appends the token of a key that is kept; false if it becomes text.
    pub(super) fn append_kept_key(
        &mut self,
        plan: &EncodePlan,
        key: &Owned,
        node: u32,
        target: &mut Vec<u8>,
    ) -> Result<bool, EncodeFailure> {
        if !self.plans.root.keep.as_ref().is_some_and(|keep| keep.keys)
            || Str::exact(key.get()).is_some()
        {
            return Ok(false);
        }
        let Some(node) = plan.nodes.get(node as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        let kind = match types::kind(key.get()) {
            Kind::Int(_) => INT,
            Kind::Float(_) => FLOAT,
            Kind::Bool => BOOL,
            Kind::None => NONE,
            _ => 0,
        };
        // A number that a function or a Literal would make text becomes text.
        let is_kept = node.mask & kind != 0
            || (self.is_kept_instance(key)? && self.accepts(plan, node, key)?);
        if !is_kept {
            return Ok(false);
        }
        let token = self.token(key)?;
        target.try_reserve(token.len()).map_err(|_| error::no_memory())?;
        target.extend_from_slice(&token);
        Ok(true)
    }
}
