//! Compiles nodes: which values a node allows, and how each exact type is encoded.
//!
//! Separate from `compile`, which reads the description as a whole. Invariant: if several rules
//! accept an exact type, the first one wins. Called by `compile` and, for indices, by
//! `compile_record`.

use crate::description::{self, TupleNodes};
use crate::encode::policy::{BOOL, FINITE, FLOAT, INT, NONE, SCALARS, STR};
use crate::encode::rendered::Rendered;
use crate::encode::typed::compile::{Compiler, exact_items, owned_items, plan_index, push};
use crate::encode::typed::plan::{DictNodes, Encoding, EnumMembers, Node, TypeRule};
use crate::encode::typed::policies::{OVERRIDES_DICT, OVERRIDES_LIST, OVERRIDES_TUPLE};
use crate::py::bytes::Bytes;
use crate::py::dict::Dict;
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, dict, singletons, types};

impl Compiler<'_> {
    /// Reads the index of a node.
    pub(super) fn node_index(&self, object: Obj<'_>) -> Result<u32, Raised> {
        plan_index(object, self.nodes)
    }

    /// Adds a pair of key and value nodes; returns its index.
    pub(super) fn dict_nodes(&mut self, key: u32, value: u32) -> Result<u32, Raised> {
        push(&mut self.dicts, DictNodes { key, value })
    }

    /// Compiles a node from its rules; `any` is the index of the node that allows everything.
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
            allows_any: false,
            first: None,
            exact: Vec::new(),
            only_record: None,
            rules: Vec::new(),
        };
        for rule in rules {
            self.rule(py, rule, &mut node)?;
        }
        if node.allows_any {
            self.allow_any(&mut node, any)?;
        }
        if self.finite {
            node.mask |= FINITE;
        }
        self.add_exact_builtins(py, &mut node)?;
        self.leave_kept(py, &mut node)?;
        if let Some((class, Encoding::Record(record))) = node.first
            && node.exact.is_empty()
            && node.mask & SCALARS == 0
            && self.heads.get(record as usize).is_some_and(|head| !head.is_dict)
        {
            node.only_record = Some((class, record));
        }
        Ok(node)
    }

    /// Allows all built-in types.
    pub(super) fn allow_any(&self, node: &mut Node, any: u32) -> Result<(), Raised> {
        node.mask |= SCALARS & !(self.overrides as u8) | if self.finite { FINITE } else { 0 };
        for (bit, exact, encoding) in [
            (OVERRIDES_LIST, Exact::list(), Encoding::List(any)),
            (OVERRIDES_TUPLE, Exact::tuple(), Encoding::Tuple(any)),
            (OVERRIDES_DICT, Exact::dict(), Encoding::Dict(self.any_dict)),
        ] {
            if self.overrides & bit == 0 {
                add_exact(node, exact, encoding)?;
            }
        }
        Ok(())
    }

    /// How times are encoded by the rule with this index.
    fn time_encoding(&self, rule_index: u32) -> Encoding {
        if self.times_by_rule { Encoding::ByRule(rule_index) } else { Encoding::TimeOrUuid }
    }

    /// Removes the encodings of exact types that are kept, so that `classify` sees their instances.
    pub(super) fn leave_kept(&self, py: &mut Attached, node: &mut Node) -> Result<(), Raised> {
        let Some(keep) = self.keep else { return Ok(()) };
        let all = node.first.take().into_iter().chain(core::mem::take(&mut node.exact));
        for (exact, encoding) in all {
            // `classify` looks into JSON for tokens.
            if !matches!(encoding, Encoding::RawJson) && !keep.has_type(py, exact)? {
                add_exact(node, exact, encoding)?;
            }
        }
        Ok(())
    }

    /// Gives exact lists, tuples and dicts an encoding if a rule for an abstract class accepts
    /// them, so that the walk need not call `isinstance`.
    pub(super) fn add_exact_builtins(
        &self,
        py: &mut Attached,
        node: &mut Node,
    ) -> Result<(), Raised> {
        for exact in [Exact::list(), Exact::tuple(), Exact::dict()] {
            let Some(class) = types::builtin_class(exact) else { continue };
            let mut found = None;
            for rule in &node.rules {
                let (base, encoding) = match rule {
                    TypeRule::Iterable(base, item) if exact == Exact::list() => {
                        (base, Encoding::List(*item))
                    }
                    TypeRule::Iterable(base, item) if exact == Exact::tuple() => {
                        (base, Encoding::Tuple(*item))
                    }
                    TypeRule::Mapping(base, nodes) if exact == Exact::dict() => {
                        (base, Encoding::Dict(*nodes))
                    }
                    // This rule may accept the type too, and comes first.
                    TypeRule::Iterable(base, _)
                    | TypeRule::Mapping(base, _)
                    | TypeRule::Convert(base, ..) => {
                        if call::is_subclass(py, &class, base)? {
                            break;
                        }
                        continue;
                    }
                    _ => continue,
                };
                if call::is_subclass(py, &class, base)? {
                    found = Some(encoding);
                    break;
                }
            }
            if let Some(encoding) = found {
                add_exact(node, exact, encoding)?;
            }
        }
        Ok(())
    }

    /// Compiles one rule: adds it to the node, with its scalars and exact types.
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
        let rule_index = node.rules.len() as u32;
        let times = &self.runtime.times;
        let (length, type_rule) = match description::name(get(0)?.get())? {
            // After the other rules of the node, if there are any.
            b"any" if items.len() == 1 => {
                node.allows_any = true;
                return Ok(());
            }
            b"plain" => {
                let [_, class] = exact_items(py, rule)?;
                return add_exact(node, Exact::class(class.get()), Encoding::Plain);
            }
            b"none" => {
                node.mask |= NONE;
                (1, TypeRule::None)
            }
            b"bool" => {
                node.mask |= BOOL;
                (1, TypeRule::Bool)
            }
            b"int" => {
                node.mask |= INT;
                (1, TypeRule::Int)
            }
            // As in type checkers, an int is accepted for a float.
            b"float" => {
                node.mask |= FLOAT | INT;
                (1, TypeRule::Float)
            }
            b"str" => {
                node.mask |= STR;
                (1, TypeRule::Str)
            }
            b"bytes" => {
                add_exact(node, Exact::bytes(), Encoding::Base64(rule_index))?;
                for exact in [Exact::bytearray(), Exact::memoryview()] {
                    add_exact(node, exact, Encoding::ByRule(rule_index))?;
                }
                (1, TypeRule::Bytes)
            }
            b"decimal" => {
                add_exact(node, Exact::class(get(1)?.get()), Encoding::ByRule(rule_index))?;
                (2, TypeRule::Decimal(class(1)?))
            }
            b"datetime" => {
                add_exact_time(node, times.datetime(), self.time_encoding(rule_index))?;
                (1, TypeRule::DateTime)
            }
            b"date" => {
                add_exact_time(node, times.date(), Encoding::TimeOrUuid)?;
                (1, TypeRule::Date)
            }
            b"time" => {
                add_exact_time(node, times.time(), self.time_encoding(rule_index))?;
                (1, TypeRule::Time)
            }
            b"timedelta" => {
                add_exact_time(node, times.delta(), Encoding::Duration(rule_index))?;
                (1, TypeRule::TimeDelta)
            }
            b"uuid" => {
                add_exact(node, Exact::class(get(1)?.get()), Encoding::TimeOrUuid)?;
                (2, TypeRule::Uuid(class(1)?))
            }
            b"list" => {
                let item = self.node_index(get(1)?.get())?;
                add_exact(node, Exact::list(), Encoding::List(item))?;
                (2, TypeRule::List(item))
            }
            b"tuple" => {
                let item = self.node_index(get(1)?.get())?;
                add_exact(node, Exact::tuple(), Encoding::Tuple(item))?;
                (2, TypeRule::Tuple(item))
            }
            // With the node of all other items, if there may be any.
            b"fixed" => {
                let rest = items.get(2).map(Owned::get);
                let read_index = |index: Obj<'_>| self.node_index(index);
                let nodes = TupleNodes::read(py, get(1)?.get(), rest, read_index)?;
                let fixed = push(&mut self.fixed_tuples, nodes)?;
                add_exact(node, Exact::tuple(), Encoding::FixedTuple(fixed))?;
                (if rest.is_some() { 3 } else { 2 }, TypeRule::FixedTuple(fixed))
            }
            b"iterable" => {
                let item = self.node_index(get(2)?.get())?;
                add_exact(node, Exact::class(get(1)?.get()), Encoding::ByRule(rule_index))?;
                (3, TypeRule::Iterable(class(1)?, item))
            }
            b"dict" => {
                let (key, value) =
                    (self.node_index(get(1)?.get())?, self.node_index(get(2)?.get())?);
                let nodes = self.dict_nodes(key, value)?;
                add_exact(node, Exact::dict(), Encoding::Dict(nodes))?;
                (3, TypeRule::Dict(nodes))
            }
            b"mapping" => {
                let (key, value) =
                    (self.node_index(get(2)?.get())?, self.node_index(get(3)?.get())?);
                let nodes = self.dict_nodes(key, value)?;
                add_exact(node, Exact::class(get(1)?.get()), Encoding::ByRule(rule_index))?;
                (4, TypeRule::Mapping(class(1)?, nodes))
            }
            name @ (b"record" | b"array_record") => {
                let record = plan_index(get(1)?.get(), self.heads.len())?;
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
                add_exact(node, exact, Encoding::Record(record))?;
                (2, TypeRule::Record(record))
            }
            b"members" => {
                let table = self.enum_members(py, class(1)?, get(2)?)?;
                let members = push(&mut self.enums, table)?;
                add_exact(node, Exact::class(get(1)?.get()), Encoding::EnumMember(members))?;
                (3, TypeRule::EnumMember(members))
            }
            b"via" => {
                let inner = self.node_index(get(3)?.get())?;
                add_exact(node, Exact::class(get(1)?.get()), Encoding::ByRule(rule_index))?;
                (4, TypeRule::Convert(class(1)?, get(2)?.clone(), inner))
            }
            name @ (b"select" | b"first") => {
                let mut nodes = Vec::new();
                for item in owned_items(py, get(2)?)? {
                    push(&mut nodes, self.node_index(item.get())?)?;
                }
                let (select, names) = (get(1)?.clone(), get(3)?.clone());
                if name == b"first" {
                    (4, TypeRule::SelectAny(select, nodes, names))
                } else {
                    add_exact(node, Exact::dict(), Encoding::ByRule(rule_index))?;
                    (4, TypeRule::SelectDict(select, nodes, names))
                }
            }
            b"raw" => {
                add_exact(node, Exact::class(get(1)?.get()), Encoding::RawJson)?;
                (2, TypeRule::RawJson(class(1)?))
            }
            b"ndarray" => {
                (2, TypeRule::NumpyArray(description::optional(get(1)?.get()).map(Obj::to_owned)))
            }
            _ => return Err(description::unexpected(c"the name of a rule", get(0)?.get())),
        };
        if items.len() != length {
            return Err(description::unexpected(c"a rule of another length", rule.get()));
        }
        push(&mut node.rules, type_rule)?;
        Ok(())
    }

    /// Compiles the members of an enum and their rendered JSON.
    pub(super) fn enum_members(
        &self,
        py: &mut Attached,
        class: Owned,
        rendered: &Owned,
    ) -> Result<EnumMembers, Raised> {
        let Some(dict) = Dict::exact(rendered.get()) else {
            return Err(description::unexpected(c"a dict", rendered.get()));
        };
        let entries = dict::entries(py, dict)?;
        let size = (2 * entries.len() + 1).next_power_of_two();
        let mut table: Vec<Option<(Owned, Rendered)>> = description::with_room(size)?;
        table.resize_with(size, || None);
        for (member, json) in entries {
            // A text with surrogates, which the options refuse: `enum_member` finds it in the dict.
            if singletons::is_none(json.get()) {
                continue;
            }
            let Some(bytes) = Bytes::exact(json.get()).map(bytes::contents) else {
                return Err(description::unexpected(c"rendered JSON", json.get()));
            };
            let mut text = description::with_room(bytes.len() + 1)?;
            text.extend_from_slice(bytes);
            text.push(b',');
            let mut slot = EnumMembers::first_slot(member.get());
            while let Some(Some(_)) = table.get(slot & (size - 1)) {
                slot += 1;
            }
            let rendered_json = Rendered::new(&text)?;
            if let Some(entry) = table.get_mut(slot & (size - 1)) {
                *entry = Some((member, rendered_json));
            }
        }
        Ok(EnumMembers { class, dict: dict.to_owned(), table })
    }
}

/// Encodes instances of exactly this type in this way, unless an earlier rule has claimed the type.
pub(super) fn add_exact(node: &mut Node, exact: Exact, encoding: Encoding) -> Result<(), Raised> {
    if node.encoding(exact).is_some() {
        return Ok(());
    }
    match node.first {
        None => node.first = Some((exact, encoding)),
        Some(_) => drop(push(&mut node.exact, (exact, encoding))?),
    }
    Ok(())
}

/// Like [`add_exact`]; does nothing if the class does not exist.
fn add_exact_time(node: &mut Node, exact: Option<Exact>, encoding: Encoding) -> Result<(), Raised> {
    exact.map_or(Ok(()), |exact| add_exact(node, exact, encoding))
}
