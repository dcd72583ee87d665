//! The open containers of a walk.
//!
//! Frames own their containers: user code may take one out of its parent meanwhile. Positions are
//! numbers; every step asks the container anew.

use crate::encode::text_members::TextMembers;
use crate::py::dict::Cursor;
use crate::py::{Attached, Owned, Raised, dict, error, list, tuple};

/// What a frame walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A frozen list; `at` is the node of its items.
    List,
    /// A tuple, likewise.
    Tuple,
    /// A tuple whose items have nodes of their own; `at` is the place in `fixed`.
    Fixed,
    /// A dict in its own order; `at` is the place of its nodes.
    Dict,
    /// Members whose keys are texts already, likewise.
    TextMembers,
    /// The fields of a record, whose place `at` is.
    Fields,
    /// What a conversion gave, kept alive while it is written.
    Hold,
}

/// An open container.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) form: Form,
    /// Members of the object around it: without brackets.
    pub(super) inside: bool,
    /// The plan that `at` is a place in.
    pub(super) plan_id: u32,
    pub(super) at: u32,
    /// The next item or field.
    pub(super) index: usize,
    pub(super) cursor: Cursor,
    pub(super) owner: Owned,
    /// The key of the member that is written, if that is known.
    pub(super) key: Option<Owned>,
}

impl Frame {
    /// A frame that begins with the first element.
    pub(super) fn new(form: Form, owner: Owned, plan_id: u32, at: u32) -> Self {
        let cursor = match form {
            Form::Dict => Cursor::new(owner.get()),
            _ => Cursor::default(),
        };
        Self { form, inside: false, plan_id, at, index: 0, cursor, owner, key: None }
    }

    /// Whether it is a container without elements.
    pub(super) fn is_empty(&self, py: &Attached) -> bool {
        let owner = self.owner.get();
        match self.form {
            Form::List => list::frozen_len(owner) == 0,
            Form::Tuple | Form::Fixed => tuple::items(owner, py).is_empty(),
            Form::Dict => dict::size(owner) == 0,
            Form::TextMembers | Form::Fields | Form::Hold => false,
        }
    }

    /// The bracket that opens it.
    pub(super) fn bracket(&self) -> u8 {
        if matches!(self.form, Form::List | Form::Tuple | Form::Fixed) { b'[' } else { b'{' }
    }
}

/// The stack of open containers.
///
/// Invariant: `entries` has one element for each frame of that form.
#[derive(Debug, Default)]
pub(super) struct Stack {
    pub(super) frames: Vec<Frame>,
    pub(super) entries: Vec<TextMembers>,
}

impl Stack {
    pub(super) fn push(&mut self, frame: Frame) -> Result<(), Raised> {
        self.frames.try_reserve(1).map_err(|_| error::no_memory())?;
        self.frames.push(frame);
        Ok(())
    }

    /// Puts members on the stack.
    pub(super) fn push_entries(
        &mut self,
        frame: Frame,
        entries: TextMembers,
    ) -> Result<(), Raised> {
        self.entries.try_reserve(1).map_err(|_| error::no_memory())?;
        self.push(frame)?;
        self.entries.push(entries);
        Ok(())
    }

    /// Takes the innermost frame away.
    pub(super) fn pop(&mut self) {
        if let Some(frame) = self.frames.pop()
            && frame.form == Form::TextMembers
        {
            self.entries.pop();
        }
    }

    /// Takes all frames away, the innermost first.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        while !self.frames.is_empty() {
            self.pop();
        }
    }
}
