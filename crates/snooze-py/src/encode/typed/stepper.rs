//! What a step of the owning walk may use: the context, the plans, and the token that lets Python
//! code run.
//!
//! Separate from `walk` because `classify`, `action`, `keys` and `text` are methods or functions
//! over a [`Stepper`].

use crate::encode::context::Context;
use crate::encode::typed::plan::EncodePlan;
use crate::encode::typed::plans::{Encoder, Plans};
use crate::py::Attached;

/// A plan that stays valid while Python code runs.
pub(super) struct PlanGuard<'p>(&'p EncodePlan, Option<Encoder>);

impl core::ops::Deref for PlanGuard<'_> {
    type Target = EncodePlan;

    fn deref(&self) -> &EncodePlan {
        self.1.as_ref().map_or(self.0, |encoder| &encoder.plan().plan)
    }
}

impl<'p> PlanGuard<'p> {
    /// Takes a strong reference to the encoder that owns the plan.
    pub(super) fn new(plans: &Plans<'p>, plan_id: u32) -> Self {
        Self(plans.root, plans.encoder(plan_id))
    }
}

/// What a step may use.
pub(super) struct Stepper<'w, 'c> {
    pub(super) cx: &'w mut Context<'c>,
    pub(super) plans: &'w mut Plans<'c>,
    pub(super) py: &'w mut Attached,
}
