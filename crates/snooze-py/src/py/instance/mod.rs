//! Instances of classes: where they keep their attributes, reading those, and making instances.
//!
//! `slot` finds attributes of classes and slots, `read` shows attributes in the order in which they were set,
//! `layout` reads them by offset, `build` and `inline_values` make instances without their constructor.

pub(super) mod build;
pub(super) mod inline_values;
pub(super) mod layout;
pub(super) mod read;
pub(super) mod slot;

pub(crate) use self::build::{Class, SlotsOnly, hide};
pub(crate) use self::inline_values::InlineValues;
pub(crate) use self::layout::{FieldOffset, InstanceMemory, Layout};
pub(crate) use self::read::{Attributes, is_plain};
pub(crate) use self::slot::{Slot, in_slot, is_ordinary, method, of_class, of_type, slot};
