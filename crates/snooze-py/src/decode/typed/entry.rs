//! The entry of a typed decoder: one call of `decode`, from the input to the result or the exception.
//!
//! Separate from `walk`, which reads. Called by `module::decoder`.

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::raise_error;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::DecodePlan;
use crate::decode::typed::problem;
use crate::decode::{input, scratch};
use crate::pool::Pool;
use crate::py::bytes::of_subclass;
use crate::py::compat::PausedCollector;
use crate::py::input::Input;
use crate::py::{Attached, Obj, Owned, Raised};
use crate::runtime::Runtime;

/// What one call of `decode` needs beside its result, kept for the next call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    shared: scratch::Scratch<Frame<'static>>,
    fields: Vec<Option<Owned>>,
}

impl Scratch {
    /// Empties it, and gives back what only a large document needed.
    fn tidy(&mut self) {
        self.shared.tidy();
        scratch::empty(&mut self.fields, scratch::KEPT_VALUES);
    }
}

/// The object that a document means by a plan, or an exception.
#[inline(always)]
pub(crate) fn decode(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    plan: &DecodePlan,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    // `Raw`, which a decoder has made, can be decoded later.
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, Owned::get);
    let input = input::document(runtime, py, object)?;
    let mut scratch = pool.take()?;
    let (result, problems) = {
        // User code that a plan calls may need the collector.
        let _paused = (!plan.runs_code).then(PausedCollector::new);
        let bytes = input.bytes();
        runtime.dispatch.run(Decode { runtime, py: &mut *py, plan, bytes, scratch: &mut scratch })
    };
    scratch.tidy();
    pool.put(scratch);
    match result {
        Ok(value) => Ok(value),
        Err(fault) => Err(raise(runtime, py, plan, object, &input, fault, problems)),
    }
}

#[cold]
#[inline(never)]
fn raise(
    runtime: &Runtime,
    py: &mut Attached,
    plan: &DecodePlan,
    object: Obj<'_>,
    input: &Input<'_>,
    fault: DecodeFailure,
    problems: Vec<Owned>,
) -> Raised {
    match fault {
        DecodeFailure::Raised => Raised,
        DecodeFailure::Json(error) => raise_error(runtime, object, input, error),
        DecodeFailure::Noted => {
            // Texts are validated as they are made: see `raise_error`.
            if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
                let error = Error::new(ErrorKind::InvalidUtf8, 0);
                return raise_error(runtime, object, input, error);
            }
            problem::raise(py, plan, object, input, problems)
        }
    }
}

struct Decode<'a, 'i> {
    runtime: &'a Runtime,
    py: &'a mut Attached,
    plan: &'a DecodePlan,
    bytes: &'i [u8],
    scratch: &'a mut Scratch,
}

impl Task for Decode<'_, '_> {
    type Output = (Result<Owned, DecodeFailure>, Vec<Owned>);

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { runtime, py, plan, bytes, scratch } = self;
        let Scratch { shared, fields } = scratch;
        let scratch::Scratch { values, frames, text, keys, strings } = shared;
        let mut context = Context {
            runtime,
            py,
            plan,
            bytes,
            values,
            fields,
            frames: core::mem::take(frames),
            keys,
            strings,
            problems: Vec::new(),
            pointer: Vec::new(),
            path_steps: 0,
        };
        // Only the scalar tier has a copy without private layouts: see `Runtime::new`.
        let result = if V::LANES == 8 && !runtime.direct {
            context.read::<V, false>(text)
        } else {
            context.read::<V, true>(text)
        };
        let Context { frames: mut used, problems, .. } = context;
        used.clear();
        // The same memory, for frames of any lifetime.
        *frames = used.into_iter().map_while(|_| None).collect();
        (result, problems)
    }
}

/// The plan that a description describes.
pub(crate) fn compile(
    py: &mut Attached,
    runtime: &Runtime,
    description: &Owned,
) -> Result<DecodePlan, Raised> {
    super::compile::plan(py, runtime.sees_attributes, description)
}
