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

pub(crate) mod cache;
mod datetime64;
pub(crate) mod frame;
pub(crate) mod keys;
pub(crate) mod leaf;
pub(crate) mod numpy;
mod pick;
mod record;
pub(crate) mod special;
pub(crate) mod time;
mod tree;

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out, TextError};

use self::cache::{Class, TypeCache, Zone};
use self::datetime64::Scale;
use self::frame::{FrameKind, MAX_DEPTH, Next, Opening, Stack};
use self::leaf::{integer, member, name_of_member, scalar, string, write_leaf};
use self::record::{Instance, Stop};
use self::time::FixedZone;
use self::tree::{Picking, Tree};
use crate::config::{Call, Config};
use crate::py::bytes::{INLINE, Output};
use crate::py::dict::{self, Cursor};
use crate::py::types::{self, Kind};
use crate::py::{Attached, Obj, Owned, Raised, compat, error, list};
use crate::state::State;

/// The JSON of an object, or an exception.
#[inline(always)]
pub(crate) fn dumps(state: &State, py: &mut Attached, call: Call<'_>) -> Result<Owned, Raised> {
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut scratch = state.encode_pool.take()?;
    let mut output = Output::new(&mut inline, &state.output_sizes);
    let Scratch { stack, types } = &mut *scratch;
    let mut cx = Context {
        state,
        config: call.config,
        default: call.default.map(Obj::to_owned),
        defaults: 0,
        types,
        scale: Scale::default(),
        fixed_zone: FixedZone::default(),
        asks_zones: false,
    };
    let object = call.object;
    let walk = Dumps { cx: &mut cx, py, object, output: &mut output, stack };
    let written = state.dispatch.run(walk);
    drop(cx);
    scratch.stack.clear();
    state.encode_pool.put(scratch);
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

/// What one call carries along.
pub(crate) struct Context<'a> {
    pub(crate) state: &'a State,
    pub(crate) config: Config,
    default: Option<Owned>,
    /// Open results of `default`.
    defaults: usize,
    types: &'a mut TypeCache,
    /// The scale of the array of datetime64 that is written next.
    scale: Scale,
    fixed_zone: FixedZone,
    /// The last `datetime` had a zone that has to be asked for each.
    asks_zones: bool,
}

impl<'a> Context<'a> {
    /// For a call without `default`.
    #[inline(always)]
    pub(crate) fn new(state: &'a State, config: Config, types: &'a mut TypeCache) -> Self {
        Self {
            state,
            config,
            default: None,
            defaults: 0,
            types,
            scale: Scale::default(),
            fixed_zone: FixedZone::default(),
            asks_zones: false,
        }
    }
}

impl Context<'_> {
    /// What the object's type is.
    fn class(&mut self, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
        self.types.class(self.state, py, object)
    }

    /// How the object, a tzinfo, is asked.
    fn zone(&mut self, py: &mut Attached, object: &Owned) -> Result<Zone, Raised> {
        self.types.zone(self.state, py, object)
    }
}

/// The type of objects that are not looked at in a tree. It is kept alive: another one could come
/// to be at its address.
struct Outside(Option<Owned>);

impl Outside {
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

/// How elements are set apart. Every element ends with a comma (see `out`).
pub(crate) trait Format {
    /// Whether members have a space after the colon.
    const SPACED: bool;

    /// Begins an element of a container at this depth.
    fn before<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory>;

    /// Ends a container with at least one element, whose own depth this is.
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory>;
}

/// Without white space.
pub(crate) struct Compact;

impl Format for Compact {
    const SPACED: bool = false;

    #[inline(always)]
    fn before<B: Buffer>(_: &mut Out<'_, B>, _: usize) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, _: usize) -> Result<(), NoMemory> {
        out.close(bracket, b',')
    }
}

/// Each element on a line of its own, indented by two spaces a level.
pub(crate) struct Indented;

impl Format for Indented {
    const SPACED: bool = true;

    #[inline(always)]
    fn before<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory> {
        out.new_line(2 * depth)
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory> {
        out.drop_last();
        out.new_line(2 * depth)?;
        out.byte(bracket)?;
        out.byte(b',')
    }
}

struct Dumps<'a, 'b, 'c> {
    cx: &'a mut Context<'b>,
    py: &'a mut Attached,
    object: Obj<'a>,
    output: &'a mut Output<'c>,
    stack: &'a mut Stack,
}

impl Task for Dumps<'_, '_, '_> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        // Only the scalar tier has a copy without private layouts: see `State::new`.
        if V::LANES == 8 && !self.cx.state.direct {
            return match self.cx.config.has(Config::INDENT_2) {
                false => self.walk::<V, Compact, false>(),
                true => self.walk::<V, Indented, false>(),
            };
        }
        match self.cx.config.has(Config::INDENT_2) {
            false => self.walk::<V, Compact, true>(),
            true => self.walk::<V, Indented, true>(),
        }
    }
}

/// The error of one container too many.
#[cold]
fn too_deep() -> Raised {
    error::type_error(c"Recursion limit reached")
}

impl From<TextError> for Raised {
    #[cold]
    fn from(fault: TextError) -> Self {
        match fault {
            TextError::NoMemory => error::no_memory(),
            TextError::Surrogate => keys::surrogate(),
        }
    }
}

impl Dumps<'_, '_, '_> {
    #[inline(always)]
    fn walk<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, py, object: root, output, stack } = self;
        let strict = cx.config.has(Config::STRICT_INTEGER);
        let mut picks =
            cx.config.has(Config::SORT_KEYS | Config::NON_STR_KEYS) && !compat::FREE_THREADED;
        let mut out = Out::new(&mut *output)?;
        // Open containers, without what `default` and enums lead to.
        let mut depth = 0;
        // The document or an element; nothing for what follows in the innermost frame.
        let mut begin = Some(root);
        // The type of the last object for which Python code had to run, and what that gave if it
        // was a scalar.
        let (mut outside, mut held) = (Outside(None), None::<Owned>);
        'open: loop {
            // A scalar or a tree is written at once, up to what has to be looked at more closely.
            let tree = match begin {
                None => stack.owners.last().cloned(),
                Some(object) if outside.has(object) => Some(object.to_owned()),
                Some(object) => {
                    if scalar::<V, _, DIRECT>(&mut out, object, strict)? {
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
                && !outside.has(root.get())
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
                    if picks { V::enter(Picking(tree))? } else { V::enter(tree)? };
                out = Out::resume(&mut *output, used)?;
                left = object;
                // PERF: a dict that is kept as one with keys of any types, as C code makes them
                // even for strings, is not walked as it stands. Where there is one, there are
                // more: from here on members are picked (twitter.json as orjson makes it: 1.4x,
                // 2026-11-21).
                let Some(object) = &left else { break };
                if picks || !dict::has_any_keys(object.get(), py) {
                    break;
                }
                (picks, is_frame) = (true, false);
            }
            match left {
                None => {}
                Some(special) => match begin_special(cx, py, &special) {
                    // PERF: not before the match, because what is moved out of the result is copied
                    // by vectors, which have to wait for it (2026-11-21).
                    Err(Raised) => return Err(Raised),
                    Ok(Next::Str) => string::<V, _, DIRECT>(&mut out, special.get(), b',')?,
                    Ok(Next::Int) => integer::<_, DIRECT>(&mut out, special.get(), strict)?,
                    Ok(Next::Open(opening)) => {
                        check_depth(depth)?;
                        out.byte(opening.bracket())?;
                        depth += 1;
                        stack.open(opening)?;
                    }
                    Ok(Next::Record(record, source)) => {
                        check_depth(depth)?;
                        out.byte(b'{')?;
                        depth += 1;
                        stack.open_record(record, source, special, 0)?;
                    }
                    Ok(Next::Empty(bracket)) => empty(&mut out, bracket, depth)?,
                    Ok(Next::Value { object: led_to, is_default }) => {
                        check_depth(stack.len() - depth - cx.defaults)?;
                        if is_default {
                            outside.set(special.get());
                        }
                        if types::is_scalar(led_to.get()) {
                            begin = Some(held.insert(led_to).get());
                            continue 'open;
                        }
                        cx.defaults += usize::from(is_default);
                        let kind =
                            if is_default { FrameKind::DefaultHold } else { FrameKind::Hold };
                        stack.push(kind, led_to)?;
                        if let Some(held) = stack.owners.last() {
                            begin = Some(held.get());
                            continue 'open;
                        }
                    }
                    Ok(Next::Plain(stamp)) => {
                        if cx.asks_zones {
                            outside.set(special.get());
                        } else {
                            outside = Outside(None);
                        }
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    Ok(leaf) => out = write_leaf::<V, F, _>(out, cx, leaf, depth)?,
                },
            }
            // The next element that has to be opened, after those that can be written here.
            loop {
                let (Some(frame), Some(owner)) = (stack.places.last_mut(), stack.owners.last())
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
                        let items = list::tuple_items(owner.get(), py);
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
                        if frame.cursor.text_entries::<DIRECT>(owner.get(), py).is_none() =>
                    {
                        if let Some((key, value)) = frame.cursor.next::<DIRECT>(owner, py)? {
                            F::before(&mut out, depth)?;
                            member::<V, F, _, DIRECT>(&mut out, keys::check_str(key)?)?;
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
                            && outside.has(item) =>
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
                            member::<V, F, _, DIRECT>(&mut out, name)?;
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
                    FrameKind::Entries => {
                        let Some(entries) = stack.entries.last_mut() else { break 'open };
                        let (refused, wrote) = (entries.refused, entries.has_written());
                        if let Some((name, value)) = entries.advance() {
                            F::before(&mut out, depth)?;
                            name_of_member::<V, F, _>(&mut out, name)?;
                            begin = Some(value.get());
                            continue 'open;
                        }
                        if refused {
                            return Err(keys::not_a_str());
                        }
                        depth -= 1;
                        if wrote {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            out = close_unwritten::<F, _>(out, depth)?;
                        }
                    }
                    FrameKind::Record => {
                        let Some(fields) = stack.fields.last_mut() else { break 'open };
                        let index = &mut frame.index;
                        let instance = Instance::new(owner.get(), fields.source, py);
                        let stop = fields.record.write::<V, F, _, DIRECT, true>(
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
fn begin_special(cx: &mut Context<'_>, py: &mut Attached, object: &Owned) -> Result<Next, Raised> {
    match types::kind(object.get()) {
        Kind::List => {
            // Frozen first: where there is no GIL, another thread may empty the list meanwhile.
            let list = list::freeze(object.get())?;
            if list::frozen_len(list.get()) == 0 {
                return Ok(Next::Empty(b'['));
            }
            Ok(Next::Open(Opening::new(FrameKind::List, list)))
        }
        Kind::Tuple if list::tuple_len(object.get()) == 0 => Ok(Next::Empty(b'[')),
        Kind::Tuple => Ok(Next::Open(Opening::new(FrameKind::Tuple, object.clone()))),
        Kind::Dict => keys::begin(cx, py, object),
        _ => special::next(cx, py, object),
    }
}

/// Refuses one container too many.
#[inline(always)]
fn check_depth(depth: usize) -> Result<(), Raised> {
    if depth >= MAX_DEPTH { Err(too_deep()) } else { Ok(()) }
}

/// Writes an empty container.
#[inline(always)]
fn empty<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), Raised> {
    check_depth(depth)?;
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
        if !keys::is_private::<DIRECT>(keys::check_str(name)?)? {
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
