//! The plans of one call: the one that was called, and those of values whose types it does not name.
//!
//! Invariant: within a call encoders are only added, so that their numbers stay.

use crate::encode::type_cache::TypeCache;
use crate::encode::typed::frame::Stack;
use crate::encode::typed::plan::EncodePlan;
use crate::pool::Pool;
use crate::py::codec::{CodecType, PlanRef};
use crate::py::types::TypeKey;
use crate::py::{Obj, Owned, Raised, error};

/// What a call needs beside its output, kept for the next call of the same encoder.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) stack: Stack,
    pub(super) types: TypeCache,
    pub(super) known: KnownTypes,
}

impl Scratch {
    /// Shows every object that is kept.
    pub(crate) fn visit(&self, visitor: &mut dyn FnMut(&Owned)) {
        self.known.encoders.iter().for_each(|encoder| visitor(encoder.object()));
    }
}

/// What an encoder holds: its plan, and the memory of its calls.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) plan: EncodePlan,
    pub(super) pool: Pool<Scratch>,
}

impl Compiled {
    /// A plan that has not been used yet.
    pub(super) fn new(plan: EncodePlan) -> Self {
        Self { plan, pool: Pool::default() }
    }

    /// Shows every object that the encoder owns.
    pub(crate) fn visit_objects(&self, visitor: &mut dyn FnMut(&Owned)) {
        self.plan.visit_objects(visitor);
        self.pool.each(&mut |scratch| scratch.visit(visitor));
    }

    /// Drops what is kept from call to call, which may refer to other encoders.
    pub(crate) fn clear(&self) {
        self.pool.clear();
    }
}

/// An encoder that a plan leads to.
pub(super) type Encoder = PlanRef<Compiled>;

/// Types that a cache knows.
pub(super) const TYPE_SLOTS: usize = 128;

/// Encoders that are kept from call to call.
pub(super) const MAX_ENCODERS: usize = 256;

/// How the values are written whose types the plan does not name.
///
/// Invariant: within a call encoders are only added, so that their numbers stay.
#[derive(Debug, Default)]
pub(super) struct KnownTypes {
    pub(super) types: Vec<Option<(TypeKey, u32)>>,
    pub(super) encoders: Vec<Encoder>,
}

/// The number of the plan that was called; encoder `i` has number `i + 1`.
pub(super) const ROOT_PLAN: u32 = 0;
/// No plan: what the hook gives.
pub(super) const NO_PLAN: u32 = u32::MAX;

impl KnownTypes {
    /// The number of the plan for instances of the object's type.
    #[inline(always)]
    pub(super) fn get(&self, object: Obj<'_>) -> Option<u32> {
        let key = TypeKey::of(object)?;
        let first = key.slot(TYPE_SLOTS);
        for slot in [first, first ^ 1] {
            if let Some(&Some((known, plan_id))) = self.types.get(slot)
                && known == key
            {
                return Some(plan_id);
            }
        }
        None
    }

    /// Keeps the number of the plan for a type.
    pub(super) fn set(&mut self, key: Option<TypeKey>, plan_id: u32) -> Result<(), Raised> {
        if self.types.is_empty() {
            self.types.try_reserve_exact(TYPE_SLOTS).map_err(|_| error::no_memory())?;
            self.types.resize(TYPE_SLOTS, None);
        }
        // Each type has two places: what comes goes to the first one, what was there to the second.
        if let Some(key) = key {
            let first = key.slot(TYPE_SLOTS);
            if self.types.get(first).is_some_and(Option::is_some) {
                self.types.swap(first, first ^ 1);
            }
            if let Some(slot) = self.types.get_mut(first) {
                *slot = Some((key, plan_id));
            }
        }
        Ok(())
    }

    /// The number of an encoder, which is kept.
    pub(super) fn add(&mut self, encoder: Encoder) -> Result<u32, Raised> {
        let known =
            self.encoders.iter().position(|kept| kept.object().get() == encoder.object().get());
        if let Some(index) = known {
            return Ok(index as u32 + 1);
        }
        self.encoders.try_reserve(1).map_err(|_| error::no_memory())?;
        self.encoders.push(encoder);
        Ok(self.encoders.len() as u32)
    }

    /// Forgets everything if it has become too much.
    pub(super) fn trim(&mut self) {
        if self.encoders.len() > MAX_ENCODERS {
            self.types.clear();
            self.encoders.clear();
        }
    }
}

/// The plans of a call by their numbers.
pub(super) struct Plans<'p> {
    /// What encoders that `resolve` gives are instances of.
    pub(super) encoder_type: &'p CodecType<Compiled>,
    pub(super) root: &'p EncodePlan,
    pub(super) known: &'p mut KnownTypes,
}

impl Plans<'_> {
    #[inline(always)]
    pub(super) fn plan(&self, plan_id: u32) -> &EncodePlan {
        match self.known.encoders.get((plan_id as usize).wrapping_sub(1)) {
            Some(encoder) => &encoder.plan().plan,
            None => self.root,
        }
    }

    /// A plan that stays when others are added.
    pub(super) fn encoder(&self, plan_id: u32) -> Option<Encoder> {
        self.known.encoders.get((plan_id as usize).wrapping_sub(1)).cloned()
    }
}

/// Which node of which plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeRef {
    pub(super) plan_id: u32,
    pub(super) node: u32,
}
