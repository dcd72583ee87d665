//! An open container of the walk by policies.
//!
//! Separate because `walk` opens containers and `object` closes some of them.

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The index of its first value on the stack.
    pub(super) values_start: usize,
    /// The index of its first name among the offsets of names, which are kept only where duplicates
    /// are an error.
    pub(super) offsets_start: usize,
    pub(super) is_object: bool,
    /// Whether its values include containers, or what a hook made of one.
    pub(super) has_containers: bool,
}
