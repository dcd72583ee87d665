//! `dumps`: from Python objects to JSON text.
//!
//! One loop: it writes the object at hand, or opens it and goes on with its first element; after
//! an element it asks the innermost open container for the next one. Containers that are open
//! are [`frame::Frame`]s on a stack of fixed size, so depth costs no C stack and every kind of
//! container counts against the same limit. Invariants: an object is borrowed only as long as no
//! Python code runs (the compiler checks it, see `py`); whatever fails, the frames are released.
//!
//! The common kinds are written here, in line and compiled for the processor's tier; everything
//! else is decided in [`special`], once for all tiers.

pub(crate) mod cache;
mod frame;
mod keys;
mod numpy;
mod record;
mod special;
mod time;

use arrayvec::ArrayVec;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out, TextError};

use self::cache::{Class, TypeCache, Zone};
use self::frame::{Frame, MAX_DEPTH, MAX_FRAMES, Next};
use crate::config::{Call, Config};
use crate::py::bytes::{Output, owned_contents};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{self, Cursor};
use crate::py::int::{self, Int};
use crate::py::text::{self, Chars};
use crate::py::types::{self, Kind};
use crate::py::{Attached, Obj, Owned, Raised, call, error, list};
use crate::state::State;

/// The JSON of an object, or an exception.
#[inline(always)]
pub(crate) fn dumps(state: &State, py: &mut Attached, call: Call<'_>) -> Result<Owned, Raised> {
    let mut output = Output::new(state.expected_output());
    let mut frames = ArrayVec::new();
    let mut cx = Context {
        state,
        config: call.config,
        default: call.default.map(Obj::to_owned),
        defaults: 0,
        types: None,
        scale: numpy::Scale::default(),
    };
    let object = call.object;
    let walk = Dumps { cx: &mut cx, py, object, output: &mut output, frames: &mut frames };
    let written = state.dispatch.run(walk);
    if let Some(types) = cx.types.take() {
        state.encode_pool.put(types);
    }
    let len = written?;
    state.note_output(len);
    output.finish(len)
}

/// What one call carries along.
pub(crate) struct Context<'a> {
    state: &'a State,
    config: Config,
    default: Option<Owned>,
    /// Open results of `default`.
    defaults: usize,
    /// The cache of types, taken from the pool when first needed.
    types: Option<Box<TypeCache>>,
    /// The scale of the array of datetime64 that is written next.
    scale: numpy::Scale,
}

impl Context<'_> {
    /// What the object's type is.
    fn class(&mut self, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
        self.with_types(|state, types| types.class(state, py, object))
    }

    /// How the object, a tzinfo, is asked.
    fn zone(&mut self, py: &mut Attached, object: &Owned) -> Result<Zone, Raised> {
        self.with_types(|state, types| types.zone(state, py, object))
    }

    fn with_types<R>(&mut self, ask: impl FnOnce(&State, &mut TypeCache) -> R) -> R {
        let state = self.state;
        let types = self.types.get_or_insert_with(|| state.encode_pool.take());
        ask(state, types)
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
struct Compact;

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
struct Indented;

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

struct Dumps<'a, 'b> {
    cx: &'a mut Context<'b>,
    py: &'a mut Attached,
    object: Obj<'a>,
    output: &'a mut Output,
    frames: &'a mut ArrayVec<Frame, MAX_FRAMES>,
}

impl Task for Dumps<'_, '_> {
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

impl Dumps<'_, '_> {
    #[inline(always)]
    fn walk<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, py, object: root, output, frames } = self;
        let plain_dicts = !(cx.config.has(Config::SORT_KEYS | Config::NON_STR_KEYS) || FREE_THREADED);
        let mut out = Out::new(output)?;
        // Open containers, without what `default` and enums lead to.
        let mut depth = 0;
        let mut object = root;
        'value: loop {
            let next = match types::kind(object) {
                Kind::Str => {
                    string::<V, _, DIRECT>(&mut out, object, b',')?;
                    None
                }
                Kind::Int => {
                    integer::<_, DIRECT>(&mut out, object, cx.config)?;
                    None
                }
                Kind::Float => {
                    out.float(int::float_value(object), b',')?;
                    None
                }
                Kind::Bool => {
                    out.boolean(types::is_true(object), b',')?;
                    None
                }
                Kind::None => {
                    out.null(b',')?;
                    None
                }
                Kind::List if list::len(object) == 0 => Some(Next::Empty(b'[')),
                Kind::List => {
                    let list = list::freeze(object)?;
                    Some(Next::Frame(Frame::List { list, index: 0 }, b'['))
                }
                Kind::Dict if plain_dicts && dict::size(object) == 0 => Some(Next::Empty(b'{')),
                Kind::Dict if plain_dicts => {
                    let dict = object.to_owned();
                    Some(Next::Frame(Frame::Dict { cursor: Cursor::new(&dict), dict }, b'{'))
                }
                Kind::Dict => Some(keys::begin(cx, py, &object.to_owned())?),
                Kind::Tuple if list::tuple_len(object) == 0 => Some(Next::Empty(b'[')),
                Kind::Tuple => {
                    Some(Next::Frame(Frame::Tuple { tuple: object.to_owned(), index: 0 }, b'['))
                }
                Kind::Other => {
                    let object = object.to_owned();
                    let next = special::next(cx, py, &object)?;
                    match next {
                        Next::Str => {
                            string::<V, _, DIRECT>(&mut out, object.get(), b',')?;
                            None
                        }
                        Next::Int => {
                            integer::<_, DIRECT>(&mut out, object.get(), cx.config)?;
                            None
                        }
                        Next::Frame(..) | Next::Empty(_) | Next::Value { .. } => Some(next),
                        leaf => {
                            out = write_leaf::<F, _>(out, cx, leaf, depth)?;
                            None
                        }
                    }
                }
            };
            match next {
                Some(Next::Frame(frame, bracket)) => {
                    if depth >= MAX_DEPTH || frames.is_full() {
                        return Err(too_deep());
                    }
                    out.byte(bracket)?;
                    depth += 1;
                    frames.push(frame);
                }
                Some(Next::Empty(bracket)) => {
                    if depth >= MAX_DEPTH {
                        return Err(too_deep());
                    }
                    out.empty(bracket, b',')?;
                }
                Some(Next::Value { object: led_to, is_default }) => {
                    // The room beyond containers and results of `default` is for enums.
                    if frames.len() >= MAX_DEPTH + depth + cx.defaults || frames.is_full() {
                        return Err(too_deep());
                    }
                    cx.defaults += usize::from(is_default);
                    frames.push(Frame::Hold { object: led_to, is_default });
                    if let Some(Frame::Hold { object: held, .. }) = frames.last() {
                        object = held.get();
                        continue 'value;
                    }
                }
                _ => {}
            }
            // The next element of the innermost container that has one.
            loop {
                match frames.last_mut() {
                    None => break 'value,
                    Some(Frame::List { list, index }) => {
                        if let Some(item) = list::item(list, py, *index) {
                            *index += 1;
                            F::before(&mut out, depth)?;
                            object = item;
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    Some(Frame::Dict { dict, cursor }) => {
                        if let Some((key, value)) = cursor.next::<DIRECT>(dict, py)? {
                            F::before(&mut out, depth)?;
                            member::<V, F, _, DIRECT>(&mut out, keys::check_str(key)?)?;
                            object = value;
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    Some(Frame::Tuple { tuple, index }) => {
                        if let Some(item) = list::tuple_item(tuple, py, *index) {
                            *index += 1;
                            F::before(&mut out, depth)?;
                            object = item;
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    Some(Frame::Public { dict, cursor, wrote }) => {
                        if let Some((name, value)) = next_public::<DIRECT>(cursor, dict, py)? {
                            *wrote = true;
                            F::before(&mut out, depth)?;
                            member::<V, F, _, DIRECT>(&mut out, name)?;
                            object = value;
                            continue 'value;
                        }
                        depth -= 1;
                        if *wrote {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            close_unwritten::<F, _>(&mut out, depth)?;
                        }
                    }
                    Some(Frame::Entries(entries)) => {
                        if let Some((name, value)) = entries.advance() {
                            F::before(&mut out, depth)?;
                            out.ascii::<V>(name, b':')?;
                            if F::SPACED {
                                out.byte(b' ')?;
                            }
                            object = value.get();
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    Some(Frame::Record(fields)) => {
                        if let Some(field) = fields.record.fields.get(fields.index) {
                            let value = call::attribute(py, &fields.object, &field.name)?;
                            F::before(&mut out, depth)?;
                            out.ascii::<V>(&field.text, b':')?;
                            if F::SPACED {
                                out.byte(b' ')?;
                            }
                            fields.index += 1;
                            object = fields.value.insert(value).get();
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    Some(Frame::Hold { is_default, .. }) => {
                        cx.defaults -= usize::from(*is_default);
                    }
                }
                frames.pop();
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

/// Writes a `str` or an instance of a subclass.
#[inline(always)]
fn string<V: Vector, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    after: u8,
) -> Result<(), Raised> {
    match text::chars::<DIRECT>(object)? {
        Chars::Ascii(bytes) => Ok(out.ascii::<V>(bytes, after)?),
        Chars::Latin1(units) => Ok(out.text::<V, u8>(units, after)?),
        Chars::Ucs2(units) => Ok(out.text::<V, u16>(units, after)?),
        Chars::Ucs4(units) => Ok(out.text::<V, u32>(units, after)?),
    }
}

/// Writes the name of a member.
#[inline(always)]
fn member<V: Vector, F: Format, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    name: Obj<'_>,
) -> Result<(), Raised> {
    string::<V, B, DIRECT>(out, name, b':')?;
    if F::SPACED {
        out.byte(b' ')?;
    }
    Ok(())
}

/// Writes an `int` or an instance of a subclass.
#[inline(always)]
fn integer<B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    config: Config,
) -> Result<(), Raised> {
    /// The largest integer below which every integer is a double.
    const STRICT: i64 = (1 << 53) - 1;
    match int::value::<DIRECT>(object)? {
        Int::Big => Err(error::type_error(c"Integer exceeds 64-bit range")),
        Int::Signed(value) if !config.has(Config::STRICT_INTEGER) => Ok(out.int(value, b',')?),
        Int::Signed(value) if (-STRICT..=STRICT).contains(&value) => Ok(out.int(value, b',')?),
        Int::Unsigned(value) if !config.has(Config::STRICT_INTEGER) => Ok(out.uint(value, b',')?),
        _ => Err(error::type_error(c"Integer exceeds 53-bit range")),
    }
}

/// Writes what needs neither the object any more nor a frame.
#[inline(never)]
fn write_leaf<'b, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    cx: &Context<'_>,
    leaf: Next,
    depth: usize,
) -> Result<Out<'b, B>, Raised> {
    match leaf {
        Next::Plain(stamp) => out.plain_string(stamp.as_bytes(), b',')?,
        Next::Raw(bytes) => {
            out.raw(owned_contents(&bytes))?;
            out.byte(b',')?;
        }
        Next::Null => out.null(b',')?,
        Next::Bool(value) => out.boolean(value, b',')?,
        Next::Signed(value) => out.int(value, b',')?,
        Next::Unsigned(value) => out.uint(value, b',')?,
        Next::Float(value) => out.float(value, b',')?,
        Next::Float32(value) => out.float32(value, b',')?,
        Next::Array(array) => {
            return numpy::write::<F, B>(out, &array, cx.scale, cx.config, depth);
        }
        Next::Str | Next::Int | Next::Empty(_) | Next::Frame(..) | Next::Value { .. } => {}
    }
    Ok(out)
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
    out: &mut Out<'_, B>,
    depth: usize,
) -> Result<(), NoMemory> {
    F::before(out, depth + 1)?;
    F::before(out, depth)?;
    out.byte(b'}')?;
    out.byte(b',')
}
