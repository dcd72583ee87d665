//! What the steps of a walk have at hand: the context, the plans, and the witness that Python code may run.

use crate::encode::context::Context;
use crate::encode::typed::plan::EncodePlan;
use crate::encode::typed::plans::{Encoder, Homes};
use crate::py::Attached;

/// The plan of a home.
pub(super) struct Held<'p>(&'p EncodePlan, Option<Encoder>);

impl core::ops::Deref for Held<'_> {
    type Target = EncodePlan;

    fn deref(&self) -> &EncodePlan {
        self.1.as_ref().map_or(self.0, |encoder| &encoder.plan().plan)
    }
}

impl<'p> Held<'p> {
    pub(super) fn new(homes: &Homes<'p>, home: u32) -> Self {
        Self(homes.root, homes.hold(home))
    }
}

pub(super) struct Walker<'w, 'c> {
    pub(super) cx: &'w mut Context<'c>,
    pub(super) homes: &'w mut Homes<'c>,
    pub(super) py: &'w mut Attached,
}
