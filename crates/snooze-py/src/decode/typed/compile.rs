//! Compiling a description, as `snooze._typed` makes it from a type, into the plan of a decoder.
//!
//! Separate from `plan`, because reading the description is most of the work and runs once for each
//! decoder. `compile_node` reads nodes, `compile_record` reads classes. Invariant: each index in
//! the plan is checked here, and a description that is not fully understood raises `SystemError`.
//! Called by `entry`.

use core::sync::atomic::{AtomicU64, Ordering};

use snooze_core::names::Names;

use crate::decode::typed::plan::{
    Construction, DecodePlan, DictRule, LengthBounds, Node, Options, Record, Rule, Tables,
    UnknownMembers,
};
use crate::description;
use crate::description::{Row, with_room};
use crate::py::datetime::Uuids;
use crate::py::{Attached, Obj, Owned, Raised, error, unicode};

/// The identity of the newest plan.
static NEWEST: AtomicU64 = AtomicU64::new(0);

/// Compiles a description. `stores_attributes` says whether the attributes of instances may be
/// stored in place.
pub(super) fn compile_plan(
    py: &mut Attached,
    stores_attributes: bool,
    description: &Owned,
) -> Result<DecodePlan, Raised> {
    let description = Description::new(py, description)?;
    let mut compiler = Compiler {
        node_count: description.nodes.len(),
        record_count: description.records.len(),
        tables: Tables::default(),
        uuid_classes: Vec::new(),
        runs_python: false,
        stores_attributes,
        call_depth: 0,
    };
    push_entry(&mut compiler.tables.lengths, LengthBounds { min: 0, max: usize::MAX })?;
    let mut nodes = with_room(description.nodes.len())?;
    for node in &description.nodes {
        nodes.push(compiler.node(py, node.get())?);
    }
    let mut records = with_room(description.records.len())?;
    let mut places = 0;
    for record in &description.records {
        let mut record = compiler.record(py, record, &nodes)?;
        record.first_place = places;
        places += record.fields.len() + 1;
        records.push(record);
    }
    for class in core::mem::take(&mut compiler.uuid_classes) {
        let uuids = Uuids::new(py, &class)?;
        push_entry(&mut compiler.tables.uuids, uuids)?;
    }
    if description.root >= nodes.len() {
        return Err(error::system_error(c"the description of a plan has no root"));
    }
    let has_plain_keys = |dict: &DictRule| {
        let key = nodes.get(dict.key as usize);
        key.is_some_and(|key: &Node| matches!(key.string, Rule::Str | Rule::Any))
    };
    for dict in &mut compiler.tables.dicts {
        dict.plain_keys = has_plain_keys(dict);
        let key = nodes.get(dict.key as usize);
        compiler.runs_python |= !key.is_some_and(Node::is_hashed_in_c);
    }
    note_plain_containers(&mut nodes, &compiler.tables.dicts)?;
    let any_node = Node::with_rule(unicode::decode_utf8(b"any")?, Rule::Any);
    let empty_record = Record {
        name: any_node.expected.clone(),
        construction: Construction::Dict,
        fields: Vec::new(),
        names: Names::new(&[]).map_err(|_| error::no_memory())?,
        aliases: Vec::new(),
        array_fields: Vec::new(),
        unknown: UnknownMembers::Ignore,
        skipped_names: Vec::new(),
        tag: None,
        tag_item: None,
        first_place: 0,
        collects_into_field: false,
        skips_unknown: true,
        untracked: false,
        slots_only: None,
        inline_values: None,
    };
    let Description { root, options, fail, .. } = description;
    let Compiler { tables, runs_python, .. } = compiler;
    Ok(DecodePlan {
        id: NEWEST.fetch_add(1, Ordering::Relaxed) + 1,
        nodes,
        records,
        root,
        options,
        tables,
        any_node,
        places,
        empty_record,
        fail,
        runs_python,
    })
}

/// Notes in each node which of its containers are those of `loads`.
fn note_plain_containers(nodes: &mut [Node], dicts: &[DictRule]) -> Result<(), Raised> {
    let mut take_any = with_room(nodes.len())?;
    take_any.extend(nodes.iter().map(Node::takes_any));
    let takes_any = |index: u32| take_any.get(index as usize) == Some(&true);
    for node in nodes {
        node.is_plain_array = match node.array {
            Rule::Any => true,
            Rule::List(item, LengthBounds::ANY) => takes_any(item),
            _ => false,
        };
        node.is_plain_object = match node.object {
            Rule::Any => true,
            Rule::Dict(index) => dicts.get(index as usize).is_some_and(|dict| {
                dict.plain_keys && dict.lengths == LengthBounds::ANY && takes_any(dict.value)
            }),
            _ => false,
        };
    }
    Ok(())
}

/// The parts of a description, as strong references: compiling records runs Python code.
struct Description {
    nodes: Vec<Owned>,
    records: Vec<Owned>,
    root: usize,
    options: Options,
    fail: Owned,
}

impl Description {
    /// Reads `(version, nodes, records, root, options, fail)`.
    fn new(py: &Attached, description: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, description.get())?;
        if description::integer(row.get(0)?)? != description::VERSION {
            return Err(error::system_error(c"the description of a plan is of another version"));
        }
        let [_, nodes, records, root, options, fail] = row.exactly()?;
        let owned = |object: Obj<'_>| -> Result<Vec<Owned>, Raised> {
            let items = Row::new(py, object)?;
            let mut all = with_room(items.len())?;
            all.extend(items.items().map(Obj::to_owned));
            Ok(all)
        };
        let [strict, max_errors, fast_skip, pointer] = Row::exact(py, options)?;
        // `None` is the first problem only.
        let max_errors = description::optional(max_errors).map(description::size_64).transpose()?;
        let max_errors = max_errors.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        let pointer = match description::optional(pointer) {
            Some(tokens) => {
                let tokens = Row::new(py, tokens)?;
                let mut all = with_room(tokens.len())?;
                for token in tokens.items() {
                    all.push(description::utf8(py, token)?);
                }
                Some(all)
            }
            None => None,
        };
        Ok(Self {
            nodes: owned(nodes)?,
            records: owned(records)?,
            root: description::size(root)?,
            options: Options {
                strict: description::boolean(strict)?,
                all_errors: max_errors.is_some(),
                max_errors: max_errors.unwrap_or(1),
                fast_skip: description::boolean(fast_skip)?,
                pointer,
            },
            fail: fail.to_owned(),
        })
    }
}

/// The state of compiling one plan.
pub(super) struct Compiler {
    pub(super) node_count: usize,
    pub(super) record_count: usize,
    pub(super) tables: Tables,
    /// The classes of `Tables::uuids`, which need `&mut Attached`.
    pub(super) uuid_classes: Vec<Owned>,
    pub(super) runs_python: bool,
    /// Whether the attributes of instances may be stored in place.
    pub(super) stores_attributes: bool,
    /// The number of calls around the rule that is being read.
    pub(super) call_depth: usize,
}

/// Adds an entry to a table and returns its index.
pub(super) fn push_entry<T>(table: &mut Vec<T>, entry: T) -> Result<u32, Raised> {
    table.try_reserve(1).map_err(|_| error::no_memory())?;
    table.push(entry);
    Ok(table.len() as u32 - 1)
}

/// The value of an `int` that is an index below `count`.
pub(super) fn checked_index(object: Obj<'_>, count: usize) -> Result<u32, Raised> {
    let index = description::size(object)?;
    if index < count && index < u32::MAX as usize {
        return Ok(index as u32);
    }
    Err(description::unexpected(c"an index within the plan", object))
}
