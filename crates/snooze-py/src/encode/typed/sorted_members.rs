//! Dicts with sorted members in the borrowed walk of an `Encoder`.
//!
//! Separate from `records`, whose other dicts are slices of their own memory: here the members are
//! in a list, which may move whenever another dict is listed. So it is looked up again after each
//! value that is no scalar. Invariant: the innermost list is that of the innermost open sorted
//! dict. Called by `records`.

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::format::Format;
use crate::encode::policy::{NodePolicy, STR};
use crate::encode::scalar::{write_member_name, write_scalar};
use crate::encode::sorted::{MemberLists, Order};
use crate::encode::typed::borrowed_context::BorrowedContext;
use crate::encode::{key_text, utf8};
use crate::options::EncodeFlags;
use crate::py::dict::Dict;
use crate::py::lock::Lock;
use crate::py::{Obj, Raised};

/// Lists the members of a dict that is not empty, in order; returns whether that was possible.
#[inline(never)]
pub(super) fn list<'a>(
    dict: Dict<'a>,
    plan_index: u32,
    context: &BorrowedContext<'a, '_>,
    lists: &mut Option<MemberLists<'a>>,
) -> Result<bool, Raised> {
    let flags = context.cx.flags;
    let nodes = context.plan.dicts[plan_index as usize];
    if flags.has(EncodeFlags::OMIT_NONE) || context.plan.nodes[nodes.key as usize].mask & STR == 0 {
        return Ok(false);
    }
    // Released at the end of this function: on free-threaded builds, where it would have to be
    // kept, an Encoder has no borrowed walk.
    let Some(lock) = Lock::take(dict.obj(), context.py) else { return Ok(false) };
    let lists = lists.get_or_insert_default();
    Ok(lists.list_members(dict, &lock, flags)? == Order::Listed)
}

/// Writes the members of the innermost sorted dict up to the first value that is no scalar, which
/// is returned; or up to its end, without the bracket.
#[inline(always)]
pub(super) fn write_scalars<'a, V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    lists: &mut Option<MemberLists<'a>>,
    depth: usize,
    mask: u8,
) -> Result<Option<Obj<'a>>, Raised> {
    let Some(lists) = lists else { return Ok(None) };
    let mut remaining = lists.remaining_of(0).iter();
    while let Some(member) = remaining.next() {
        let &[Some(key), Some(value)] = member else { continue };
        F::start_element(out, depth)?;
        if !write_member_name::<V, NodePolicy, F, B, true>(out, key_text::check_str(key)?)? {
            return Err(utf8::surrogate());
        }
        if !write_scalar::<V, _, B, true>(out, value, NodePolicy(mask))? {
            let count = remaining.as_slice().len();
            lists.set_remaining(count);
            return Ok(Some(value));
        }
    }
    lists.close();
    Ok(None)
}
