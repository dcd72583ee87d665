//! Frames of `loads`: opening and closing containers.
//!
//! Separate because `walk` and `number_arrays` both open and close containers. Invariant: where
//! [`makes_parents_first`], an open container is an empty list or dict on the stack, right before
//! its first value, and is tracked by the collector before any container inside it. No other code
//! can reach it until the walk returns, and no collection may start before that: up to 3.13, one
//! would untrack a dict that is still empty for good.
//!
//! PERF: parents first, because a young collection walks its objects in the order in which they
//! were tracked. It moves a child that comes before its parent to the unreachable list and back.

use crate::decode::scratch::push;
use crate::py::dict::Dict;
use crate::py::{Attached, Owned, Raised, compat, dict, list};

/// Whether a container is made when it opens, and not when it closes. Not where private layouts are
/// not used, as in debug builds, nor on free-threaded builds, whose collector does not depend on
/// the order and may run in another thread.
#[inline(always)]
const fn makes_parents_first<const DIRECT: bool>() -> bool {
    DIRECT && compat::FILLS_CONTAINERS
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The index of its first value on the stack.
    pub(super) values_start: usize,
    pub(super) is_object: bool,
    /// Whether its values include containers.
    has_containers: bool,
    /// The number of bytes of white space before its first value or name; beyond 4 GiB any number,
    /// because it is a guess.
    pub(super) indent: u32,
}

impl Frame {
    /// The frame around the document, or around a part of it.
    pub(super) fn document() -> Self {
        Self { values_start: 0, is_object: false, has_containers: false, indent: 0 }
    }

    /// Notes that a container inside this one comes next.
    #[inline(always)]
    pub(super) fn note_container<const DIRECT: bool>(&mut self, py: &Attached, values: &[Owned]) {
        if makes_parents_first::<DIRECT>()
            && self.is_object
            && !self.has_containers
            && let Some(open) = values.get(self.values_start.wrapping_sub(1))
            && let Some(open) = Dict::exact(open.get())
        {
            dict::track(py, open);
        }
        self.has_containers = true;
    }

    /// Opens a container that has values, inside this one, which is put on the stack of frames.
    #[inline(always)]
    pub(super) fn open<const DIRECT: bool>(
        &mut self,
        py: &Attached,
        values: &mut Vec<Owned>,
        frames: &mut Vec<Self>,
        is_object: bool,
        indent: usize,
    ) -> Result<(), Raised> {
        self.note_container::<DIRECT>(py, values);
        push(frames, *self)?;
        if makes_parents_first::<DIRECT>() {
            let container =
                if is_object { dict::empty(py)?.into_owned() } else { list::empty(py)? };
            push(values, container)?;
        }
        let indent = indent as u32;
        *self = Self { values_start: values.len(), is_object, has_containers: false, indent };
        Ok(())
    }

    /// Replaces the values of this frame on the stack by their list.
    #[inline(always)]
    pub(super) fn close_array<const DIRECT: bool>(
        &self,
        py: &Attached,
        values: &mut Vec<Owned>,
    ) -> Result<(), Raised> {
        if makes_parents_first::<DIRECT>() {
            return list::fill(py, values, self.values_start);
        }
        let list = list::from_values::<DIRECT>(py, values, self.values_start)?;
        push(values, list)
    }

    /// Replaces the members of this frame on the stack by their dict.
    #[inline(always)]
    pub(super) fn close_object<const DIRECT: bool>(
        &self,
        py: &Attached,
        values: &mut Vec<Owned>,
    ) -> Result<(), Raised> {
        if makes_parents_first::<DIRECT>() {
            return dict::fill(py, values, self.values_start);
        }
        let start = self.values_start;
        let dict = dict::from_pairs::<DIRECT>(py, values, start, self.has_containers)?;
        push(values, dict)
    }
}
