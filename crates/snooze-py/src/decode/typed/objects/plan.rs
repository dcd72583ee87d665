//! The plan of a converter: that of a decoder, and which objects are read as JSON values.
//!
//! Separate from `decode::typed::plan`, because decoders do without it. Invariant: a plan never
//! changes. Made by `entry`, read by the walk.

use crate::decode::typed::compile::compile_plan;
use crate::decode::typed::plan::DecodePlan;
use crate::description::{self, Row};
use crate::py::{Attached, Obj, Owned, Raised};

/// How to convert objects to one type.
#[derive(Debug)]
pub(crate) struct ConvertPlan {
    pub(super) plan: DecodePlan,
    pub(super) readable: Readable,
}

/// The objects that are read as JSON values, beside those of built-in types.
#[derive(Debug)]
pub(in crate::decode::typed) struct Readable {
    /// The classes, in a tuple, whose instances have no attributes that are members; `None` if the
    /// attributes of an object are never read.
    pub(super) no_attributes: Option<Owned>,
    /// The classes, in a tuple, whose instances are objects.
    pub(super) mappings: Owned,
    /// The classes, in a tuple, whose instances are arrays.
    pub(super) arrays: Owned,
    /// The classes, in a tuple, whose instances are none, although they are sequences.
    pub(super) no_arrays: Owned,
    /// The classes, in a tuple, of arrays whose items have no order.
    pub(super) sets: Owned,
    /// `Decimal`, whose instances are numbers.
    pub(super) decimal: Owned,
    /// The names of the methods of a class whose instances `dict` reads: `keys`, `__getitem__`.
    pub(super) keys: Owned,
    pub(super) item: Owned,
}

impl ConvertPlan {
    /// Reads `(plan, readable)`; for the second see `snooze._typed.instances`.
    pub(super) fn new(
        py: &mut Attached,
        stores_attributes: bool,
        description: &Owned,
    ) -> Result<Self, Raised> {
        let (plan, readable) = {
            let [plan, readable] = Row::exact(py, description.get())?;
            let [no_attributes, mappings, arrays, no_arrays, sets, decimal, keys, item] =
                Row::exact(py, readable)?;
            let readable = Readable {
                no_attributes: description::optional(no_attributes).map(Obj::to_owned),
                mappings: mappings.to_owned(),
                arrays: arrays.to_owned(),
                no_arrays: no_arrays.to_owned(),
                sets: sets.to_owned(),
                decimal: decimal.to_owned(),
                keys: keys.to_owned(),
                item: item.to_owned(),
            };
            (plan.to_owned(), readable)
        };
        Ok(Self { plan: compile_plan(py, stores_attributes, &plan)?, readable })
    }

    /// Calls `see` for each object that the plan owns.
    pub(crate) fn visit_objects(&self, see: &mut dyn FnMut(&Owned)) {
        self.plan.visit_objects(see);
        let Readable { mappings, arrays, no_arrays, sets, decimal, keys, item, .. } =
            &self.readable;
        [mappings, arrays, no_arrays, sets, decimal, keys, item].into_iter().for_each(&mut *see);
        self.readable.no_attributes.iter().for_each(see);
    }
}
