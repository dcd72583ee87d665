//! From the description of an encoder's types to its plan.
//!
//! Separate, because it runs once for each plan. Everything that walks could ask again and again is
//! decided here: names are rendered, exact types are mapped to what is done with them. Invariant:
//! what is not understood is an error.

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{NoMemory, Out, VecBuffer};

use super::options::Options;
use super::plan::*;
use crate::config::Config;
use crate::py::bytes::owned_contents;
use crate::py::seat::Seat;
use crate::py::swap::Swap;
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, dict, error, text, types};
use crate::state::{Pool, State};
use crate::typed::ir::{self, Row};

/// The plan of a description `(1, nodes, records, root, options)`.
pub(super) fn plan(
    py: &mut Attached,
    state: &State,
    description: &Owned,
) -> Result<EncodePlan, Raised> {
    let [version, nodes, records, root, options] = parts(py, description)?;
    if ir::integer(version.get())? != ir::VERSION {
        return Err(ir::unexpected(c"the version of the description", version.get()));
    }
    let (nodes, records) = (owned_items(py, &nodes)?, owned_items(py, &records)?);
    let options = Options::read(py, &options)?;
    let mut compiler = Compiler {
        state,
        nodes: nodes.len(),
        heads: Vec::new(),
        fixed: Vec::new(),
        dicts: Vec::new(),
        members: Vec::new(),
        finite: options.finite,
        indents: options.config.has(Config::INDENT_2),
        any_dict: 0,
    };
    for record in &records {
        let row = Row::new(py, record.get())?;
        let (class, is_dict) = (row.get(0)?.to_owned(), ir::name(row.get(1)?)? == b"dict");
        push(&mut compiler.heads, Head { class, is_dict, is_array: None })?;
    }
    let any = nodes.len() as u32;
    compiler.any_dict = compiler.dict_nodes(any, any)?;
    let mut made = ir::with_room(nodes.len() + 1)?;
    for node in &nodes {
        let [label, rules] = parts(py, node)?;
        if !types::is_exact_str(label.get()) {
            return Err(ir::unexpected(c"a label", label.get()));
        }
        let rules = owned_items(py, &rules)?;
        made.push(compiler.node(py, label, &rules, any)?);
    }
    let label = crate::py::text::decode_utf8(b"any")?;
    let mut node = Node {
        label,
        mask: 0,
        any: true,
        first: None,
        exact: Vec::new(),
        row: None,
        rules: Vec::new(),
    };
    compiler.allow_any(&mut node, any)?;
    made.push(node);
    let root = compiler.node_at(root.get())?;
    let mut finished = ir::with_room(records.len())?;
    for (record, place) in records.iter().zip(0..) {
        finished.push(compiler.record(py, record, place, &made)?);
    }
    Ok(EncodePlan {
        nodes: made,
        records: finished,
        fixed: compiler.fixed,
        dicts: compiler.dicts,
        members: compiler.members,
        root,
        resolve: options.resolve,
        hook: options.hook,
        decimal_number: options.decimal_number,
        config: options.config,
        pool: Pool::default(),
    })
}

/// The items of a tuple of so many.
fn parts<const N: usize>(py: &Attached, object: &Owned) -> Result<[Owned; N], Raised> {
    let row = Row::new(py, object.get())?;
    if row.len() != N {
        return Err(ir::unexpected(c"a tuple of another length", object.get()));
    }
    // As many as there are places.
    let mut items = row.items().map(Obj::to_owned);
    let mut failed = false;
    let parts = core::array::from_fn(|_| match items.next() {
        Some(item) => item,
        None => {
            failed = true;
            object.clone()
        }
    });
    if failed { Err(ir::unexpected(c"a complete tuple", object.get())) } else { Ok(parts) }
}

/// The items of a tuple.
fn owned_items(py: &Attached, object: &Owned) -> Result<Vec<Owned>, Raised> {
    let row = Row::new(py, object.get())?;
    let mut items = ir::with_room(row.len())?;
    items.extend(row.items().map(Obj::to_owned));
    Ok(items)
}

/// A string with quotes and escapes, and a colon.
struct Name<'a>(&'a [u8]);

impl Task for Name<'_> {
    type Output = Result<Vec<u8>, NoMemory>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer)?;
        out.ascii::<V>(self.0, b':')?;
        let len = out.len();
        Ok(buffer.into_vec(len))
    }
}

/// What nodes need to know of a record.
struct Head {
    class: Owned,
    /// Its instances are dicts.
    is_dict: bool,
    /// Whether it is written as an array, once a node says so.
    is_array: Option<bool>,
}

struct Compiler<'a> {
    state: &'a State,
    /// How many nodes and records there are.
    nodes: usize,
    heads: Vec<Head>,
    fixed: Vec<Vec<u32>>,
    dicts: Vec<DictNodes>,
    members: Vec<Members>,
    finite: bool,
    indents: bool,
    /// The nodes of a dict of anything.
    any_dict: u32,
}

impl Compiler<'_> {
    fn node_at(&self, object: Obj<'_>) -> Result<u32, Raised> {
        place(object, self.nodes)
    }

    fn dict_nodes(&mut self, key: u32, value: u32) -> Result<u32, Raised> {
        push(&mut self.dicts, DictNodes { key, value })
    }

    fn node(
        &mut self,
        py: &mut Attached,
        label: Owned,
        rules: &[Owned],
        any: u32,
    ) -> Result<Node, Raised> {
        let mut node = Node {
            label,
            mask: 0,
            any: false,
            first: None,
            exact: Vec::new(),
            row: None,
            rules: Vec::new(),
        };
        for rule in rules {
            self.rule(py, rule, &mut node)?;
        }
        if node.any {
            self.allow_any(&mut node, any)?;
        }
        if self.finite {
            node.mask |= FINITE;
        }
        self.through_bases(py, &mut node)?;
        if let Some((class, Op::Record(record))) = node.first
            && node.exact.is_empty()
            && node.mask & SCALARS == 0
            && self.heads.get(record as usize).is_some_and(|head| !head.is_dict)
        {
            node.row = Some((class, record));
        }
        Ok(node)
    }

    /// Allows everything that is built in.
    fn allow_any(&self, node: &mut Node, any: u32) -> Result<(), Raised> {
        node.mask |= SCALARS | if self.finite { FINITE } else { 0 };
        exactly(node, Exact::list(), Op::List(any))?;
        exactly(node, Exact::tuple(), Op::Tuple(any))?;
        exactly(node, Exact::dict(), Op::Dict(self.any_dict))
    }

    /// Lists, tuples and dicts that are allowed because of an abstract class need not ask it.
    fn through_bases(&self, py: &mut Attached, node: &mut Node) -> Result<(), Raised> {
        for exact in [Exact::list(), Exact::tuple(), Exact::dict()] {
            let Some(class) = types::builtin_class(exact) else { continue };
            let mut found = None;
            for rule in &node.rules {
                let (base, op) = match rule {
                    Rule::Iterable(base, item) if exact == Exact::list() => (base, Op::List(*item)),
                    Rule::Iterable(base, item) if exact == Exact::tuple() => {
                        (base, Op::Tuple(*item))
                    }
                    Rule::Mapping(base, nodes) if exact == Exact::dict() => {
                        (base, Op::Dict(*nodes))
                    }
                    // It may be one of these as well, and comes before.
                    Rule::Iterable(base, _) | Rule::Mapping(base, _) | Rule::Via(base, ..) => {
                        if call::is_subclass(py, &class, base)? {
                            break;
                        }
                        continue;
                    }
                    _ => continue,
                };
                if call::is_subclass(py, &class, base)? {
                    found = Some(op);
                    break;
                }
            }
            if let Some(op) = found {
                exactly(node, exact, op)?;
            }
        }
        Ok(())
    }

    fn rule(&mut self, py: &mut Attached, rule: &Owned, node: &mut Node) -> Result<(), Raised> {
        let items = owned_items(py, rule)?;
        let get = |index: usize| {
            items.get(index).ok_or_else(|| ir::unexpected(c"a longer rule", rule.get()))
        };
        let class = |index: usize| {
            let class = get(index)?;
            match types::is_type(class.get()) {
                true => Ok(class.clone()),
                false => Err(ir::unexpected(c"a class", class.get())),
            }
        };
        let at = node.rules.len() as u32;
        let times = &self.state.times;
        let (length, made) = match ir::name(get(0)?.get())? {
            b"any" => {
                node.any = true;
                return Ok(());
            }
            b"none" => {
                node.mask |= NONE;
                (1, Rule::None)
            }
            b"bool" => {
                node.mask |= BOOL;
                (1, Rule::Bool)
            }
            b"int" => {
                node.mask |= INT;
                (1, Rule::Int)
            }
            // What the type checkers allow: an int for a float.
            b"float" => {
                node.mask |= FLOAT | INT;
                (1, Rule::Float)
            }
            b"str" => {
                node.mask |= STR;
                (1, Rule::Str)
            }
            b"bytes" => {
                for exact in [Exact::bytes(), Exact::bytearray(), Exact::memoryview()] {
                    exactly(node, exact, Op::Rule(at))?;
                }
                (1, Rule::Bytes)
            }
            b"decimal" => {
                exactly(node, Exact::class(get(1)?.get()), Op::Rule(at))?;
                (2, Rule::Decimal(class(1)?))
            }
            b"datetime" => {
                exact_time(node, times.datetime(), Op::Stamp)?;
                (1, Rule::DateTime)
            }
            b"date" => {
                exact_time(node, times.date(), Op::Stamp)?;
                (1, Rule::Date)
            }
            b"time" => {
                exact_time(node, times.time(), Op::Stamp)?;
                (1, Rule::Time)
            }
            b"timedelta" => {
                exact_time(node, times.delta(), Op::Rule(at))?;
                (1, Rule::Delta)
            }
            b"uuid" => {
                exactly(node, Exact::class(get(1)?.get()), Op::Stamp)?;
                (2, Rule::Uuid(class(1)?))
            }
            b"list" => {
                let item = self.node_at(get(1)?.get())?;
                exactly(node, Exact::list(), Op::List(item))?;
                (2, Rule::List(item))
            }
            b"tuple" => {
                let item = self.node_at(get(1)?.get())?;
                exactly(node, Exact::tuple(), Op::Tuple(item))?;
                (2, Rule::Tuple(item))
            }
            b"fixed" => {
                let mut nodes = Vec::new();
                for item in owned_items(py, get(1)?)? {
                    push(&mut nodes, self.node_at(item.get())?)?;
                }
                let fixed = push(&mut self.fixed, nodes)?;
                exactly(node, Exact::tuple(), Op::Fixed(fixed))?;
                (2, Rule::Fixed(fixed))
            }
            b"iterable" => {
                let item = self.node_at(get(2)?.get())?;
                exactly(node, Exact::class(get(1)?.get()), Op::Rule(at))?;
                (3, Rule::Iterable(class(1)?, item))
            }
            b"dict" => {
                let (key, value) = (self.node_at(get(1)?.get())?, self.node_at(get(2)?.get())?);
                let nodes = self.dict_nodes(key, value)?;
                exactly(node, Exact::dict(), Op::Dict(nodes))?;
                (3, Rule::Dict(nodes))
            }
            b"mapping" => {
                let (key, value) = (self.node_at(get(2)?.get())?, self.node_at(get(3)?.get())?);
                let nodes = self.dict_nodes(key, value)?;
                exactly(node, Exact::class(get(1)?.get()), Op::Rule(at))?;
                (4, Rule::Mapping(class(1)?, nodes))
            }
            name @ (b"record" | b"array_record") => {
                let record = place(get(1)?.get(), self.heads.len())?;
                let is_array = name == b"array_record";
                let head = self.heads.get_mut(record as usize);
                let head = head.ok_or_else(|| ir::unexpected(c"a record", rule.get()))?;
                if *head.is_array.get_or_insert(is_array) != is_array {
                    return Err(ir::unexpected(c"a record of one layout", rule.get()));
                }
                let exact = match head.is_dict {
                    true => Exact::dict(),
                    false => Exact::class(head.class.get()),
                };
                exactly(node, exact, Op::Record(record))?;
                (2, Rule::Record(record))
            }
            b"members" => {
                let table = self.members(py, class(1)?, get(2)?)?;
                let members = push(&mut self.members, table)?;
                exactly(node, Exact::class(get(1)?.get()), Op::Members(members))?;
                (3, Rule::Members(members))
            }
            b"via" => {
                let inner = self.node_at(get(3)?.get())?;
                exactly(node, Exact::class(get(1)?.get()), Op::Rule(at))?;
                (4, Rule::Via(class(1)?, get(2)?.clone(), inner))
            }
            b"raw" => {
                exactly(node, Exact::class(get(1)?.get()), Op::Raw)?;
                (2, Rule::Raw(class(1)?))
            }
            b"ndarray" => (1, Rule::Array),
            _ => return Err(ir::unexpected(c"the name of a rule", get(0)?.get())),
        };
        if items.len() != length {
            return Err(ir::unexpected(c"a rule of another length", rule.get()));
        }
        push(&mut node.rules, made)?;
        Ok(())
    }

    fn members(
        &self,
        py: &mut Attached,
        class: Owned,
        rendered: &Owned,
    ) -> Result<Members, Raised> {
        if !types::is_exact_dict(rendered.get()) {
            return Err(ir::unexpected(c"a dict", rendered.get()));
        }
        let entries = dict::entries(py, rendered.get())?;
        let size = (2 * entries.len() + 1).next_power_of_two();
        let mut table: Vec<Option<(Owned, Label)>> = ir::with_room(size)?;
        table.resize_with(size, || None);
        for (member, json) in entries {
            let Some(bytes) = bytes::exact_contents(json.get()) else {
                return Err(ir::unexpected(c"rendered JSON", json.get()));
            };
            let mut text = ir::with_room(bytes.len() + 1)?;
            text.extend_from_slice(bytes);
            text.push(b',');
            let mut at = Members::start(member.get());
            while let Some(Some(_)) = table.get(at & (size - 1)) {
                at += 1;
            }
            let label = Label::new(&text)?;
            if let Some(place) = table.get_mut(at & (size - 1)) {
                *place = Some((member, label));
            }
        }
        Ok(Members { class, dict: rendered.clone(), table })
    }

    /// Reads `(cls, how, fields, before, rest, sort)`.
    fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        place: usize,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let [class, how, fields, before, rest, _sort] = parts(py, record)?;
        let how = match ir::name(how.get())? {
            b"attributes" => How::Attributes,
            b"dict" => How::Dict,
            b"tuple" => How::Tuple,
            _ => return Err(ir::unexpected(c"attributes, dict or tuple", how.get())),
        };
        if !types::is_type(class.get()) {
            return Err(ir::unexpected(c"a class", class.get()));
        }
        let Some(before) = bytes::exact_contents(before.get()) else {
            return Err(ir::unexpected(c"rendered members", before.get()));
        };
        let rest = match types::is_none(rest.get()) {
            true => None,
            false => {
                let [attribute, node] = parts(py, &rest)?;
                if !types::is_exact_str(attribute.get()) {
                    return Err(ir::unexpected(c"the name of an attribute", attribute.get()));
                }
                let node = self.node_at(node.get())?;
                let is_own = text::is_empty(attribute.get());
                let nodes = self.dict_nodes(self.nodes as u32, node)?;
                Some(Others { attribute: call::intern(attribute), is_own, nodes })
            }
        };
        let fields = owned_items(py, &fields)?;
        let is_array = self.heads.get(place).is_some_and(|head| head.is_array == Some(true));
        let mut opening = ir::with_room(before.len() + 2)?;
        opening.push(if is_array { b'[' } else { b'{' });
        let mut inside = Label::new(&[])?;
        if !before.is_empty() {
            opening.extend_from_slice(before);
            opening.push(b',');
            if self.indents {
                inside = Label::new(opening.get(1..).unwrap_or(&[]))?;
                opening.truncate(1);
            }
        }
        let mut made = Record {
            class,
            how,
            is_array,
            more: ir::with_room(fields.len())?,
            names: ir::with_room(fields.len())?,
            opening: Label::new(&[])?,
            may_be_empty: before.is_empty(),
            before: inside,
            rest,
            ready: Default::default(),
            items: 0,
        };
        let mut seats = ir::with_room(fields.len())?;
        for field in &fields {
            let [attribute, name, node, omit] = parts(py, field)?;
            if how == How::Tuple {
                let index = ir::size(attribute.get())?;
                if index > u16::MAX.into() {
                    return Err(ir::unexpected(c"an index", attribute.get()));
                }
                made.items = made.items.max(index + 1);
                seats.push(Seat::of_item(index));
            } else if !types::is_exact_str(attribute.get()) {
                return Err(ir::unexpected(c"the name of an attribute", attribute.get()));
            }
            if how == How::Dict {
                // Not looked at, but one for each field.
                seats.push(Seat::of_item(0));
            }
            made.names.push(if how == How::Tuple { attribute } else { call::intern(attribute) });
            let name = ir::utf8(py, name.get())?;
            let name = copy(owned_contents(&name))?;
            let mut text = match is_array {
                true => Vec::new(),
                false => self.state.dispatch.run(Name(&name))?,
            };
            if self.indents && !is_array {
                push(&mut text, b' ')?;
            }
            let node = self.node_at(node.get())?;
            let omit = omit_rule(py, &omit)?;
            let may_omit = !matches!(omit, Omit::Never);
            // PERF: what opens the record is written together with the first name.
            if !self.indents && !may_omit && made.more.is_empty() {
                opening.try_reserve(text.len()).map_err(|_| error::no_memory())?;
                opening.extend_from_slice(&text);
                text = core::mem::take(&mut opening);
            }
            let label = Label::new(&text)?;
            let mask = nodes.get(node as usize).map_or(0, |node| node.mask);
            made.may_be_empty &= may_omit;
            made.more.push(More { label, name, node, mask, omit });
        }
        made.ready = Swap::new(Ready::new(Default::default(), &made.more, &seats)?);
        made.opening = Label::new(&opening)?;
        Ok(made)
    }
}

fn omit_rule(py: &Attached, omit: &Owned) -> Result<Omit, Raised> {
    if types::is_none(omit.get()) {
        return Ok(Omit::Never);
    }
    let (name, row) = Row::tagged(py, omit.get())?;
    match (name, row.len()) {
        (b"none", 1) => Ok(Omit::IfNone),
        (b"absent", 1) => Ok(Omit::IfAbsent),
        (b"absent", 2) if types::is_true(row.get(1)?) => Ok(Omit::IfAbsentOrNone),
        (b"equal", 2) => Ok(Omit::IfEqual(row.get(1)?.to_owned())),
        (b"equal", 3) if types::is_true(row.get(2)?) => {
            Ok(Omit::IfEqualOrNone(row.get(1)?.to_owned()))
        }
        _ => Err(ir::unexpected(c"a rule of what to leave out", omit.get())),
    }
}

/// The place of a node or a record, of which there are so many.
fn place(object: Obj<'_>, count: usize) -> Result<u32, Raised> {
    let place = ir::size(object)?;
    if place >= count || place >= u32::MAX as usize {
        return Err(ir::unexpected(c"a place", object));
    }
    Ok(place as u32)
}

fn copy(bytes: &[u8]) -> Result<Vec<u8>, Raised> {
    let mut copy = ir::with_room(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

fn push<T>(target: &mut Vec<T>, value: T) -> Result<u32, Raised> {
    target.try_reserve(1).map_err(|_| error::no_memory())?;
    target.push(value);
    Ok(target.len() as u32 - 1)
}

/// Has instances of exactly that type written in this way, unless that was said before.
pub(super) fn exactly(node: &mut Node, exact: Exact, op: Op) -> Result<(), Raised> {
    if node.op(exact).is_some() {
        return Ok(());
    }
    match node.first {
        None => node.first = Some((exact, op)),
        Some(_) => drop(push(&mut node.exact, (exact, op))?),
    }
    Ok(())
}

fn exact_time(node: &mut Node, exact: Option<Exact>, op: Op) -> Result<(), Raised> {
    exact.map_or(Ok(()), |exact| exactly(node, exact, op))
}
