//! Dicts with integers as keys and scalars as values, in the borrowed walk of an `Encoder`.
//!
//! Separate from `records`, whose other dicts are slices of keys and values. Invariant: such a dict
//! is written whole or not at all, so no position inside it is ever saved. Called by `records`
//! where no white space is written: each layout would have its own copy of this.

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::policy::{INT, NodePolicy};
use crate::encode::scalar::write_scalar;
use crate::encode::typed::borrowed_context::{BorrowedContext, WriteResult};
use crate::py::dict::{Dict, locked_hashed_entries};
use crate::py::int::Int;
use crate::py::lock::Lock;
use crate::py::types::Kind;
use crate::py::{Obj, int, types};

/// Writes a dict that is not empty.
pub(super) struct IntKeysTask<'a, 'b, 's, 'c, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) context: &'s BorrowedContext<'a, 'c>,
    pub(super) dict: Dict<'a>,
    pub(super) plan_index: u32,
}

impl<'b, B: Buffer> Task for IntKeysTask<'_, 'b, '_, '_, B> {
    /// The output, and whether the dict was written: otherwise a key or a value is of another kind.
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, context, dict, plan_index } = self;
        let nodes = context.plan.dicts[plan_index as usize];
        let [key_mask, value_mask] =
            [nodes.key, nodes.value].map(|node| context.plan.nodes[node as usize].mask);
        if key_mask & INT == 0 || context.keeps {
            return Ok((out, false));
        }
        let Some(lock) = Lock::take(dict.obj(), context.py) else { return Ok((out, false)) };
        let Some(entries) = locked_hashed_entries(dict, &lock) else { return Ok((out, false)) };
        // PERF: the walk asks twice for a dict that is left to it, so that must not take long.
        if !entries.iter().rev().all(|entry| match entry.item {
            [Some(key), Some(value)] => is_short_integer(key) && is_written_fast(value),
            _ => true,
        }) {
            return Ok((out, false));
        }
        let start = out.len();
        out.byte(b'{')?;
        for entry in entries {
            // A deleted entry has no value.
            let [Some(key), Some(value)] = entry.item else { continue };
            let Some(number) = Int::exact(key).and_then(int::in_place) else {
                out.truncate(start);
                return Ok((out, false));
            };
            out.byte(b'"')?;
            out.int(number, b'"')?;
            out.byte(b':')?;
            if !write_scalar::<V, _, B, true>(&mut out, value, NodePolicy(value_mask))? {
                out.truncate(start);
                return Ok((out, false));
            }
        }
        out.close(b'}', b',')?;
        Ok((out, true))
    }
}

/// Whether a key, or a value, is an `int` of at most 60 bits.
#[inline(always)]
fn is_short_integer(object: Obj<'_>) -> bool {
    Int::exact(object).and_then(int::in_place).is_some()
}

/// Whether a value is a scalar that Python code would write only if its text has surrogates.
#[inline(always)]
fn is_written_fast(value: Obj<'_>) -> bool {
    match types::kind(value) {
        Kind::Int(number) => int::in_place(number).is_some(),
        Kind::Str(_) | Kind::Bool | Kind::None | Kind::Float(_) => true,
        _ => false,
    }
}
