//! Dataclasses: which fields one has, and where an instance keeps them.
//!
//! Two layouts, as orjson tells them apart. An instance with a `__dict__` whose class has no
//! `__slots__` of its own is written from that dict, in its order, with whatever else is in it;
//! but if a field is missing there (a default that was never set, a slot of a base class), all
//! fields are written in the order of the class, by attribute, and then what else is in the dict.
//! Any other instance is written field by field. Names that begin with an underscore are left out.
//!
//! PERF: most instances are neither asked for attributes nor for their `__dict__`, which the
//! interpreter would have to make: slots are read where they are, and so are the attributes of an
//! instance whose constructor set the fields in their order and nothing else: 0.5 of
//! orjson's speed before, 1.5 now, and 13 with slots (2026-11-21).

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out, VecBuffer};

use super::frame::{Entries, Fields, Next};
use super::leaf::scalar;
use super::{Format, keys};
use crate::py::attr::{self, Slot};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::Cursor;
use crate::py::instance::{self, Attributes};
use crate::py::shared::Shared;
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, types};
use crate::state::State;

/// A dataclass, ready to be written.
#[derive(Debug)]
pub(crate) struct Record {
    /// The fields, in the order of the class.
    fields: Vec<Field>,
    /// Their attributes' names.
    names: Vec<Owned>,
    /// How many of them are public.
    public: usize,
    /// The class has `__slots__` of its own.
    own_slots: bool,
    /// Instances keep their attributes where [`Attributes`] sees them.
    is_plain: bool,
    /// `__dataclass_fields__`, and how many entries it had.
    declared: Owned,
    declarations: isize,
}

/// A field of a dataclass.
#[derive(Debug)]
pub(crate) struct Field {
    /// `"name":` with escapes, if that is not too long for it.
    short: [u8; 32],
    /// The length of that; zero if the field is private.
    len: usize,
    /// Where the value is, if the class has a slot for it.
    slot: Option<Slot>,
    /// The same as `short`, if that is too long.
    long: Vec<u8>,
    /// The name as UTF-8.
    text: Vec<u8>,
}

/// Where the values of a record are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In slots, or where asking for the attribute finds them.
    Attribute,
    /// All fields and nothing else are in the instance, in order.
    InOrder,
}

/// An instance, while no Python code runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance<'a> {
    object: Obj<'a>,
    source: Source,
    py: &'a Attached,
}

/// A name of a member with quotes and escapes.
struct Label<'a>(&'a [u8]);

impl Task for Label<'_> {
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

impl Field {
    /// The field with that name as UTF-8; a private one without.
    fn new(state: &State, text: Vec<u8>, slot: Option<Slot>) -> Result<Self, Raised> {
        let (mut short, mut long, mut len) = ([0; 32], Vec::new(), 0);
        if !text.is_empty() {
            long = state.dispatch.run(Label(&text))?;
            len = long.len();
            if let Some(target) = short.get_mut(..len) {
                target.copy_from_slice(&long);
                long = Vec::new();
            }
        }
        Ok(Self { short, len, slot, long, text })
    }
}

impl Record {
    /// Reads `__dataclass_fields__` and the class's dict.
    pub(super) fn new(
        state: &State,
        py: &mut Attached,
        object: &Owned,
        members: &Owned,
        declared: Owned,
    ) -> Result<Self, Raised> {
        let names = &state.names;
        let own_slots = dict::get(py, members, &names.slots)?.is_some();
        let marker = match call::imported_module(py, &names.dataclasses)? {
            Some(module) => call::optional_attribute(py, &module, &names.field)?,
            None => None,
        };
        let declarations = dict::size(declared.get());
        let (mut fields, mut keys, mut public) = (Vec::new(), Vec::new(), 0);
        for (name, field) in dict::entries(py, declared.get())? {
            if !types::is_exact_str(name.get()) {
                continue;
            }
            // ClassVar and InitVar have other markers.
            let kind = call::optional_attribute(py, &field, &names.field_type)?;
            if let (Some(kind), Some(marker)) = (&kind, &marker)
                && kind.as_ptr() != marker.as_ptr()
            {
                continue;
            }
            let (mut text, mut slot) = (Vec::new(), None);
            if !keys::is_private::<false>(name.get())? {
                keys::append_text(name.get(), &mut text)?;
                slot = attr::slot(py, object, &name)?;
                public += 1;
            }
            fields.try_reserve(1).map_err(|_| error::no_memory())?;
            keys.try_reserve(1).map_err(|_| error::no_memory())?;
            fields.push(Field::new(state, text, slot)?);
            keys.push(name);
        }
        let is_plain = state.sees_attributes
            && !own_slots
            && match call::optional_attribute(py, object, &names.dict)? {
                Some(attributes) => instance::is_plain(py, object, &attributes, &names.dict)?,
                None => false,
            };
        Ok(Self { fields, names: keys, public, own_slots, is_plain, declared, declarations })
    }

    /// Whether `__dataclass_fields__` has as many entries as it had. The version tag of the class
    /// does not change with them.
    #[inline(always)]
    pub(super) fn is_current(&self) -> bool {
        dict::size(self.declared.get()) == self.declarations
    }

    /// The public fields.
    fn public(&self) -> impl Iterator<Item = (&Owned, &Field)> {
        self.names.iter().zip(&self.fields).filter(|(_, field)| field.len > 0)
    }

    /// Where the values are of the instances for which [`Record::source_at_once`] gives an answer.
    #[inline(always)]
    pub(super) fn source(&self) -> Source {
        if self.own_slots { Source::Attribute } else { Source::InOrder }
    }

    /// The names of the fields from `index` on.
    #[inline(always)]
    pub(super) fn names(&self, index: usize) -> &[Option<Obj<'_>>] {
        Owned::get_all(self.names.get(index..).unwrap_or(&[]))
    }

    /// The index from which on the fields have these names, which [`Record::names`] gave.
    #[inline(always)]
    pub(super) fn index(&self, names: &[Option<Obj<'_>>]) -> usize {
        self.names.len() - names.len()
    }

    /// Where the values of an instance are, if it is one of those that need no closer look.
    #[inline(always)]
    pub(super) fn source_at_once(&self, object: Obj<'_>, py: &Attached) -> Option<Source> {
        if self.public == 0 {
            return None;
        }
        if self.own_slots {
            return Some(self.source());
        }
        if !self.is_plain {
            return None;
        }
        let attributes = Attributes::of(object, py)?;
        attributes.has_names(&self.names).then_some(self.source())
    }
}

/// Where the walk of a record stopped.
pub(super) enum Stop<'a> {
    /// At the end.
    End,
    /// Behind the label of a field with this value, which has to be opened.
    Value(Obj<'a>),
    /// Before a field that has to be asked for.
    Ask,
}

impl Record {
    /// Writes the fields from `index` on, up to the first value that is no scalar. Where they are is
    /// asked again if Python code `RAN` since it was found.
    #[inline(always)]
    pub(super) fn write<
        'a,
        V: Vector,
        F: Format,
        B: Buffer,
        const DIRECT: bool,
        const RAN: bool,
    >(
        &self,
        instance: Instance<'a>,
        out: &mut Out<'_, B>,
        index: &mut usize,
        depth: usize,
        strict: bool,
    ) -> Result<Stop<'a>, Raised> {
        let attributes = instance.attributes();
        if attributes.is_some_and(|attributes| attributes.len() != self.fields.len()) {
            return Err(error::runtime_error(c"dictionary changed size during iteration"));
        }
        while let Some(field) = self.fields.get(*index) {
            if field.len == 0 {
                *index += 1;
                continue;
            }
            let Some(value) = self.value::<RAN>(instance, attributes, *index) else {
                return Ok(Stop::Ask);
            };
            *index += 1;
            field.write_label::<F, B>(out, depth)?;
            if !scalar::<V, B, DIRECT>(out, value, strict)? {
                return Ok(Stop::Value(value));
            }
        }
        Ok(Stop::End)
    }

    #[inline(always)]
    fn value<'a, const RAN: bool>(
        &self,
        instance: Instance<'a>,
        attributes: Option<Attributes<'a>>,
        place: usize,
    ) -> Option<Obj<'a>> {
        match attributes {
            Some(attributes) if !RAN => attributes.value(place),
            Some(attributes) => {
                let (name, value) = attributes.get(place)?;
                (name == self.names.get(place)?.get()).then_some(value)
            }
            None => attr::in_slot(instance.object, self.fields.get(place)?.slot?, instance.py),
        }
    }
}

/// Writes the fields of a dataclass from `index` on, up to the first value that is no scalar,
/// outside the walk.
pub(super) struct Scalars<'a, 'b, F, B: Buffer> {
    pub(super) record: &'a Record,
    pub(super) index: usize,
    pub(super) instance: Instance<'a>,
    pub(super) out: Out<'b, B>,
    /// Open containers, itself included.
    pub(super) depth: usize,
    pub(super) strict: bool,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for Scalars<'a, 'b, F, B> {
    /// The next field, and why it stopped there.
    type Output = Result<(Out<'b, B>, usize, Stop<'a>), Raised>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { record, mut index, instance, mut out, depth, strict, .. } = self;
        let stop =
            record.write::<V, F, B, true, false>(instance, &mut out, &mut index, depth, strict)?;
        Ok((out, index, stop))
    }
}

impl<'a> Instance<'a> {
    /// The instance, whose values are at `source`.
    #[inline(always)]
    pub(super) fn new(object: Obj<'a>, source: Source, py: &'a Attached) -> Self {
        Self { object, source, py }
    }

    #[inline(always)]
    fn attributes(self) -> Option<Attributes<'a>> {
        match self.source {
            Source::Attribute => None,
            Source::InOrder => Attributes::of(self.object, self.py),
        }
    }
}

impl Fields {
    /// Asks for the attribute of a field, writes its label and keeps the value.
    #[inline(never)]
    pub(super) fn ask<F: Format, B: Buffer>(
        &mut self,
        out: &mut Out<'_, B>,
        index: &mut usize,
        owner: &Owned,
        py: &mut Attached,
        depth: usize,
    ) -> Result<Obj<'_>, Raised> {
        let value = call::attribute(py, owner, &self.record.names[*index])?;
        self.record.fields[*index].write_label::<F, B>(out, depth)?;
        *index += 1;
        Ok(self.value.insert(value).get())
    }
}

impl Field {
    #[inline(always)]
    fn write_label<F: Format, B: Buffer>(
        &self,
        out: &mut Out<'_, B>,
        depth: usize,
    ) -> Result<(), NoMemory> {
        F::before(out, depth)?;
        if self.len <= self.short.len() {
            out.padded(&self.short, self.len)?;
        } else {
            out.raw(&self.long)?;
        }
        if F::SPACED {
            out.byte(b' ')?;
        }
        Ok(())
    }
}

/// How an instance is to be written.
pub(super) fn begin(
    state: &State,
    py: &mut Attached,
    object: &Owned,
    record: Shared<Record>,
) -> Result<Next, Raised> {
    let source = record.source_at_once(object.get(), py);
    if source.is_none()
        && !record.own_slots
        && let Some(attributes) = call::optional_attribute(py, object, &state.names.dict)?
        && types::is_exact_dict(attributes.get())
    {
        if !has_every_field(py, &attributes, &record)? {
            return by_attribute_then_rest(py, object, &record, &attributes);
        }
        if dict::size(attributes.get()) == 0 {
            return Ok(Next::Empty(b'{'));
        }
        return keys::begin_public(py, attributes);
    }
    if record.public == 0 {
        // As orjson does: private fields leave an empty line if the object is indented.
        return Ok(match record.names.is_empty() {
            true => Next::Empty(b'{'),
            false => Entries::default().into_frame(object),
        });
    }
    Ok(Next::Record(record, source.unwrap_or(Source::Attribute)))
}

/// Whether the instance's dict has all public fields; in order, as the constructor left them, or
/// in any other.
fn has_every_field(py: &mut Attached, attributes: &Owned, record: &Record) -> Result<bool, Raised> {
    let mut cursor = Cursor::new(attributes.get());
    let mut expected = record.public();
    let mut next = expected.next();
    // Another thread may change the dict during a walk without its lock.
    while !FREE_THREADED
        && let Some(field) = next
        && let Some((key, _)) = cursor.next::<false>(attributes, py)?
    {
        if key.as_ptr() == field.0.as_ptr() {
            next = expected.next();
        }
    }
    if next.is_none() {
        return Ok(true);
    }
    for (name, _) in record.public() {
        if dict::get(py, attributes, name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn by_attribute_then_rest(
    py: &mut Attached,
    object: &Owned,
    record: &Record,
    attributes: &Owned,
) -> Result<Next, Raised> {
    let mut entries = Entries::default();
    for (name, field) in record.public() {
        let value = call::attribute(py, object, name)?;
        entries.push(value, |text| keys::append(text, &field.text))?;
    }
    for (name, value) in dict::entries(py, attributes.get())? {
        let name = keys::exact_str(&name)?;
        let is_field = record.public().any(|field| keys::is_same_text(name, field.0.get()));
        if !is_field && !keys::is_private::<false>(name)? {
            entries.push(value, |text| keys::append_text(name, text))?;
        }
    }
    Ok(entries.into_next(object))
}
