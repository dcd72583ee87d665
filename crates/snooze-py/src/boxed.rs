//! Values on the heap by raw pointer, allocated without aborting.
//!
//! Separate because `Box::new` ends the process where memory is exhausted, and a vector's
//! allocation can fail. It is an unsafe boundary module. Invariant: [`take`] undoes exactly one
//! [`put`]. Called by `arrow`, `pool` and `py`.
#![allow(unsafe_code)]

use core::ptr::NonNull;
use std::collections::TryReserveError;

/// Moves a value to the heap.
pub(crate) fn put<T>(value: T) -> Result<NonNull<T>, TryReserveError> {
    let mut one = Vec::new();
    one.try_reserve_exact(1)?;
    one.push(value);
    let pointer = Box::into_raw(one.into_boxed_slice()).cast();
    // SAFETY: not null, because a box never is.
    Ok(unsafe { NonNull::new_unchecked(pointer) })
}

/// Takes a value back from the heap; dropping the result frees it.
///
/// # Safety
/// The pointer comes from `put::<T>`, and nothing else uses it, now or later.
#[inline(always)]
pub(crate) unsafe fn take<T>(pointer: *mut T) -> Box<[T]> {
    // SAFETY: a boxed slice of length one, because `put` made it and the caller passes nothing
    // else.
    unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(pointer, 1)) }
}
