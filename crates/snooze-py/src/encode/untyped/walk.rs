//! `dumps`: from Python objects to JSON text.
//!
//! One loop: it writes the object at hand, or opens it and goes on with its first element; after
//! an element it asks the innermost open container for the next one. Containers that are open
//! are frames on a stack of their own (see [`frame`]), so depth costs no C stack and every kind of
//! container counts against the same limit. Invariants: an object is borrowed only as long as no
//! Python code runs (the compiler checks it, see `py`); whatever fails, the frames are released.
//!
//! The common kinds are written here, in line and compiled for the processor's tier; everything
//! else is decided in [`special`], once for all tiers.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::frame::{DataclassFrame, FrameKind, Opening, Position, Stack};
use crate::encode::leaf::write_leaf;
use crate::encode::scalar::{All, integer, member_name, scalar, string, text_name};
use crate::encode::type_cache::TypeCache;
use crate::encode::untyped::borrowed::{Listing, Tree};
use crate::encode::untyped::dataclass::{Instance, Stop};
use crate::encode::{classify, depth, entry, key_text, keys};
use crate::options::{Call, Config};
use crate::pool::Pool;
use crate::py::dict::Cursor;
use crate::py::output::{INLINE, Output};
use crate::py::types::Kind;
use crate::py::{Attached, Obj, Owned, Raised, compat, dict, list, tuple, types};
use crate::runtime::Runtime;

/// The JSON of an object, or an exception.
#[inline(always)]
pub(crate) fn dumps(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    call: Call<'_>,
) -> Result<Owned, Raised> {
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut scratch = pool.take()?;
    let mut output = Output::new(&mut inline, &runtime.output_sizes);
    let Scratch { stack, types } = &mut *scratch;
    let default = call.default.map(Obj::to_owned);
    let mut cx = Context::new(runtime, call.config, default, types);
    let object = call.object;
    let walk = Dumps { cx: &mut cx, py, object, output: &mut output, stack };
    let written = entry::write(runtime, call.config, walk);
    drop(cx);
    scratch.stack.clear();
    pool.put(scratch);
    output.finish(written?)
}

/// What one call of `dumps` needs beside its output, kept for the next call.
///
/// The counts of its `Rc`s are not atomic, so it moves from one thread to another only as a
/// whole: the stack, which shares records with the cache, is cleared before it is given back.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    stack: Stack,
    types: TypeCache,
}

/// The type of objects that are not looked at in a tree. It is kept alive: another one could come
/// to be at its address.
struct RunsPython(Option<Owned>);

impl RunsPython {
    /// Whether it is the object's type.
    #[inline(always)]
    fn has(&self, object: Obj<'_>) -> bool {
        self.0.as_ref().is_some_and(|known| known.get() == object.type_obj())
    }

    /// Makes it the object's type.
    fn set(&mut self, object: Obj<'_>) {
        if !self.has(object) {
            self.0 = Some(object.type_obj().to_owned());
        }
    }
}

struct Dumps<'a, 'b, 'c> {
    cx: &'a mut Context<'b>,
    py: &'a mut Attached,
    object: Obj<'a>,
    output: &'a mut Output<'c>,
    stack: &'a mut Stack,
}

impl entry::Walk for Dumps<'_, '_, '_> {
    #[inline(always)]
    fn write<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, py, object: root, output, stack } = self;
        let strict = cx.config.has(Config::STRICT_INTEGER);
        let mut lists =
            cx.config.has(Config::SORT_KEYS | Config::NON_STR_KEYS) && !compat::FREE_THREADED;
        let mut out = Out::new(&mut *output)?;
        // Open containers, without what `default` and enums lead to.
        let mut depth = 0;
        // The document or an element; nothing for what follows in the innermost frame.
        let mut begin = Some(root);
        // The type of the last object for which Python code had to run, and what that gave if it
        // was a scalar.
        let (mut runs_python, mut held) = (RunsPython(None), None::<Owned>);
        'open: loop {
            // A scalar or a tree is written at once, up to what has to be looked at more closely.
            let tree = match begin {
                None => stack.owners.last().cloned(),
                Some(object) if runs_python.has(object) => Some(object.to_owned()),
                Some(object) => {
                    if scalar::<V, _, _, DIRECT>(&mut out, object, All { strict })? {
                        None
                    } else {
                        Some(object.to_owned())
                    }
                }
            };
            let mut left = tree;
            let mut is_frame = begin.is_none();
            while DIRECT
                && let Some(root) = &left
                && !runs_python.has(root.get())
            {
                let used = out.len();
                let tree = Tree::<F, _> {
                    output: &mut *output,
                    used,
                    cx,
                    py,
                    stack,
                    root,
                    is_frame,
                    depth,
                    format: PhantomData,
                };
                let (used, object);
                (used, depth, object) =
                    if lists { V::enter(Listing(tree))? } else { V::enter(tree)? };
                out = Out::resume(&mut *output, used)?;
                left = object;
                // PERF: a dict that is kept as one with keys of any types, as C code makes them
                // even for strings, is not walked as it stands. Where there is one, there are
                // more: from here on members are picked (twitter.json as orjson makes it: 1.4x,
                // 2026-11-21).
                let Some(object) = &left else { break };
                if lists || !dict::has_hashed_entries(object.get(), py) {
                    break;
                }
                (lists, is_frame) = (true, false);
            }
            match left {
                None => {}
                Some(special) => match begin_special(cx, py, &special) {
                    // PERF: not before the match, because what is moved out of the result is copied
                    // by vectors, which have to wait for it (2026-11-21).
                    Err(Raised) => return Err(Raised),
                    Ok(Action::Str) => {
                        string::<V, All, _, DIRECT>(&mut out, special.get(), b',')?;
                    }
                    Ok(Action::Int) => {
                        integer::<_, _, DIRECT>(&mut out, special.get(), All { strict })?;
                    }
                    Ok(Action::Open(opening)) => {
                        depth::check(depth, DUMPS_LIMIT)?;
                        out.byte(opening.bracket())?;
                        depth += 1;
                        stack.open(opening)?;
                    }
                    Ok(Action::Dataclass(dataclass, source)) => {
                        depth::check(depth, DUMPS_LIMIT)?;
                        out.byte(b'{')?;
                        depth += 1;
                        let frame = DataclassFrame::new(dataclass, source);
                        stack.push_with(Position::of_field(0), special, frame)?;
                    }
                    Ok(Action::Empty(bracket)) => empty(&mut out, bracket, depth)?,
                    Ok(Action::Value { object: led_to, is_default }) => {
                        depth::check(stack.len() - depth - cx.defaults, DUMPS_LIMIT)?;
                        if is_default {
                            runs_python.set(special.get());
                        }
                        if types::is_scalar(led_to.get()) {
                            begin = Some(held.insert(led_to).get());
                            continue 'open;
                        }
                        cx.defaults += usize::from(is_default);
                        let kind =
                            if is_default { FrameKind::DefaultHold } else { FrameKind::Hold };
                        stack.push(Position::first(kind, led_to.get()), led_to)?;
                        if let Some(held) = stack.owners.last() {
                            begin = Some(held.get());
                            continue 'open;
                        }
                    }
                    Ok(Action::Plain(stamp)) => {
                        if cx.asks_zones {
                            runs_python.set(special.get());
                        } else {
                            runs_python = RunsPython(None);
                        }
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    Ok(leaf) => out = write_leaf::<V, F, _>(out, cx, leaf, depth)?,
                },
            }
            // The next element that has to be opened, after those that can be written here.
            loop {
                let (Some(frame), Some(owner)) = (stack.positions.last_mut(), stack.owners.last())
                else {
                    break 'open;
                };
                match frame.kind {
                    FrameKind::List if !DIRECT => {
                        if let Some(&Some(item)) = list::items(owner.get(), py).get(frame.index) {
                            frame.index += 1;
                            F::before(&mut out, depth)?;
                            begin = Some(item);
                            continue 'open;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    FrameKind::Tuple if !DIRECT => {
                        let items = tuple::items(owner.get(), py);
                        if let Some(&Some(item)) = items.get(frame.index) {
                            frame.index += 1;
                            F::before(&mut out, depth)?;
                            begin = Some(item);
                            continue 'open;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    FrameKind::Dict
                        if frame.cursor.str_entries::<DIRECT>(owner.get(), py).is_none() =>
                    {
                        if let Some((key, value)) = frame.cursor.next::<DIRECT>(owner, py)? {
                            F::before(&mut out, depth)?;
                            member_name::<V, All, F, _, DIRECT>(
                                &mut out,
                                key_text::check_str(key)?,
                            )?;
                            begin = Some(value);
                            continue 'open;
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    // PERF: such objects come in runs: not back into the tree for each of them. Half
                    // of the time of calls of `default`, a third of that of zones (2026-11-21).
                    FrameKind::List
                        if let Some(&Some(item)) =
                            list::items(owner.get(), py).get(frame.index)
                            && runs_python.has(item) =>
                    {
                        frame.index += 1;
                        F::before(&mut out, depth)?;
                        begin = Some(item);
                        continue 'open;
                    }
                    FrameKind::List | FrameKind::Tuple | FrameKind::Dict => {
                        begin = None;
                        continue 'open;
                    }
                    FrameKind::Public => {
                        let next = next_public::<DIRECT>(&mut frame.cursor, owner, py)?;
                        if let Some((name, value)) = next {
                            frame.wrote = true;
                            F::before(&mut out, depth)?;
                            member_name::<V, All, F, _, DIRECT>(&mut out, name)?;
                            begin = Some(value);
                            continue 'open;
                        }
                        depth -= 1;
                        if frame.wrote {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            out = close_unwritten::<F, _>(out, depth)?;
                        }
                    }
                    FrameKind::TextMembers => {
                        let Some(entries) = stack.members.last_mut() else { break 'open };
                        let (refused, wrote) = (entries.refused, entries.has_written());
                        if let Some((name, value)) = entries.advance() {
                            F::before(&mut out, depth)?;
                            text_name::<V, F, _>(&mut out, name)?;
                            begin = Some(value.get());
                            continue 'open;
                        }
                        if refused {
                            return Err(key_text::not_a_str());
                        }
                        depth -= 1;
                        if wrote {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            out = close_unwritten::<F, _>(out, depth)?;
                        }
                    }
                    FrameKind::Dataclass => {
                        let Some(fields) = stack.extras.last_mut() else { break 'open };
                        let index = &mut frame.index;
                        let instance = Instance::new(owner.get(), fields.source, py);
                        let stop = fields.dataclass.write::<V, F, _, DIRECT, true>(
                            instance, &mut out, index, depth, strict,
                        )?;
                        match stop {
                            Stop::End => {}
                            Stop::Ask => {
                                let value =
                                    fields.ask::<F, _>(&mut out, index, owner, py, depth)?;
                                begin = Some(value);
                                continue 'open;
                            }
                            Stop::Value(value) => {
                                begin = Some(value);
                                continue 'open;
                            }
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    FrameKind::Hold => {}
                    FrameKind::DefaultHold => cx.defaults -= 1,
                }
                stack.pop();
            }
        }
        if cx.config.has(Config::APPEND_NEWLINE) {
            out.replace_last(b'\n');
        } else {
            out.drop_last();
        }
        Ok(out.len())
    }
}

/// What to do with an object that is no scalar and, where there are trees, none that [`Tree`] can
/// write.
#[inline(never)]
fn begin_special(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Action, Raised> {
    match types::kind(object.get()) {
        Kind::List => {
            // Frozen first: where there is no GIL, another thread may empty the list meanwhile.
            let list = list::freeze(object.get())?;
            if list::frozen_len(list.get()) == 0 {
                return Ok(Action::Empty(b'['));
            }
            Ok(Action::Open(Opening::new(FrameKind::List, list)))
        }
        Kind::Tuple if tuple::len(object.get()) == 0 => Ok(Action::Empty(b'[')),
        Kind::Tuple => Ok(Action::Open(Opening::new(FrameKind::Tuple, object.clone()))),
        Kind::Dict => keys::begin(cx, py, object),
        _ => classify::classify(cx, py, object),
    }
}

/// Writes an empty container.
#[inline(always)]
fn empty<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), Raised> {
    depth::check(depth, DUMPS_LIMIT)?;
    Ok(out.empty(bracket, b',')?)
}

/// The next member of a dataclass's dict whose name is public.
#[inline(always)]
fn next_public<'a, const DIRECT: bool>(
    cursor: &mut Cursor,
    dict: &'a Owned,
    py: &'a Attached,
) -> Result<Option<dict::Item<'a>>, Raised> {
    while let Some((name, value)) = cursor.next::<DIRECT>(dict, py)? {
        if !key_text::is_private::<DIRECT>(key_text::check_str(name)?)? {
            return Ok(Some((name, value)));
        }
    }
    Ok(None)
}

/// Ends an object that turned out to have no public member, as orjson does: indented, it has an
/// empty line.
#[cold]
fn close_unwritten<F: Format, B: Buffer>(
    mut out: Out<'_, B>,
    depth: usize,
) -> Result<Out<'_, B>, NoMemory> {
    F::before(&mut out, depth + 1)?;
    F::before(&mut out, depth)?;
    out.byte(b'}')?;
    out.byte(b',')?;
    Ok(out)
}
