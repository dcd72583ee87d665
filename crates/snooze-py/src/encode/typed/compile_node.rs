//! Nodes of a plan: what a value may be, and how its exact type is written, from the description.

use crate::description;
use crate::encode::rendered::Rendered;
use crate::encode::scalar::{BOOL, FINITE, FLOAT, INT, NONE, SCALARS, STR};
use crate::encode::typed::compile::{Compiler, owned_items, place, push};
use crate::encode::typed::plan::{DictNodes, Members, Node, Op, Rule};
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, dict, types};

impl Compiler<'_> {
    pub(super) fn node_at(&self, object: Obj<'_>) -> Result<u32, Raised> {
        place(object, self.nodes)
    }

    pub(super) fn dict_nodes(&mut self, key: u32, value: u32) -> Result<u32, Raised> {
        push(&mut self.dicts, DictNodes { key, value })
    }

    pub(super) fn node(
        &mut self,
        py: &mut Attached,
        expected: Owned,
        rules: &[Owned],
        any: u32,
    ) -> Result<Node, Raised> {
        let mut node = Node {
            expected,
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
    pub(super) fn allow_any(&self, node: &mut Node, any: u32) -> Result<(), Raised> {
        node.mask |= SCALARS | if self.finite { FINITE } else { 0 };
        exactly(node, Exact::list(), Op::List(any))?;
        exactly(node, Exact::tuple(), Op::Tuple(any))?;
        exactly(node, Exact::dict(), Op::Dict(self.any_dict))
    }

    /// Lists, tuples and dicts that are allowed because of an abstract class need not ask it.
    pub(super) fn through_bases(&self, py: &mut Attached, node: &mut Node) -> Result<(), Raised> {
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

    pub(super) fn rule(
        &mut self,
        py: &mut Attached,
        rule: &Owned,
        node: &mut Node,
    ) -> Result<(), Raised> {
        let items = owned_items(py, rule)?;
        let get = |index: usize| {
            items.get(index).ok_or_else(|| description::unexpected(c"a longer rule", rule.get()))
        };
        let class = |index: usize| {
            let class = get(index)?;
            match types::is_type(class.get()) {
                true => Ok(class.clone()),
                false => Err(description::unexpected(c"a class", class.get())),
            }
        };
        let at = node.rules.len() as u32;
        let times = &self.runtime.times;
        let (length, made) = match description::name(get(0)?.get())? {
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
                let head = head.ok_or_else(|| description::unexpected(c"a record", rule.get()))?;
                if *head.is_array.get_or_insert(is_array) != is_array {
                    return Err(description::unexpected(c"a record of one layout", rule.get()));
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
            _ => return Err(description::unexpected(c"the name of a rule", get(0)?.get())),
        };
        if items.len() != length {
            return Err(description::unexpected(c"a rule of another length", rule.get()));
        }
        push(&mut node.rules, made)?;
        Ok(())
    }

    pub(super) fn members(
        &self,
        py: &mut Attached,
        class: Owned,
        rendered: &Owned,
    ) -> Result<Members, Raised> {
        if !types::is_exact_dict(rendered.get()) {
            return Err(description::unexpected(c"a dict", rendered.get()));
        }
        let entries = dict::entries(py, rendered.get())?;
        let size = (2 * entries.len() + 1).next_power_of_two();
        let mut table: Vec<Option<(Owned, Rendered)>> = description::with_room(size)?;
        table.resize_with(size, || None);
        for (member, json) in entries {
            let Some(bytes) = bytes::exact_contents(json.get()) else {
                return Err(description::unexpected(c"rendered JSON", json.get()));
            };
            let mut text = description::with_room(bytes.len() + 1)?;
            text.extend_from_slice(bytes);
            text.push(b',');
            let mut at = Members::start(member.get());
            while let Some(Some(_)) = table.get(at & (size - 1)) {
                at += 1;
            }
            let label = Rendered::new(&text)?;
            if let Some(place) = table.get_mut(at & (size - 1)) {
                *place = Some((member, label));
            }
        }
        Ok(Members { class, dict: rendered.clone(), table })
    }
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
