//! The end of an object: duplicates, and the hooks of objects.
//!
//! Separate from `walk`, because hooks run Python code and duplicates are searched for only here.
//! Invariant: the members of the object leave the stack, whether it succeeds or fails. Called by
//! `walk`.

use snooze_core::dialect::repeated_name;
use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::ReadFailure;
use crate::decode::policy::frame::Frame;
use crate::decode::policy::policies::{Duplicates, Hook, Policies};
use crate::py::dict::Dict;
use crate::py::{Attached, Owned, Raised, call, dict, list, tuple};

/// The value of an object, whose members leave the stack.
#[inline(always)]
pub(super) fn close<const DIRECT: bool>(
    py: &mut Attached,
    policies: &Policies,
    bytes: &[u8],
    values: &mut Vec<Owned>,
    frame: &Frame,
    name_offsets: &mut Vec<usize>,
) -> Result<Owned, ReadFailure> {
    let start = frame.values_start;
    if let Hook::Pairs(hook) = &policies.hook {
        return Ok(call_with_pairs(py, hook, values, start)?);
    }
    let count = (values.len() - start) / 2;
    let object = match policies.duplicates {
        Duplicates::First => dict::first_of_pairs(py, values, start)?,
        Duplicates::Last | Duplicates::Error => {
            dict::from_pairs::<DIRECT>(py, values, start, frame.has_containers)?
        }
    };
    if policies.duplicates == Duplicates::Error {
        let length = Dict::exact(object.get()).map_or(count, |dict| dict::size(dict) as usize);
        if length < count {
            let offsets = name_offsets.get(frame.offsets_start..).unwrap_or(&[]);
            let at = repeated_name(bytes, policies.rules, offsets)?.unwrap_or(0);
            return Err(Error::new(ErrorKind::RepeatedName, at).into());
        }
        name_offsets.truncate(frame.offsets_start);
    }
    match &policies.hook {
        Hook::Dict(hook) => Ok(call::call_one(py, hook, &object)?),
        Hook::None | Hook::Pairs(_) => Ok(object),
    }
}

/// Calls a hook with the list of pairs.
fn call_with_pairs(
    py: &mut Attached,
    hook: &Owned,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    // Each pair takes the place of one of its two parts, so the stack needs no more room.
    let count = (values.len() - start) / 2;
    for place in start..start + count {
        let pair = start + 2 * (place - start);
        let (Some(key), Some(value)) = (values.get(pair), values.get(pair + 1)) else { break };
        let parts = [Some(key.get()), Some(value.get())];
        let made = tuple::of_items(&parts, py)?;
        if let Some(slot) = values.get_mut(place) {
            *slot = made;
        }
    }
    values.truncate(start + count);
    let pairs = list::from_values::<false>(py, values, start)?;
    call::call_one(py, hook, &pairs)
}
