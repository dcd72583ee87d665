//! Instances of classes: finding and reading their attributes, and making instances.
//!
//! `slot` finds class attributes and slots. `read` reads attributes in the order in which they were
//! set, `layout` by offset. `build` and `inline_values` make instances without calling the class.
//! Separate because all of them depend on how the interpreter stores attributes. Called by both
//! walks and by the compilers of plans.

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
