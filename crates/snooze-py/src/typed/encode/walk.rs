//! The walk: one step at a time, with anything running in between, and trees where nothing can.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use super::frame::{Form, Frame, Stack};
use super::leaf::{scalar, string};
use super::plan::{EncodePlan, How, Omit, Record, STR};
use super::tree::{End, Start, Tree};
use super::value::{Fault, Held, Next, Walker};
use super::{Homes, MAX_DEPTH, ROOT, Scratch, Spot, path};
use crate::config::Config;
use crate::encode::frame::{Entries, Next as Leaf};
use crate::encode::leaf::{name_of_member, write_leaf};
use crate::encode::{Compact, Context, Format, Indented};
use crate::py::bytes::{self, Output};
use crate::py::compat::FREE_THREADED;
use crate::py::text::{self, Chars};
use crate::py::types;
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, list};
use crate::state::State;

/// Writes the JSON of an object; returns how many bytes were written.
#[inline(always)]
pub(super) fn encode(
    state: &State,
    py: &mut Attached,
    plan: &EncodePlan,
    object: Obj<'_>,
    output: &mut Output<'_>,
) -> Result<usize, Raised> {
    let mut scratch = plan.pool.take()?;
    let Scratch { stack, types, known } = &mut *scratch;
    known.trim();
    let mut cx = Context::new(state, plan.config, types);
    let mut homes = Homes { root: plan, known };
    let walk = Walk { cx: &mut cx, homes: &mut homes, py, object, output, stack };
    let written = state.dispatch.run(walk);
    drop(cx);
    scratch.stack.clear();
    plan.pool.put(scratch);
    written
}

struct Walk<'a, 'c, 'o> {
    cx: &'a mut Context<'c>,
    homes: &'a mut Homes<'c>,
    py: &'a mut Attached,
    object: Obj<'a>,
    output: &'a mut Output<'o>,
    stack: &'a mut Stack,
}

impl Task for Walk<'_, '_, '_> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let indents = self.cx.config.has(Config::INDENT_2);
        // Only the scalar tier has a copy without private layouts: see `State::new`.
        match V::LANES == 8 && !self.cx.state.direct {
            true if indents => self.walk::<V, Indented, false>(),
            true => self.walk::<V, Compact, false>(),
            false if indents => self.walk::<V, Indented, true>(),
            false => self.walk::<V, Compact, true>(),
        }
    }
}

/// What a step leads to.
enum Stepped {
    Value(Owned, Spot),
    /// The innermost frame is at its end, whose bracket this is; none if it has no brackets.
    End(Option<u8>),
    /// There is a new innermost frame, or nothing was to be written.
    Again,
}

impl Walk<'_, '_, '_> {
    #[inline(always)]
    fn walk<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, homes, py, object, output, stack } = self;
        let trees = DIRECT && !FREE_THREADED;
        let mut out = Out::new(&mut *output)?;
        // Open containers, without what conversions lead to.
        let mut depth = 0;
        let spot = Spot { home: ROOT, node: homes.root.root };
        let mut value = Some((object.to_owned(), spot));
        loop {
            if let Some((object, spot)) = &value {
                let mask = homes.plan(spot.home).nodes[spot.node as usize].mask;
                if scalar::<V, _, DIRECT>(&mut out, object.get(), mask)? {
                    value = None;
                    if stack.frames.is_empty() {
                        break;
                    }
                }
            }
            let mut steps = !trees;
            if trees {
                let frame = match &value {
                    None => stack.frames.last().map(|frame| frame.owner.clone()),
                    Some(_) => None,
                };
                let start = match (&value, &frame) {
                    (Some((object, spot)), _) => Start::Value(object.get(), *spot),
                    (None, Some(owner)) => Start::Frame(owner.get()),
                    (None, None) => break,
                };
                let used = out.len();
                let tree = Tree::<F, _> {
                    output: &mut *output,
                    used,
                    cx,
                    homes,
                    py,
                    stack,
                    start,
                    depth,
                    format: PhantomData,
                };
                let (used, end);
                (used, depth, end) = V::enter(tree)?;
                out = Out::resume(&mut *output, used)?;
                value = match end {
                    End::Done => None,
                    End::Step => {
                        steps = true;
                        None
                    }
                    End::Value(object, spot) => Some((object, spot)),
                };
            }
            if let Some((object, spot)) = value.take() {
                let next = Walker { cx, homes, py }.begin(&object, spot);
                let next = next.map_err(|fault| failed(fault, stack, homes))?;
                match next {
                    Next::Leaf(Leaf::Plain(stamp)) => {
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    Next::Leaf(leaf) => out = write_leaf::<V, F, _>(out, cx, leaf, depth)?,
                    Next::Text(text) => {
                        if !string::<V, _, DIRECT>(&mut out, text.get(), b',')? {
                            return Err(crate::encode::keys::surrogate());
                        }
                    }
                    Next::Digits(text) => {
                        if let Chars::Ascii(digits) = text::chars::<DIRECT>(text.get())? {
                            out.raw_value(digits, b',')?;
                        }
                    }
                    Next::Base64(contents) => {
                        out.base64(bytes::owned_contents(&contents), b',')?;
                    }
                    Next::Value(object, spot) => {
                        // Kept alive by a frame, which a chain without end runs out of.
                        check_depth(stack.frames.len() - depth.min(stack.frames.len()))?;
                        stack.push(Frame::new(Form::Hold, object.clone(), spot.home, spot.node))?;
                        value = Some((object, spot));
                        continue;
                    }
                    Next::Entries(frame, entries) => {
                        check_depth(depth)?;
                        depth += 1;
                        out.byte(frame.bracket())?;
                        stack.push_entries(frame, entries)?;
                    }
                    Next::Open(frame) if frame.is_empty(py) => {
                        check_depth(depth)?;
                        out.empty(frame.bracket(), b',')?;
                    }
                    Next::Open(frame) => {
                        check_depth(depth)?;
                        depth += 1;
                        match frame.form {
                            Form::Fields => {
                                let record = &homes.plan(frame.home).records[frame.at as usize];
                                record.opening.write(&mut out)?;
                                if !record.before.is_empty() {
                                    F::before(&mut out, depth)?;
                                    record.before.write(&mut out)?;
                                }
                            }
                            _ => out.byte(frame.bracket())?,
                        }
                        stack.push(frame)?;
                    }
                }
                continue;
            }
            if !steps {
                continue;
            }
            let plan = match stack.frames.last() {
                Some(frame) => Held::new(homes, frame.home),
                None => break,
            };
            let mut step = Step { walker: Walker { cx, homes, py }, plan: &plan, stack, depth };
            let stepped = step.next::<V, F, _, DIRECT>(&mut out);
            match stepped.map_err(|fault| failed(fault, stack, homes))? {
                Stepped::Value(object, spot) => value = Some((object, spot)),
                Stepped::Again => {}
                Stepped::End(bracket) => {
                    if let Some(bracket) = bracket {
                        depth -= 1;
                        // In ASCII `]` and `}` follow their openers by two.
                        if out.last() == Some(bracket - 2) {
                            out.byte(bracket)?;
                            out.byte(b',')?;
                        } else {
                            F::close(&mut out, bracket, depth)?;
                        }
                    }
                    stack.pop();
                }
            }
        }
        out.drop_last();
        Ok(out.len())
    }
}

/// Raises what went wrong.
#[cold]
fn failed(fault: Fault, stack: &Stack, homes: &Homes<'_>) -> Raised {
    match fault {
        Fault::Raised => Raised,
        Fault::Message(message) => path::fail(message, stack, homes),
    }
}

/// Refuses one container too many.
fn check_depth(depth: usize) -> Result<(), Raised> {
    if depth >= MAX_DEPTH { Err(error::type_error(c"Recursion limit reached")) } else { Ok(()) }
}

/// One step of the innermost frame.
struct Step<'s, 'w, 'c> {
    walker: Walker<'w, 'c>,
    plan: &'s EncodePlan,
    stack: &'s mut Stack,
    depth: usize,
}

impl Step<'_, '_, '_> {
    #[inline(never)]
    fn next<V: Vector, F: Format, B: Buffer, const DIRECT: bool>(
        &mut self,
        out: &mut Out<'_, B>,
    ) -> Result<Stepped, Fault> {
        let depth = self.depth;
        let Some(frame) = self.stack.frames.last_mut() else { return Err(Fault::Raised) };
        let (home, at) = (frame.home, frame.at);
        match frame.form {
            Form::Hold => Ok(Stepped::End(None)),
            Form::List | Form::Tuple | Form::Fixed => {
                let owner = frame.owner.get();
                let items = match frame.form {
                    Form::List => list::items(owner, self.walker.py),
                    _ => list::tuple_items(owner, self.walker.py),
                };
                let Some(&Some(item)) = items.get(frame.index) else {
                    return Ok(Stepped::End(Some(b']')));
                };
                let item = item.to_owned();
                let mut node = at;
                if frame.form == Form::Fixed {
                    let nodes = self.plan.fixed.get(at as usize);
                    let Some(&one) = nodes.and_then(|nodes| nodes.get(frame.index)) else {
                        return Err(Fault::Raised);
                    };
                    node = one;
                }
                frame.index += 1;
                F::before(out, depth).map_err(Raised::from)?;
                Ok(Stepped::Value(item, Spot { home, node }))
            }
            Form::Dict => {
                let owner = frame.owner.clone();
                let entry = frame.cursor.next::<DIRECT>(&owner, self.walker.py)?;
                let Some((key, value)) =
                    entry.map(|(key, value)| (key.to_owned(), value.to_owned()))
                else {
                    return Ok(Stepped::End((!frame.inside).then_some(b'}')));
                };
                let old = frame.key.replace(key.clone());
                let Some(&nodes) = self.plan.dicts.get(at as usize) else {
                    return Err(Fault::Raised);
                };
                F::before(out, depth).map_err(Raised::from)?;
                let names = self.plan.nodes.get(nodes.key as usize);
                if types::is_exact_str(key.get()) && names.is_some_and(|node| node.mask & STR != 0)
                {
                    if !string::<V, B, DIRECT>(out, key.get(), b':')? {
                        return Err(Fault::Message(surrogates()));
                    }
                    if F::SPACED {
                        out.byte(b' ').map_err(Raised::from)?;
                    }
                } else {
                    let mut name = Vec::new();
                    self.walker.key(self.plan, &key, nodes.key, &mut name)?;
                    name_of_member::<V, F, B>(out, &name).map_err(Raised::from)?;
                }
                drop(old);
                Ok(Stepped::Value(value, Spot { home, node: nodes.value }))
            }
            Form::Entries => {
                let inside = frame.inside;
                let Some(&nodes) = self.plan.dicts.get(at as usize) else {
                    return Err(Fault::Raised);
                };
                let Some(entries) = self.stack.entries.last_mut() else {
                    return Err(Fault::Raised);
                };
                let Some((name, value)) = entries.advance() else {
                    return Ok(Stepped::End((!inside).then_some(b'}')));
                };
                let value = value.clone();
                F::before(out, depth).map_err(Raised::from)?;
                name_of_member::<V, F, B>(out, name).map_err(Raised::from)?;
                Ok(Stepped::Value(value, Spot { home, node: nodes.value }))
            }
            Form::Fields => {
                let index = frame.index;
                frame.index += 1;
                let owner = frame.owner.clone();
                let Some(record) = self.plan.records.get(at as usize) else {
                    return Err(Fault::Raised);
                };
                let Some(field) = record.more.get(index) else {
                    return self.rest(record, &owner, home, index);
                };
                let Some(value) = self.value(record, &owner, index)? else {
                    return Ok(Stepped::Again);
                };
                F::before(out, depth).map_err(Raised::from)?;
                field.label.write(out).map_err(Raised::from)?;
                Ok(Stepped::Value(value, Spot { home, node: field.node }))
            }
        }
    }

    /// The value of a field, unless that is left out.
    fn value(
        &mut self,
        record: &Record,
        owner: &Owned,
        index: usize,
    ) -> Result<Option<Owned>, Fault> {
        let (Some(field), Some(name)) = (record.more.get(index), record.names.get(index)) else {
            return Err(Fault::Raised);
        };
        let py = &mut *self.walker.py;
        let may_be_absent = matches!(field.omit, Omit::IfAbsent | Omit::IfAbsentOrNone);
        let value = match record.how {
            How::Attributes if may_be_absent => call::optional_attribute(py, owner, name)?,
            How::Attributes => Some(call::attribute(py, owner, name)?),
            How::Dict => dict::get(py, owner, name)?,
            How::Tuple => {
                let place = crate::typed::ir::size(name.get())?;
                let item = list::tuple_items(owner.get(), py).get(place).copied().flatten();
                item.map(Obj::to_owned)
            }
        };
        let Some(value) = value else {
            if may_be_absent {
                return Ok(None);
            }
            let mut text = Vec::new();
            path::append(&mut text, b"expected member \"")?;
            path::append(&mut text, &field.name)?;
            path::append(&mut text, b"\", found none")?;
            return Err(Fault::Message(text));
        };
        let is_omitted = match &field.omit {
            Omit::Never | Omit::IfAbsent => false,
            Omit::IfNone | Omit::IfAbsentOrNone => types::is_none(value.get()),
            Omit::IfEqual(default) => call::is_default(py, &value, default)?,
            Omit::IfEqualOrNone(default) => {
                types::is_none(value.get()) || call::is_default(py, &value, default)?
            }
        };
        Ok((!is_omitted).then_some(value))
    }

    /// What follows the fields: the members that are none, and then the end.
    fn rest(
        &mut self,
        record: &Record,
        owner: &Owned,
        home: u32,
        index: usize,
    ) -> Result<Stepped, Fault> {
        let Some(others) = record.rest.as_ref().filter(|_| index == record.more.len()) else {
            return Ok(Stepped::End(Some(record.bracket())));
        };
        let py = &mut *self.walker.py;
        let pairs = if others.is_own {
            let mut pairs = dict::entries(py, owner.get())?;
            pairs.retain(|(key, _)| {
                !record.names.iter().any(|name| {
                    types::is_exact_str(key.get())
                        && crate::encode::keys::is_same_text(name.get(), key.get())
                })
            });
            pairs
        } else {
            let found = call::attribute(py, owner, &others.attribute)?;
            if types::is_none(found.get()) {
                return Ok(Stepped::Again);
            }
            match types::is_exact_dict(found.get()) {
                true => dict::entries(py, found.get())?,
                false => {
                    let items = call::items(py, &found)?;
                    super::keys::pairs(py, &items)?
                }
            }
        };
        let entries: Entries = self.walker.named(self.plan, others.nodes, pairs)?;
        let mut frame = Frame::new(Form::Entries, owner.clone(), home, others.nodes);
        frame.inside = true;
        self.stack.push_entries(frame, entries)?;
        Ok(Stepped::Again)
    }
}

fn surrogates() -> Vec<u8> {
    b"str is not valid UTF-8: surrogates not allowed".to_vec()
}
