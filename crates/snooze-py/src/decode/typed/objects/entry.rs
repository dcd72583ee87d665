//! The entry points of conversion: `compile` makes a plan, `convert` converts an object by it.
//!
//! Separate from `walk`, because this is the code around it: the scratch memory and the exception.
//! Invariant: the scratch memory is empty when it goes back to its pool. Called by
//! `module::converter`.

use crate::decode::typed::context::Context;
use crate::decode::typed::entry::Scratch;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::objects::plan::ConvertPlan;
use crate::decode::typed::objects::source::Sources;
use crate::decode::typed::problem::raise_problems;
use crate::decode::typed::problems::Problems;
use crate::pool::Pool;
use crate::py::{Attached, Obj, Owned, Raised, error, singletons};
use crate::runtime::Runtime;

/// Converts an object by a plan.
pub(crate) fn convert(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    plan: &ConvertPlan,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let (result, problems) = {
        let Scratch { shared, plain_frames, fields, stacks, unknown_names } = &mut *scratch;
        let mut context = Context {
            runtime,
            py: &mut *py,
            plan: &plan.plan,
            bytes: &[],
            values: &mut shared.values,
            fields,
            frames: Vec::new(),
            plain_frames,
            reads_plain: false,
            keys: &mut shared.keys,
            strings: &mut shared.strings,
            unknown_names,
            problems: Problems::default(),
            pointer_path: Vec::new(),
            discards: false,
            kept: None,
            sources: Some(Sources {
                readable: &plan.readable,
                stacks: core::mem::take(stacks),
                subject: object.to_owned(),
            }),
        };
        let result = context.read_object(object.to_owned());
        if let Some(sources) = context.sources {
            *stacks = sources.stacks;
        }
        (result, context.problems)
    };
    scratch.reset();
    pool.put(scratch);
    match result {
        Ok(value) => Ok(value),
        Err(DecodeFailure::Raised) => Err(Raised),
        Err(DecodeFailure::Json(_)) => Err(error::system_error(c"objects have no syntax errors")),
        Err(DecodeFailure::Problem) => {
            let none = singletons::none(py);
            Err(raise_problems(py, &plan.plan, &none, problems))
        }
    }
}

/// Makes a plan from its description.
pub(crate) fn compile(
    py: &mut Attached,
    runtime: &Runtime,
    description: &Owned,
) -> Result<ConvertPlan, Raised> {
    ConvertPlan::new(py, runtime.sees_attributes, description)
}
