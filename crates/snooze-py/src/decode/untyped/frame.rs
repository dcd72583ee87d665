//! Frames: where the values of an open container of `loads` start on the stack.
//!
//! Separate because `walk` and `float_arrays` both open and close containers. Invariant: a frame is
//! plain data, copied to the stack of frames when an inner container opens.

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The index of its first value on the stack.
    pub(super) values_start: usize,
    pub(super) is_object: bool,
    /// Whether its values include containers.
    pub(super) has_containers: bool,
}
