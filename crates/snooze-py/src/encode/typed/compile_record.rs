//! Compiles records: classes with fields and their rendered names.
//!
//! Separate from `compile_node` because records are compiled after all nodes, whose scalar masks
//! they copy. Called by `compile`.

use crate::description::{self, Row};
use crate::encode::rendered::{Rendered, render_member_name};
use crate::encode::typed::compile::{Compiler, exact_items, owned_items, push};
use crate::encode::typed::plan::{
    ExtraMembers, FieldLayout, FieldPlan, Node, Omit, Record, RecordKind,
};
use crate::encode::typed::policies::RAW_MARK;
use crate::py::bytes::Bytes;
use crate::py::gil_cell::GilCell;
use crate::py::instance::FieldOffset;
use crate::py::unicode::Str;
use crate::py::{Attached, Owned, Raised, bytes, error, singletons, types, unicode};

impl Compiler<'_> {
    /// Compiles `(cls, kind, fields, leading members, extra members)`.
    pub(super) fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        record_index: usize,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let [class, kind, fields, leading, extra_members] = exact_items(py, record)?;
        let kind = match description::name(kind.get())? {
            b"attributes" => RecordKind::Attributes,
            b"dict" => RecordKind::Dict,
            b"tuple" => RecordKind::Tuple,
            _ => return Err(description::unexpected(c"attributes, dict or tuple", kind.get())),
        };
        if !types::is_type(class.get()) {
            return Err(description::unexpected(c"a class", class.get()));
        }
        // `(tag, leading)` if the tag is among the fields.
        let [tag, leading] = match Bytes::exact(leading.get()) {
            Some(_) => [leading.clone(), leading],
            None => exact_items(py, &leading)?,
        };
        let rendered = |object: &Owned| match Bytes::exact(object.get()).map(bytes::contents) {
            Some(contents) => description::copied(contents),
            None => Err(description::unexpected(c"rendered members", object.get())),
        };
        let (tag, leading) = (rendered(&tag)?, rendered(&leading)?);
        let extra_members = match singletons::is_none(extra_members.get()) {
            true => None,
            false => {
                let [attribute, key, node, names, sorted] = exact_items(py, &extra_members)?;
                let attribute = attribute_name(&attribute)?;
                let node = self.node_index(node.get())?;
                let is_in_record = unicode::is_empty(attribute);
                let nodes = self.dict_nodes(self.node_index(key.get())?, node)?;
                let mut reserved = Vec::new();
                for name in owned_items(py, &names)? {
                    push(&mut reserved, self.member_name(py, &name)?.0)?;
                }
                reserved.sort_unstable();
                let is_sorted = description::boolean(sorted.get())?;
                let attribute = unicode::interned(attribute);
                Some(ExtraMembers { attribute, is_in_record, nodes, reserved, is_sorted })
            }
        };
        let fields = owned_items(py, &fields)?;
        let is_array = self.heads.get(record_index).is_some_and(|head| head.is_array == Some(true));
        let mut opening = description::with_room(leading.len() + 2)?;
        opening.push(if is_array { b'[' } else { b'{' });
        let mut leading_line = Rendered::new(&[])?;
        if !leading.is_empty() {
            opening.extend_from_slice(&leading);
            opening.push(b',');
            if self.indents {
                leading_line = Rendered::new(opening.get(1..).unwrap_or(&[]))?;
                opening.truncate(1);
            }
        }
        let mut compiled = Record {
            class,
            kind,
            is_array,
            fields: description::with_room(fields.len())?,
            attribute_names: description::with_room(fields.len())?,
            opening: Rendered::new(&[])?,
            may_be_empty: leading.is_empty(),
            tag: (!tag.is_empty()).then_some(tag),
            leading_members: leading_line,
            extra_members,
            field_layout: Default::default(),
            min_items: 0,
        };
        let mut offsets = description::with_room(fields.len())?;
        for field in &fields {
            let [attribute, name, node, omit] = exact_items(py, field)?;
            if kind == RecordKind::Tuple {
                let index = description::size(attribute.get())?;
                if index > u16::MAX.into() {
                    return Err(description::unexpected(c"an index", attribute.get()));
                }
                compiled.min_items = compiled.min_items.max(index + 1);
                offsets.push(FieldOffset::of_item(index));
            }
            if kind == RecordKind::Dict {
                // Not used, but every field has an offset.
                offsets.push(FieldOffset::of_item(0));
            }
            compiled.attribute_names.push(if kind == RecordKind::Tuple {
                attribute
            } else {
                unicode::interned(attribute_name(&attribute)?)
            });
            let (name, mut text) = self.member_name(py, &name)?;
            if is_array {
                text.clear();
            }
            if self.indents && !is_array {
                push(&mut text, b' ')?;
            }
            let node = self.node_index(node.get())?;
            let (unset, omit) = read_unset(py, omit)?;
            let omit = read_omit(py, &omit)?;
            let may_omit = unset.is_some() || !matches!(omit, Omit::Never);
            // PERF: the opening of the record is rendered into the first name.
            let stays_first = !compiled.sorts_members();
            if !self.indents && !may_omit && compiled.fields.is_empty() && stays_first {
                opening.try_reserve(text.len()).map_err(|_| error::no_memory())?;
                opening.extend_from_slice(&text);
                text = core::mem::take(&mut opening);
            }
            let prefix = Rendered::new(&text)?;
            let mask = nodes.get(node as usize).map_or(0, |node| node.mask);
            compiled.may_be_empty &= may_omit;
            compiled.fields.push(FieldPlan { prefix, name, node, mask, omit, unset });
        }
        compiled.field_layout =
            GilCell::new(FieldLayout::new(Default::default(), &compiled.fields, &offsets)?);
        compiled.opening = Rendered::new(&opening)?;
        Ok(compiled)
    }

    /// Reads a member name: a `str`, or `bytes` if it is JSON text with escapes already. Returns it
    /// as `write_key` takes it, and as it is written.
    fn member_name(&self, py: &mut Attached, name: &Owned) -> Result<(Vec<u8>, Vec<u8>), Raised> {
        if let Some(json) = Bytes::exact(name.get()).map(bytes::contents) {
            let mut marked = description::with_room(json.len() + 1)?;
            marked.push(RAW_MARK);
            marked.extend_from_slice(json);
            let mut text = description::with_room(json.len() + 1)?;
            text.extend_from_slice(json);
            text.push(b':');
            return Ok((marked, text));
        }
        let name = description::utf8(py, name.get())?;
        let name = description::copied(bytes::contents(name.get()))?;
        let text = render_member_name(self.runtime.dispatch, &name)?;
        Ok((name, text))
    }
}

/// Takes `UNSET` out of `("unset", UNSET, omit)`.
fn read_unset(py: &Attached, omit: Owned) -> Result<(Option<Owned>, Owned), Raised> {
    if !singletons::is_none(omit.get())
        && let (b"unset", row) = Row::tagged(py, omit.get())?
    {
        let [_, unset, rest] = row.exactly()?;
        return Ok((Some(unset.to_owned()), rest.to_owned()));
    }
    Ok((None, omit))
}

/// Reads when a field is omitted.
fn read_omit(py: &Attached, omit: &Owned) -> Result<Omit, Raised> {
    if singletons::is_none(omit.get()) {
        return Ok(Omit::Never);
    }
    let (name, row) = Row::tagged(py, omit.get())?;
    match (name, row.len()) {
        (b"none", 1) => Ok(Omit::IfNone),
        (b"absent", 1) => Ok(Omit::IfAbsent),
        (b"absent", 2) if singletons::is_true(row.get(1)?) => Ok(Omit::IfAbsentOrNone),
        (b"equal", 2) => Ok(Omit::IfEqual(row.get(1)?.to_owned())),
        (b"equal", 3) if singletons::is_true(row.get(2)?) => {
            Ok(Omit::IfEqualOrNone(row.get(1)?.to_owned()))
        }
        _ => Err(description::unexpected(c"a rule of what to leave out", omit.get())),
    }
}

/// The name of an attribute, which must be an exact `str`.
fn attribute_name(object: &Owned) -> Result<Str<'_>, Raised> {
    let name = Str::exact(object.get());
    name.ok_or_else(|| description::unexpected(c"the name of an attribute", object.get()))
}
