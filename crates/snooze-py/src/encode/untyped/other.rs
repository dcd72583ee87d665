//! Writes objects that are neither exact scalars nor exact containers, outside the borrowed walk.
//!
//! Separate from `borrowed`, whose loop has no registers to spare: with this inlined there, every
//! dataclass took 6 % more instructions (callgrind, AVX2, 2026-11-26). Invariant of the module, as
//! of the walk: no Python code runs. Called by `borrowed`.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::classify::{self, Outcome};
use crate::encode::context::Context;
use crate::encode::depth::{self, DUMPS_LIMIT};
use crate::encode::format::Format;
use crate::encode::fragment;
use crate::encode::policy::Policy;
use crate::encode::scalar::{write_int, write_scalar};
use crate::encode::untyped::dataclass::{FieldsStop, Instance};
use crate::encode::untyped::json_default;
use crate::encode::untyped::prefetch::prefetch_item;
use crate::encode::untyped::texts::SubclassTextsTask;
use crate::options::EncodeFlags;
use crate::py::int::Int;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Raised, types};

/// Writes an object and, if it is an item of a list, those of its type that follow.
///
/// PERF: such objects come in runs: lists of dates take 0.66 to 0.82 of the time (2026-11-26).
pub(super) struct OtherTask<'a, 'b, 'c, F, B: Buffer> {
    pub(super) object: Obj<'a>,
    /// The items after it; empty if it is no item.
    pub(super) items: &'a [Option<Obj<'a>>],
    pub(super) out: Out<'b, B>,
    pub(super) cx: &'a Context<'c>,
    pub(super) py: &'a Attached,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// Why [`OtherTask`] stopped.
pub(super) enum OtherStop<'a> {
    /// The object, or the last of the run, is written.
    Written,
    /// Before this object, which needs Python code.
    NeedsPython(Obj<'a>),
    /// In this instance of a dataclass, which now is open. The names of the fields that follow, and
    /// the value that comes next: a field's that is no scalar, or `None` if it must be looked up.
    InField(Obj<'a>, &'a [Option<Obj<'a>>], Option<Obj<'a>>),
}

impl<'a, 'b, F: Format, B: Buffer> Task for OtherTask<'a, 'b, '_, F, B> {
    /// The items that are left, and why it stopped.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>], OtherStop<'a>), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut object, mut items, mut out, cx, py, depth, .. } = self;
        let strict = cx.flags.has(EncodeFlags::STRICT_INTEGER);
        loop {
            if let Some(stop) = write_one::<V, F, B>(&mut out, object, cx, py, depth, strict)? {
                // PERF: here and not in `write_one`, where such texts cost dataclasses 5 % more
                // instructions (callgrind, AVX2, 2026-11-29).
                if let OtherStop::NeedsPython(object) = stop
                    && !cx.flags.has(EncodeFlags::PASSTHROUGH_SUBCLASS)
                    && let Some(text) = Str::any(object)
                {
                    let format = PhantomData;
                    let task = SubclassTextsTask::<F, B> { text, items, out, depth, format };
                    let (out, items) = V::run_outlined(task)?;
                    return Ok((out, items, OtherStop::Written));
                }
                return Ok((out, items, stop));
            }
            let Some((&Some(item), rest)) = items.split_first() else { break };
            if item.type_obj() != object.type_obj() {
                break;
            }
            (object, items) = (item, rest);
            prefetch_item(items);
            F::start_element(&mut out, depth)?;
        }
        Ok((out, items, OtherStop::Written))
    }
}

/// Writes one object; returns why it is not written to its end. Leaves texts to the caller.
#[inline(always)]
fn write_one<'a, V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    object: Obj<'a>,
    cx: &'a Context<'_>,
    py: &'a Attached,
    depth: usize,
    strict: bool,
) -> Result<Option<OtherStop<'a>>, Raised> {
    let needs_python = Ok(Some(OtherStop::NeedsPython(object)));
    if types::base(object).is_some() {
        if cx.flags.has(EncodeFlags::PASSTHROUGH_SUBCLASS) {
            return needs_python;
        }
        if let Some(number) = Int::any(object) {
            write_int::<_, B, true>(out, number, F::scalars(strict))?;
        } else {
            return needs_python;
        }
        return Ok(None);
    }
    if F::Scalars::STYLED {
        if !json_default::is_probed(cx, object) {
            return needs_python;
        }
        out.null(b',')?;
        return Ok(None);
    }
    match out.small(|room| classify::write_borrowed(room, cx, py, object))? {
        Outcome::Written => {}
        Outcome::Fragment(fragment) => {
            let Some(bytes) = fragment::borrowed_bytes(py, fragment) else { return needs_python };
            out.raw_value(bytes, b',')?;
        }
        Outcome::Value(value) => {
            if !write_scalar::<V, _, B, true>(out, value, F::scalars(strict))? {
                return needs_python;
            }
        }
        Outcome::Dataclass(dataclass) => {
            depth::check(depth, DUMPS_LIMIT)?;
            out.byte(b'{')?;
            let instance = Instance::new(object, dataclass.source(), py);
            let mut index = 0;
            let value = match dataclass.write_fields::<V, F, B, true, false>(
                instance,
                out,
                &mut index,
                depth + 1,
                strict,
            )? {
                FieldsStop::End => {
                    F::close(out, b'}', depth)?;
                    return Ok(None);
                }
                FieldsStop::NotScalar(value) => Some(value),
                FieldsStop::NeedsLookup => None,
            };
            return Ok(Some(OtherStop::InField(object, dataclass.names_from(index), value)));
        }
        Outcome::NeedsPython => return needs_python,
    }
    Ok(None)
}
