//! The frames of an `Encoder`: what one walks, and where it is.

use crate::encode::stack::{self, Keeps};
use crate::encode::text_members::TextMembers;
use crate::py::dict::{self, Cursor};
use crate::py::{Attached, Owned, Raised, list, tuple};

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

/// Where the walk of a container is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) form: Form,
    /// Members of the object around it: without brackets.
    pub(super) inside: bool,
    /// The plan that `at` is an index in.
    pub(super) plan_id: u32,
    pub(super) at: u32,
    /// The next item or field.
    pub(super) index: usize,
    pub(super) cursor: Cursor,
}

/// The stack of an `Encoder`; the extra of a dict is the key of the member being written, if it is known.
pub(super) type Stack = stack::Stack<Position, Option<Owned>>;

/// A container to be opened.
pub(super) type Opening = stack::Opening<Position>;

impl stack::Position for Position {
    #[inline(always)]
    fn keeps(&self) -> Keeps {
        match self.form {
            Form::TextMembers => Keeps::Members,
            Form::Dict => Keeps::Extra,
            _ => Keeps::Nothing,
        }
    }
}

impl Opening {
    /// A container from its first element on.
    pub(super) fn new(form: Form, owner: Owned, plan_id: u32, at: u32) -> Self {
        let cursor = match form {
            Form::Dict => Cursor::new(owner.get()),
            _ => Cursor::default(),
        };
        let position = Position { form, inside: false, plan_id, at, index: 0, cursor };
        Self { position, owner, members: None }
    }

    /// An object of these members.
    pub(super) fn of_members(members: TextMembers, owner: Owned, plan_id: u32, at: u32) -> Self {
        let opening = Self::new(Form::TextMembers, owner, plan_id, at);
        Self { members: Some(members), ..opening }
    }

    /// Adds its frame to the stack.
    pub(super) fn push(self, stack: &mut Stack) -> Result<(), Raised> {
        match self.position.form {
            Form::Dict => stack.push_with(self.position, self.owner, None),
            _ => stack.open(self),
        }
    }

    /// Whether it is a container without elements.
    pub(super) fn is_empty(&self, py: &Attached) -> bool {
        let owner = self.owner.get();
        match self.position.form {
            Form::List => list::frozen_len(owner) == 0,
            Form::Tuple | Form::Fixed => tuple::items(owner, py).is_empty(),
            Form::Dict => dict::size(owner) == 0,
            Form::TextMembers | Form::Fields | Form::Hold => false,
        }
    }

    /// The bracket that opens it.
    pub(super) fn bracket(&self) -> u8 {
        let is_array = matches!(self.position.form, Form::List | Form::Tuple | Form::Fixed);
        if is_array { b'[' } else { b'{' }
    }
}
