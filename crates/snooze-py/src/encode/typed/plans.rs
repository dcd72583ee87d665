//! The plans of a call: the plan of the encoder, and those found at run time for types that it does
//! not name.
//!
//! Separate from `plan` because a call may use plans of other encoders. Invariant: during a call
//! encoders are only added, so plan ids stay valid. Used by everything that reads a plan by its id.

use snooze_core::out::WhiteSpace;

use crate::encode::type_cache::TypeCache;
use crate::encode::typed::frame::Stack;
use crate::encode::typed::plan::EncodePlan;
use crate::pool::Pool;
use crate::py::codec::{CodecType, PlanRef};
use crate::py::types::TypeKey;
use crate::py::{Obj, Owned, Raised, error};
use crate::text_layout::TextLayout;

/// The memory of a call, kept for the next call of the same encoder.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) stack: Stack,
    pub(super) types: TypeCache,
    pub(super) known: KnownTypes,
}

impl Scratch {
    /// Calls `visitor` with every object that is kept.
    pub(crate) fn visit(&self, visitor: &mut dyn FnMut(&Owned)) {
        self.known.encoders.iter().for_each(|encoder| visitor(encoder.object()));
    }
}

/// What an encoder object holds: its plan, and the memory of its calls.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) plan: EncodePlan,
    pub(super) pool: Pool<Scratch>,
}

impl Compiled {
    /// The white space that the walk writes, if it is not compact.
    #[inline(always)]
    pub(crate) fn white_space(&self) -> WhiteSpace {
        self.plan.white_space
    }

    /// How the text of an encoder is laid out after it is written.
    #[inline(always)]
    pub(crate) fn layout(&self) -> Option<&TextLayout> {
        self.plan.layout.as_ref()
    }

    /// Whether a line feed follows what is not laid out.
    #[inline(always)]
    pub(crate) fn newline(&self) -> bool {
        self.plan.newline
    }

    /// A plan that has not been used yet.
    pub(super) fn new(plan: EncodePlan) -> Self {
        Self { plan, pool: Pool::default() }
    }

    /// Calls `visitor` with every object that the encoder owns, for the garbage collector.
    pub(crate) fn visit_objects(&self, visitor: &mut dyn FnMut(&Owned)) {
        self.plan.visit_objects(visitor);
        self.pool.each(&mut |scratch| scratch.visit(visitor));
    }

    /// Drops the memory kept between calls, which may refer to other encoders.
    pub(crate) fn clear(&self) {
        self.pool.clear();
    }
}

/// A strong reference to an encoder that `resolve` returned.
pub(super) type Encoder = PlanRef<Compiled>;

/// Slots of the table of known types.
pub(super) const TYPE_SLOTS: usize = 128;

/// Encoders kept between calls; with more, all are dropped.
pub(super) const MAX_ENCODERS: usize = 256;

/// The plans of types that the encoder's own plan does not name.
///
/// Invariant: during a call encoders are only added, so plan ids stay valid.
#[derive(Debug, Default)]
pub(super) struct KnownTypes {
    pub(super) types: Vec<Option<(TypeKey, u32)>>,
    pub(super) encoders: Vec<Encoder>,
}

/// The id of the encoder's own plan; `encoders[i]` has the id `i + 1`.
pub(super) const ROOT_PLAN: u32 = 0;
/// The type has no plan: `resolve` returned None.
pub(super) const NO_PLAN: u32 = u32::MAX;

impl KnownTypes {
    /// Returns the plan id for instances of the object's type, if known.
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

    /// Records the plan id for a type.
    pub(super) fn set(&mut self, key: Option<TypeKey>, plan_id: u32) -> Result<(), Raised> {
        if self.types.is_empty() {
            self.types.try_reserve_exact(TYPE_SLOTS).map_err(|_| error::no_memory())?;
            self.types.resize(TYPE_SLOTS, None);
        }
        // Each type has two slots: a new entry takes the first and moves the old one to the second.
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

    /// Returns the id of an encoder; adds it if it is new.
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

    /// Forgets everything if there are too many encoders.
    pub(super) fn trim(&mut self) {
        if self.encoders.len() > MAX_ENCODERS {
            self.types.clear();
            self.encoders.clear();
        }
    }
}

/// The plans of a call by their ids.
pub(super) struct Plans<'p> {
    /// The type that results of `resolve` must have.
    pub(super) encoder_type: &'p CodecType<Compiled>,
    pub(super) root: &'p EncodePlan,
    pub(super) known: &'p mut KnownTypes,
    /// The objects that have tokens in the output: see `kept`.
    pub(super) kept: Vec<Owned>,
    /// The most containers inside each other.
    pub(super) max_depth: usize,
}

impl Plans<'_> {
    /// The node of the root plan that allows every value: `compile` adds it last.
    pub(super) fn any_node(&self) -> NodeRef {
        NodeRef { plan_id: ROOT_PLAN, node: self.root.nodes.len() as u32 - 1 }
    }

    /// Returns the plan with an id.
    #[inline(always)]
    pub(super) fn plan(&self, plan_id: u32) -> &EncodePlan {
        match self.known.encoders.get((plan_id as usize).wrapping_sub(1)) {
            Some(encoder) => &encoder.plan().plan,
            None => self.root,
        }
    }

    /// Returns a strong reference to the encoder of a plan, so that the plan stays valid while
    /// Python code runs.
    pub(super) fn encoder(&self, plan_id: u32) -> Option<Encoder> {
        self.known.encoders.get((plan_id as usize).wrapping_sub(1)).cloned()
    }
}

/// A node of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeRef {
    pub(super) plan_id: u32,
    pub(super) node: u32,
}
