//! Trees of exact lists, tuples, dicts and scalars: what most documents are made of.
//!
//! Separate from the walk, because here no Python code can run: the witness is only borrowed, for
//! as long as the tree is walked. So containers need no references of their own, and where the
//! walk is in each of them is a slice. What cannot be written under that rule ends it: the open
//! containers become frames of the walk's stack, and the object is handed back to the walk, which
//! later goes on with the innermost frame in here.
//!
//! PERF: references and frames for each container, and looking at it anew after each that is
//! inside it, were 18 % of citm_catalog and 11 % of twitter (2026-11-21).

use core::marker::PhantomData;

use arrayvec::ArrayVec;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::classify::Outcome;
use crate::encode::context::Context;
use crate::encode::dataclass::Dataclass;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::frame::{DataclassFrame, FrameKind, Opening, Position, Stack};
use crate::encode::scalar::{All, integer, member_name, scalar, string};
use crate::encode::text_members::TextMembers;
use crate::encode::untyped::dataclass::{Instance, Scalars, Stop};
use crate::encode::untyped::sorted::{MemberLists, Order};
use crate::encode::{classify, depth, key_text};
use crate::options::Config;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Cursor, StrEntry};
use crate::py::rc::Rc;
use crate::py::types::{Base, Kind};
use crate::py::{Attached, Obj, Owned, Raised, dict, error, list, tuple, types};

/// The walk of a tree.
pub(super) struct Tree<'a, 'c, F, B: Buffer> {
    pub(super) output: &'a mut B,
    /// Bytes of the output that are written.
    pub(super) used: usize,
    pub(super) cx: &'a Context<'c>,
    pub(super) py: &'a Attached,
    pub(super) stack: &'a mut Stack,
    pub(super) root: &'a Owned,
    /// The root is the innermost frame: to go on where that is, and to take it away at its end.
    pub(super) is_frame: bool,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// What is walked of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Items.
    Items,
    /// The entries of a dict.
    TextMembers,
    /// The members of a dict that are in [`MemberLists`].
    Listed,
    /// The fields of a dataclass.
    DataclassFrame,
}

/// An open container.
#[derive(Clone, Copy)]
struct Open<'a> {
    owner: Obj<'a>,
    /// What is still to be written of it: items, keys and values in turn, or names of fields.
    rest: &'a [Option<Obj<'a>>],
    form: Form,
}

impl<'a> Open<'a> {
    fn items(owner: Obj<'a>, items: &'a [Option<Obj<'a>>]) -> Self {
        Self { owner, rest: items, form: Form::Items }
    }

    fn entries(owner: Obj<'a>, entries: &'a [StrEntry<'a>]) -> Self {
        Self { owner, rest: entries.as_flattened(), form: Form::TextMembers }
    }

    /// All of a container, and whether it is empty; `None` for everything that cannot be walked
    /// here.
    #[inline(always)]
    fn whole(owner: Obj<'a>, py: &'a Attached, plain: bool) -> Option<(Self, bool)> {
        if types::is_exact_dict(owner) {
            if !plain {
                return None;
            }
            let entries = dict::str_entries(owner, py)?;
            return Some((Self::entries(owner, entries), dict::size(owner) == 0));
        }
        let items = if types::is_exact_list(owner) {
            if FREE_THREADED {
                // Another thread may change a list that is not frozen.
                return None;
            }
            list::items(owner, py)
        } else if types::is_exact_tuple(owner) {
            tuple::items(owner, py)
        } else {
            return None;
        };
        Some((Self::items(owner, items), items.is_empty()))
    }

    /// As [`Open::whole`], for a dict of which members have to be picked.
    #[inline(never)]
    fn listed(
        owner: Obj<'a>,
        py: &'a Attached,
        lists: &mut Option<MemberLists<'a>>,
        config: Config,
    ) -> Result<Option<(Self, bool)>, Raised> {
        if dict::size(owner) == 0 {
            return Ok(Some((Self::entries(owner, &[]), true)));
        }
        let whole = match lists.get_or_insert_default().list_members(owner, py, config)? {
            Order::AsIs => dict::str_entries(owner, py).map(|all| Self::entries(owner, all)),
            Order::Listed => Some(Self { owner, rest: &[], form: Form::Listed }),
            Order::Unsupported => None,
        };
        Ok(whole.map(|whole| (whole, false)))
    }

    /// What follows in a container that is a frame.
    fn from(place: &Position, owner: Obj<'a>, py: &'a Attached) -> Option<Self> {
        let items = match place.kind {
            FrameKind::List => list::items(owner, py),
            FrameKind::Tuple => tuple::items(owner, py),
            FrameKind::Dict => {
                let entries = place.cursor.str_entries::<true>(owner, py)?;
                return Some(Self::entries(owner, entries));
            }
            _ => return None,
        };
        Some(Self::items(owner, items.get(place.index..).unwrap_or(&[])))
    }

    #[inline(always)]
    fn bracket(&self) -> u8 {
        if matches!(self.form, Form::Items) { b'[' } else { b'{' }
    }

    /// Where a list, a tuple or a dict that is walked as it stands is.
    fn place(self, py: &Attached) -> Position {
        let left = self.rest.len();
        let (kind, index, cursor) = if self.form == Form::TextMembers {
            (FrameKind::Dict, 0, Cursor::before_last(self.owner, py, left / 2))
        } else if types::kind(self.owner) == Kind::Tuple {
            // A frozen list of a free-threaded build is a tuple too, with the same items.
            let whole = tuple::items(self.owner, py).len();
            (FrameKind::Tuple, whole - left, Cursor::default())
        } else {
            // Exact or of a subclass.
            let whole = list::items(self.owner, py).len();
            (FrameKind::List, whole - left, Cursor::default())
        };
        Position { kind, wrote: false, index, cursor }
    }
}

/// Has the next of a list's items brought into the cache.
///
/// PERF: containers in lists are far from each other: -14 % on citm_catalog. What their heads lead
/// to, or the values of a dict, gain nothing more (2026-11-21).
#[inline(always)]
fn prefetch(items: &[Option<Obj<'_>>]) {
    if let Some(Some(next)) = items.first() {
        next.prefetch();
    }
}

/// The dataclass that an open instance is one of. The cache of types does not change meanwhile.
#[inline(always)]
fn dataclass<'a>(cx: &'a Context<'_>, owner: Obj<'a>) -> Result<&'a Rc<Dataclass>, Raised> {
    let dataclass = cx.types.known(owner).and_then(|class| class.dataclass.as_ref());
    dataclass.ok_or_else(|| error::runtime_error(c"a dataclass changed while it was written"))
}

/// Makes frames of the open containers, the outermost first, which may be one already.
#[inline(never)]
fn park(
    held: &[Open<'_>],
    innermost: Option<Open<'_>>,
    cx: &Context<'_>,
    py: &Attached,
    stack: &mut Stack,
    mut is_frame: bool,
    lists: Option<&MemberLists<'_>>,
) -> Result<(), Raised> {
    let open = || held.iter().copied().chain(innermost);
    let mut listed = open().filter(|open| open.form == Form::Listed).count();
    for one in open() {
        let owner = one.owner;
        match (one.form, lists) {
            (Form::DataclassFrame, _) => {
                let dataclass = dataclass(cx, owner)?;
                let (index, source) = (dataclass.index(one.rest), dataclass.source());
                let frame = DataclassFrame::new(dataclass.clone(), source);
                stack.push_with(Position::of_field(index), owner.to_owned(), frame)?;
            }
            (Form::Listed, Some(lists)) => {
                listed -= 1;
                let mut entries = TextMembers::default();
                entries.continued = true;
                for &[key, value] in lists.left_of(listed) {
                    let (Some(key), Some(value)) = (key, value) else { continue };
                    entries.push(value.to_owned(), |text| key_text::append_scalar(key, text))?;
                }
                stack.open(Opening::of_members(entries, owner.to_owned()))?;
            }
            _ => {
                let place = one.place(py);
                match stack.positions.last_mut() {
                    Some(frame) if is_frame => *frame = place,
                    _ => stack.push(place, owner.to_owned())?,
                }
            }
        }
        is_frame = false;
    }
    Ok(())
}
/// Writes an object if it is a scalar, outside the walk; tells whether it was.
struct Scalar<'a, 'b, B: Buffer> {
    out: Out<'b, B>,
    value: Obj<'a>,
    strict: bool,
}

impl<'b, B: Buffer> Task for Scalar<'_, 'b, B> {
    type Output = Result<(Out<'b, B>, bool), Raised>;

    #[inline(always)]
    fn run<V: Vector>(mut self) -> Self::Output {
        let written =
            scalar::<V, _, B, true>(&mut self.out, self.value, All { strict: self.strict })?;
        Ok((self.out, written))
    }
}

/// Bytes written, the depth, and an object that cannot be written in here.
type Walked = Result<(usize, usize, Option<Owned>), Raised>;

impl<F: Format, B: Buffer> Task for Tree<'_, '_, F, B> {
    type Output = Walked;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        self.walk::<V, false>()
    }
}

/// A tree with options for which members of dicts have to be picked.
///
/// PERF: apart from other trees, which would be up to 9 % slower (2026-11-21).
pub(super) struct Listing<T>(pub(super) T);

impl<F: Format, B: Buffer> Task for Listing<Tree<'_, '_, F, B>> {
    type Output = Walked;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        self.0.walk::<V, true>()
    }
}

impl<F: Format, B: Buffer> Tree<'_, '_, F, B> {
    /// Only where private layouts may be used.
    #[inline(always)]
    fn walk<V: Vector, const LISTS: bool>(self) -> Walked {
        let Self { output, used, cx, py, stack, root, is_frame, mut depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let strict = cx.config.has(Config::STRICT_INTEGER);
        let passes_subclass = cx.config.has(Config::PASSTHROUGH_SUBCLASS);
        let mut lists: Option<MemberLists<'_>> = None;
        // PERF: what is innermost is in variables and not in an `Open`, which would be copied by
        // one vector right after its parts were stored, and that has to wait: 11 % of
        // citm_catalog (2026-11-21).
        let mut held = ArrayVec::<_, DUMPS_LIMIT>::new_const();
        let (mut owner, mut rest, mut form) = (None, &[][..], Form::Items);
        let mut inner = Some(root.get());
        if is_frame {
            let place = stack.positions.last();
            let Some(entered) = place.and_then(|place| Open::from(place, root.get(), py)) else {
                return Err(error::runtime_error(c"dictionary changed size during iteration"));
            };
            (owner, rest, form) = (Some(entered.owner), entered.rest, entered.form);
            inner = None;
        }
        /// The members that were picked; where none are, it must not be asked for them.
        macro_rules! listed {
            () => {
                if LISTS { lists.as_ref() } else { None }
            };
        }
        /// Opens a container inside the innermost one.
        macro_rules! open {
            ($object:expr, $rest:expr, $form:expr) => {{
                depth += 1;
                if let Some(owner) = owner {
                    // As many as can be open, so there is room.
                    let _ = held.try_push(Open { owner, rest, form });
                }
                (owner, rest, form) = (Some($object), $rest, $form);
            }};
        }
        /// Writes members up to the first whose value is no scalar, which it gives, after what is
        /// left was noted.
        macro_rules! members {
            ($entries:expr, |$left:ident| $note:expr) => {{
                let mut entries = $entries.iter();
                loop {
                    let Some(entry) = entries.next() else {
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                        break None;
                    };
                    let &[Some(key), Some(value)] = entry else { continue };
                    F::before(&mut out, depth)?;
                    if types::is_exact_str(key) {
                        member_name::<V, All, F, B, true>(&mut out, key)?;
                    } else if LISTS {
                        out.small(|room| (key_text::scalar_name(room, key), ()))?;
                        F::space(&mut out)?;
                    } else {
                        return Err(key_text::not_a_str());
                    }
                    if !scalar::<V, _, B, true>(&mut out, value, All { strict })? {
                        let $left = entries.as_slice();
                        $note;
                        break Some(value);
                    }
                }
            }};
        }
        'walk: loop {
            if let Some(object) = inner.take() {
                // To be opened, or looked at more closely.
                let mut whole = Open::whole(object, py, !LISTS && !FREE_THREADED);
                if LISTS && types::is_exact_dict(object) {
                    whole = Open::listed(object, py, &mut lists, cx.config)?;
                }
                let mut is_left = false;
                if let Some((whole, is_empty)) = whole {
                    depth::check(depth, DUMPS_LIMIT)?;
                    if is_empty {
                        out.empty(whole.bracket(), b',')?;
                    } else {
                        out.byte(whole.bracket())?;
                        let mut items = whole.rest.iter();
                        // PERF: most lists hold scalars only, which are written before anything is
                        // held: +5 % on canada, +8 % on mesh, -3 % on citm_catalog (2026-11-21).
                        if whole.form == Form::Items {
                            inner = loop {
                                let Some(&Some(item)) = items.next() else {
                                    F::close(&mut out, b']', depth)?;
                                    if owner.is_none() {
                                        return Ok((out.len(), depth, None));
                                    }
                                    continue 'walk;
                                };
                                F::before(&mut out, depth + 1)?;
                                if !scalar::<V, _, B, true>(&mut out, item, All { strict })? {
                                    prefetch(items.as_slice());
                                    break Some(item);
                                }
                            };
                        }
                        open!(object, items.as_slice(), whole.form);
                        if inner.is_some() {
                            continue;
                        }
                    }
                } else if let Some(base) = types::base(object) {
                    match base {
                        Base::Str if !passes_subclass => {
                            string::<V, All, B, true>(&mut out, object, b',')?;
                        }
                        Base::Int if !passes_subclass => {
                            integer::<_, B, true>(&mut out, object, All { strict })?;
                        }
                        _ => is_left = true,
                    }
                } else {
                    match out.small(|room| classify::write_borrowed(room, cx, py, object))? {
                        Outcome::Written => {}
                        Outcome::Fragment => match crate::encode::fragment::plain_bytes(py, object)
                        {
                            Some(bytes) => out.raw_value(bytes, b',')?,
                            None => is_left = true,
                        },
                        Outcome::Value(value) => {
                            let written;
                            (out, written) = V::enter(Scalar { out, value, strict })?;
                            is_left = !written;
                        }
                        Outcome::Dataclass(dataclass) => {
                            depth::check(depth, DUMPS_LIMIT)?;
                            out.byte(b'{')?;
                            let fields = Scalars::<F, B> {
                                dataclass,
                                index: 0,
                                instance: Instance::new(object, dataclass.source(), py),
                                out,
                                depth: depth + 1,
                                strict,
                                format: PhantomData,
                            };
                            let (index, stop);
                            (out, index, stop) = V::enter(fields)?;
                            match stop {
                                Stop::End => F::close(&mut out, b'}', depth)?,
                                Stop::Value(value) => {
                                    open!(object, dataclass.names(index), Form::DataclassFrame);
                                    inner = Some(value);
                                    continue;
                                }
                                Stop::Ask => {
                                    open!(object, dataclass.names(index), Form::DataclassFrame);
                                    let last = owner.map(|owner| Open { owner, rest, form });
                                    let held = &held;
                                    park(held, last, cx, py, stack, is_frame, listed!())?;
                                    return Ok((out.len(), depth, None));
                                }
                            }
                        }
                        Outcome::NeedsPython => is_left = true,
                    }
                }
                if is_left {
                    let last = owner.map(|owner| Open { owner, rest, form });
                    park(&held, last, cx, py, stack, is_frame, listed!())?;
                    return Ok((out.len(), depth, Some(object.to_owned())));
                }
            }
            let Some(around) = owner else { return Ok((out.len(), depth, None)) };
            inner = if form == Form::TextMembers {
                let (entries, _) = rest.as_chunks();
                members!(entries, |entries| rest = entries.as_flattened())
            } else if form == Form::Items {
                let mut items = rest.iter();
                loop {
                    let Some(&Some(item)) = items.next() else {
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                        break None;
                    };
                    F::before(&mut out, depth)?;
                    if !scalar::<V, _, B, true>(&mut out, item, All { strict })? {
                        rest = items.as_slice();
                        prefetch(rest);
                        break Some(item);
                    }
                }
            } else if LISTS
                && form == Form::Listed
                && let Some(lists) = &mut lists
            {
                let (written, left) = {
                    let mut rest = 0;
                    let written = members!(lists.left_of(0), |members| rest = members.len());
                    (written, rest)
                };
                if written.is_some() {
                    lists.set_left(left);
                } else {
                    lists.close();
                }
                written
            } else {
                let dataclass = dataclass(cx, around)?;
                let fields = Scalars::<F, B> {
                    dataclass,
                    index: dataclass.index(rest),
                    instance: Instance::new(around, dataclass.source(), py),
                    out,
                    depth,
                    strict,
                    format: PhantomData,
                };
                let (index, stop);
                (out, index, stop) = V::enter(fields)?;
                rest = dataclass.names(index);
                match stop {
                    Stop::End => {
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                        None
                    }
                    Stop::Value(value) => Some(value),
                    Stop::Ask => {
                        let last = Open { owner: around, rest, form };
                        let held = &held;
                        park(held, Some(last), cx, py, stack, is_frame, listed!())?;
                        return Ok((out.len(), depth, None));
                    }
                }
            };
            if inner.is_none() {
                // Back to the container around it.
                let Some(around) = held.pop() else {
                    if is_frame {
                        stack.pop();
                    }
                    return Ok((out.len(), depth, None));
                };
                (owner, rest, form) = (Some(around.owner), around.rest, around.form);
            }
        }
    }
}
