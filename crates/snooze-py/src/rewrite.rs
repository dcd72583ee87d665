//! JSON text in, other JSON text out: another style, or the canonical form.
//!
//! Separate from `encode` and `decode`, because no Python object is built or read in between. Called by
//! `module`: for `reformat` and `canonicalize`, and for encoders with a style.

use core::mem::MaybeUninit;

use snooze_core::arch::{Task, Vector};
use snooze_core::error::Error;
use snooze_core::out::{NoMemory, Out};
use snooze_core::rewrite::{canonical, checked, restyle};

use crate::decode::error::raise_json_error;
use crate::decode::input::read_input;
use crate::py::input::Holder;
use crate::py::output::{INLINE, Output};
use crate::py::{Attached, Obj, Owned, Raised, bytes, error};
use crate::runtime::Runtime;
use crate::text_layout::TextLayout;

/// The text of `object` in a layout, as `bytes`; raises `JSONDecodeError` if it is no document.
pub(crate) fn reformat(
    runtime: &Runtime,
    py: &mut Attached,
    object: Obj<'_>,
    layout: TextLayout,
) -> Result<Owned, Raised> {
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    if let Err(fault) = runtime.dispatch.run(Check(input.bytes())) {
        return Err(raise_json_error(runtime, object, input, fault));
    }
    laid_out(runtime, py, input.bytes(), layout, |_, output, len| output.finish(len))
}

/// The canonical form of the document in `object`, as `bytes`; raises `JSONDecodeError` if it is no
/// document or has no canonical form.
pub(crate) fn canonicalize(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    match runtime.dispatch.run_narrow(Canonical(input.bytes())) {
        Ok(text) => Ok(bytes::new(py, &text)?.into_owned()),
        Err(fault) => Err(raise_json_error(runtime, object, input, fault)),
    }
}

/// Writes a document in a layout, and passes the output and its length on.
#[inline(never)]
pub(crate) fn laid_out(
    runtime: &Runtime,
    py: &mut Attached,
    text: &[u8],
    layout: TextLayout,
    make_result: impl FnOnce(&mut Attached, Output<'_>, usize) -> Result<Owned, Raised>,
) -> Result<Owned, Raised> {
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, runtime.output_past.here());
    let task = LayOut { text, layout, output: &mut output };
    let len = runtime.dispatch.run(task).map_err(|NoMemory| error::no_memory())?;
    make_result(py, output, len)
}

struct Check<'a>(&'a [u8]);

impl Task for Check<'_> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        checked::<V>(self.0)
    }
}

struct Canonical<'a>(&'a [u8]);

impl Task for Canonical<'_> {
    type Output = Result<Vec<u8>, Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        canonical::<V>(self.0)
    }
}

struct LayOut<'a, 'o> {
    text: &'a [u8],
    layout: TextLayout,
    output: &'a mut Output<'o>,
}

impl Task for LayOut<'_, '_> {
    type Output = Result<usize, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out::new(self.output)?;
        restyle::<V, _>(self.text, &self.layout.style, &mut out)?;
        if self.layout.newline {
            out.byte(b'\n')?;
        }
        Ok(out.len())
    }
}
