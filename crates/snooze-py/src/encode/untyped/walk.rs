//! `dumps`: the entry, and the owning walk over Python objects.
//!
//! The entry writes scalars, and containers by `borrowed` alone where that reaches their end. The
//! owning walk does the rest. One loop: it writes the next value, or opens it and continues with
//! its first element; after an element, the innermost frame gives the next one. Where private
//! layouts may be read, it hands each value to `borrowed` first and handles only what that leaves.
//! Scalars are written inline, compiled for the dispatch tier; `classify` decides everything else,
//! once for all tiers. Invariants: an object is borrowed only while no Python code runs (the
//! compiler checks it, see `py`); whatever fails, all frames are released. Called by
//! `module::functions`.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::frame::{DataclassFrame, FrameKind, NewFrame, Position, Stack};
use crate::encode::leaf::write_leaf;
use crate::encode::numpy::depth_inside;
use crate::encode::outlined::{ScalarTask, TextNameTask, TextTask};
use crate::encode::policy::Policy;
use crate::encode::scalar::write_int;
use crate::encode::type_cache::TypeCache;
use crate::encode::untyped::borrowed::{BorrowedWalk, WalkResult};
use crate::encode::untyped::dataclass::{FieldsStop, Instance};
use crate::encode::untyped::runs_python::RunsPython;
use crate::encode::untyped::{json_default, one_token, path};
use crate::encode::{classify, datetime, depth, entry, key_text, keys};
use crate::options::{Call, EncodeFlags};
use crate::pool::Pool;
use crate::py::dict::{Cursor, Dict};
use crate::py::output::{INLINE, Output};
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, dict, list, tuple, types};
use crate::runtime::Runtime;

/// Returns the JSON of an object: as `str` if `TEXT`, otherwise as `bytes`.
#[inline(always)]
pub(crate) fn dumps<const TEXT: bool>(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    call: Call<'_>,
) -> Result<Owned, Raised> {
    if !TEXT
        && call.flags.is_empty()
        && let Some(json) = one_token::json_of(runtime, py, call.object)?
    {
        return Ok(json);
    }
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let past = runtime.output_past.here();
    let mut output = match TEXT {
        true => Output::of_text(&mut inline, past, runtime.direct),
        false => Output::new(&mut inline, past),
    };
    let Scratch { stack, types } = &mut *scratch;
    let default = call.default.map(Obj::to_owned);
    let mut cx = Context::new(runtime, call.flags, default, types);
    let object = call.object;
    let walk = DumpsWalk { cx: &mut cx, py, object, output: &mut output, stack: &mut *stack };
    let written = entry::write_document(runtime, call.flags, walk);
    if written.is_err() {
        path::add_place(&mut cx, py, stack);
    }
    drop(cx);
    scratch.stack.clear();
    pool.put(scratch);
    drop(in_progress);
    if TEXT { output.finish_as_text(py, written?) } else { output.finish(written?) }
}

/// The memory of a call, kept for the next one.
///
/// Its `Rc`s do not count atomically, so it moves between threads only as a whole: the stack shares
/// dataclasses with the cache and is cleared before the memory is given back.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) stack: Stack,
    pub(super) types: TypeCache,
}

/// One call of `dumps`.
pub(super) struct DumpsWalk<'a, 'b, B> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) py: &'a mut Attached,
    pub(super) object: Obj<'a>,
    pub(super) output: &'a mut B,
    pub(super) stack: &'a mut Stack,
}

impl<B: Buffer> entry::Walk for DumpsWalk<'_, '_, B> {
    #[inline(always)]
    fn write_document<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, py, object, output, stack } = self;
        let lists_members = cx.flags.has(EncodeFlags::SORT_KEYS | EncodeFlags::NON_STR_KEYS);
        let mut first = None;
        if types::is_scalar(object) {
            let policy = F::scalars(cx.flags.has(EncodeFlags::STRICT_INTEGER));
            let out = Out::resume(&mut *output, 0)?;
            let task = ScalarTask::<_, B, DIRECT> { out, object, policy };
            let (out, is_written) = V::run_outlined(task)?;
            if is_written {
                let used = out.len();
                return end_document(output, cx.flags, used);
            }
        } else if DIRECT && !lists_members {
            // PERF: most documents are containers that need no Python code, and the owning walk is
            // a large function, which they need not enter.
            let root = &object.to_owned();
            let (used, resumes_frame, depth, format) = (0, false, 0, PhantomData);
            let (output, cx, py, stack) = (&mut *output, &mut *cx, &mut *py, &mut *stack);
            let walk = BorrowedWalk::<F, _> {
                output,
                used,
                cx,
                py,
                stack,
                root,
                resumes_frame,
                depth,
                format,
            };
            match walk.run::<V>(false) {
                // No container is open.
                Ok((used, 0, None)) => return end_document(output, cx.flags, used),
                walked => first = Some(walked),
            }
        }
        let (walk, format) = (Self { cx, py, object, output, stack }, PhantomData);
        V::run_outlined(OwningWalk::<F, B, DIRECT> { walk, first, lists_members, format })
    }
}

/// Ends a document: the comma after it is dropped, or becomes the line feed that was asked for.
#[inline(always)]
fn end_document<B: Buffer>(
    output: &mut B,
    flags: EncodeFlags,
    used: usize,
) -> Result<usize, Raised> {
    let mut out = Out::resume(output, used)?;
    if flags.has(EncodeFlags::APPEND_NEWLINE) {
        out.replace_last(b'\n');
    } else {
        out.drop_last();
    }
    Ok(out.len())
}

/// Runs a task that is rare where the borrowed walk writes the rest, in a separate function there.
#[inline(always)]
fn run_rare<V: Vector, T: Task, const DIRECT: bool>(task: T) -> T::Output {
    if DIRECT { V::run_outlined(task) } else { task.with_vectors::<V>() }
}

/// The walk that may run Python code.
struct OwningWalk<'a, 'b, F, B, const DIRECT: bool> {
    walk: DumpsWalk<'a, 'b, B>,
    /// What the borrowed walk made of the root, if it was there.
    first: Option<WalkResult>,
    lists_members: bool,
    format: PhantomData<F>,
}

impl<F: Format, B: Buffer, const DIRECT: bool> Task for OwningWalk<'_, '_, F, B, DIRECT> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Result<usize, Raised> {
        let Self { walk, mut first, lists_members: mut uses_member_lists, .. } = self;
        let DumpsWalk { cx, py, object: root, output, stack } = walk;
        let strict = cx.flags.has(EncodeFlags::STRICT_INTEGER);
        let mut out = Out::resume(&mut *output, 0)?;
        cx.copies_members = F::Scalars::STYLED && !out.is_indented();
        // Open containers; frames that only keep an object alive do not count.
        let mut depth = 0;
        // The document or an element; `None` resumes the innermost frame.
        let mut next_value = Some(root);
        // The type of the last object that needed Python code, and the scalar that `default` or an
        // enum gave.
        let (mut runs_python, mut default_result) = (RunsPython::default(), None::<Owned>);
        let policy = F::scalars(strict);
        macro_rules! write_text {
            ($text:expr, $after:expr) => {
                let (text, after, policy) = ($text, $after, PhantomData);
                let task = TextTask::<F::Scalars, B, DIRECT> { out, text, after, policy };
                // The policy of a format writes every text or raises.
                (out, _) = run_rare::<V, _, DIRECT>(task)?;
            };
        }
        'value: loop {
            // Write a scalar here and a container in the borrowed walk, up to the first object that
            // needs Python code.
            let to_walk = match next_value {
                None => stack.containers.last().cloned(),
                Some(object) if runs_python.has(object) => Some(object.to_owned()),
                Some(object) => {
                    let is_written;
                    let task = ScalarTask::<_, B, DIRECT> { out, object, policy };
                    // PERF: the result of `default` is often a scalar: a call takes 1.03 of the
                    // instructions of a list of them.
                    (out, is_written) = if F::SPACED {
                        run_rare::<V, _, DIRECT>(task)?
                    } else {
                        task.with_vectors::<V>()?
                    };
                    if is_written { None } else { Some(object.to_owned()) }
                }
            };
            let mut pending = to_walk;
            let mut resumes_frame = next_value.is_none();
            while DIRECT
                && let Some(root) = &pending
                && !runs_python.has(root.get())
            {
                let used = out.len();
                let walk = BorrowedWalk::<F, _> {
                    output: &mut *output,
                    used,
                    cx,
                    py,
                    stack,
                    root,
                    resumes_frame,
                    depth,
                    format: PhantomData,
                };
                let walked = match first.take() {
                    Some(walked) => walked,
                    None => walk.run::<V>(uses_member_lists),
                };
                let (used, object);
                (used, depth, object) = match walked {
                    Ok(walked) => walked,
                    // What `snooze.json` cannot write, Python's own code does.
                    Err(Raised) if F::Scalars::STYLED => return Err(Raised),
                    Err(Raised) => {
                        return Err(path::find(cx, py, stack, root, resumes_frame, depth));
                    }
                };
                out = Out::resume(&mut *output, used)?;
                pending = object;
                // PERF: `borrowed` does not walk a dict with CPython's general key table unless it
                // lists the members. C code makes such dicts even for `str` keys, and one is rarely
                // alone: from here on members are listed (1.4x on twitter.json as orjson makes it,
                // 2026-11-21).
                let Some(object) = &pending else { break };
                if uses_member_lists || !dict::has_hashed_entries(object.get(), py) {
                    break;
                }
                (uses_member_lists, resumes_frame) = (true, false);
            }
            match pending {
                None => {}
                // PERF: times of zones that need Python code come in runs, too.
                Some(object)
                    if runs_python.is_of_time(&object)
                        && out.small(|room| datetime::write(room, cx, py, &object))?? =>
                {
                    runs_python.keep_if(cx.zone_needs_python);
                }
                Some(object) => match classify_object::<F>(cx, py, &object, &runs_python, stack) {
                    // PERF: inside the match. Moved out of the result before it, the value is
                    // copied with vector instructions that stall on the stores (2026-11-21).
                    Err(Raised) => return Err(Raised),
                    Ok(Action::Str(text)) => {
                        write_text!(text.get(), b',');
                    }
                    Ok(Action::Int(number)) => {
                        write_int::<_, _, DIRECT>(&mut out, number.get(), policy)?;
                    }
                    Ok(Action::OpenContainer(frame)) => {
                        depth::check(depth, DUMPS_LIMIT)?;
                        out.byte(frame.bracket())?;
                        depth += 1;
                        stack.push_frame(frame)?;
                    }
                    Ok(Action::OpenDataclass(dataclass, source)) => {
                        depth::check(depth, DUMPS_LIMIT)?;
                        out.byte(b'{')?;
                        depth += 1;
                        let frame = DataclassFrame::new(dataclass, source);
                        stack.push_with_payload(Position::at_field(0), object, frame)?;
                    }
                    Ok(Action::EmptyContainer(bracket)) => write_empty(&mut out, bracket, depth)?,
                    Ok(Action::Replace { object: replacement, is_default }) => {
                        depth::check(stack.len() - depth - cx.open_defaults, DUMPS_LIMIT)?;
                        if is_default {
                            runs_python.set_for_default(cx, object.get());
                        }
                        if types::is_scalar(replacement.get()) {
                            next_value = Some(default_result.insert(replacement).get());
                            continue 'value;
                        }
                        cx.open_defaults += usize::from(is_default);
                        if F::Scalars::STYLED {
                            debug_assert!(is_default, "json_default gives results of default");
                            // The object and not the result, so that a circle is found.
                            let position =
                                Position::start_of(FrameKind::DefaultResult, object.get());
                            stack.push(position, object)?;
                            next_value = Some(default_result.insert(replacement).get());
                            continue 'value;
                        }
                        let kind = if is_default {
                            FrameKind::DefaultResult
                        } else {
                            FrameKind::EnumValue
                        };
                        stack.push(Position::start_of(kind, replacement.get()), replacement)?;
                        if let Some(replacement) = stack.containers.last() {
                            next_value = Some(replacement.get());
                            continue 'value;
                        }
                    }
                    Ok(Action::Stamp(stamp)) => {
                        if cx.zone_needs_python {
                            runs_python.set_time(object.get());
                        } else {
                            runs_python = RunsPython::default();
                        }
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    Ok(leaf) => {
                        if let Action::Array(array) = &leaf {
                            depth::check(depth_inside(array, depth), DUMPS_LIMIT)?;
                        }
                        out = write_leaf::<V, F, _>(out, cx, leaf, depth)?;
                    }
                },
            }
            // Find the next value that must be opened; write the others here.
            loop {
                let (Some(position), Some(container)) =
                    (stack.positions.last_mut(), stack.containers.last())
                else {
                    break 'value;
                };
                match position.kind {
                    FrameKind::List if !DIRECT => {
                        if let Some(&Some(item)) =
                            list::items_of(container.get(), py).get(position.index)
                        {
                            position.index += 1;
                            F::start_element(&mut out, depth)?;
                            next_value = Some(item);
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    FrameKind::Tuple if !DIRECT => {
                        let items = tuple::items_of(container.get(), py);
                        if let Some(&Some(item)) = items.get(position.index) {
                            position.index += 1;
                            F::start_element(&mut out, depth)?;
                            next_value = Some(item);
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b']', depth)?;
                    }
                    FrameKind::Dict
                        if Dict::any(container.get())
                            .and_then(|dict| position.cursor.str_entries::<DIRECT>(dict, py))
                            .is_none() =>
                    {
                        let dict = dict::checked(container.get())?;
                        if let Some((key, value)) = position.cursor.next::<DIRECT>(dict, py)? {
                            F::start_element(&mut out, depth)?;
                            write_text!(key_text::check_str(key)?, b':');
                            F::after_colon(&mut out)?;
                            next_value = Some(value);
                            continue 'value;
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    // PERF: such objects come in runs. Resuming the borrowed walk for each of them
                    // took half of the time of `default` calls and a third of that of zones
                    // (2026-11-21).
                    FrameKind::List
                        if let Some(&Some(item)) =
                            list::items_of(container.get(), py).get(position.index)
                            && runs_python.has(item) =>
                    {
                        position.index += 1;
                        F::start_element(&mut out, depth)?;
                        next_value = Some(item);
                        continue 'value;
                    }
                    FrameKind::List | FrameKind::Tuple | FrameKind::Dict => {
                        next_value = None;
                        continue 'value;
                    }
                    FrameKind::PublicAttributes => {
                        let dict = dict::checked(container.get())?;
                        let next = next_public::<DIRECT>(&mut position.cursor, dict, py)?;
                        if let Some((name, value)) = next {
                            position.has_written = true;
                            F::start_element(&mut out, depth)?;
                            write_text!(name, b':');
                            F::after_colon(&mut out)?;
                            next_value = Some(value);
                            continue 'value;
                        }
                        depth -= 1;
                        if position.has_written {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            out = close_without_members::<F, _>(out, depth)?;
                        }
                    }
                    FrameKind::TextMembers => {
                        let Some(members) = stack.members.last_mut() else { break 'value };
                        let (ends_with_bad_key, has_written) =
                            (members.bad_key.is_some(), members.has_written());
                        if let Some((name, value)) = members.advance() {
                            F::start_element(&mut out, depth)?;
                            let task = TextNameTask::<F, _> { out, name, format: PhantomData };
                            out = run_rare::<V, _, DIRECT>(task)?;
                            next_value = Some(value.get());
                            continue 'value;
                        }
                        if ends_with_bad_key {
                            members.go_to_bad_key();
                            return Err(key_text::not_a_str());
                        }
                        depth -= 1;
                        if has_written {
                            F::close(&mut out, b'}', depth)?;
                        } else {
                            out = close_without_members::<F, _>(out, depth)?;
                        }
                    }
                    FrameKind::Dataclass => {
                        let Some(fields) = stack.payloads.last_mut() else { break 'value };
                        let index = &mut position.index;
                        let instance = Instance::new(container.get(), fields.source, py);
                        let stop = fields.dataclass.write_fields::<V, F, _, DIRECT, true>(
                            instance, &mut out, index, depth, strict,
                        )?;
                        match stop {
                            FieldsStop::End => {}
                            FieldsStop::NeedsLookup => {
                                let value = fields.write_by_lookup::<F, _>(
                                    &mut out, index, container, py, depth,
                                )?;
                                next_value = Some(value);
                                continue 'value;
                            }
                            FieldsStop::NotScalar(value) => {
                                next_value = Some(value);
                                continue 'value;
                            }
                        }
                        depth -= 1;
                        F::close(&mut out, b'}', depth)?;
                    }
                    FrameKind::EnumValue => {}
                    FrameKind::DefaultResult => cx.open_defaults -= 1,
                }
                stack.pop();
            }
        }
        let used = out.len();
        end_document(output, cx.flags, used)
    }
}

/// Decides what to do with an object that is neither a scalar nor written by [`BorrowedWalk`].
#[inline(never)]
fn classify_object<F: Format>(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    runs_python: &RunsPython,
    stack: &Stack,
) -> Result<Action, Raised> {
    // PERF: such objects come in runs, too. To classify each took 5 to 9 % of the time of
    // a list of them (2026-11-28).
    if !F::Scalars::STYLED && runs_python.is_for_default(object.get()) {
        return classify::call_default(cx, py, object);
    }
    match types::kind(object.get()) {
        Kind::List(list) => {
            // Freeze first: in a free-threaded build, another thread may empty the list after the
            // test.
            let list = list::freeze(list)?;
            if list::frozen_len(list.get()) == 0 {
                return Ok(Action::EmptyContainer(b'['));
            }
            Ok(Action::OpenContainer(NewFrame::new(FrameKind::List, list.into_owned())))
        }
        Kind::Tuple(tuple) if tuple::len(tuple) == 0 => Ok(Action::EmptyContainer(b'[')),
        Kind::Tuple(_) => {
            Ok(Action::OpenContainer(NewFrame::new(FrameKind::Tuple, object.clone())))
        }
        Kind::Dict(_) => keys::dict_action(cx, py, object),
        _ if F::Scalars::STYLED => json_default::action(cx, py, object, stack),
        _ => classify::classify(cx, py, object),
    }
}

/// Writes an empty container.
#[inline(always)]
fn write_empty<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), Raised> {
    depth::check(depth, DUMPS_LIMIT)?;
    Ok(out.empty(bracket, b',')?)
}

/// Returns the next member of an instance's `__dict__` whose name is public.
#[inline(always)]
fn next_public<'a, const DIRECT: bool>(
    cursor: &mut Cursor,
    dict: Dict<'a>,
    py: &'a Attached,
) -> Result<Option<(Str<'a>, Obj<'a>)>, Raised> {
    while let Some((name, value)) = cursor.next::<DIRECT>(dict, py)? {
        let name = key_text::check_str(name)?;
        if !key_text::is_private::<DIRECT>(name)? {
            return Ok(Some((name, value)));
        }
    }
    Ok(None)
}

/// Closes an object without public members. Like orjson, indented output gets an empty line.
#[cold]
fn close_without_members<F: Format, B: Buffer>(
    mut out: Out<'_, B>,
    depth: usize,
) -> Result<Out<'_, B>, NoMemory> {
    F::start_element(&mut out, depth + 1)?;
    F::start_element(&mut out, depth)?;
    out.byte(b'}')?;
    out.byte(b',')?;
    Ok(out)
}
