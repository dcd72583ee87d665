//! The borrowed walk of `dumps`: lists, tuples, dicts, scalars, and what else needs no Python code.
//!
//! Separate from `walk` because it only borrows the `Attached` token, so no Python code can run.
//! Therefore containers need no strong references, and the rest of a container is a slice. At the
//! first object that needs Python code the walk saves its frames on the stack and returns the
//! object; `walk` handles it and later starts this walk again at the innermost frame. Requires
//! private layouts. Called by `walk`.
//!
//! PERF: a strong reference and a stack frame for each container, and a new look at it after each
//! container inside, took 18 % of citm_catalog and 11 % of twitter (2026-11-21).

use core::marker::PhantomData;

use arrayvec::ArrayVec;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::context::Context;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::frame::Stack;
use crate::encode::numbers::{self, FloatsTask, NumbersTask};
use crate::encode::policy::{DumpsPolicy, Policy};
use crate::encode::scalar::{write_item, write_member_name};
use crate::encode::sorted::MemberLists;
use crate::encode::untyped::borrowed_frame::{
    BorrowedFrame, BorrowedKind, Saving, dataclass, save_frames,
};
use crate::encode::untyped::dataclass::{FieldsStop, FieldsTask, Instance};
use crate::encode::untyped::other::{OtherStop, OtherTask};
use crate::encode::untyped::prefetch::prefetch_after;
use crate::encode::untyped::texts::{TextItemsTask, TextValuesTask};
use crate::encode::{depth, key_text};
use crate::options::EncodeFlags;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Dict, StrEntry};
use crate::py::lock::LockStack;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// A borrowed walk over one object.
pub(super) struct BorrowedWalk<'a, 'c, F, B: Buffer> {
    pub(super) output: &'a mut B,
    /// Bytes of the output that are already written.
    pub(super) used: usize,
    pub(super) cx: &'a Context<'c>,
    pub(super) py: &'a Attached,
    pub(super) stack: &'a mut Stack,
    pub(super) root: &'a Owned,
    /// `root` is the container of the innermost frame: resume at its position, and pop it at its
    /// end.
    pub(super) resumes_frame: bool,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// Writes the members of the innermost object up to its first value that is no scalar, which is
/// returned, with the rest left in `members`; or up to its end, which is written too.
#[inline(always)]
fn write_members<'a, 'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    members: &mut &[StrEntry<'a>],
    depth: usize,
    strict: bool,
    lists_members: bool,
) -> Result<(Out<'b, B>, Option<Obj<'a>>), Raised> {
    let mut rest = members.iter();
    while let Some(member) = rest.next() {
        let &[Some(key), Some(value)] = member else { continue };
        F::start_element(&mut out, depth)?;
        if let Some(name) = Str::exact(key) {
            write_member_name::<V, F::Scalars, F, B, true>(&mut out, name)?;
        } else if lists_members {
            out.small(|room| (key_text::scalar_name(room, key), ()))?;
            F::after_colon(&mut out)?;
        } else {
            return Err(key_text::not_a_str());
        }
        if !write_item::<V, _, B>(&mut out, value, F::scalars(strict))? {
            if let Some(text) = Str::exact(value) {
                let (members, format) = (rest.as_slice(), PhantomData);
                let task = TextValuesTask::<F, B> { text, members, out, depth, format };
                let members;
                (out, members) = V::run_outlined(task)?;
                rest = members.iter();
                continue;
            }
            // PERF: empty containers among members are common: -3 % on citm_catalog (2026-11-26).
            if let Some(bracket) = BorrowedFrame::empty_bracket(value) {
                depth::check(depth, DUMPS_LIMIT)?;
                out.empty(bracket, b',')?;
                continue;
            }
            *members = rest.as_slice();
            return Ok((out, Some(value)));
        }
    }
    F::close(&mut out, b'}', depth - 1)?;
    Ok((out, None))
}

/// Bytes written, open containers, and the object that needs Python code.
pub(super) type WalkResult = Result<(usize, usize, Option<Owned>), Raised>;

impl<F: Format, B: Buffer> Task for BorrowedWalk<'_, '_, F, B> {
    type Output = WalkResult;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        self.walk::<V, false>(false)
    }
}

/// A borrowed walk that can list the members of dicts, and does so if the options require it.
struct WithMemberLists<T> {
    walk: T,
    lists_members: bool,
}

impl<F: Format, B: Buffer> Task for WithMemberLists<BorrowedWalk<'_, '_, F, B>> {
    type Output = WalkResult;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        self.walk.walk::<V, true>(self.lists_members)
    }
}

impl<F: Format, B: Buffer> BorrowedWalk<'_, '_, F, B> {
    /// Runs the walk in a separate function.
    #[inline(always)]
    pub(super) fn run<V: Vector>(self, lists_members: bool) -> WalkResult {
        // A format with white space has one walk: a test for each dict instead of 290 kB of code.
        if F::SPACED || lists_members {
            V::run_outlined(WithMemberLists { walk: self, lists_members })
        } else {
            V::run_outlined(self)
        }
    }

    /// Walks until the root is written or an object needs Python code. Requires private layouts.
    #[inline(always)]
    fn walk<V: Vector, const MEMBER_LISTS: bool>(self, lists_members: bool) -> WalkResult {
        let lists = MEMBER_LISTS && (lists_members || !F::SPACED);
        let Self { output, used, cx, py, stack, root, resumes_frame, mut depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let strict = cx.flags.has(EncodeFlags::STRICT_INTEGER);
        let mut member_lists: Option<MemberLists<'_>> = None;
        // PERF: the innermost frame is in three variables. A `BorrowedFrame` would be copied by one
        // vector load right after its parts were stored, and the load would stall: 11 % of
        // citm_catalog (2026-11-21).
        let mut outer = ArrayVec::<_, DUMPS_LIMIT>::new_const();
        let (mut container, mut remaining, mut kind) = (None, &[][..], BorrowedKind::Items);
        // The locks of the open containers, `container` included; released when the walk ends.
        let mut locks = LockStack::<DUMPS_LIMIT>::new();
        let mut next_value = Some(root.get());
        if resumes_frame {
            let position = stack.positions.last();
            let Some(resumed) =
                position.and_then(|position| BorrowedFrame::of_position(position, root.get(), py))
            else {
                return Err(error::runtime_error(c"dictionary changed size during iteration"));
            };
            (container, remaining, kind) =
                (Some(resumed.container), resumed.remaining, resumed.kind);
            locks.open(None)?;
            next_value = None;
        }
        /// Opens a container inside the innermost one.
        macro_rules! open_container {
            ($object:expr, $remaining:expr, $kind:expr, $lock:expr) => {{
                depth += 1;
                locks.open($lock)?;
                if let Some(container) = container {
                    // There is room for the maximum depth.
                    let _ = outer.try_push(BorrowedFrame { container, remaining, kind });
                }
                (container, remaining, kind) = (Some($object), $remaining, $kind);
            }};
        }
        /// Writes an item of a list if it is a text, and the texts after it; returns whether it is
        /// one.
        macro_rules! write_texts {
            ($item:expr, $items:expr, $depth:expr) => {
                match Str::exact($item) {
                    Some(text) => {
                        let (items, format) = ($items.as_slice(), PhantomData);
                        let task =
                            TextItemsTask::<F, B> { text, items, out, depth: $depth, format };
                        let items;
                        (out, items) = V::run_outlined(task)?;
                        $items = items.iter();
                        true
                    }
                    None => false,
                }
            };
        }
        let object = 'walk: loop {
            // PERF: the members up to the first container, too: citm_catalog and apache_builds 0.88
            // of the time, github, update-center and random 0.95 (2026-11-28).
            if !lists
                && let Some(object) = next_value
                && let Some((mut members, lock)) = BorrowedFrame::members_of_dict(object, py)
            {
                depth::check(depth, DUMPS_LIMIT)?;
                out.byte(b'{')?;
                (out, next_value) =
                    write_members::<V, F, B>(out, &mut members, depth + 1, strict, lists)?;
                if next_value.is_some() {
                    let rest = members.as_flattened();
                    open_container!(object, rest, BorrowedKind::Entries, Some(lock));
                    continue 'walk;
                }
            }
            // PERF: most arrays hold only scalars, so those are written before a frame is made: -13
            // % on canada, -20 % on pairs of integers (lists in lists, 2026-11-22), -8 % on
            // language-subtag-registry (lists in dicts), -7 % on tuples of pairs (2026-11-28).
            // After dicts, because before them documents of many dicts take 1.02 to 1.05 of the
            // time.
            if let Some(object) = next_value
                && let Some((items, lock)) = BorrowedFrame::items_of_array(object, py)
            {
                depth::check(depth, DUMPS_LIMIT)?;
                out.byte(b'[')?;
                let mut items = items;
                if !F::SPACED && V::SHORTEST_DECIMALS && numbers::may_begin(items) {
                    // Only the compact format has no white space, and its scalars are those of
                    // `dumps`.
                    let floats = FloatsTask { items, out, policy: DumpsPolicy { strict } };
                    let task = NumbersTask { floats, py, depth: depth + 1 };
                    (out, items) = V::run_outlined(task)?;
                }
                let mut items = items.iter();
                next_value = None;
                while let Some(&Some(item)) = items.next() {
                    F::start_element(&mut out, depth + 1)?;
                    let is_written = write_item::<V, _, B>(&mut out, item, F::scalars(strict))?
                        || write_texts!(item, items, depth + 1);
                    if !is_written {
                        let rest = items.as_slice();
                        open_container!(object, rest, BorrowedKind::Items, lock);
                        prefetch_after(remaining);
                        next_value = Some(item);
                        continue 'walk;
                    }
                }
                F::close(&mut out, b']', depth)?;
            }
            if let Some(object) = next_value.take() {
                // An empty container, a dict whose members must be listed, or another object.
                if let Some(bracket) = BorrowedFrame::empty_bracket(object) {
                    depth::check(depth, DUMPS_LIMIT)?;
                    out.empty(bracket, b',')?;
                } else if lists
                    && let Some(dict) = Dict::exact(object)
                    && let Some((opened, lock)) =
                        BorrowedFrame::of_listed_dict(dict, py, &mut member_lists, cx.flags)?
                {
                    depth::check(depth, DUMPS_LIMIT)?;
                    out.byte(b'{')?;
                    open_container!(object, opened.remaining, opened.kind, Some(lock));
                } else {
                    let is_item = kind == BorrowedKind::Items;
                    let task = OtherTask::<F, B> {
                        object,
                        items: if is_item { remaining } else { &[] },
                        out,
                        cx,
                        py,
                        depth,
                        format: PhantomData,
                    };
                    let (items, stop);
                    (out, items, stop) = V::run_outlined(task)?;
                    if is_item {
                        remaining = items;
                    }
                    match stop {
                        OtherStop::Written => {}
                        OtherStop::NeedsPython(object) => break Some(object.to_owned()),
                        OtherStop::InField(instance, fields, value) => {
                            open_container!(instance, fields, BorrowedKind::Fields, None);
                            if value.is_none() {
                                break None;
                            }
                            next_value = value;
                            continue;
                        }
                    }
                }
            }
            let Some(innermost_container) = container else { return Ok((out.len(), depth, None)) };
            next_value = if kind == BorrowedKind::Entries {
                let (mut entries, _) = remaining.as_chunks();
                let value;
                (out, value) = write_members::<V, F, B>(out, &mut entries, depth, strict, lists)?;
                match value {
                    Some(_) => remaining = entries.as_flattened(),
                    None => depth -= 1,
                }
                value
            } else if kind == BorrowedKind::Items {
                let mut items = remaining.iter();
                loop {
                    let Some(&Some(item)) = items.next() else {
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                        break None;
                    };
                    F::start_element(&mut out, depth)?;
                    if write_item::<V, _, B>(&mut out, item, F::scalars(strict))?
                        || write_texts!(item, items, depth)
                    {
                        continue;
                    }
                    remaining = items.as_slice();
                    prefetch_after(remaining);
                    break Some(item);
                }
            } else if lists
                && kind == BorrowedKind::Listed
                && let Some(member_lists) = &mut member_lists
            {
                let mut members = member_lists.remaining_of(0);
                let value;
                (out, value) = write_members::<V, F, B>(out, &mut members, depth, strict, lists)?;
                let count = members.len();
                match value {
                    Some(_) => member_lists.set_remaining(count),
                    None => {
                        member_lists.close();
                        depth -= 1;
                    }
                }
                value
            } else {
                let dataclass = dataclass(cx, innermost_container)?;
                let fields = FieldsTask::<F, B> {
                    dataclass,
                    index: dataclass.index_of(remaining),
                    instance: Instance::new(innermost_container, dataclass.source(), py),
                    out,
                    depth,
                    strict,
                    format: PhantomData,
                };
                let (index, stop);
                (out, index, stop) = V::run_outlined(fields)?;
                remaining = dataclass.names_from(index);
                match stop {
                    FieldsStop::End => {
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                        None
                    }
                    FieldsStop::NotScalar(value) => Some(value),
                    FieldsStop::NeedsLookup => break None,
                }
            };
            if next_value.is_none() {
                // Return to the enclosing container.
                locks.close();
                let Some(enclosing) = outer.pop() else {
                    if resumes_frame {
                        stack.pop();
                    }
                    return Ok((out.len(), depth, None));
                };
                (container, remaining, kind) =
                    (Some(enclosing.container), enclosing.remaining, enclosing.kind);
            }
        };
        let innermost = container.map(|container| BorrowedFrame { container, remaining, kind });
        let member_lists = if lists { member_lists.as_ref() } else { None };
        // Without indentation `json` takes the members of a dict before it calls `default`.
        let copies_members = FREE_THREADED || F::Scalars::STYLED && !out.is_indented();
        let saving = Saving { resumes_frame, copies_members };
        save_frames(&outer, innermost, cx, py, stack, saving, member_lists)?;
        Ok((out.len(), depth, object))
    }
}
