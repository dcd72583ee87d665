//! `ArrowArray` of a finished column.
//!
//! Separate from `schema`: an array says nothing about types. Invariant: as for the room; the
//! buffers of a column are in the private data of its own struct, not in that of its parent.

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use snooze_core::columns::{Array, Buffer, NoMemory};

use super::ffi::ArrowArray;
use crate::boxed;

/// What an exported array owns.
struct Private {
    /// Kept for their memory.
    _buffers: Vec<Buffer>,
    pointers: Vec<*const c_void>,
    children: Vec<ArrowArray>,
    child_pointers: Vec<*mut ArrowArray>,
}

/// Where an empty buffer begins: consumers may want an address that they can align and load.
#[repr(align(64))]
struct Empty([u8; 64]);

static EMPTY: Empty = Empty([0; 64]);

/// Exports a column with all columns inside it.
pub(crate) fn export_array(array: Array) -> Result<ArrowArray, NoMemory> {
    let Array { rows, nulls, buffers, children: columns } = array;
    let mut pointers = Vec::new();
    pointers.try_reserve_exact(buffers.len()).map_err(|_| NoMemory)?;
    pointers.extend(buffers.iter().map(|buffer| -> *const c_void {
        match buffer {
            Buffer::None => null(),
            buffer if buffer.is_empty() => EMPTY.0.as_ptr().cast(),
            buffer => buffer.start().cast(),
        }
    }));
    let mut children = Vec::new();
    children.try_reserve_exact(columns.len()).map_err(|_| NoMemory)?;
    for column in columns {
        children.push(export_array(column)?);
    }
    let mut child_pointers = Vec::new();
    child_pointers.try_reserve_exact(children.len()).map_err(|_| NoMemory)?;
    child_pointers.extend(children.iter_mut().map(|child| &raw mut *child));
    let private = Private { _buffers: buffers, pointers, children, child_pointers };
    let (count, buffer_count) = (private.children.len(), private.pointers.len());
    let buffers = private.pointers.as_ptr().cast_mut();
    let pointers = private.child_pointers.as_ptr().cast_mut();
    // The vectors keep their memory when the struct around them moves.
    Ok(ArrowArray {
        length: rows as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: buffer_count as i64,
        n_children: count as i64,
        buffers: if buffer_count == 0 { null_mut() } else { buffers },
        children: if count == 0 { null_mut() } else { pointers },
        dictionary: null_mut(),
        private_data: boxed::put(private).map_err(|_| NoMemory)?.as_ptr().cast(),
        release: Some(release),
    })
}

/// Releases an array and the children that were not moved out.
unsafe extern "C" fn release(array: *mut ArrowArray) {
    // SAFETY: a live struct that `export_array` made and that was not released, because the
    // specification says so of every call; so its private data is a `Private` that only it owns.
    unsafe {
        (*array).release = None;
        drop(boxed::take((*array).private_data.cast::<Private>()));
    }
}
