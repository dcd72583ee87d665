//! From the description of a type to the plan of its decoder.
//!
//! Separate from `plan` because it is all about reading the description, and runs once for each
//! decoder. Invariant: every number that the plan has for a node, a record or an entry of a table
//! is checked here; what is not understood is an error.

use snooze_core::names::Names;

use crate::decode::typed::plan::{
    Construction, DecodePlan, DictRule, LengthBounds, Node, Options, Record, Rule, Tables, Unknown,
};
use crate::description;
use crate::description::Row;
use crate::py::datetime::Uuids;
use crate::py::{Attached, Obj, Owned, Raised, error, unicode};

/// Reads `(version, nodes, records, root, options, fail)`; `fills` says whether instances may be
/// made with their attributes where the interpreter keeps them.
pub(super) fn plan(
    py: &mut Attached,
    fills: bool,
    description: &Owned,
) -> Result<DecodePlan, Raised> {
    let parts = Parts::new(py, description)?;
    let mut compiler = Compiler {
        node_count: parts.nodes.len(),
        record_count: parts.records.len(),
        tables: Tables::default(),
        uuid_classes: Vec::new(),
        runs_code: false,
        fills,
        calls: 0,
    };
    add(&mut compiler.tables.lengths, LengthBounds { least: 0, most: usize::MAX })?;
    let mut nodes = description::with_room(parts.nodes.len())?;
    for node in &parts.nodes {
        nodes.push(compiler.node(py, node.get())?);
    }
    let mut records = description::with_room(parts.records.len())?;
    for record in &parts.records {
        records.push(compiler.record(py, record, &nodes)?);
    }
    for class in core::mem::take(&mut compiler.uuid_classes) {
        let uuids = Uuids::new(py, &class)?;
        add(&mut compiler.tables.uuids, uuids)?;
    }
    if parts.root >= nodes.len() {
        return Err(error::system_error(c"the description of a plan has no root"));
    }
    let is_plain = |dict: &DictRule| {
        nodes.get(dict.key as usize).is_some_and(|key: &Node| key.string == Rule::Str)
    };
    for index in 0..compiler.tables.dicts.len() {
        let dict = &mut compiler.tables.dicts[index];
        dict.plain_keys = is_plain(dict);
    }
    let any = Node::of(unicode::decode_utf8(b"any")?, Rule::Any);
    let no_record = Record {
        name: any.expected.clone(),
        construction: Construction::Dict,
        fields: Vec::new(),
        names: Names::new(&[]).map_err(|_| error::no_memory())?,
        places: Vec::new(),
        aliases: Vec::new(),
        unknown: Unknown::Ignore,
        tag: None,
        is_special: false,
        passes_unknown: true,
        hidden: false,
        slots_only: None,
        inline_values: None,
    };
    let Parts { root, options, fail, .. } = parts;
    let Compiler { tables, runs_code, .. } = compiler;
    Ok(DecodePlan { nodes, records, root, options, tables, any, no_record, fail, runs_code })
}

/// The parts of a description, owned: reading records looks up attributes of classes.
struct Parts {
    nodes: Vec<Owned>,
    records: Vec<Owned>,
    root: usize,
    options: Options,
    fail: Owned,
}

impl Parts {
    fn new(py: &Attached, description: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, description.get())?;
        if description::integer(row.get(0)?)? != description::VERSION {
            return Err(error::system_error(c"the description of a plan is of another version"));
        }
        let [_, nodes, records, root, options, fail] = row.exactly()?;
        let owned = |object: Obj<'_>| -> Result<Vec<Owned>, Raised> {
            let items = Row::new(py, object)?;
            let mut all = description::with_room(items.len())?;
            all.extend(items.items().map(Obj::to_owned));
            Ok(all)
        };
        let [strict, all_errors, fast_skip, at] = Row::exact(py, options)?;
        let at = match description::optional(at) {
            Some(tokens) => {
                let tokens = Row::new(py, tokens)?;
                let mut all = description::with_room(tokens.len())?;
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
                all_errors: description::boolean(all_errors)?,
                fast_skip: description::boolean(fast_skip)?,
                at,
            },
            fail: fail.to_owned(),
        })
    }
}

/// What is known while a plan is made.
pub(super) struct Compiler {
    pub(super) node_count: usize,
    pub(super) record_count: usize,
    pub(super) tables: Tables,
    pub(super) uuid_classes: Vec<Owned>,
    pub(super) runs_code: bool,
    /// Whether the layout of instances has been verified.
    pub(super) fills: bool,
    /// The calls around the rule that is read now.
    pub(super) calls: usize,
}

/// Adds an entry to a table and returns its number.
pub(super) fn add<T>(table: &mut Vec<T>, entry: T) -> Result<u32, Raised> {
    table.try_reserve(1).map_err(|_| error::no_memory())?;
    table.push(entry);
    Ok(table.len() as u32 - 1)
}

/// A number below a count.
pub(super) fn below(object: Obj<'_>, count: usize) -> Result<u32, Raised> {
    let number = description::size(object)?;
    if number < count && number < u32::MAX as usize {
        return Ok(number as u32);
    }
    Err(description::unexpected(c"the number of a node or record", object))
}
