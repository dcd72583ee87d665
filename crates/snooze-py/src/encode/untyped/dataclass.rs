//! Writes the fields of dataclass instances.
//!
//! Separate from `dataclass` (beside this folder), which describes the class. The layouts are
//! orjson's. An instance with a `__dict__` whose class itself has no `__slots__` is written from
//! that dict, in its order, with all other attributes in it. If a field is missing there (a default
//! that was never set, a slot of a base class), all fields are written in the order of the class,
//! by attribute lookup, then the other attributes of the dict. Any other instance is written field
//! by field. Names that begin with an underscore are left out. Called by `walk` and `borrowed`.
//!
//! PERF: most instances need neither attribute lookups nor a `__dict__`, which the interpreter
//! would have to create. Slots are read in place, and so are the attributes of an instance whose
//! constructor set exactly the fields in order: 0.5 of orjson's speed before, 1.5 now, 13 with
//! slots (2026-11-21).

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::dataclass::{Dataclass, Field, ValueSource};
use crate::encode::format::Format;
use crate::encode::frame::DataclassFrame;
use crate::encode::policy::DumpsPolicy;
use crate::encode::scalar::write_scalar;
use crate::py::instance::Attributes;
use crate::py::{Attached, Obj, Owned, Raised, call, error, instance};

/// An instance, borrowed while no Python code runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance<'a> {
    object: Obj<'a>,
    source: ValueSource,
    py: &'a Attached,
}

/// Why writing fields stopped.
pub(super) enum FieldsStop<'a> {
    /// All fields are written.
    End,
    /// After the name of a field with this value, which is no scalar.
    NotScalar(Obj<'a>),
    /// Before a field whose value needs an attribute lookup.
    NeedsLookup,
}

impl Dataclass {
    /// Writes the fields from `index` on, up to the first value that is no scalar. `RECHECK`:
    /// Python code may have run since the source was determined, so compare the attribute names.
    #[inline(always)]
    pub(super) fn write_fields<
        'a,
        V: Vector,
        F: Format,
        B: Buffer,
        const DIRECT: bool,
        const RECHECK: bool,
    >(
        &self,
        instance: Instance<'a>,
        out: &mut Out<'_, B>,
        index: &mut usize,
        depth: usize,
        strict: bool,
    ) -> Result<FieldsStop<'a>, Raised> {
        let attributes = instance.attributes();
        if attributes.is_some_and(|attributes| attributes.len() != self.fields.len()) {
            return Err(error::runtime_error(c"dictionary changed size during iteration"));
        }
        while let Some(field) = self.fields.get(*index) {
            if field.is_private() {
                *index += 1;
                continue;
            }
            let Some(value) = self.value::<RECHECK>(instance, attributes, *index) else {
                return Ok(FieldsStop::NeedsLookup);
            };
            *index += 1;
            field.write_prefix::<F, B>(out, depth)?;
            if !write_scalar::<V, _, B, DIRECT>(out, value, DumpsPolicy { strict })? {
                return Ok(FieldsStop::NotScalar(value));
            }
        }
        Ok(FieldsStop::End)
    }

    /// Returns the value of the field at an index; `None` if that needs an attribute lookup.
    #[inline(always)]
    pub(super) fn value<'a, const RECHECK: bool>(
        &self,
        instance: Instance<'a>,
        attributes: Option<Attributes<'a>>,
        index: usize,
    ) -> Option<Obj<'a>> {
        match attributes {
            Some(attributes) if !RECHECK => attributes.value(index),
            Some(attributes) => {
                let (name, value) = attributes.get(index)?;
                (name == self.names.get(index)?.get()).then_some(value)
            }
            None => instance::in_slot(instance.object, self.fields.get(index)?.slot?, instance.py),
        }
    }
}

/// Writes fields outside the loop of the borrowed walk: see [`Dataclass::write_fields`].
pub(super) struct FieldsTask<'a, 'b, F, B: Buffer> {
    pub(super) dataclass: &'a Dataclass,
    pub(super) index: usize,
    pub(super) instance: Instance<'a>,
    pub(super) out: Out<'b, B>,
    /// Open containers, including this one.
    pub(super) depth: usize,
    pub(super) strict: bool,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for FieldsTask<'a, 'b, F, B> {
    /// The next field, and why it stopped there.
    type Output = Result<(Out<'b, B>, usize, FieldsStop<'a>), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { dataclass, mut index, instance, mut out, depth, strict, .. } = self;
        let stop = dataclass
            .write_fields::<V, F, B, true, false>(instance, &mut out, &mut index, depth, strict)?;
        Ok((out, index, stop))
    }
}

impl<'a> Instance<'a> {
    /// An instance whose values are at `source`.
    #[inline(always)]
    pub(super) fn new(object: Obj<'a>, source: ValueSource, py: &'a Attached) -> Self {
        Self { object, source, py }
    }

    /// The attributes in the instance, if that is where the values are.
    #[inline(always)]
    pub(super) fn attributes(self) -> Option<Attributes<'a>> {
        match self.source {
            ValueSource::SlotOrLookup => None,
            ValueSource::AttributesInOrder => Attributes::of(self.object, self.py),
        }
    }
}

impl DataclassFrame {
    /// Looks up the attribute of a field, writes its name and keeps the value alive.
    #[inline(never)]
    pub(super) fn write_by_lookup<F: Format, B: Buffer>(
        &mut self,
        out: &mut Out<'_, B>,
        index: &mut usize,
        container: &Owned,
        py: &mut Attached,
        depth: usize,
    ) -> Result<Obj<'_>, Raised> {
        let value = call::attribute(py, container, &self.dataclass.names[*index])?;
        self.dataclass.fields[*index].write_prefix::<F, B>(out, depth)?;
        *index += 1;
        Ok(self.value.insert(value).get())
    }
}

impl Field {
    /// Starts an element and writes the name.
    #[inline(always)]
    fn write_prefix<F: Format, B: Buffer>(
        &self,
        out: &mut Out<'_, B>,
        depth: usize,
    ) -> Result<(), NoMemory> {
        F::start_element(out, depth)?;
        self.prefix.write(out)?;
        F::after_colon(out)
    }
}
