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

use crate::encode::classify::Outcome;
use crate::encode::context::Context;
use crate::encode::dataclass::Dataclass;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::frame::{DataclassFrame, FrameKind, NewFrame, Position, Stack};
use crate::encode::scalar::{DumpsPolicy, write_int, write_member_name, write_scalar, write_str};
use crate::encode::text_members::TextMembers;
use crate::encode::untyped::dataclass::{FieldsStop, FieldsTask, Instance};
use crate::encode::untyped::sorted::{MemberLists, Order};
use crate::encode::{classify, depth, key_text};
use crate::options::Config;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Cursor, Dict, StrEntry};
use crate::py::int::Int;
use crate::py::list::FrozenList;
use crate::py::rc::Rc;
use crate::py::tuple::Tuple;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, dict, error, list, tuple, types};

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

/// What a borrowed frame walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BorrowedKind {
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
struct BorrowedFrame<'a> {
    container: Obj<'a>,
    /// The rest of the container: items, keys and values in turn, or field names.
    remaining: &'a [Option<Obj<'a>>],
    kind: BorrowedKind,
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

    /// Returns a frame for the whole container and whether it is empty; `None` if it cannot be
    /// walked here.
    #[inline(always)]
    fn of_container(
        container: Obj<'a>,
        py: &'a Attached,
        walks_dicts: bool,
    ) -> Option<(Self, bool)> {
        if let Some(dict) = Dict::exact(container) {
            if !walks_dicts {
                return None;
            }
            let entries = dict::str_entries(dict, py)?;
            return Some((Self::entries(container, entries), dict::size(dict) == 0));
        }
        // In a free-threaded build, another thread may change a list that is not frozen.
        let items = if !FREE_THREADED && let Some(list) = FrozenList::exact(container) {
            list::items(list, py)
        } else if let Some(tuple) = Tuple::exact(container) {
            tuple::items(tuple, py)
        } else {
            return None;
        };
        Some((Self::items(container, items), items.is_empty()))
    }

    /// Like [`BorrowedFrame::of_container`], for a dict whose members must be listed.
    #[inline(never)]
    fn of_listed_dict(
        dict: Dict<'a>,
        py: &'a Attached,
        member_lists: &mut Option<MemberLists<'a>>,
        config: Config,
    ) -> Result<Option<(Self, bool)>, Raised> {
        let container = dict.obj();
        if dict::size(dict) == 0 {
            return Ok(Some((Self::entries(container, &[]), true)));
        }
        let opened = match member_lists.get_or_insert_default().list_members(dict, py, config)? {
            Order::AsIs => dict::str_entries(dict, py).map(|all| Self::entries(container, all)),
            Order::Listed => Some(Self { container, remaining: &[], kind: BorrowedKind::Listed }),
            Order::Unsupported => None,
        };
        Ok(opened.map(|opened| (opened, false)))
    }

    /// Returns a frame for the rest of a container whose position is on the stack.
    ///
    /// PERF: inlined, because as a separate function it changed the registers of the whole walk:
    /// 1.3 % of the instructions of a document of coordinates, 1.7 % of a catalogue (callgrind, AVX2,
    /// 2026-11-22).
    #[inline(always)]
    fn of_position(position: &Position, container: Obj<'a>, py: &'a Attached) -> Option<Self> {
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

    /// The opening bracket.
    #[inline(always)]
    fn bracket(&self) -> u8 {
        if matches!(self.kind, BorrowedKind::Items) { b'[' } else { b'{' }
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

/// Prefetches the next item of a list.
///
/// PERF: the containers in a list are far apart in memory: -14 % on citm_catalog. Also prefetching
/// what their headers point to, or the values of a dict, gains nothing (2026-11-21).
#[inline(always)]
fn prefetch(items: &[Option<Obj<'_>>]) {
    if let Some(Some(next)) = items.first() {
        next.prefetch();
    }
}

/// Returns the dataclass of an open instance. The type cache does not change during a borrowed
/// walk.
#[inline(always)]
fn dataclass<'a>(cx: &'a Context<'_>, container: Obj<'a>) -> Result<&'a Rc<Dataclass>, Raised> {
    let dataclass = cx.types.known(container).and_then(|class| class.dataclass.as_ref());
    dataclass.ok_or_else(|| error::runtime_error(c"a dataclass changed while it was written"))
}

/// Saves the open containers as frames on the stack, the outermost first. With `resumes_frame` the
/// outermost has a frame already, which is updated.
#[inline(never)]
fn save_frames(
    outer: &[BorrowedFrame<'_>],
    innermost: Option<BorrowedFrame<'_>>,
    cx: &Context<'_>,
    py: &Attached,
    stack: &mut Stack,
    mut resumes_frame: bool,
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
                let mut entries = TextMembers::default();
                entries.follows_members = true;
                for &[key, value] in member_lists.remaining_of(listed) {
                    let (Some(key), Some(value)) = (key, value) else { continue };
                    entries.push(value.to_owned(), |text| key_text::append_scalar(key, text))?;
                }
                stack.push_frame(NewFrame::with_members(entries, container.to_owned()))?;
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

/// Writes one scalar outside the loop; returns whether it was written.
struct ScalarTask<'a, 'b, B: Buffer> {
    out: Out<'b, B>,
    value: Obj<'a>,
    strict: bool,
}

impl<'b, B: Buffer> Task for ScalarTask<'_, 'b, B> {
    type Output = Result<(Out<'b, B>, bool), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(mut self) -> Self::Output {
        let written = write_scalar::<V, _, B, true>(
            &mut self.out,
            self.value,
            DumpsPolicy { strict: self.strict },
        )?;
        Ok((self.out, written))
    }
}

/// Bytes written, open containers, and the object that needs Python code.
type WalkResult = Result<(usize, usize, Option<Owned>), Raised>;

impl<F: Format, B: Buffer> Task for BorrowedWalk<'_, '_, F, B> {
    type Output = WalkResult;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        self.walk::<V, false>()
    }
}

/// A borrowed walk whose options require listing the members of dicts.
pub(super) struct WithMemberLists<T>(pub(super) T);

impl<F: Format, B: Buffer> Task for WithMemberLists<BorrowedWalk<'_, '_, F, B>> {
    type Output = WalkResult;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        self.0.walk::<V, true>()
    }
}

impl<F: Format, B: Buffer> BorrowedWalk<'_, '_, F, B> {
    /// Walks until the root is written or an object needs Python code. Requires private layouts.
    #[inline(always)]
    fn walk<V: Vector, const MEMBER_LISTS: bool>(self) -> WalkResult {
        let Self { output, used, cx, py, stack, root, resumes_frame, mut depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let strict = cx.config.has(Config::STRICT_INTEGER);
        let passes_subclass = cx.config.has(Config::PASSTHROUGH_SUBCLASS);
        let mut member_lists: Option<MemberLists<'_>> = None;
        // PERF: the innermost frame is in three variables. A `BorrowedFrame` would be copied by one
        // vector load right after its parts were stored, and the load would stall: 11 % of
        // citm_catalog (2026-11-21).
        let mut outer = ArrayVec::<_, DUMPS_LIMIT>::new_const();
        let (mut container, mut remaining, mut kind) = (None, &[][..], BorrowedKind::Items);
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
            next_value = None;
        }
        /// The member lists; a plain walk must not test for them at all.
        macro_rules! current_lists {
            () => {
                if MEMBER_LISTS { member_lists.as_ref() } else { None }
            };
        }
        /// Opens a container inside the innermost one.
        macro_rules! open_container {
            ($object:expr, $remaining:expr, $kind:expr) => {{
                depth += 1;
                if let Some(container) = container {
                    // There is room for the maximum depth.
                    let _ = outer.try_push(BorrowedFrame { container, remaining, kind });
                }
                (container, remaining, kind) = (Some($object), $remaining, $kind);
            }};
        }
        /// Writes members up to the first value that is no scalar; runs `$note` with the rest and
        /// gives the value.
        macro_rules! write_members {
            ($entries:expr, |$rest:ident| $note:expr) => {{
                let mut entries = $entries.iter();
                loop {
                    let Some(entry) = entries.next() else {
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                        break None;
                    };
                    let &[Some(key), Some(value)] = entry else { continue };
                    F::start_element(&mut out, depth)?;
                    if let Some(name) = Str::exact(key) {
                        write_member_name::<V, DumpsPolicy, F, B, true>(&mut out, name)?;
                    } else if MEMBER_LISTS {
                        out.small(|room| (key_text::scalar_name(room, key), ()))?;
                        F::after_colon(&mut out)?;
                    } else {
                        return Err(key_text::not_a_str());
                    }
                    if !write_scalar::<V, _, B, true>(&mut out, value, DumpsPolicy { strict })? {
                        let $rest = entries.as_slice();
                        $note;
                        break Some(value);
                    }
                }
            }};
        }
        'walk: loop {
            if let Some(object) = next_value.take() {
                // Open the value, or look at it more closely.
                let mut opened =
                    BorrowedFrame::of_container(object, py, !MEMBER_LISTS && !FREE_THREADED);
                if MEMBER_LISTS && let Some(dict) = Dict::exact(object) {
                    opened = BorrowedFrame::of_listed_dict(dict, py, &mut member_lists, cx.config)?;
                }
                let mut needs_python = false;
                if let Some((opened, is_empty)) = opened {
                    depth::check(depth, DUMPS_LIMIT)?;
                    if is_empty {
                        out.empty(opened.bracket(), b',')?;
                    } else {
                        out.byte(opened.bracket())?;
                        let mut items = opened.remaining.iter();
                        // PERF: most lists hold only scalars, so those are written before a frame
                        // is made: +5 % on canada, +8 % on mesh, -3 % on citm_catalog (2026-11-21).
                        if opened.kind == BorrowedKind::Items {
                            next_value = loop {
                                let Some(&Some(item)) = items.next() else {
                                    F::close(&mut out, b']', depth)?;
                                    if container.is_none() {
                                        return Ok((out.len(), depth, None));
                                    }
                                    continue 'walk;
                                };
                                F::start_element(&mut out, depth + 1)?;
                                if !write_scalar::<V, _, B, true>(
                                    &mut out,
                                    item,
                                    DumpsPolicy { strict },
                                )? {
                                    prefetch(items.as_slice());
                                    break Some(item);
                                }
                            };
                        }
                        open_container!(object, items.as_slice(), opened.kind);
                        if next_value.is_some() {
                            continue;
                        }
                    }
                } else if types::base(object).is_some() {
                    if let Some(text) = Str::any(object).filter(|_| !passes_subclass) {
                        write_str::<V, DumpsPolicy, B, true>(&mut out, text, b',')?;
                    } else if let Some(number) = Int::any(object).filter(|_| !passes_subclass) {
                        write_int::<_, B, true>(&mut out, number, DumpsPolicy { strict })?;
                    } else {
                        needs_python = true;
                    }
                } else {
                    match out.small(|room| classify::write_borrowed(room, cx, py, object))? {
                        Outcome::Written => {}
                        Outcome::Fragment => {
                            match crate::encode::fragment::borrowed_bytes(py, object) {
                                Some(bytes) => out.raw_value(bytes, b',')?,
                                None => needs_python = true,
                            }
                        }
                        Outcome::Value(value) => {
                            let written;
                            (out, written) = V::run_outlined(ScalarTask { out, value, strict })?;
                            needs_python = !written;
                        }
                        Outcome::Dataclass(dataclass) => {
                            depth::check(depth, DUMPS_LIMIT)?;
                            out.byte(b'{')?;
                            let fields = FieldsTask::<F, B> {
                                dataclass,
                                index: 0,
                                instance: Instance::new(object, dataclass.source(), py),
                                out,
                                depth: depth + 1,
                                strict,
                                format: PhantomData,
                            };
                            let (index, stop);
                            (out, index, stop) = V::run_outlined(fields)?;
                            match stop {
                                FieldsStop::End => F::close(&mut out, b'}', depth)?,
                                FieldsStop::NotScalar(value) => {
                                    open_container!(
                                        object,
                                        dataclass.names_from(index),
                                        BorrowedKind::Fields
                                    );
                                    next_value = Some(value);
                                    continue;
                                }
                                FieldsStop::NeedsLookup => {
                                    open_container!(
                                        object,
                                        dataclass.names_from(index),
                                        BorrowedKind::Fields
                                    );
                                    let innermost = container.map(|container| BorrowedFrame {
                                        container,
                                        remaining,
                                        kind,
                                    });
                                    let outer = &outer;
                                    save_frames(
                                        outer,
                                        innermost,
                                        cx,
                                        py,
                                        stack,
                                        resumes_frame,
                                        current_lists!(),
                                    )?;
                                    return Ok((out.len(), depth, None));
                                }
                            }
                        }
                        Outcome::NeedsPython => needs_python = true,
                    }
                }
                if needs_python {
                    let innermost =
                        container.map(|container| BorrowedFrame { container, remaining, kind });
                    save_frames(&outer, innermost, cx, py, stack, resumes_frame, current_lists!())?;
                    return Ok((out.len(), depth, Some(object.to_owned())));
                }
            }
            let Some(innermost_container) = container else { return Ok((out.len(), depth, None)) };
            next_value = if kind == BorrowedKind::Entries {
                let (entries, _) = remaining.as_chunks();
                write_members!(entries, |entries| remaining = entries.as_flattened())
            } else if kind == BorrowedKind::Items {
                let mut items = remaining.iter();
                loop {
                    let Some(&Some(item)) = items.next() else {
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                        break None;
                    };
                    F::start_element(&mut out, depth)?;
                    if !write_scalar::<V, _, B, true>(&mut out, item, DumpsPolicy { strict })? {
                        remaining = items.as_slice();
                        prefetch(remaining);
                        break Some(item);
                    }
                }
            } else if MEMBER_LISTS
                && kind == BorrowedKind::Listed
                && let Some(member_lists) = &mut member_lists
            {
                let (written, count) = {
                    let mut count = 0;
                    let written = write_members!(member_lists.remaining_of(0), |members| count =
                        members.len());
                    (written, count)
                };
                if written.is_some() {
                    member_lists.set_remaining(count);
                } else {
                    member_lists.close();
                }
                written
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
                    FieldsStop::NeedsLookup => {
                        let innermost =
                            BorrowedFrame { container: innermost_container, remaining, kind };
                        let outer = &outer;
                        save_frames(
                            outer,
                            Some(innermost),
                            cx,
                            py,
                            stack,
                            resumes_frame,
                            current_lists!(),
                        )?;
                        return Ok((out.len(), depth, None));
                    }
                }
            };
            if next_value.is_none() {
                // Return to the enclosing container.
                let Some(enclosing) = outer.pop() else {
                    if resumes_frame {
                        stack.pop();
                    }
                    return Ok((out.len(), depth, None));
                };
                (container, remaining, kind) =
                    (Some(enclosing.container), enclosing.remaining, enclosing.kind);
            }
        }
    }
}
