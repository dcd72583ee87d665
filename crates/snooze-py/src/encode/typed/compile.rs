//! Compiles the description of an encoder's types into its plan.
//!
//! Separate because it runs once per plan and decides everything that a walk would otherwise decide
//! again and again: names are rendered, exact types are mapped to encodings. `compile_node` and
//! `compile_record` hold the two large parts. Invariant: anything unexpected in the description is
//! an error. The description is made by `snooze._typed`. Called by `entry`.

use crate::description;
use crate::description::{Row, TupleNodes};
use crate::encode::typed::options::Options;
use crate::encode::typed::plan::{DictNodes, EncodePlan, EnumMembers, Keep, Node};
use crate::options::EncodeFlags;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, error, unicode};
use crate::runtime::Runtime;

/// Compiles a description `(1, nodes, records, root, options)`.
pub(super) fn plan(
    py: &mut Attached,
    runtime: &Runtime,
    description: &Owned,
) -> Result<EncodePlan, Raised> {
    let [version, nodes, records, root, options] = exact_items(py, description)?;
    if description::integer(version.get())? != description::VERSION {
        return Err(description::unexpected(c"the version of the description", version.get()));
    }
    let (nodes, records) = (owned_items(py, &nodes)?, owned_items(py, &records)?);
    let options = Options::read(py, &options)?;
    let mut compiler = Compiler {
        runtime,
        nodes: nodes.len(),
        heads: Vec::new(),
        fixed_tuples: Vec::new(),
        dicts: Vec::new(),
        enums: Vec::new(),
        finite: options.finite,
        overrides: options.policies.overrides,
        times_by_rule: options.policies.changes_times(),
        indents: options.flags.has(EncodeFlags::INDENT_2),
        any_dict: 0,
        keep: options.keep.as_ref(),
    };
    for record in &records {
        let row = Row::new(py, record.get())?;
        let (class, is_dict) = (row.get(0)?.to_owned(), description::name(row.get(1)?)? == b"dict");
        push(&mut compiler.heads, RecordHead { class, is_dict, is_array: None })?;
    }
    let any = nodes.len() as u32;
    compiler.any_dict = compiler.dict_nodes(any, any)?;
    let mut compiled_nodes = description::with_room(nodes.len() + 1)?;
    for node in &nodes {
        let [expected, rules] = exact_items(py, node)?;
        if Str::exact(expected.get()).is_none() {
            return Err(description::unexpected(c"what messages expect", expected.get()));
        }
        let rules = owned_items(py, &rules)?;
        compiled_nodes.push(compiler.node(py, expected, &rules, any)?);
    }
    let expected = unicode::decode_utf8(b"any")?;
    let mut node = Node {
        expected,
        mask: 0,
        allows_any: true,
        first: None,
        exact: Vec::new(),
        only_record: None,
        rules: Vec::new(),
    };
    compiler.allow_any(&mut node, any)?;
    compiler.leave_kept(py, &mut node)?;
    compiled_nodes.push(node);
    let root = compiler.node_index(root.get())?;
    let mut compiled_records = description::with_room(records.len())?;
    for (record, record_index) in records.iter().zip(0..) {
        compiled_records.push(compiler.record(py, record, record_index, &compiled_nodes)?);
    }
    Ok(EncodePlan {
        nodes: compiled_nodes,
        records: compiled_records,
        fixed_tuples: compiler.fixed_tuples,
        dicts: compiler.dicts,
        enums: compiler.enums,
        root,
        resolve: options.resolve,
        hook: options.hook,
        decimal_number: options.decimal_number,
        finite: options.finite,
        policies: options.policies,
        flags: options.flags,
        layout: options.layout,
        newline: options.newline,
        white_space: options.white_space,
        plain_array: options.plain_array,
        keep: options.keep,
    })
}

/// Returns the items of a tuple of exactly `N`.
pub(super) fn exact_items<const N: usize>(
    py: &Attached,
    object: &Owned,
) -> Result<[Owned; N], Raised> {
    let row = Row::new(py, object.get())?;
    if row.len() != N {
        return Err(description::unexpected(c"a tuple of another length", object.get()));
    }
    // The length is checked above, so no item is missing.
    let mut items = row.items().map(Obj::to_owned);
    let mut failed = false;
    let parts = core::array::from_fn(|_| match items.next() {
        Some(item) => item,
        None => {
            failed = true;
            object.clone()
        }
    });
    if failed { Err(description::unexpected(c"a complete tuple", object.get())) } else { Ok(parts) }
}

/// Returns the items of a tuple.
pub(super) fn owned_items(py: &Attached, object: &Owned) -> Result<Vec<Owned>, Raised> {
    let row = Row::new(py, object.get())?;
    let mut items = description::with_room(row.len())?;
    items.extend(row.items().map(Obj::to_owned));
    Ok(items)
}

/// What nodes need to know of a record before it is compiled.
pub(super) struct RecordHead {
    pub(super) class: Owned,
    /// Its instances are dicts.
    pub(super) is_dict: bool,
    /// Whether it is written as an array; `None` until a node says so.
    pub(super) is_array: Option<bool>,
}

/// The state of one compilation.
pub(super) struct Compiler<'a> {
    pub(super) runtime: &'a Runtime,
    /// The number of nodes; the node for `Any` has this index.
    pub(super) nodes: usize,
    pub(super) heads: Vec<RecordHead>,
    pub(super) fixed_tuples: Vec<TupleNodes>,
    pub(super) dicts: Vec<DictNodes>,
    pub(super) enums: Vec<EnumMembers>,
    pub(super) finite: bool,
    /// The exact types that `Any` does not write as what they are: see `policies`.
    pub(super) overrides: u16,
    /// Times are left to their rules.
    pub(super) times_by_rule: bool,
    pub(super) indents: bool,
    /// The index of the key and value nodes of a dict of `Any`.
    pub(super) any_dict: u32,
    /// What stays an object.
    pub(super) keep: Option<&'a Keep>,
}

/// Reads the index of a node or record, of which there are `count`.
pub(super) fn plan_index(object: Obj<'_>, count: usize) -> Result<u32, Raised> {
    let plan_index = description::size(object)?;
    if plan_index >= count || plan_index >= u32::MAX as usize {
        return Err(description::unexpected(c"a place", object));
    }
    Ok(plan_index as u32)
}

/// Adds an element; returns its index.
pub(super) fn push<T>(target: &mut Vec<T>, value: T) -> Result<u32, Raised> {
    target.try_reserve(1).map_err(|_| error::no_memory())?;
    target.push(value);
    Ok(target.len() as u32 - 1)
}
