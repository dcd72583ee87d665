//! The entry points of typed decoding: `compile` makes a plan, `decode` decodes a document by it, and
//! `decode_lines` each line of a text.
//!
//! Separate from `walk`, which reads the document, because this is the code around it: the input,
//! the scratch memory, the SIMD tier and the exception. Invariant: the scratch memory is empty when
//! it goes back to its pool. Called by `module::decoder`.

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::raise_json_error;
use crate::decode::input::read_input;
use crate::decode::scratch::{self, push};
use crate::decode::typed::compile::compile_plan;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::objects::source::Stacks;
use crate::decode::typed::plan::DecodePlan;
use crate::decode::typed::problem::raise_problems;
use crate::decode::typed::problems::Problems;
use crate::decode::typed::unknown_names::UnknownNames;
use crate::decode::untyped::frame::Frame as PlainFrame;
use crate::pool::Pool;
use crate::py::bytes::of_subclass;
use crate::py::compat::PausedCollector;
use crate::py::input::{Holder, Input};
use crate::py::{Attached, Obj, Owned, Raised, singletons, unicode};
use crate::runtime::{Runtime, avoids_layouts};

/// The scratch memory of one call of `decode`, kept for the next call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) shared: scratch::Scratch<Frame<'static>>,
    pub(super) plain_frames: Vec<PlainFrame>,
    pub(super) fields: Vec<Option<Owned>>,
    pub(super) stacks: Stacks,
    pub(super) unknown_names: UnknownNames,
}

impl Scratch {
    /// Empties the stacks, and frees the memory that only a large document needed.
    pub(super) fn reset(&mut self) {
        self.shared.reset();
        self.stacks.reset(scratch::MAX_KEPT_VALUES);
        scratch::clear_and_shrink(&mut self.plain_frames, scratch::MAX_KEPT_FRAMES);
        scratch::clear_and_shrink(&mut self.fields, scratch::MAX_KEPT_VALUES);
    }
}

/// Decodes the document in `object` by a plan. With `discards` the result is not wanted; `kept` are
/// the objects that have tokens in the document.
#[inline(always)]
pub(crate) fn decode(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    plan: &DecodePlan,
    object: Obj<'_>,
    (discards, kept): (bool, Option<Owned>),
) -> Result<Owned, Raised> {
    // A `Raw`, which is a subclass of `bytes`, is a document too.
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, |raw| raw.get().obj());
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let has_tokens = kept.is_some();
    let (result, problems) = {
        // Python code that the plan calls, or a kept object as the key of a dict, may rely on the
        // garbage collector.
        let _paused = (!plan.runs_python && kept.is_none()).then(PausedCollector::new);
        let bytes = input.bytes();
        let (py, scratch) = (&mut *py, &mut *scratch);
        // Python code may depend on what it is called with.
        let discards = discards && !plan.runs_python;
        runtime.dispatch.run(Decode { runtime, py, plan, bytes, scratch, discards, kept })
    };
    scratch.reset();
    pool.put(scratch);
    match result {
        Ok(value) => Ok(value),
        Err(failure) => {
            let failure = (failure, has_tokens);
            Err(raise(runtime, py, plan, object, input, failure, problems))
        }
    }
}

/// Decodes each of the lines into `values` by a plan, up to the first one with an error.
#[inline(never)]
pub(crate) fn decode_lines<'a>(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    plan: &DecodePlan,
    lines: impl Iterator<Item = &'a [u8]>,
    values: &mut Vec<Owned>,
) -> Result<(), Raised> {
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let mut failed = None;
    {
        // As in `decode`, for all lines together.
        let _paused = (!plan.runs_python).then(PausedCollector::new);
        for bytes in lines {
            let (py, scratch) = (&mut *py, &mut *scratch);
            let (discards, kept) = (false, None);
            let task = Decode { runtime, py, plan, bytes, scratch, discards, kept };
            let (result, problems) = runtime.dispatch.run(task);
            let result = result.and_then(|value| Ok(push(values, value)?));
            if let Err(failure) = result {
                failed = Some((bytes, failure, problems));
                break;
            }
            scratch.reset();
        }
    }
    scratch.reset();
    pool.put(scratch);
    let Some((line, failure, problems)) = failed else { return Ok(()) };
    let none = singletons::none(py);
    Err(raise(runtime, py, plan, none.get(), Input::of_bytes(line), (failure, false), problems))
}

/// Raises the exception of a failure.
#[cold]
#[inline(never)]
fn raise(
    runtime: &Runtime,
    py: &mut Attached,
    plan: &DecodePlan,
    object: Obj<'_>,
    input: Input<'_>,
    (failure, has_tokens): (DecodeFailure, bool),
    problems: Problems,
) -> Raised {
    match failure {
        DecodeFailure::Raised => Raised,
        DecodeFailure::Json(error) => raise_json_error(runtime, object, input, error),
        DecodeFailure::Problem => {
            // Input that is not UTF-8 raises that error, whatever else is wrong: see
            // `raise_json_error`.
            if !has_tokens && !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
                let error = Error::new(ErrorKind::InvalidUtf8, 0);
                return raise_json_error(runtime, object, input, error);
            }
            let document = if has_tokens {
                Ok(singletons::none(py))
            } else if input.is_text {
                Ok(object.to_owned())
            } else {
                unicode::decode_utf8(input.bytes())
            };
            match document {
                Ok(document) => raise_problems(py, plan, &document, problems),
                Err(Raised) => Raised,
            }
        }
    }
}

/// Decoding a document, in the SIMD tier of the runtime.
struct Decode<'a, 'i> {
    runtime: &'a Runtime,
    py: &'a mut Attached,
    plan: &'a DecodePlan,
    bytes: &'i [u8],
    scratch: &'a mut Scratch,
    discards: bool,
    kept: Option<Owned>,
}

impl Task for Decode<'_, '_> {
    type Output = (Result<Owned, DecodeFailure>, Problems);

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { runtime, py, plan, bytes, scratch, discards, kept } = self;
        let Scratch { shared, plain_frames, fields, unknown_names, .. } = scratch;
        unknown_names.start(plan.id, plan.places);
        let scratch::Scratch { values, frames, text, keys, strings } = shared;
        let mut context = Context {
            runtime,
            py,
            plan,
            bytes,
            values,
            fields,
            frames: core::mem::take(frames),
            plain_frames,
            // Without a result no containers are made. A kept object may be anywhere.
            reads_plain: !discards && kept.is_none(),
            keys,
            strings,
            unknown_names,
            problems: Problems::default(),
            pointer_path: Vec::new(),
            sources: None,
            discards,
            kept,
        };
        let result = if avoids_layouts::<V>(runtime.direct) {
            context.read_document::<V, false>(text)
        } else {
            context.read_document::<V, true>(text)
        };
        let Context { frames: mut used_frames, problems, .. } = context;
        used_frames.clear();
        // Keeps the memory of the stack for frames of another lifetime. Collecting an iterator
        // without items in place reuses the memory; collecting it in any other way would not
        // allocate either.
        *frames = used_frames.into_iter().map_while(|_| None).collect();
        (result, problems)
    }
}

/// Makes a plan from its description.
pub(crate) fn compile(
    py: &mut Attached,
    runtime: &Runtime,
    description: &Owned,
) -> Result<DecodePlan, Raised> {
    compile_plan(py, runtime.sees_attributes, description)
}
