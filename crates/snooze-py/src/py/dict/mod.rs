//! `dict`: `read` walks one that user code may change, `build` makes one.
//!
//! Separate because both need the private layout of a dict's keys. Called by both walks, and by the
//! compilers of plans for look-ups.

pub(super) mod build;
pub(super) mod read;

pub(crate) use self::build::{
    empty, fill, first_of_pairs, from_any_pairs, from_pairs, set_item, track,
};
pub(crate) use self::read::{
    Cursor, Dict, OrderedDict, OwnedDict, StrEntry, checked, entries, get, has_hashed_entries,
    is_frozen, last_before, locked_hashed_entries, locked_str_entries, ordered_entries,
    prefetch_entries, size, str_entries, str_value, update,
};
