//! `dict`: `read` walks one that user code may change, `build` makes one.

pub(super) mod build;
pub(super) mod read;

pub(crate) use self::build::{empty, from_any_pairs, from_pairs, set_item};
pub(crate) use self::read::{
    Cursor, Item, TextEntry, any_entries, entries, get, has_any_keys, locked, new, ordered_entries,
    size, text_entries, text_value, update,
};
