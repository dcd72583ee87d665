//! Objects that an encoder keeps for `to_builtins`: instances of classes that the user named, floats
//! without a form in JSON, and keys that are no `str`.
//!
//! Separate because only `to_builtins` has them. Invariant: an object is kept only where its node
//! accepts it. Python code may run. Called by `classify`, `action`, `arrays` and `keys`.

use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::{EncodeFailure, mismatch};
use crate::encode::typed::plan::{EncodePlan, Node};
use crate::encode::typed::stepper::Stepper;
use crate::kept;
use crate::py::unicode::Str;
use crate::py::{Owned, Raised, call, error, types};

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
        if !self.is_kept_instance(object)? {
            return Ok(None);
        }
        if !self.accepts(plan, node, object)? {
            return Err(mismatch(node, object));
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
            if self.rule_accepts(plan, rule, object)? {
                return Ok(true);
            }
        }
        Ok(false)
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
            || Str::any(key.get()).is_some()
        {
            return Ok(false);
        }
        let Some(node) = plan.nodes.get(node as usize) else { return Err(EncodeFailure::Raised) };
        let is_kept = types::is_scalar(key.get()) || self.is_kept_instance(key)?;
        if !is_kept || !self.accepts(plan, node, key)? {
            return Ok(false);
        }
        let token = self.token(key)?;
        target.try_reserve(token.len()).map_err(|_| error::no_memory())?;
        target.extend_from_slice(&token);
        Ok(true)
    }
}
