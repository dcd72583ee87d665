//! Asks the processor for objects that the borrowed walk of `dumps` writes next.
//!
//! Separate because the walk itself is long. Invariant: only live objects are looked at. On
//! free-threaded builds the next container is not locked: one pointer of it is read, atomically,
//! and not followed. Called by `borrowed`, `borrowed_frame`, `texts` and `other`.
//!
//! PERF: DESIGN.md, "What does `dumps` prefetch?".

use snooze_core::arch::prefetch;

use crate::py::dict::{Dict, StrEntry};
use crate::py::list::List;
use crate::py::{Obj, dict, list};

/// Called at a container in a list, with the items after it. Prefetches the header of the second,
/// and the entries or items of the first if it is a dict or a list. The header of the first is in
/// the cache if the item before was a container, too.
#[inline(always)]
pub(super) fn prefetch_after(items: &[Option<Obj<'_>>]) {
    if let Some(Some(second)) = items.get(1) {
        second.prefetch();
    }
    if let Some(&Some(first)) = items.first() {
        if let Some(dict) = Dict::exact(first) {
            dict::prefetch_entries(dict);
        } else if let Some(list) = List::exact(first) {
            list::prefetch_items(list);
        }
    }
}

/// Prefetches the headers of the first values of a dict.
#[inline(always)]
pub(super) fn prefetch_values(members: &[StrEntry<'_>]) {
    for &[_, value] in members.iter().take(6) {
        // PERF: without a branch. A prefetch of null does nothing.
        let address: *mut _ = value.map_or(core::ptr::null_mut(), Obj::as_ptr);
        prefetch(address);
    }
}

/// Prefetches the header of the third of `items`, which follow the object that is written now.
#[inline(always)]
pub(super) fn prefetch_item(items: &[Option<Obj<'_>>]) {
    if let Some(Some(item)) = items.get(2) {
        item.prefetch();
    }
}
