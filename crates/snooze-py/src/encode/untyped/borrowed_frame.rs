//! The open containers of the borrowed walk of `dumps`: its frames, and saving them on the stack.
//!
//! Separate from `borrowed` because the walk itself is long. Invariant: the rest of a container is
//! borrowed from the container or from its dataclass, or is in [`MemberLists`], so a frame is valid
//! only while no Python code runs and its lock is held (see `py::lock`). Before that ends,
//! [`save_frames`] makes a frame with strong references of it. Called by `borrowed`.

use crate::encode::context::Context;
use crate::encode::dataclass::Dataclass;
use crate::encode::frame::{DataclassFrame, FrameKind, NewFrame, Position, Stack};
use crate::encode::sorted::{MemberLists, Order};
use crate::encode::text_members::TextMembers;
use crate::encode::untyped::prefetch::prefetch_values;
use crate::options::EncodeFlags;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Cursor, Dict, StrEntry};
use crate::py::list::List;
use crate::py::lock::Lock;
use crate::py::rc::Rc;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Raised, dict, error, list, tuple};

/// What a borrowed frame walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BorrowedKind {
    /// The items of a list or tuple.
    Items,
    /// The entries of a dict.
    Entries,
    /// The members of a dict as [`MemberLists`] has them.
    Listed,
    /// The fields of a dataclass instance.
    Fields,
}

/// An open container, borrowed.
#[derive(Clone, Copy)]
pub(super) struct BorrowedFrame<'a> {
    pub(super) container: Obj<'a>,
    /// The rest of the container: items, keys and values in turn, or field names.
    pub(super) remaining: &'a [Option<Obj<'a>>],
    pub(super) kind: BorrowedKind,
}

impl<'a> BorrowedFrame<'a> {
    /// A frame for these items.
    fn items(container: Obj<'a>, items: &'a [Option<Obj<'a>>]) -> Self {
        Self { container, remaining: items, kind: BorrowedKind::Items }
    }

    /// A frame for these entries of a dict.
    fn entries(container: Obj<'a>, entries: &'a [StrEntry<'a>]) -> Self {
        Self { container, remaining: entries.as_flattened(), kind: BorrowedKind::Entries }
    }

    /// The items of a list or tuple that is not empty and can be walked here, and the lock of a
    /// list.
    #[inline(always)]
    pub(super) fn items_of_array(
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<(&'a [Option<Obj<'a>>], Option<Lock<'a>>)> {
        let (items, lock) = if let Some(list) = List::exact(object) {
            let lock = Lock::take(object, py)?;
            (list::locked_items(list, &lock), Some(lock))
        } else {
            (tuple::items(Tuple::exact(object)?, py), None)
        };
        (!items.is_empty()).then_some((items, lock))
    }

    /// The members and the lock of a dict that is not empty and can be walked here.
    #[inline(always)]
    pub(super) fn members_of_dict(
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<(&'a [StrEntry<'a>], Lock<'a>)> {
        let dict = Dict::exact(object)?;
        let lock = Lock::take(object, py)?;
        let members = dict::locked_str_entries(dict, &lock)?;
        prefetch_values(members);
        (dict::size(dict) != 0).then_some((members, lock))
    }

    /// Returns the opening bracket of an empty list, tuple or dict.
    #[inline(always)]
    pub(super) fn empty_bracket(object: Obj<'a>) -> Option<u8> {
        if let Some(list) = List::exact(object) {
            return list::is_empty(list).then_some(b'[');
        }
        if let Some(tuple) = Tuple::exact(object) {
            return (tuple::len(tuple) == 0).then_some(b'[');
        }
        (dict::size(Dict::exact(object)?) == 0).then_some(b'{')
    }

    /// Returns a frame for a dict whose members must be listed, and its lock; `None` if it cannot
    /// be walked here.
    #[inline(never)]
    pub(super) fn of_listed_dict(
        dict: Dict<'a>,
        py: &'a Attached,
        member_lists: &mut Option<MemberLists<'a>>,
        flags: EncodeFlags,
    ) -> Result<Option<(Self, Lock<'a>)>, Raised> {
        let container = dict.obj();
        let Some(lock) = Lock::take(container, py) else { return Ok(None) };
        if dict::size(dict) == 0 {
            // Another thread has just emptied it.
            return Ok(None);
        }
        let members = member_lists.get_or_insert_default();
        let opened = match members.list_members(dict, &lock, flags)? {
            Order::AsIs => {
                dict::locked_str_entries(dict, &lock).map(|all| Self::entries(container, all))
            }
            Order::Listed => Some(Self { container, remaining: &[], kind: BorrowedKind::Listed }),
            Order::Unsupported => None,
        };
        Ok(opened.map(|opened| (opened, lock)))
    }

    /// Returns a frame for the rest of a container whose position is on the stack.
    ///
    /// PERF: inlined, because as a separate function it changed the registers of the whole walk:
    /// 1.3 % of the instructions of a document of coordinates, 1.7 % of a catalogue (callgrind,
    /// AVX2, 2026-11-22).
    #[inline(always)]
    pub(super) fn of_position(
        position: &Position,
        container: Obj<'a>,
        py: &'a Attached,
    ) -> Option<Self> {
        let items = match position.kind {
            FrameKind::List => list::items_of(container, py),
            FrameKind::Tuple => tuple::items_of(container, py),
            FrameKind::Dict => {
                let entries = position.cursor.str_entries::<true>(Dict::any(container)?, py)?;
                return Some(Self::entries(container, entries));
            }
            _ => return None,
        };
        Some(Self::items(container, items.get(position.index..).unwrap_or(&[])))
    }

    /// Returns the position in a list, a tuple, or a dict in its own order.
    fn to_position(self, py: &Attached) -> Position {
        let remaining = self.remaining.len();
        let (kind, index, cursor) = if self.kind == BorrowedKind::Entries
            && let Some(dict) = Dict::any(self.container)
        {
            (FrameKind::Dict, 0, Cursor::before_last(dict, py, remaining / 2))
        } else if let Some(tuple) = Tuple::exact(self.container) {
            // In a free-threaded build a frozen list is a tuple with the same items.
            let len = tuple::len(tuple);
            (FrameKind::Tuple, len - remaining, Cursor::default())
        } else {
            // An exact list or an instance of a subclass.
            let len = list::items_of(self.container, py).len();
            (FrameKind::List, len - remaining, Cursor::default())
        };
        Position { kind, has_written: false, index, cursor }
    }
}

/// Returns the dataclass of an open instance. The type cache does not change during a borrowed
/// walk.
#[inline(always)]
pub(super) fn dataclass<'a>(
    cx: &'a Context<'_>,
    container: Obj<'a>,
) -> Result<&'a Rc<Dataclass>, Raised> {
    let dataclass = cx.types.known(container).and_then(|class| class.dataclass.as_ref());
    dataclass.ok_or_else(|| error::runtime_error(c"a dataclass changed while it was written"))
}

/// How open containers become frames.
#[derive(Clone, Copy)]
pub(super) struct Saving {
    /// The outermost has a frame already, which is updated.
    pub(super) resumes_frame: bool,
    /// Members that are left are copied, so that changes of their dict do not show.
    pub(super) copies_members: bool,
}

/// Saves the open containers as frames on the stack, the outermost first. After a failure the stack
/// is as it was, so that the place of the failure can be found from there.
#[inline(never)]
pub(super) fn save_frames(
    outer: &[BorrowedFrame<'_>],
    innermost: Option<BorrowedFrame<'_>>,
    cx: &Context<'_>,
    py: &Attached,
    stack: &mut Stack,
    saving: Saving,
    member_lists: Option<&MemberLists<'_>>,
) -> Result<(), Raised> {
    let (len, last) = (stack.len(), stack.positions.last().copied());
    let saved = push_frames(outer, innermost, cx, py, stack, saving, member_lists);
    if saved.is_err() {
        while stack.len() > len {
            stack.pop();
        }
        if let (Some(position), Some(last)) = (stack.positions.last_mut(), last) {
            *position = last;
        }
    }
    saved
}

/// [`save_frames`], which a failure leaves incomplete.
#[inline(always)]
fn push_frames(
    outer: &[BorrowedFrame<'_>],
    innermost: Option<BorrowedFrame<'_>>,
    cx: &Context<'_>,
    py: &Attached,
    stack: &mut Stack,
    Saving { mut resumes_frame, copies_members }: Saving,
    member_lists: Option<&MemberLists<'_>>,
) -> Result<(), Raised> {
    let all_frames = || outer.iter().copied().chain(innermost);
    let mut listed = all_frames().filter(|frame| frame.kind == BorrowedKind::Listed).count();
    for frame in all_frames() {
        let container = frame.container;
        match (frame.kind, member_lists) {
            (BorrowedKind::Fields, _) => {
                let dataclass = dataclass(cx, container)?;
                let (index, source) = (dataclass.index_of(frame.remaining), dataclass.source());
                let frame = DataclassFrame::new(dataclass.clone(), source);
                stack.push_with_payload(Position::at_field(index), container.to_owned(), frame)?;
            }
            (BorrowedKind::Listed, Some(member_lists)) => {
                listed -= 1;
                let (entries, before) = member_lists.current_and_remaining_of(listed);
                let members = TextMembers::of_rest(entries, before)?;
                stack.push_frame(NewFrame::with_members(members, container.to_owned()))?;
            }
            // On free-threaded builds the rest is copied before the lock is released, and what says
            // where the walk is: the member before the rest, or all items. A frame that is resumed
            // has a tuple already.
            (BorrowedKind::Entries, _) if copies_members => {
                debug_assert!(!resumes_frame, "a dict had a frame of its own and no copy");
                let (entries, _) = frame.remaining.as_chunks();
                let current =
                    Dict::any(container).and_then(|dict| dict::last_before(dict, entries));
                let members =
                    TextMembers::of_rest(current.iter().chain(entries), current.iter().len())?;
                stack.push_frame(NewFrame::with_members(members, container.to_owned()))?;
            }
            (BorrowedKind::Items, _)
                if FREE_THREADED && let Some(list) = List::exact(container) =>
            {
                let all = list::whole(list, frame.remaining);
                let index = all.len() - frame.remaining.len();
                let kind = FrameKind::List;
                let position =
                    Position { kind, has_written: false, index, cursor: Cursor::default() };
                stack.push(position, tuple::of_items(all, py)?)?;
            }
            _ => {
                let position = frame.to_position(py);
                match stack.positions.last_mut() {
                    Some(saved) if resumes_frame => *saved = position,
                    _ => stack.push(position, container.to_owned())?,
                }
            }
        }
        resumes_frame = false;
    }
    Ok(())
}
