//! Values on the heap by raw pointer, allocated without aborting.
//!
//! Separate because `Box::new` ends the process where memory is exhausted. Used for the private
//! data of the exported structs. Invariant: [`take`] undoes exactly one [`put`].

use core::ffi::c_void;

use snooze_core::columns::NoMemory;

/// Moves a value to the heap.
pub(super) fn put<T>(value: T) -> Result<*mut c_void, NoMemory> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).map_err(|_| NoMemory)?;
    one.push(value);
    Ok(Box::into_raw(one.into_boxed_slice()).cast())
}

/// Takes a value back from the heap.
///
/// # Safety
/// The pointer comes from `put::<T>`, and nothing else uses it, now or later.
pub(super) unsafe fn take<T>(pointer: *mut c_void) -> Box<[T]> {
    // SAFETY: a boxed slice of length one, because `put` made it and the caller passes nothing else.
    unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(pointer.cast::<T>(), 1)) }
}
