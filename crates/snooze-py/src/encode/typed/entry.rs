//! The entry of typed encoding: compiling a plan, and one call of `encode`.
//!
//! Separate from `walk` because it is not generic: it takes memory from the pool and returns it,
//! whatever happens. Called by `module::encoder`.

use crate::encode::context::Context;
use crate::encode::entry;
use crate::encode::typed::plans::{Compiled, Plans, Scratch};
use crate::encode::typed::{path, walk};
use crate::options::EncodeFlags;
use crate::py::codec::CodecType;
use crate::py::output::{Output, Written};
use crate::py::{Attached, Obj, Owned, Raised};
use crate::runtime::Runtime;

/// Writes the JSON of an object.
#[inline(always)]
pub(crate) fn encode(
    runtime: &Runtime,
    encoder_type: &CodecType<Compiled>,
    py: &mut Attached,
    compiled: &Compiled,
    object: Obj<'_>,
    output: &mut Output<'_>,
) -> Result<Written, Raised> {
    write(runtime, encoder_type, py, compiled, object, output, &mut Vec::new())
}

#[inline(always)]
fn write(
    runtime: &Runtime,
    encoder_type: &CodecType<Compiled>,
    py: &mut Attached,
    compiled: &Compiled,
    object: Obj<'_>,
    output: &mut Output<'_>,
    kept: &mut Vec<Owned>,
) -> Result<Written, Raised> {
    let Compiled { plan, pool } = compiled;
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let Scratch { stack, types, known } = &mut *scratch;
    known.trim();
    let mut cx = Context::new(runtime, plan.flags, None, types);
    let mut plans = Plans {
        encoder_type,
        root: plan,
        known,
        kept: Vec::new(),
        max_depth: plan.policies.max_depth,
    };
    let walk = walk::EncoderWalk {
        cx: &mut cx,
        plans: &mut plans,
        py,
        object,
        output,
        stack: &mut *stack,
    };
    let written = entry::write_document(runtime, plan.flags, walk);
    if written.is_err() {
        path::add_place(py, stack, &plans);
    }
    let (copies_json, has_number_texts) = (cx.copies_json.get(), cx.has_number_texts.get());
    // The fields of records, and keys that became text, may be in another order or occur twice.
    let is_ordered = plan.flags.has(EncodeFlags::SORT_KEYS)
        && plan.records.is_empty()
        && plans.known.encoders.is_empty()
        && !cx.lists_text.get();
    *kept = plans.kept;
    drop(cx);
    scratch.stack.clear();
    pool.put(scratch);
    Ok(Written { len: written?, copies_json, has_number_texts, is_ordered })
}

/// Writes text for `to_builtins`; returns the number of bytes, and the objects that have tokens.
pub(crate) fn encode_kept(
    runtime: &Runtime,
    encoder_type: &CodecType<Compiled>,
    py: &mut Attached,
    compiled: &Compiled,
    object: Obj<'_>,
    output: &mut Output<'_>,
) -> Result<(usize, Vec<Owned>), Raised> {
    let mut kept = Vec::new();
    let written = write(runtime, encoder_type, py, compiled, object, output, &mut kept)?;
    Ok((written.len, kept))
}

/// Compiles the description of a plan.
pub(crate) fn compile(
    py: &mut Attached,
    runtime: &Runtime,
    description: &Owned,
) -> Result<Compiled, Raised> {
    super::compile::plan(py, runtime, description).map(Compiled::new)
}
