//! Documents of a dialect as JSON, and the places of faults: for the Python code of typed Decoders.
//!
//! Separate from `walk`, because no objects are made of the document. Invariant: raises the same
//! exceptions as the walk. Called by `module::dialect`.

use snooze_core::arch::{Task, Vector};
use snooze_core::dialect::{Origins, Rules, Step, path_to, to_plain};
use snooze_core::error::Error;

use crate::decode::error::raise_json_error;
use crate::decode::input::read_text_input;
use crate::description::{self, Row};
use crate::py::bytes::of_subclass;
use crate::py::input::{Holder, Input};
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, int, tuple, unicode};
use crate::runtime::Runtime;

/// The document in `object` as JSON, in a new `bytes`.
pub(crate) fn plain(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'_>,
    rules: Rules,
) -> Result<Owned, Raised> {
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, |raw| raw.get().obj());
    let mut holder = Holder::default();
    let input = read_text_input(runtime, py, object, &mut holder)?;
    let mut out = Vec::new();
    write(runtime, object, input, rules, &mut out, &mut Origins::default())?;
    Ok(bytes::new(py, &out)?.into_owned())
}

/// The offsets in the document in `object` of ascending offsets in its [`plain`] form: a tuple.
pub(crate) fn sources(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'_>,
    rules: Rules,
    offsets: Obj<'_>,
) -> Result<Owned, Raised> {
    let row = Row::new(py, offsets)?;
    let mut wanted = description::with_room(row.len())?;
    for offset in row.items() {
        wanted.push(description::size(offset)?);
    }
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, |raw| raw.get().obj());
    let mut holder = Holder::default();
    let input = read_text_input(runtime, py, object, &mut holder)?;
    let mut origins = Origins::of(&wanted);
    write(runtime, object, input, rules, &mut Vec::new(), &mut origins)?;
    let mut items = description::with_room(wanted.len())?;
    for offset in origins.found {
        items.push(int::new(py, offset as i64)?);
    }
    tuple::new(py, &mut items, 0)
}

/// Writes a document as JSON, in the SIMD tier of the runtime; raises its faults.
fn write(
    runtime: &Runtime,
    object: Obj<'_>,
    input: Input<'_>,
    rules: Rules,
    out: &mut Vec<u8>,
    origins: &mut Origins<'_>,
) -> Result<(), Raised> {
    let task = ToPlain { bytes: input.bytes(), rules, out, origins };
    let written = runtime.dispatch.run_narrow(task);
    written.map_err(|error| raise_json_error(runtime, object, input, error))
}

/// The steps to the character at a position of a document: a tuple of `str` and `int`. Empty for a
/// document with surrogates.
pub(crate) fn path_at(py: &Attached, document: Str<'_>, position: usize) -> Result<Owned, Raised> {
    let mut items = Vec::new();
    let encoded = match unicode::encode_utf8(py, document) {
        Ok(encoded) => encoded,
        Err(Raised) if error::is_unicode_error(py) => {
            error::clear();
            return tuple::new(py, &mut items, 0);
        }
        Err(Raised) => return Err(Raised),
    };
    let text = bytes::contents(encoded.get());
    let starts = |&(_, byte): &(usize, &u8)| (*byte as i8) >= -64;
    let offset = text.iter().enumerate().filter(starts).nth(position);
    let offset = offset.map_or(text.len(), |(offset, _)| offset);
    let steps = path_to(text, offset).map_err(|_| error::no_memory())?;
    items.try_reserve_exact(steps.len()).map_err(|_| error::no_memory())?;
    for step in steps {
        items.push(match step {
            Step::Index(index) => int::new(py, index as i64)?,
            Step::Name(name) => unicode::decode_utf8_lossy(&name)?,
        });
    }
    tuple::new(py, &mut items, 0)
}

struct ToPlain<'a, 'o> {
    bytes: &'a [u8],
    rules: Rules,
    out: &'a mut Vec<u8>,
    origins: &'a mut Origins<'o>,
}

impl Task for ToPlain<'_, '_> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        to_plain::<V>(self.bytes, self.rules, self.out, self.origins)
    }
}
