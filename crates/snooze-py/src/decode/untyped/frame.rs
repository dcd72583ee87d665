//! An open container of `loads`.

/// An open container: where its values start on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(super) start: usize,
    pub(super) is_object: bool,
    /// Whether a container is among its values.
    pub(super) nested: bool,
}
