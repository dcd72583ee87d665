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

use super::frame::{FrameKind, MAX_DEPTH, Place, Stack};
use super::leaf::{integer, member, scalar, string};
use super::record::{Instance, Record, Scalars, Source, Stop};
use super::special::{self, Rest};
use super::{Context, Format, check_depth, keys};
use crate::config::Config;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{self, Cursor, TextEntry};
use crate::py::shared::Shared;
use crate::py::types::{self, Kind};
use crate::py::{Attached, Obj, Owned, Raised, error, list};

/// What the walk has to see to.
pub(super) enum Left {
    Nothing,
    /// An object that cannot be written in here.
    Object(Owned),
    /// A dataclass whose brace is written: the field at `index` is next, or if it has `stopped`,
    /// the value of the one before.
    Record {
        record: Shared<Record>,
        source: Source,
        object: Owned,
        index: usize,
        stopped: bool,
    },
}

/// The walk of a tree.
pub(super) struct Tree<'a, 'b, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) cx: &'a mut Context<'c>,
    pub(super) py: &'a Attached,
    pub(super) stack: &'a mut Stack,
    pub(super) root: &'a Owned,
    /// Where to go on in the root, which then is a frame no longer; without, it is to be opened.
    pub(super) place: Option<Place>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// An open container.
#[derive(Clone, Copy)]
struct Open<'a> {
    owner: Obj<'a>,
    /// What is still to be written of it: items, or keys and values in turn.
    rest: &'a [Option<Obj<'a>>],
    is_dict: bool,
}

impl<'a> Open<'a> {
    fn items(owner: Obj<'a>, items: &'a [Option<Obj<'a>>]) -> Self {
        Self { owner, rest: items, is_dict: false }
    }

    fn entries(owner: Obj<'a>, entries: &'a [TextEntry<'a>]) -> Self {
        Self { owner, rest: entries.as_flattened(), is_dict: true }
    }

    /// All of a container, and whether it is empty; `None` for everything that cannot be walked
    /// here.
    #[inline(always)]
    fn whole(owner: Obj<'a>, py: &'a Attached, plain: bool) -> Option<(Self, bool)> {
        if types::is_exact_dict(owner) {
            if !plain {
                return None;
            }
            let entries = dict::text_entries(owner, py)?;
            return Some((Self::entries(owner, entries), dict::size(owner) == 0));
        }
        let items = if types::is_exact_list(owner) {
            if FREE_THREADED {
                // Another thread may change a list that is not frozen.
                return None;
            }
            list::items(owner, py)
        } else if types::is_exact_tuple(owner) {
            list::tuple_items(owner, py)
        } else {
            return None;
        };
        Some((Self::items(owner, items), items.is_empty()))
    }

    /// What follows in a container that was a frame.
    fn from(place: Place, owner: Obj<'a>, py: &'a Attached) -> Option<Self> {
        let items = match place.kind {
            FrameKind::List => list::items(owner, py),
            FrameKind::Tuple => list::tuple_items(owner, py),
            FrameKind::Dict => {
                let entries = place.cursor.text_entries::<true>(owner, py)?;
                return Some(Self::entries(owner, entries));
            }
            _ => return None,
        };
        Some(Self::items(owner, items.get(place.index..).unwrap_or(&[])))
    }

    /// Makes a frame of it.
    fn park(self, py: &Attached, stack: &mut Stack) -> Result<(), Raised> {
        let left = self.rest.len();
        let (kind, index, cursor) = if self.is_dict {
            (FrameKind::Dict, 0, Cursor::before_last(self.owner, py, left / 2))
        } else if types::kind(self.owner) == Kind::Tuple {
            // A frozen list of a free-threaded build is a tuple too, with the same items.
            let whole = list::tuple_items(self.owner, py).len();
            (FrameKind::Tuple, whole - left, Cursor::default())
        } else {
            // Exact or of a subclass.
            let whole = list::items(self.owner, py).len();
            (FrameKind::List, whole - left, Cursor::default())
        };
        let place = Place { kind, wrote: false, stopped: false, index, cursor };
        stack.resume(place, self.owner.to_owned())
    }
}

/// Makes frames of the open containers, the outermost first.
#[inline(never)]
fn park(
    held: &[Open<'_>],
    owner: Obj<'_>,
    rest: &[Option<Obj<'_>>],
    is_dict: bool,
    py: &Attached,
    stack: &mut Stack,
) -> Result<(), Raised> {
    let innermost = Open { owner, rest, is_dict };
    held.iter().copied().chain([innermost]).try_for_each(|open| open.park(py, stack))
}

impl<'b, F: Format, B: Buffer> Task for Tree<'_, 'b, '_, F, B> {
    /// The depth, and what is left.
    type Output = Result<(Out<'b, B>, usize, Left), Raised>;

    /// Only where private layouts may be used.
    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { mut out, cx, py, stack, root, place, mut depth, .. } = self;
        let strict = cx.config.has(Config::STRICT_INTEGER);
        let plain = !(cx.config.has(Config::SORT_KEYS | Config::NON_STR_KEYS) || FREE_THREADED);
        // PERF: what is innermost is in variables and not in an `Open`, which would be copied by
        // one vector right after its parts were stored, and that has to wait: 11 % of
        // citm_catalog (2026-11-21).
        let mut held = ArrayVec::<_, MAX_DEPTH>::new_const();
        let (mut owner, mut rest, mut is_dict) = (None, &[][..], false);
        let mut inner = Some(root.get());
        if let Some(place) = place {
            let Some(entered) = Open::from(place, root.get(), py) else {
                return Err(error::runtime_error(c"dictionary changed size during iteration"));
            };
            (owner, rest, is_dict) = (Some(entered.owner), entered.rest, entered.is_dict);
            inner = None;
        }
        'walk: loop {
            if let Some(object) = inner.take() {
                // To be opened, or looked at more closely.
                if let Some((whole, is_empty)) = Open::whole(object, py, plain) {
                    check_depth(depth)?;
                    let bracket = if whole.is_dict { b'{' } else { b'[' };
                    if is_empty {
                        out.empty(bracket, b',')?;
                    } else {
                        out.byte(bracket)?;
                        depth += 1;
                        let mut items = whole.rest.iter();
                        // PERF: most lists hold scalars only, which are written before anything is
                        // held: +5 % on canada, +8 % on mesh, -3 % on citm_catalog (2026-11-21).
                        inner = if whole.is_dict {
                            None
                        } else {
                            loop {
                                let Some(&Some(item)) = items.next() else {
                                    depth -= 1;
                                    F::close(&mut out, b']', depth)?;
                                    if owner.is_none() {
                                        return Ok((out, depth, Left::Nothing));
                                    }
                                    continue 'walk;
                                };
                                F::before(&mut out, depth)?;
                                if !scalar::<V, B, true>(&mut out, item, strict)? {
                                    break Some(item);
                                }
                            }
                        };
                        if let Some(owner) = owner {
                            // As many as can be open, so there is room.
                            let _ = held.try_push(Open { owner, rest, is_dict });
                        }
                        (owner, rest, is_dict) = (Some(object), items.as_slice(), whole.is_dict);
                        if inner.is_some() {
                            continue;
                        }
                    }
                } else {
                    let left = match types::kind(object) {
                        Kind::Other => out.small(|room| special::at_once(room, cx, py, object))?,
                        _ => Rest::All,
                    };
                    let fragment = match left {
                        Rest::Fragment => special::fragment_at_once(py, object),
                        _ => None,
                    };
                    let left = match left {
                        Rest::Written => Left::Nothing,
                        Rest::Str => {
                            string::<V, B, true>(&mut out, object, b',')?;
                            Left::Nothing
                        }
                        Rest::Int => {
                            integer::<B, true>(&mut out, object, strict)?;
                            Left::Nothing
                        }
                        Rest::Fragment if let Some(bytes) = fragment => {
                            out.raw_value(bytes, b',')?;
                            Left::Nothing
                        }
                        Rest::Record(source) if let Some(record) = cx.record.take() => {
                            check_depth(depth)?;
                            let fields = Scalars::<F, B> {
                                record: &record,
                                instance: Instance::new(object, source, py),
                                out,
                                depth,
                                strict,
                                format: PhantomData,
                            };
                            let (index, stop);
                            (out, index, stop) = V::enter(fields)?;
                            match stop {
                                Stop::End => Left::Nothing,
                                Stop::Value | Stop::Ask => {
                                    depth += 1;
                                    let stopped = matches!(stop, Stop::Value);
                                    Left::Record {
                                        record,
                                        source,
                                        object: object.to_owned(),
                                        index,
                                        stopped,
                                    }
                                }
                            }
                        }
                        Rest::All | Rest::Fragment | Rest::Record(_) => {
                            Left::Object(object.to_owned())
                        }
                    };
                    if !matches!(left, Left::Nothing) {
                        if let Some(owner) = owner {
                            park(&held, owner, rest, is_dict, py, stack)?;
                        }
                        return Ok((out, depth, left));
                    }
                }
                if owner.is_none() {
                    return Ok((out, depth, Left::Nothing));
                }
            }
            inner = if is_dict {
                let (entries, _) = rest.as_chunks();
                let mut entries = entries.iter();
                loop {
                    let Some(entry) = entries.next() else {
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                        break None;
                    };
                    let &[Some(key), Some(value)] = entry else { continue };
                    F::before(&mut out, depth)?;
                    member::<V, F, B, true>(&mut out, keys::check_str(key)?)?;
                    if !scalar::<V, B, true>(&mut out, value, strict)? {
                        rest = entries.as_slice().as_flattened();
                        break Some(value);
                    }
                }
            } else {
                let mut items = rest.iter();
                loop {
                    let Some(&Some(item)) = items.next() else {
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                        break None;
                    };
                    F::before(&mut out, depth)?;
                    if !scalar::<V, B, true>(&mut out, item, strict)? {
                        rest = items.as_slice();
                        // PERF: containers in lists are far from each other: -14 % on
                        // citm_catalog. What their heads lead to, or the values of a dict, gain
                        // nothing more (2026-11-21).
                        if let Some(Some(next)) = rest.first() {
                            next.prefetch();
                        }
                        break Some(item);
                    }
                }
            };
            if inner.is_none() {
                // Back to the container around it.
                let Some(around) = held.pop() else { return Ok((out, depth, Left::Nothing)) };
                (owner, rest, is_dict) = (Some(around.owner), around.rest, around.is_dict);
            }
        }
    }
}
